package main

import (
	"bufio"
	"crypto/tls"
	"flag"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/bench/server/internal/front"
)

var original = flag.String("original", "", "`binary` of testdata/original, for the test of an aggregator before it")

// TestAggregatorBeforeOriginal registers k8s.io/sample-apiserver, with its etcd, at an aggregator:
// a server of Kubernetes' own library, which knows nothing of Groups, and trusts the front by its
// client certificate. It takes a binary, which is large, so it is run by hand:
//
//	go build -C ../testdata/original -o /tmp/original . && go test -run Original -original /tmp/original .
//
// testdata/run has the same for kubectl.
func TestAggregatorBeforeOriginal(t *testing.T) {
	t.Parallel()
	if *original == "" {
		t.Skip("run with -original BINARY")
	}
	f, err := front.Start(*original, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	available := func(want string) func() bool {
		return func() bool { return f.Available("v1beta1.wardle.example.com") == want }
	}
	eventually(t, "sample-apiserver is available", available("True Answers"))

	client := &http.Client{Transport: f.Server.Transport()}
	const flunders = "http://front/apis/wardle.example.com/v1beta1/namespaces/default/flunders"
	watch := request(t, client, "GET", flunders+"?watch=1&resourceVersion=0", "", "")
	defer watch.Body.Close()
	const yaml = "application/apply-patch+yaml"
	table := "application/json;as=Table;g=meta.k8s.io;v=v1"
	for _, c := range []struct {
		name, method, url, body, header string // Content-Type of writes, Accept of reads
		code                            int
		want                            string
	}{
		{
			"discovery has both versions", "GET", "http://front/apis", "",
			"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			200, `"resource":"flunders"`,
		},
		{"the older document", "GET", "http://front/apis/wardle.example.com/v1alpha1", "", "", 200, `"fischers"`},
		{"OpenAPI", "GET", "http://front/openapi/v3/apis/wardle.example.com/v1beta1", "", "", 200, "flunderReference"},
		{
			"the hashes of OpenAPI", "GET", "http://front/openapi/v3", "", "", 200,
			`"/openapi/v3/apis/wardle.example.com/v1beta1?hash=`,
		},
		{
			"a hash that is out of date", "GET", "http://front/openapi/v3/apis/wardle.example.com/v1beta1?hash=OLD", "", "",
			200, "flunderReference",
		},
		{
			"OpenAPI 2.0", "GET", "http://front/openapi/v2", "", "", 200,
			`"/apis/wardle.example.com/v1beta1/namespaces/{namespace}/flunders"`,
		},
		{"create", "POST", flunders, `{"metadata":{"name":"a"}}`, "application/json", 201, `"name":"a"`},
		{
			"invalid", "POST", flunders, `{"metadata":{"name":"b"},"spec":{"flunderReference":"x"}}`, "application/json",
			422, "Invalid",
		},
		{
			"apply", "PATCH", flunders + "/a?fieldManager=me",
			"apiVersion: wardle.example.com/v1beta1\nkind: Flunder\nmetadata: {name: a, labels: {tier: web}}", yaml,
			200, `"tier":"web"`,
		},
		{"table", "GET", flunders, "", table, 200, `"columnDefinitions"`},
		{"a name that is not there", "GET", flunders + "/none", "", "", 404, "NotFound"},
		{
			"a user who may not", "POST", flunders + "?as=mallory", `{"metadata":{"name":"c"}}`, "application/json", 403,
			`User \"mallory\" cannot create resource \"flunders\"`,
		},
		{"the older paths of watches", "GET", "http://front/apis/wardle.example.com/v1beta1/watch/flunders", "", "", 404, ""},
		{"below a subresource", "GET", flunders + "/a/status/b", "", "", 404, "could not find the requested resource"},
		{"delete", "DELETE", flunders + "/a", "", "", 200, "Success"},
	} {
		resp := request(t, client, c.method, c.url, c.body, c.header)
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.code || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %d %.500s, %v; want %d and %s", c.name, resp.StatusCode, text, err, c.code, c.want)
		}
	}
	lines := bufio.NewScanner(watch.Body)
	lines.Buffer(nil, 1<<20)
	for _, want := range []string{"ADDED", "MODIFIED", "DELETED"} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), `{"type":"`+want+`"`) {
			t.Fatalf("the watch has %q, %v; want %s", lines.Text(), lines.Err(), want)
		}
	}
	// Without the certificate of the front, the header of a user is not believed.
	direct := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer direct.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+f.Address+"/apis", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Remote-User", "alice")
	r.Header.Set("X-Remote-Group", "system:authenticated")
	resp, err := direct.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("without a certificate: %d", resp.StatusCode)
	}

	f.StopOriginal()
	eventually(t, "sample-apiserver is gone", available("False DoesNotAnswer"))
	resp = request(t, client, "GET", flunders, "", "")
	resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("after its end: %d", resp.StatusCode)
	}
	if err := f.StartOriginal(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "sample-apiserver is back", available("True Answers"))
}

// request sends a request with a header: the Content-Type of a body, or else the Accept header.
// The parameter "as" names its user.
func request(t *testing.T, client *http.Client, method, url, body, header string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if user := r.URL.Query().Get("as"); user != "" {
		r.Header.Set("Authorization", "Bearer "+user)
	}
	switch {
	case header == "":
	case body != "":
		r.Header.Set("Content-Type", header)
	default:
		r.Header.Set("Accept", header)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// eventually waits until a function returns true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !f(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still waiting until " + what)
		}
	}
}
