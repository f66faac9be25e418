package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/httpapi"
)

const podPath = "/api/v1/namespaces/example/pods/a"

// TestEntityTags checks that no two representations of an object share a tag, and that the tag
// changes with the object.
func TestEntityTags(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	h := c.handler()
	tags := map[string]string{}
	for _, accept := range []string{
		"application/json", "application/json;pretty=0", "application/yaml", "application/vnd.kubernetes.protobuf",
		"application/json;export=1",
		"application/json;as=Table", "application/json;as=PartialObjectMetadata", "application/json;v=v1", "text/csv",
	} {
		resp, _ := ask(t, h, http.MethodGet, podPath, "", "Accept", accept)
		tag := resp.Header.Get("Etag")
		if other, taken := tags[tag]; taken || tag == "" {
			t.Errorf("%s has the tag %s, as has %s", accept, tag, other)
		}
		tags[tag] = accept
		if weak := strings.HasPrefix(tag, "W/"); weak != strings.Contains(resp.Header.Get("Content-Type"), "as=") {
			t.Errorf("%s has the tag %s", accept, tag)
		}
		if again, _ := ask(t, h, http.MethodGet, podPath, "", "Accept", accept); again.Header.Get("Etag") != tag {
			t.Errorf("%s has two tags", accept)
		}
		resp, body := ask(t, h, http.MethodGet, podPath, "", "Accept", accept, "If-None-Match", tag)
		if resp.StatusCode != http.StatusNotModified || body != "" || resp.Header.Get("Etag") != tag ||
			resp.Header.Get("Vary") != "Accept" || resp.Header.Get("Content-Type") != "" {
			t.Errorf("%s: %s %s\n%s", accept, resp.Status, resp.Header, body)
		}
	}
	c.add(t, pod("a"))
	for tag, accept := range tags {
		if resp, _ := ask(t, h, http.MethodGet, podPath, "", "Accept", accept, "If-None-Match",
			tag); resp.StatusCode != http.StatusOK || resp.Header.Get("Etag") == tag {
			t.Errorf("%s, after a change: %s", accept, resp.Status)
		}
	}
}

// TestIfNoneMatch tests the forms of the header.
func TestIfNoneMatch(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{}).handler()
	resp, _ := ask(t, h, http.MethodGet, podPath, "")
	tag := resp.Header.Get("Etag")
	for _, tt := range []struct {
		lines []string
		code  int
	}{
		{[]string{tag}, http.StatusNotModified},
		{[]string{"W/" + tag}, http.StatusNotModified}, // compared weakly
		{[]string{`"x", ` + tag}, http.StatusNotModified},
		{[]string{`"x",W/"y" , ` + tag + `, "z"`}, http.StatusNotModified},
		{[]string{`"x"`, tag}, http.StatusNotModified},
		{[]string{`"a,b", ` + tag}, http.StatusNotModified}, // a tag may contain a comma
		{[]string{"*"}, http.StatusNotModified},
		{[]string{`"x"`}, http.StatusOK},
		{[]string{""}, http.StatusOK},
		{[]string{","}, http.StatusOK},
		{[]string{strings.Trim(tag, `"`)}, http.StatusOK}, // without quotes it is not a tag
		{[]string{`"` + strings.Trim(tag, `"`)}, http.StatusOK},
		{[]string{"W/"}, http.StatusOK},
		{[]string{"broken, " + tag}, http.StatusOK},
	} {
		headers := []string{}
		for _, line := range tt.lines {
			headers = append(headers, "If-None-Match", line)
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if resp, _ := ask(t, h, method, podPath, "", headers...); resp.StatusCode != tt.code {
				t.Errorf("%s %q: %s", method, tt.lines, resp.Status)
			}
		}
	}
}

