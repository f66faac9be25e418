package html_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	notes "github.com/askind/askind/examples/notes/api/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/html"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store/memory"
)

// browser is what browsers accept.
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

// serve returns a server of notes with n of them in two namespaces.
func serve(t *testing.T, n int, o ...server.Option) *httptest.Server {
	t.Helper()
	scheme, err := runtime.NewScheme(notes.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	engine := memory.New()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	s, err := server.NewWithFormats(scheme, engine, append(server.Formats(), html.Format()),
		append(o, server.Log(log))...)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		engine.Close()
	})
	for i := range n {
		body := fmt.Sprintf(`{"metadata":{"name":"note-%d","labels":{"app":"a%d"}}}`, i, i%2)
		path := fmt.Sprintf("%s/apis/%s/namespaces/ns-%d/notes", h.URL, notes.GroupVersion, i%2)
		resp, err := http.Post(path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Fatal(resp.Status)
		}
	}
	return h
}

// get returns the answer to a browser or, with another header, to another client.
func get(t *testing.T, address, accept string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	r.Header.Set("User-Agent", "Mozilla/5.0")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// TestBrowse follows every link from the root, as a browser would, and looks at every page.
func TestBrowse(t *testing.T) {
	t.Parallel()
	h := serve(t, 5)
	todo, seen, pages := []string{h.URL + "/"}, map[string]bool{}, 0
	for len(todo) > 0 && len(seen) < 500 {
		address := todo[0]
		todo = todo[1:]
		if seen[address] {
			continue
		}
		seen[address] = true
		resp, body := get(t, address, browser)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s: %s", address, resp.Status, body)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s may be sniffed", address)
		}
		if resp.Header.Get("Content-Type") != "text/html" {
			continue
		}
		pages++
		if resp.Header.Get("Content-Security-Policy") == "" || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s has the headers %v", address, resp.Header)
		}
		_, links := check(t, body)
		for _, l := range links {
			next, err := resp.Request.URL.Parse(l)
			if err != nil {
				t.Fatal(err)
			}
			// Orders and forms of every page in every order are the same as those of one.
			if q := next.Query(); len(q) <= 2 && !(q.Has("sortBy") && q.Has("accept")) {
				todo = append(todo, next.String())
			}
		}
	}
	for _, path := range []string{
		"/apis", "/apis/" + notes.GroupVersion.String() + "/notes?limit=250",
		"/apis/" + notes.GroupVersion.String() + "/namespaces/ns-1/notes/note-1",
		"/version",
	} {
		if !seen[h.URL+path] {
			t.Errorf("no link leads to %s", path)
		}
	}
	if pages < 20 {
		t.Errorf("only %d pages were found", pages)
	}
}

// TestSlashes checks that the links of an index stay at the server if its address has more slashes
// than it needs.
func TestSlashes(t *testing.T) {
	t.Parallel()
	h := serve(t, 0)
	root := "/apis/" + notes.GroupVersion.String()
	for _, path := range []string{"//apis", "/apis//", "//apis/" + notes.GroupVersion.Group, "/" + root + "//"} {
		resp, body := get(t, h.URL+path, browser)
		_, links := check(t, body)
		found := slices.Contains(links, root) || slices.Contains(links, root+"/notes?limit=250")
		if resp.StatusCode != http.StatusOK || !found {
			t.Errorf("%s: %s, links to %q", path, resp.Status, links)
		}
	}
}

// TestPagesSay holds what pages say where there is little to show: of lists without objects, and of
// objects whose kind has no Description.
func TestPagesSay(t *testing.T) {
	t.Parallel()
	h := serve(t, 1)
	root := "/apis/" + notes.GroupVersion.String()
	for path, want := range map[string][]string{
		root + "/namespaces/ns-1/notes":        {"No objects."},
		root + "/notes?labelSelector=app%3Da9": {"No objects match the selectors."},
		root + "/namespaces/ns-0/notes/note-0": {
			"Created</dt>", "<h2>Spec</h2>", "<dt>color</dt><dd>yellow</dd>",
			`Annotations</dt><dd><span class="note">none</span></dd>`,
		},
	} {
		_, body := get(t, h.URL+path, browser)
		for _, text := range want {
			if !strings.Contains(body, text) {
				t.Errorf("%s does not say %q:\n%s", path, text, body)
			}
		}
	}
	if _, body := get(t, h.URL+root+"/notes", browser); strings.Contains(body, "No objects") {
		t.Errorf("a list with an object says\n%s", body)
	}
	for query, accept := range map[string]string{
		"?includeObject=None": browser, "": "text/html;as=Table;includeObject=None",
	} {
		_, body := get(t, h.URL+root+"/notes"+query, accept)
		if !strings.Contains(body, "note-0") || strings.Contains(body, "Namespace</th>") ||
			strings.Contains(body, "Labels</th>") {
			t.Errorf("%q, %q: rows without objects are under headings for them:\n%s", query, accept, body)
		}
	}
}

