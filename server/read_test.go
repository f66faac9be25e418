package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/server"
)

func TestRead(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	run(t, s, machines, []step{
		{name: "a watch whose time is over", method: "GET", path: "?watch=1&timeoutSeconds=-5", code: http.StatusOK},
		{
			name: "the same with initial events", method: "GET", code: http.StatusOK,
			path: "?watch=1&timeoutSeconds=-5&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
		},
		{
			name: "an empty list", method: "GET", code: http.StatusOK,
			want: []string{`"items":[]`, `"resourceVersion":"`},
		},
		{name: "a", method: "POST", body: machine(`"name":"a","labels":{"app":"web"}`), code: http.StatusCreated},
		{name: "b", method: "POST", body: machine(`"name":"b","labels":{"app":"db"}`), code: http.StatusCreated},
		{name: "c", method: "POST", body: machine(`"name":"c"`), code: http.StatusCreated},
		{name: "a list", method: "GET", code: http.StatusOK, want: []string{
			`"kind":"MachineList"`, `"name":"a"`,
			`"name":"b"`, `"name":"c"`,
		}},
		{
			name: "by a label", method: "GET", path: "?labelSelector=app%3Dweb", code: http.StatusOK,
			want: []string{`"name":"a"`}, not: []string{`"name":"b"`, `"name":"c"`},
		},
		{
			name: "by the name", method: "GET", path: "?fieldSelector=metadata.name%3Db", code: http.StatusOK,
			want: []string{`"name":"b"`}, not: []string{`"name":"a"`},
		},
		{
			name: "by another namespace", method: "GET", path: "?fieldSelector=metadata.namespace%21%3Ddefault",
			code: http.StatusOK, want: []string{`"items":[]`},
		},
		{
			name: "by a field that is not declared", method: "GET", path: "?fieldSelector=spec.zone%3Dx",
			code: http.StatusBadRequest, want: []string{"spec.zone"},
		},
		{
			name: "a page", method: "GET", path: "?limit=2", code: http.StatusOK,
			want: []string{`"continue":"`, `"remainingItemCount":1`}, not: []string{`"name":"c"`},
		},
		{name: "a bad token", method: "GET", path: "?limit=2&continue=x", code: http.StatusBadRequest},
		{
			name: "not older than", method: "GET", path: "?resourceVersion={version}&resourceVersionMatch=NotOlderThan",
			code: http.StatusOK, want: []string{`"name":"c"`},
		},
		{
			name: "exactly", method: "GET", path: "?resourceVersion={version}&resourceVersionMatch=Exact",
			code: http.StatusOK, want: []string{`"name":"c"`},
		},
		{
			name: "a table", method: "GET", headers: []string{"Accept: application/json;as=Table;v=v1;g=meta.k8s.io"},
			code: http.StatusOK, want: []string{`"kind":"Table"`, `"name":"Zone"`, `"kind":"PartialObjectMetadata"`},
		},
		{
			name: "a table without objects", method: "GET", path: "?includeObject=None",
			headers: []string{"Accept: application/json;as=Table;v=v1;g=meta.k8s.io"}, code: http.StatusOK,
			not: []string{"PartialObjectMetadata"},
		},
		{
			name: "metadata as protobuf", method: "GET", path: "a",
			headers: []string{
				"Accept: application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
			}, code: http.StatusOK, want: []string{"k8s\x00", "Content-Type: application/vnd.kubernetes.protobuf"},
		},
		{
			name: "as plain text", method: "GET", headers: []string{"Accept: text/plain"}, code: http.StatusOK,
			want: []string{"NAME", "fra-1"},
		},
		{
			name: "in another version", method: "GET",
			path: "/apis/fleet.example.com/v1alpha1/namespaces/default/machines/a", code: http.StatusOK,
			want: []string{`"apiVersion":"fleet.example.com/v1alpha1"`},
		},
		{
			name: "nothing acceptable", method: "GET", headers: []string{"Accept: image/png"},
			code: http.StatusNotAcceptable,
		},
		{
			name: "HEAD", method: "HEAD", path: "a", code: http.StatusOK, want: []string{"Content-Length", "Etag"},
			not: []string{`"name"`},
		},
		{
			name: "OPTIONS", method: "OPTIONS", path: "a", code: http.StatusNoContent,
			want: []string{"Allow: DELETE, GET, HEAD, OPTIONS, PATCH, PUT"},
		},
		{
			name: "a method of another path", method: "PUT", code: http.StatusMethodNotAllowed,
			want: []string{"Allow: DELETE, GET, HEAD, OPTIONS, POST", "does not support PUT at the path of a list"},
		},
		{name: "a method that nobody knows", method: "BREW", path: "a", code: http.StatusMethodNotAllowed},
		{
			name: "a resource that is not there", method: "GET", path: "/apis/fleet.example.com/v1/machine",
			code: http.StatusNotFound, want: []string{"did you mean", "machines"},
		},
		{
			name: "a version that is not there", method: "GET", path: "/apis/fleet.example.com/v2/machines",
			code: http.StatusNotFound,
		},
		{
			name: "a namespace for a kind without", method: "GET",
			path: "/apis/inventory.example.com/v1/namespaces/x/sites", code: http.StatusNotFound,
		},
		{
			name: "no namespace for a kind with", method: "GET", path: "/apis/fleet.example.com/v1/machines/a",
			code: http.StatusNotFound,
		},
	})
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if w := request(s, "POST", sites, site(name)); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
	}
	var names []string
	token, version := "", ""
	for page := 0; page == 0 || token != ""; page++ {
		w := request(s, "GET", sites+"?limit=2&continue="+url.QueryEscape(token), "")
		var list struct {
			Metadata struct{ Continue, ResourceVersion string }
			Items    []struct{ Metadata struct{ Name string } }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK {
			t.Fatalf("page %d: %d %s", page, w.Code, w.Body)
		}
		if version != "" && list.Metadata.ResourceVersion != version {
			t.Errorf("page %d is of the version %s, the first of %s", page, list.Metadata.ResourceVersion, version)
		}
		token, version = list.Metadata.Continue, list.Metadata.ResourceVersion
		for _, item := range list.Items {
			names = append(names, item.Metadata.Name)
		}
		if page == 0 && request(s, "POST", sites, site("bb")).Code != http.StatusCreated { // later pages do not show it
			t.Fatal("cannot create")
		}
	}
	if got := strings.Join(names, ""); got != "abcde" {
		t.Errorf("the pages have %s", got)
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	request(s, "POST", sites, site("a"))
	tag := request(s, "GET", sites+"/a", "").Header().Get("Etag")
	if w := request(s, "GET", sites+"/a", "", "If-None-Match: "+tag); tag == "" || w.Code != http.StatusNotModified {
		t.Errorf("tag %s: code %d", tag, w.Code)
	}
	tag = request(s, "GET", "/apis", "").Header().Get("Etag")
	if w := request(s, "GET", "/apis", "", "If-None-Match: "+tag); tag == "" || w.Code != http.StatusNotModified {
		t.Errorf("discovery: tag %s: code %d", tag, w.Code)
	}
}

// TestCacheControl checks that no cache reuses a response about a user's objects without asking the
// server, unless the response says otherwise.
func TestCacheControl(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	request(s, "POST", sites, site("a"))
	tag := "If-None-Match: " + request(s, "GET", sites+"/a", "").Header().Get("Etag")
	hashed := "/openapi/v3/apis/inventory.example.com/v1?hash="
	hashed += strings.Trim(request(s, "GET", hashed, "").Header().Get("Etag"), `"`)
	const private = "no-cache, private"
	for _, c := range []struct{ method, path, header, want string }{
		{"GET", sites + "/a", "", private},
		{"GET", sites + "/a", tag, private},
		{"HEAD", sites + "/a", "", private},
		{"OPTIONS", sites + "/a", "", private},
		{"GET", sites, "", private},
		{"GET", sites + "/b", "", private},
		{"PUT", sites + "/a", "", private},
		{"GET", "/healthz", "", private},
		{"GET", "/metrics", "", private},
		{"GET", "/apis", "", "public"},
		{"GET", "/openapi/v2", "", private},
		{"GET", hashed, "", "public, immutable, max-age=31536000"},
	} {
		headers := []string{}
		if c.header != "" {
			headers = append(headers, c.header)
		}
		w := request(s, c.method, c.path, "", headers...)
		if got := w.Header().Values("Cache-Control"); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s %s: %d with %q, want %q", c.method, c.path, w.Code, got, c.want)
		}
	}
}

