package format_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// shelf is a list kind with a field behind its items.
type shelf struct {
	Name  string `json:"name"`
	Books []book `json:"books"`
	Notes []book `json:"notes"`
}

type book struct{ Title string }

func appendShelf(dst []byte, in *shelf) ([]byte, error) {
	dst = jsonwire.AppendString(append(dst, `,"name":`...), in.Name)
	for i, list := range [][]book{in.Books, in.Notes} {
		dst = append(dst, []string{`,"books":[`, `],"notes":[`}[i]...)
		for j, b := range list {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = jsonwire.AppendString(dst, b.Title)
		}
	}
	return append(dst, ']'), nil
}

func shelfKind(items func(*shelf) runtime.Items) *runtime.Kind {
	gvk := schema.GroupVersionKind{Group: "library.example.com", Version: "v1", Kind: "Shelf"}
	return runtime.NewKind(gvk, &runtime.KindSpec[shelf]{
		GroupVersionKind: gvk, Items: items,
		AppendJSONFields: appendShelf,
	})
}

func booksOf(s *shelf) runtime.Items { return (*runtime.Slice[book])(&s.Books) }

func TestParts(t *testing.T) {
	t.Parallel()
	k := shelfKind(booksOf)
	list := &shelf{Name: `[]"books":[]`, Books: []book{{"a"}, {"b"}, {"c"}}, Notes: []book{{"n"}}}
	head, ok := format.WithoutItems(k, list)
	if !ok || len(head.(*shelf).Books) != 0 || head.(*shelf).Books == nil || head.(*shelf).Name != list.Name ||
		len(list.Books) != 3 {
		t.Fatalf("without items: %+v, %v; the list is %+v", head, ok, list)
	}
	w, ok := format.NewWindow(k, k.New())
	if !ok {
		t.Fatal("there is no window")
	}
	grown, err := w.Show(&list.Books[1])
	if err != nil {
		t.Fatal(err)
	}
	p, ok := format.NewParts(k, &shelf{Name: list.Name, Books: []book{}}, grown)
	if !ok || p.Name() != "books" || p.Kind() != k {
		t.Fatalf("parts: %+v, %v", p, ok)
	}
	if n, err := p.Take(list); n != 3 || err != nil {
		t.Errorf("Take = %d, %v", n, err)
	}
	if got, err := p.AppendJSON([]byte("> ")); err != nil || string(got) != `> "a","b","c"` {
		t.Errorf("AppendJSON = %s, %v", got, err)
	}
	if n, err := p.Take(grown); n != 1 || err != nil {
		t.Errorf("Take = %d, %v", n, err)
	}
	if got, err := p.AppendJSON(nil); err != nil || string(got) != `"b"` {
		t.Errorf("AppendJSON = %s, %v", got, err)
	}
	if err := p.TakeRange(list, 1, 3); err != nil {
		t.Errorf("TakeRange: %v", err)
	}
	if got, err := p.AppendJSON(nil); err != nil || string(got) != `"b","c"` {
		t.Errorf("AppendJSON of a range = %s, %v", got, err)
	}
	for _, r := range [][2]int{{-1, 1}, {2, 1}, {0, 4}} {
		if err := p.TakeRange(list, r[0], r[1]); err == nil {
			t.Errorf("TakeRange%v succeeds", r)
		}
	}
	if err := p.TakeRange(new(book), 0, 0); err == nil {
		t.Error("TakeRange of another type succeeds")
	}
	if _, err := p.Take(new(book)); err == nil {
		t.Error("Take of another type succeeds")
	}
	if _, err := w.Show(new(shelf)); err == nil || !strings.Contains(err.Error(),
		"the items of library.example.com/v1, Kind=Shelf are of type format_test.book") {
		t.Errorf("Show of another type: %v", err)
	}
	whole, err := format.WithItems(k, list, []runtime.Object{&book{"x"}})
	if err != nil || len(whole.(*shelf).Books) != 1 || whole.(*shelf).Books[0].Title != "x" ||
		len(whole.(*shelf).Notes) != 1 || len(list.Books) != 3 {
		t.Errorf("WithItems: %+v, %v", whole, err)
	}
	for _, item := range []runtime.Object{nil, (*book)(nil), book{}, new(shelf)} {
		if _, err := format.WithItems(k, list, []runtime.Object{item}); err == nil {
			t.Errorf("WithItems takes %T", item)
		}
	}
}

func TestPartsThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	k := shelfKind(booksOf)
	one := []book{{"a"}}
	for name, c := range map[string][2]*shelf{
		"nothing grows":    {{}, {}},
		"two grow":         {{}, {Books: one, Notes: one}},
		"not from nothing": {{Books: one}, {Books: []book{{"a"}, {"b"}}}},
		"nil":              {nil, {}},
	} {
		if _, ok := format.NewParts(k, c[0], c[1]); ok {
			t.Errorf("%s: it is taken apart", name)
		}
	}
	elsewhere := new(runtime.Slice[book])
	for name, k := range map[string]*runtime.Kind{
		"no list":         shelfKind(nil),
		"items elsewhere": shelfKind(func(*shelf) runtime.Items { return elsewhere }),
	} {
		if _, ok := format.WithoutItems(k, new(shelf)); ok {
			t.Errorf("%s: WithoutItems", name)
		}
		if _, ok := format.NewWindow(k, k.New()); ok {
			t.Errorf("%s: Window", name)
		}
	}
	if _, err := format.WithItems(shelfKind(nil), new(shelf), nil); err == nil {
		t.Error("a kind without items gets some")
	}
}
