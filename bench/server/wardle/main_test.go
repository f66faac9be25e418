package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestAsOriginal checks that the server does what sample-apiserver does with the objects that it is
// about: the transcripts in testdata have the rest.
func TestAsOriginal(t *testing.T) {
	t.Parallel()
	srv, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	client := &http.Client{Transport: srv.Transport()}
	const apis = "http://server/apis/wardle.example.com/"
	const alpha, beta = apis + "v1alpha1/namespaces/default/flunders", apis + "v1beta1/namespaces/default/flunders"
	for _, c := range []struct {
		name, method, url, body string
		code                    int
		part                    string // of the answer
	}{
		{
			"a fischer", "POST", apis + "v1alpha1/fischers",
			`{"metadata":{"name":"strict"},"disallowedFlunders":["forbidden"]}`,
			201, `"disallowedFlunders":["forbidden"]`,
		},
		{"fischers are in one version", "GET", apis + "v1beta1/fischers", "", 404, `"reason":"NotFound"`},
		{
			"the type of a reference is defaulted", "POST", alpha, `{"metadata":{"name":"a"},"spec":{"reference":"b"}}`,
			201, `"spec":{"reference":"b","referenceType":"Flunder"}`,
		},
		{
			"a reference in the newer version", "GET", beta + "/a", "",
			200, `"spec":{"flunderReference":"b","referenceType":"Flunder"}`,
		},
		{
			"a reference to a fischer", "POST", beta,
			`{"metadata":{"name":"c"},"spec":{"fischerReference":"strict","referenceType":"Fischer"}}`,
			201, `"fischerReference":"strict"`,
		},
		{
			"a reference in the older version", "GET", alpha + "/c", "",
			200, `"spec":{"reference":"strict","referenceType":"Fischer"}`,
		},
		{
			"the type is not defaulted in the newer version", "POST", beta,
			`{"metadata":{"name":"d"},"spec":{"flunderReference":"b"}}`,
			422, `cannot be set if referenceType is not Flunder","field":"spec.flunderReference"`,
		},
		{
			"both references", "POST", beta,
			`{"metadata":{"name":"d"},"spec":{"flunderReference":"b","fischerReference":"s","referenceType":"Flunder"}}`,
			422, `cannot be set with flunderReference at the same time","field":"spec.fischerReference"`,
		},
		{
			"a type without a reference", "POST", alpha, `{"metadata":{"name":"d"},"spec":{"referenceType":"Fischer"}}`,
			422, `cannot be empty if referenceType is Fischer (spec.fischerReference in wardle.example.com/v1beta1)","field":"spec.reference"`,
		},
		{
			"another type", "POST", beta, `{"metadata":{"name":"d"},"spec":{"referenceType":"Fisherman"}}`,
			422, `must be Flunder or Fischer","field":"spec.referenceType"`,
		},
		{
			"a name that is banned", "POST", alpha, `{"metadata":{"name":"forbidden"}}`,
			403, `"flunders.wardle.example.com \"forbidden\" is forbidden: this name may not be used, please change`,
		},
		{
			"a ban is for new flunders alone", "PUT", apis + "v1alpha1/fischers/strict",
			`{"metadata":{"name":"strict"},"disallowedFlunders":["a"]}`,
			200, `"disallowedFlunders":["a"]`,
		},
		{
			"a flunder that was there before", "PATCH", beta + "/a", `{"metadata":{"labels":{"seen":"yes"}}}`,
			200, `"labels":{"seen":"yes"}`,
		},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, c.url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.method == "PATCH" {
			request.Header.Set("Content-Type", "application/merge-patch+json")
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != c.code || !strings.Contains(string(body), c.part) {
			t.Errorf("%s: code %d, want %d with %s:\n%s", c.name, response.StatusCode, c.code, c.part, body)
		}
	}
}