// stream is a watch under way.
type stream struct {
	t      *testing.T
	lines  *bufio.Reader
	cancel func()
}

// watch begins a watch in process.
func watch(t *testing.T, s *server.Server, path string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		t.Fatalf("%s: %d %s", path, response.StatusCode, body)
	}
	return &stream{t, bufio.NewReader(response.Body), cancel}
}

// next returns the type of the next event, the name of its object, and the line.
func (s *stream) next() (event, name, line string) {
	s.t.Helper()
	line, err := s.lines.ReadString('\n')
	if err != nil {
		s.t.Fatalf("the stream ended: %v", err)
	}
	var e struct {
		Type   string
		Object struct {
			Metadata struct{ Name, ResourceVersion string }
		}
	}
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		s.t.Fatal(err)
	}
	return e.Type, e.Object.Metadata.Name, line
}

// expect reads events and compares them with "TYPE name".
func (s *stream) expect(want ...string) {
	s.t.Helper()
	for _, w := range want {
		event, name, line := s.next()
		if got := strings.TrimSpace(event + " " + name); got != w {
			s.t.Fatalf("got %s, want %s: %s", got, w, line)
		}
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	request(s, "POST", machines, machine(`"name":"a","labels":{"app":"web"}`))
	all := watch(t, s, machines+"?watch=true")
	all.expect("ADDED a")
	web := watch(t, s, machines+"?watch=1&labelSelector=app%3Dweb")
	web.expect("ADDED a")
	listed := watch(
		t, s, machines+"?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
	)
	listed.expect("ADDED a")
	if event, _, line := listed.next(); event != "BOOKMARK" ||
		!strings.Contains(line, `"k8s.io/initial-events-end":"true"`) || !strings.Contains(line, `"kind":"Machine"`) {
		t.Errorf("behind the initial events: %s", line)
	}
	table := watch(t, s, machines+"?watch=true&fieldSelector=metadata.name%3Db")
	run(t, s, machines, []step{
		{name: "b", method: "POST", body: machine(`"name":"b"`), code: http.StatusCreated},
		{
			name: "into the selection", method: "PUT", path: "b", body: machine(`"name":"b","labels":{"app":"web"}`),
			code: http.StatusOK,
		},
		{name: "out of it", method: "PUT", path: "a", body: machine(`"name":"a"`), code: http.StatusOK},
		{name: "gone", method: "DELETE", path: "b", code: http.StatusOK},
	})
	all.expect("ADDED b", "MODIFIED b", "MODIFIED a", "DELETED b")
	listed.expect("ADDED b", "MODIFIED b", "MODIFIED a", "DELETED b")
	web.expect("ADDED b", "DELETED a", "DELETED b")
	table.expect("ADDED b", "MODIFIED b", "DELETED b")
}

func TestWatchEnds(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, c := range []struct {
		name, path string
		end        func()
	}{
		{"by its time", machines + "?watch=true&timeoutSeconds=1", func() {}},
		{"with the server", machines + "?watch=true", func() { _ = s.Close() }},
	} {
		w := watch(t, s, c.path)
		c.end()
		if rest, err := io.ReadAll(w.lines); err != nil || len(rest) > 0 {
			t.Errorf("%s: %v, %s", c.name, err, rest)
		}
	}
}

func TestWatchFromThePast(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	run(t, s, sites, []step{
		{
			name: "from before the store", method: "GET", path: "?watch=true&resourceVersion=5", code: http.StatusGone,
			want: []string{`"reason":"Expired"`},
		},
		{name: "from no version", method: "GET", path: "?watch=true&resourceVersion=x", code: http.StatusBadRequest},
		{
			name: "a selector that makes no sense", method: "GET", path: "?watch=true&fieldSelector=x",
			code: http.StatusBadRequest,
		},
	})
}
