package unstructured_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

func newFactory(tb testing.TB, groups ...func(*runtime.Builder)) *serializer.Factory {
	tb.Helper()
	s, err := runtime.NewScheme(groups...)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := serializer.NewFactory(s, json.Format(), yaml.Format())
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// machines are the objects of the example, typed.
func machines(tb testing.TB, f *serializer.Factory) []runtime.Object {
	tb.Helper()
	data, err := os.ReadFile("../../examples/fleet/testdata/machines.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	var out []runtime.Object
	for obj, err := range f.DecodeAll(data, serializer.DecodeOptions{Version: v1.GroupVersion}) {
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, obj)
	}
	return out
}

func TestTyped(t *testing.T) {
	t.Parallel()
	f := newFactory(t, v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, metav1.AddTo)
	s := f.Scheme()
	for _, obj := range machines(t, f) {
		u, err := unstructured.From(s, obj)
		if err != nil {
			t.Fatal(err)
		}
		if u.Kind() != "Machine" || u.APIVersion() != "fleet.example.com/v1" {
			t.Errorf("got %s of %s", u.Kind(), u.APIVersion())
		}
		back, err := unstructured.To[v1.Machine](s, u)
		if err != nil {
			t.Fatal(err)
		}
		same(t, s, back, obj)
		beta, err := unstructured.To[v1beta1.Machine](s, u)
		if err != nil {
			t.Fatal(err)
		}
		want, err := runtime.ConvertTo[v1beta1.Machine](s, obj)
		if err != nil {
			t.Fatal(err)
		}
		same(t, s, beta, want)
	}
}

// same compares two objects as untyped ones: the bytes of embedded objects come back with their
// members in order.
func same(t *testing.T, s *runtime.Scheme, got, want runtime.Object) {
	t.Helper()
	a, err := unstructured.From(s, got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := unstructured.From(s, want)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Equal(b) {
		t.Errorf("got  %v\nwant %v", a, b)
	}
}

func TestTypedErrors(t *testing.T) {
	t.Parallel()
	f := newFactory(t, v1.AddTo, metav1.AddTo)
	s := f.Scheme()
	if _, err := unstructured.To[v1.Machine](s,
		parse(
			t, `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":1},"spec":{"disks":[{"name":{}}]}}`,
		)); err == nil ||
		err.Error() != "metadata.name: expected string, found number\nspec.disks[0].name: expected string, found object" {
		t.Errorf("got %v", err)
	}
	if _, err := unstructured.To[v1.Machine](s,
		parse(t, `{"kind":"Machin","apiVersion":"fleet.example.com/v1"}`)); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("got %v", err)
	}
	if _, err := unstructured.To[v1.Machine](s,
		parse(t, `{"kind":"Table","apiVersion":"meta.k8s.io/v1"}`)); err == nil {
		t.Error("a table is a machine")
	}
	if _, err := unstructured.To[v1.Machine](s, parse(t, `{"kind":"Machine"}`)); !errors.Is(err,
		runtime.ErrMissingVersion) {
		t.Errorf("got %v", err)
	}
	if m, err := unstructured.To[v1.Machine](s, parse(t, `{"metadata":{"name":"a"}}`)); err != nil || m.Name != "a" ||
		m.Kind != "Machine" {
		t.Errorf("got %v, %v", m, err)
	}
	if _, err := unstructured.To[v1beta1.Machine](s, parse(t, `{}`)); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("got %v", err)
	}
	if _, err := unstructured.From(s, &v1beta1.Machine{}); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("got %v", err)
	}
	for _, nothing := range []runtime.Object{nil, (*unstructured.Object)(nil), (*unstructured.List)(nil)} {
		if _, err := unstructured.From(s, nothing); !errors.Is(err, runtime.ErrNotObject) {
			t.Errorf("%T: got %v", nothing, err)
		}
	}
	o := parse(t, `{"a":1}`)
	if u, err := unstructured.From(s, o); err != nil || u == o || !u.Equal(o) {
		t.Errorf("got %v, %v", u, err)
	}
}

func TestFromKindWithoutType(t *testing.T) {
	t.Parallel()
	type note struct{ text string }
	spec := runtime.KindSpec[note]{
		GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Note"},
		AppendJSONFields: func(dst []byte, in *note) ([]byte, error) {
			return fmt.Appendf(dst, `,"text":%q`, in.text),
				nil
		},
	}
	s, err := runtime.NewScheme(func(b *runtime.Builder) { runtime.AddKind(b, &spec) })
	if err != nil {
		t.Fatal(err)
	}
	u, err := unstructured.From(s, &note{"a"})
	if err != nil || fmt.Sprint(u) != `{"apiVersion":"v1","kind":"Note","text":"a"}` {
		t.Errorf("got %v, %v", u, err)
	}
}

func BenchmarkFrom(b *testing.B) {
	f := newFactory(b, v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, metav1.AddTo)
	obj := machines(b, f)[0]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := unstructured.From(f.Scheme(), obj); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTo(b *testing.B) {
	f := newFactory(b, v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, metav1.AddTo)
	u, err := unstructured.From(f.Scheme(), machines(b, f)[0])
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := unstructured.To[v1.Machine](f.Scheme(), u); err != nil {
			b.Fatal(err)
		}
	}
}