// TestUnauthorized checks that the page for a request without credentials says what a person with a
// browser can do, and that the pages of other errors and the answers to programs do not.
func TestUnauthorized(t *testing.T) {
	t.Parallel()
	const hint = "kubectl proxy"
	h := serve(t, 0, server.Authenticate(auth.Tokens(nil)))
	for accept, want := range map[string]bool{browser: true, "application/json": false} {
		resp, body := get(t, h.URL+"/apis", accept)
		if resp.StatusCode != http.StatusUnauthorized || strings.Contains(body, hint) != want {
			t.Errorf("%s: %s\n%s", accept, resp.Status, body)
		}
	}
	resp, body := get(t, serve(t, 0).URL+"/nothing", browser)
	if resp.StatusCode != http.StatusNotFound || strings.Contains(body, hint) {
		t.Errorf("%s\n%s", resp.Status, body)
	}
}

// TestErrorsHaveLinks holds that no error is a dead end.
func TestErrorsHaveLinks(t *testing.T) {
	t.Parallel()
	h := serve(t, 1)
	root := "/apis/" + notes.GroupVersion.String()
	for _, test := range []struct{ path, text, link string }{
		{"/nowhere", "there is nothing at /nowhere; /apis lists what is served", "/"},
		{"/apis/nowhere/v1", "there is nothing at /apis/nowhere/v1", "/apis"},
		{root + "/notez", "did you mean", root},
		{root + "/namespaces/ns-0/notez/missing", "did you mean", root},
		{root + "/notes?accept=image/png", "image/png: the media type is not available", root},
		{root + "/notes?limit=x", "is not a number", root},
		{root + "/namespaces/ns-0/notes/missing", "not found", root + "/namespaces/ns-0/notes"},
	} {
		resp, body := get(t, h.URL+test.path, browser)
		_, links := check(t, body)
		if resp.StatusCode < 400 || !slices.Contains(links, test.link) || !strings.Contains(body, test.text) {
			t.Errorf("%s: %s, links %q, want %s and %q:\n%s", test.path, resp.Status, links, test.link, test.text, body)
		}
	}
}

// TestPagesAreBounded holds that a page does not repeat a long query for each of its columns, forms
// and labels.
func TestPagesAreBounded(t *testing.T) {
	t.Parallel()
	h := serve(t, 50)
	list := h.URL + "/apis/" + notes.GroupVersion.String() + "/notes"
	var labels, values []string
	for i := range 64 {
		labels = append(labels, fmt.Sprintf("label-%d", i))
	}
	for i := range 1000 {
		values = append(values, fmt.Sprintf("value-%d", i))
	}
	selector := url.QueryEscape("a notin (" + strings.Join(values, ",") + ")")
	for _, tt := range []struct {
		query string
		code  int
	}{
		{"labelColumns=" + strings.Join(labels, ","), http.StatusOK},
		{"labelColumns=" + strings.Join(labels, ",") + "&labelSelector=" + selector, http.StatusOK},
		{"fieldSelector=metadata.name!=" + strings.Repeat("n", 12_000), http.StatusOK},
		{"labelColumns=" + strings.Join(labels, ",") + ",more", http.StatusBadRequest},
		{"sortBy=" + strings.Repeat("s", 12_000), http.StatusBadRequest},
		{"limit=" + strings.Repeat("9", 12_000), http.StatusBadRequest},
	} {
		resp, body := get(t, list+"?"+tt.query, browser)
		if resp.StatusCode != tt.code || len(body) > 256<<10 {
			t.Errorf("%.40s: %s, %d bytes", tt.query, resp.Status, len(body))
		}
		check(t, body)
	}
}

// TestPaging follows the links from page to page.
func TestPaging(t *testing.T) {
	t.Parallel()
	h := serve(t, 5)
	address := h.URL + "/apis/" + notes.GroupVersion.String() + "/notes?limit=2"
	var names []string
	for page := 0; ; page++ {
		_, body := get(t, address, browser)
		texts, links := check(t, body)
		for _, text := range texts {
			if strings.HasPrefix(text, "note-") {
				names = append(names, text)
			}
		}
		if page == 0 && !slices.Contains(texts, "3 more") {
			t.Error("the page does not say how many objects come behind it")
		}
		i := slices.IndexFunc(links, func(l string) bool { return strings.Contains(l, "continue=") })
		if i < 0 {
			break
		}
		next, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if next, err = next.Parse(links[i]); err != nil {
			t.Fatal(err)
		}
		address = next.String()
	}
	if got := strings.Join(names, " "); got != "note-0 note-2 note-4 note-1 note-3" {
		t.Errorf("the pages show %s", got)
	}
}