// TestIfMatch tests conditional writes.
func TestIfMatch(t *testing.T) {
	t.Parallel()
	const body = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"example"}}`
	for _, tt := range []struct {
		name            string
		header, value   string // TAG is the one of the object in JSON, YAML that in YAML
		code            int
		changed, absent bool
	}{
		{"the version that was read", "If-Match", "TAG", http.StatusOK, false, false},
		{"read in another format", "If-Match", "YAML", http.StatusOK, false, false},
		{"one of several", "If-Match", `"x", TAG`, http.StatusOK, false, false},
		{"any", "If-Match", "*", http.StatusOK, false, false},
		{"an old version", "If-Match", "TAG", http.StatusPreconditionFailed, true, false},
		{"weak", "If-Match", "W/TAG", http.StatusPreconditionFailed, false, false},
		{"another", "If-Match", `"x"`, http.StatusPreconditionFailed, false, false},
		{"none that is readable", "If-Match", `x`, http.StatusPreconditionFailed, false, false},
		{"only if it is not there", "If-None-Match", "*", http.StatusPreconditionFailed, false, false},
		{"only if it is another", "If-None-Match", `"x"`, http.StatusOK, false, false},
		{"only if it is not this one", "If-None-Match", "TAG", http.StatusPreconditionFailed, false, false},
		{"no condition", "X-None", "", http.StatusOK, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, httpapi.Settings{})
			h := c.handler()
			resp, _ := ask(t, h, http.MethodGet, podPath, "", "Accept", "application/json")
			inYAML, _ := ask(t, h, http.MethodGet, podPath, "", "Accept", "application/yaml")
			value := strings.NewReplacer("TAG", resp.Header.Get("Etag"), "YAML",
				inYAML.Header.Get("Etag")).Replace(tt.value)
			if tt.changed {
				c.add(t, pod("a"))
			}
			resp, answer := ask(t, h, http.MethodPut, podPath, body, tt.header, value)
			if resp.StatusCode != tt.code {
				t.Errorf("%s\n%s", resp.Status, answer)
			}
			if got := object(t, answer); tt.code == http.StatusPreconditionFailed &&
				(got["kind"] != "Status" || got["reason"] != "Conflict" || got["code"] != float64(412)) {
				t.Errorf("got %s", answer)
			}
		})
	}
}

// TestBothConditions checks that a request with both headers must meet both conditions.
func TestBothConditions(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{}).handler()
	resp, _ := ask(t, h, http.MethodGet, podPath, "", "Accept", "application/json")
	tag := resp.Header.Get("Etag")
	const body = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"example"}}`
	for _, tt := range []struct {
		match, noneMatch string
		code             int
	}{
		{"*", tag, http.StatusPreconditionFailed},
		{`"x"`, `"y"`, http.StatusPreconditionFailed},
		{"*", `"x"`, http.StatusOK},
	} {
		resp, answer := ask(t, h, http.MethodPut, podPath, body, "If-Match", tt.match, "If-None-Match", tt.noneMatch)
		if resp.StatusCode != tt.code {
			t.Errorf("%s and %s: %s\n%s", tt.match, tt.noneMatch, resp.Status, answer)
		}
	}
}

// TestMatchOfNothing tests conditions on an object that does not exist.
func TestMatchOfNothing(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{})
		if err != nil {
			return err
		}
		if x.NotModified("") {
			t.Error("nothing is not modified")
		}
		return x.Match("")
	})
	for header, code := range map[string]int{
		"If-Match: *": 412, `If-Match: "x"`: 412, "If-None-Match: *": 200,
		`If-None-Match: "x"`: 200,
	} {
		name, value, _ := strings.Cut(header, ": ")
		if resp, body := ask(t, h, http.MethodPut, "/", "", name, value); resp.StatusCode != code {
			t.Errorf("%s: %s\n%s", header, resp.Status, body)
		}
	}
}

// TestVersionsAreCompared checks that the tag of one version never matches another, however similar
// the two are, and that a write is never answered as not modified.
func TestVersionsAreCompared(t *testing.T) {
	t.Parallel()
	versions := []string{"1", "12", "1.", "1.2", "1%2E", "1%2E2", "1 2", "1+2", "2", `"1"`, "ü"}
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: podKind})
		if err != nil {
			return err
		}
		version := versions[len(r.URL.Path)-1]
		if x.NotModified(version) {
			return nil
		}
		if r.Method != http.MethodGet {
			if err := x.Match(version); err != nil {
				return err
			}
		}
		return x.Respond(http.StatusOK, pod("a"))
	})
	path := func(i int) string { return "/" + strings.Repeat("x", i) }
	for i := range versions {
		resp, _ := ask(t, h, http.MethodGet, path(i), "")
		tag := resp.Header.Get("Etag")
		for j, version := range versions {
			for _, tt := range []struct {
				method, header  string
				same, different int
			}{
				{http.MethodGet, "If-None-Match", http.StatusNotModified, http.StatusOK},
				{http.MethodPut, "If-None-Match", http.StatusPreconditionFailed, http.StatusOK},
				{http.MethodPut, "If-Match", http.StatusOK, http.StatusPreconditionFailed},
			} {
				want := tt.different
				if i == j {
					want = tt.same
				}
				if resp, _ := ask(t, h, tt.method, path(j), "", tt.header, tag); resp.StatusCode != want {
					t.Errorf("%s with %s of %q where the version is %q: %d, want %d", tt.method, tt.header, versions[i],
						version, resp.StatusCode, want)
				}
			}
		}
	}
}

// TestTagsOfCodings checks that a compressed response has its own tag, which is recognized.
func TestTagsOfCodings(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{Gzip: true})
	large := pod(strings.Repeat("x", 100<<10))
	srv := serve(t, api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: podKind})
		if err != nil {
			return err
		}
		if x.NotModified("odd version: \"7\".1") {
			return nil
		}
		return x.Respond(http.StatusOK, large)
	}))
	get := func(headers ...string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		return resp
	}
	plain, coded := get("Accept-Encoding", "identity"), get("Accept-Encoding", "gzip")
	if coded.Header.Get("Content-Encoding") != "gzip" || plain.Header.Get("Etag") == coded.Header.Get("Etag") {
		t.Errorf("%s and %s", plain.Header, coded.Header)
	}
	for _, tag := range []string{plain.Header.Get("Etag"), coded.Header.Get("Etag")} {
		for _, coding := range []string{"identity", "gzip"} {
			if resp := get("Accept-Encoding", coding, "If-None-Match",
				tag); resp.StatusCode != http.StatusNotModified || resp.Header.Get("Etag") != tag {
				t.Errorf("%s with %s: %s %s", tag, coding, resp.Status, resp.Header.Get("Etag"))
			}
		}
	}
}
