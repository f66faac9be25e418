package text_test

import (
	"errors"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/text"
)

// poem is a kind whose objects know their text.
type poem struct{ Line string }

func (p *poem) AppendText(dst []byte) ([]byte, error) {
	if p.Line == "" {
		return append(dst, "half"...), errors.New("no line")
	}
	return append(append(dst, p.Line...), '\n'), nil
}

func addPoem(b *runtime.Builder) {
	runtime.AddKind(b, &runtime.KindSpec[poem]{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Poem"}})
}

func TestFormat(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddDescriptionTo, addPoem)
	if err != nil {
		t.Fatal(err)
	}
	f := text.Format()
	for k := range scheme.Kinds() {
		want := false
		switch k.Name() {
		case "Table", "TabularOutput", "Description", "DescriptionList", "Status", "Poem":
			want = true
		}
		if f.Encodes(k) != want {
			t.Errorf("Encodes(%s) is %t", k, !want)
		}
	}
	if f.Name != "text" || f.MediaTypes[0] != "text/plain" || !f.Text || f.Reads() {
		t.Error("the format does not describe itself")
	}
	factory, err := serializer.FactoryOptions{Aliases: []serializer.Alias{{
		Name: "text/plain",
		For:  "text/plain;as=Table",
	}}}.NewFactory(scheme, json.Format(), f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := factory.Decode([]byte("x"), serializer.DecodeOptions{MediaType: "text/plain"}); !errors.Is(err,
		format.ErrWriteOnly) {
		t.Errorf("reading: %v", err)
	}
	for _, c := range []struct {
		obj  runtime.Object
		want string
	}{
		{&metav1.Table{ColumnDefinitions: columns("Name", "IP!"), Rows: rows([]any{"a", "b"})}, "NAME\na\n"},
		{&metav1.TabularOutput{
			Columns: []metav1.TabularOutputColumn{{Name: "x"}},
			Items:   []metav1.TabularOutputItem{{Columns: []any{"a"}}},
		}, "X\na\n"},
		{
			&metav1.NotFound(schema.GroupResource{Resource: "pods"}, "a").Status,
			"Failure (NotFound): pods \"a\" not found\n",
		},
		{&metav1.Status{}, "Failure\n"},
		{&metav1.Status{Message: "none:\n- a\x1b\n  b\n"}, "Failure: none:\n  - a^[\n    b\n"},
		{describes(item("Name", "a")), "Name:  a\n"},
		{&metav1.DescriptionList{Items: []metav1.Description{*describes(item("Name", "a"))}}, "Name:  a\n"},
		{metav1.Success(), "Success\n"},
		{&poem{"Es war, als hätt der Himmel"}, "Es war, als hätt der Himmel\n"},
	} {
		got, err := factory.Append([]byte("> "), c.obj, serializer.EncodeOptions{MediaType: "text/plain"})
		if err != nil || string(got) != "> "+c.want {
			t.Errorf("%T: got %q, %v, want %q", c.obj, got, err, c.want)
		}
	}
	for _, obj := range []runtime.Object{&poem{}, &metav1.Scale{}, nil} {
		if got, err := f.Append([]byte("kept"), nil, obj, format.Options{}); err == nil ||
			string(got) != "kept" {
			t.Errorf("%T: got %q, %v", obj, got, err)
		}
	}
}