// TestForms checks that only clients that ask for pages get them, and what the parameter accept
// does.
func TestForms(t *testing.T) {
	t.Parallel()
	h := serve(t, 1)
	list := "/apis/" + notes.GroupVersion.String() + "/notes"
	for _, c := range []struct {
		path, accept string
		code         int
		contentType  string
		has          string
	}{
		{list, "*/*", 200, "application/json", `"NoteList"`},
		{list, "", 200, "application/json", `"NoteList"`},
		{list, "application/json", 200, "application/json", `"NoteList"`},
		{list, "text/html", 200, "text/html", "note-0</a>"},
		{list + "?accept=application/yaml", browser, 200, "application/yaml", "kind: NoteList"},
		{list + "?accept=text/plain", browser, 200, "text/plain", "NAME"},
		{list + "?accept=nonsense/x", browser, 406, "text/html", "406 NotAcceptable"},
		{list + "?accept=nonsense/x", "", 406, "application/json", "NotAcceptable"},
		{list + "?labelSelector=app%3Da1", browser, 200, "text/html", `value="app=a1"`},
		{list + "?labelSelector=(", browser, 400, "text/html", "400 BadRequest"},
		{list + "?acept=text/plain", browser, 400, "text/html", "accept"},
		{"/apis/" + notes.GroupVersion.String() + "/nots", browser, 404, "text/html", "did you mean &#34;notes&#34;?"},
		{"/nowhere/<script>", browser, 404, "text/html", "/nowhere/&lt;script&gt;"},
		{"/", "*/*", 200, "application/json", `"paths"`},
	} {
		resp, body := get(t, h.URL+c.path, c.accept)
		contentType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
		if resp.StatusCode != c.code || contentType != c.contentType || !strings.Contains(body, c.has) {
			t.Errorf("%s with %q: %s, %s: %s", c.path, c.accept, resp.Status, contentType, body)
		}
		if contentType == "text/html" {
			check(t, body)
		}
	}
}

// TestWatched checks that a table says how it is followed from where it was read, and that what the
// script asks for is a watch.
func TestWatched(t *testing.T) {
	t.Parallel()
	h := serve(t, 1)
	address := h.URL + "/apis/" + notes.GroupVersion.String() + "/notes?labelSelector=app&sortBy=Name&limit=5"
	_, body := get(t, address+"&resourceVersion=0&resourceVersionMatch=NotOlderThan", browser)
	_, query, found := strings.Cut(body, ` data-watch="?`)
	query, _, _ = strings.Cut(query, `"`)
	values, err := url.ParseQuery(strings.ReplaceAll(query, "&amp;", "&"))
	if !found || err != nil || values.Get("watch") != "true" || values.Get("resourceVersion") == "" ||
		values.Get("labelSelector") != "app" || values.Has("limit") || values.Has("sortBy") {
		t.Fatalf("the table is followed by %q, %v", query, err)
	}
	if !strings.Contains(body, `<noscript><meta http-equiv="refresh" content="30"></noscript>`) {
		t.Error("without a script the table is not loaded again")
	}
	past := address + "&resourceVersionMatch=Exact&resourceVersion=" + values.Get("resourceVersion")
	if resp, body := get(t, past, browser); resp.StatusCode != http.StatusOK || strings.Contains(body, "watch") {
		t.Errorf("a watch follows a list of the past: %s %s", resp.Status, body)
	}
	values.Set("timeoutSeconds", "20")
	done := make(chan string, 1)
	go func() {
		resp, err := http.Get(h.URL + "/apis/" + notes.GroupVersion.String() + "/notes?" + values.Encode())
		if err != nil {
			done <- err.Error()
			return
		}
		defer resp.Body.Close()
		event, _ := bufio.NewReader(resp.Body).ReadString('\n')
		done <- resp.Header.Get("Content-Type") + event
	}()
	note := &notes.Note{ObjectMeta: metav1.ObjectMeta{Name: "next"}}
	text := fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"app":"a"}}}`, note.Name)
	resp, err := http.Post(h.URL+"/apis/"+notes.GroupVersion.String()+"/namespaces/ns-0/notes", "application/json",
		strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := <-done; !strings.HasPrefix(got, "application/json") || !strings.Contains(got, `"name":"next"`) {
		t.Errorf("the watch says %s", got)
	}
}

// TestPlaceOfObject requests one object at several addresses: its pages have the links of their own
// addresses, whatever other clients requested before.
func TestPlaceOfObject(t *testing.T) {
	t.Parallel()
	h := serve(t, 1)
	path := h.URL + "/apis/" + notes.GroupVersion.String() + "/namespaces/ns-0/notes/note-0"
	if _, body := get(t, path+"?resourceVersion=0&pretty=1", browser); !strings.Contains(body, "resourceVersion=0") {
		t.Fatalf("the page does not link to its other forms: %s", body)
	}
	if _, body := get(t, path, browser); strings.Contains(body, "resourceVersion=0") {
		t.Errorf("the page has the query of another request: %s", body)
	}
}
