package html_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	notes "github.com/askind/askind/examples/notes/api/v1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/html"
	"github.com/askind/askind/serializer/json"
)

// hostile is a text that tries to leave a text, an attribute, an address, a style and a script.
const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(2)>javascript:alert(3)</style></noscript>{{.}}`

// elements and attributes are all that a page may have.
var (
	elements = strings.Fields(`html head meta title link style body header nav a main h1 h2 p span form label input
		button output div table thead tbody tr th td section dl dt dd pre ul li code footer details summary script
		noscript`)
	attributes = strings.Fields(`lang charset name content href rel http-equiv aria-label aria-current aria-sort class
		value placeholder size type id title data-watch data-column`)
)

// check parses a page with another implementation and fails if it has elements or attributes that
// no template has, or an address that leads elsewhere. It returns the texts of the page and the
// addresses.
func check(t *testing.T, page string) (texts, links []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, links
		} else if err != nil {
			t.Fatalf("%v in %s", err, page)
		}
		switch token := token.(type) {
		case xml.CharData:
			texts = append(texts, string(token))
		case xml.StartElement:
			if !slices.Contains(elements, token.Name.Local) {
				t.Errorf("the page has the element %s", token.Name.Local)
			}
			for _, a := range token.Attr {
				if !slices.Contains(attributes, a.Name.Local) {
					t.Errorf("%s has the attribute %s=%q", token.Name.Local, a.Name.Local, a.Value)
				}
				if a.Name.Local != "href" || a.Value == "data:," {
					continue
				}
				links = append(links, a.Value)
				own := strings.HasPrefix(a.Value, "/") && !strings.HasPrefix(a.Value, "//")
				if !own && !strings.HasPrefix(a.Value, "?") {
					t.Errorf("%s leads to %q", token.Name.Local, a.Value)
				}
			}
		}
	}
}

// hostilePlace is a place whose every text is hostile.
func hostilePlace() *format.Place {
	return &format.Place{
		Path:  "/" + hostile,
		Query: strings.ReplaceAll("labelSelector=H&sortBy=H&continue=H&x=H", "H", hostile),
		Forms: []string{hostile}, Index: []string{"/" + hostile},
		Resource: &format.ResourcePlace{
			Root: "/apis/" + hostile, Resource: hostile, Namespaced: true, Watch: true, Subresources: []string{hostile},
			Versions: []format.VersionPlace{{Version: hostile, Root: "/" + hostile}, {Version: "v2", Root: "/v2"}},
		},
	}
}

// TestHostile writes every page with texts that try to become more than text.
func TestHostile(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddDescriptionTo)
	if err != nil {
		t.Fatal(err)
	}
	partial := func() *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Name: hostile, Namespace: hostile, Labels: map[string]string{hostile: hostile},
			Annotations: map[string]string{hostile: hostile},
		}}
	}
	n := int64(3)
	status := metav1.Failure(metav1.StatusReason(hostile), hostile).Status
	status.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: hostile, Field: hostile}}}
	items := []metav1.DescriptionItem{
		{Label: hostile, Help: hostile, Value: hostile},
		{Label: "t", Table: &metav1.DescriptionTable{
			Columns: []metav1.DescriptionColumn{{Label: hostile, Help: hostile}},
			Rows:    []metav1.DescriptionRow{{Cells: []string{hostile}}},
		}},
	}
	for name, obj := range map[string]runtime.Object{
		"table": &metav1.Table{
			ListMeta: metav1.ListMeta{Continue: hostile, ResourceVersion: hostile, RemainingItemCount: &n},
			ColumnDefinitions: []metav1.TableColumnDefinition{
				{Name: hostile, Description: hostile, Format: "name"}, {Name: "b", Priority: 1}, {Name: "c"},
			},
			Rows: []metav1.TableRow{
				{Cells: []any{hostile, hostile, map[string]any{hostile: []any{hostile}}}},
				{
					Cells: []any{hostile, nil, int64(5)}, Object: runtime.RawExtension{Object: partial()},
				},
				{
					Cells:  []any{hostile, nil, true},
					Object: runtime.RawExtension{Raw: []byte(`{"metadata":{"name":"<b>","labels":{"<i>":"<u>"}}}`)},
				},
			},
		},
		"object": partial(),
		"status": &status,
		"description": &metav1.Description{
			Sections: []metav1.DescriptionSection{{Label: hostile, Help: hostile, Items: items}},
		},
		"group": &metav1.APIGroup{Name: hostile, Versions: []metav1.GroupVersionForDiscovery{
			{GroupVersion: hostile, Version: hostile},
		}},
		"resources": &metav1.APIResourceList{GroupVersion: hostile, APIResources: []metav1.APIResource{
			{Name: hostile, Kind: hostile, ShortNames: []string{hostile}, Verbs: metav1.Verbs{"list", hostile}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, err := scheme.KindOf(obj)
			if err != nil {
				t.Fatal(err)
			}
			for _, place := range []*format.Place{hostilePlace(), nil} {
				page, err := html.Format().Append([]byte("> "), k, obj, format.Options{Place: place})
				if err != nil || !strings.HasPrefix(string(page), "> <!DOCTYPE html>") {
					t.Fatalf("%.20q %v", page, err)
				}
				texts, _ := check(t, string(page))
				if !strings.Contains(strings.Join(texts, ""), hostile) {
					t.Error("the text is not on the page")
				}
			}
		})
	}
}

// TestPolicy checks that the policy admits the style and the script that pages have.
func TestPolicy(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, table := html.Format(), &metav1.Table{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	k, err := scheme.KindOf(table)
	if err != nil {
		t.Fatal(err)
	}
	place := &format.Place{Path: "/a", Resource: &format.ResourcePlace{Root: "/a", Resource: "b", Watch: true}}
	page, err := f.Append(nil, k, table, format.Options{Place: place})
	if err != nil {
		t.Fatal(err)
	}
	policy := f.Header["Content-Security-Policy"]
	for _, element := range []string{"style", "script"} {
		_, text, found := strings.Cut(string(page), "<"+element+">")
		text, _, closed := strings.Cut(text, "</"+element+">")
		sum := sha256.Sum256([]byte(text))
		want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
		if !found || !closed || !strings.Contains(policy, want) {
			t.Errorf("the policy %s lacks %s", policy, want)
		}
	}
	for _, want := range []string{
		"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'",
	} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %s lacks %s", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") || f.Header["X-Content-Type-Options"] != "nosniff" {
		t.Errorf("headers are %v", f.Header)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	k, err := scheme.Kind(metav1.GroupVersion.WithKind("Table"))
	if err != nil {
		t.Fatal(err)
	}
	for name, cells := range map[string][]any{"short row": {}, "no JSON value": {make(chan int)}} {
		table := &metav1.Table{
			ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "a"}}, Rows: []metav1.TableRow{{Cells: cells}},
		}
		if got, err := html.Format().Append([]byte("kept"), k, table, format.Options{}); err == nil ||
			string(got) != "kept" {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	f, err := serializer.NewFactory(scheme, json.Format(), html.Format())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Decode([]byte("<p>"), serializer.DecodeOptions{MediaType: "text/html"}); !errors.Is(err,
		format.ErrWriteOnly) {
		t.Errorf("reading: %v", err)
	}
}

// TestNamesOfDiscovery checks that an object whose kind has only the name of one of discovery is
// shown as an object.
func TestNamesOfDiscovery(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"APIGroup", "APIResourceList", "APIGroupDiscoveryList"} {
		kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: name}
		obj := unstructured.New(kind)
		if err := obj.Set([]any{"painted red"}, "versions"); err != nil {
			t.Fatal(err)
		}
		got, err := html.Format().Append(nil, unstructured.Kind(kind), obj, format.Options{})
		if err != nil || !strings.Contains(string(got), "painted red") {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	for _, name := range []string{"APIGroupList", "APIVersions"} {
		kind := unstructured.Kind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: name})
		if got := html.Format().Shows(kind); got.Kind == "APIGroupDiscoveryList" {
			t.Errorf("%s is shown as %s", name, got)
		}
	}
}

// TestInvalid checks that the page of an invalid object has each of its problems once.
func TestInvalid(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	k, err := scheme.Kind(metav1.GroupVersion.WithKind("Status"))
	if err != nil {
		t.Fatal(err)
	}
	invalid := metav1.Invalid(schema.GroupKind{Group: "g", Kind: "Car"}, "red", runtime.FieldErrors{
		runtime.Invalid(schema.NewPath("spec", "seats"), 0, "no seat"),
		runtime.Required(schema.NewPath("spec", "owner"), ""),
	})
	got, err := html.Format().Append(nil, k, &invalid.Status, format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`Car.g &#34;red&#34; is invalid</p>`, "<code>spec.seats</code> Invalid value: 0: no seat</li>",
		"<code>spec.owner</code> Required value</li>", "spec.seats", "spec.owner",
	} {
		if strings.Count(string(got), text) != 1 {
			t.Errorf("the page does not have %s once:\n%s", text, got)
		}
	}
}

// TestShows checks which kind clients get that do not name one, and that it is a page only for
// those that ask for one.
func TestShows(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo, notes.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), html.Format())
	if err != nil {
		t.Fatal(err)
	}
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
	for _, c := range []struct{ kind, accept, format, target string }{
		{"NoteList", browser, "html", "Table"},
		{"Note", browser, "html", "Note"},
		{"NoteList", "*/*", "json", "NoteList"},
		{"NoteList", "", "json", "NoteList"},
		{"NoteList", "application/json, text/html;q=0.9", "json", "NoteList"},
		{"NoteList", "text/*", "html", "NoteList"},
		{"NoteList", "text/html;as=PartialObjectMetadata", "html", "PartialObjectMetadataList"},
		{"Note", "text/html;as=Table", "html", "Table"},
	} {
		var accept []string
		if c.accept != "" {
			accept = []string{c.accept}
		}
		rep, err := f.Negotiate(accept, serializer.Offer{Kind: notes.GroupVersion.WithKind(c.kind)})
		if err != nil || rep.Format().Name != c.format || rep.Target().Kind != c.target {
			t.Errorf("%s as %q: %v %v", c.kind, c.accept, rep, err)
		}
	}
}
