package shapes_test

import (
	"iter"
	"testing"

	"example.com/shapes/one"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
)

// kindsOf yields the kinds with cells of package one, which has everything but protobuf and conversions.
func kindsOf(t *testing.T) iter.Seq[*runtime.Kind] {
	t.Helper()
	scheme, err := runtime.NewScheme(one.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(*runtime.Kind) bool) {
		for kind := range scheme.Kinds() {
			if !kind.IsList() && !yield(kind) {
				return
			}
		}
	}
}

// TestRegistration checks that every kind is registered with its list, its functions and its place in the source.
func TestRegistration(t *testing.T) {
	t.Parallel()
	found := 0
	for kind := range kindsOf(t) {
		found++
		list := kind.ListKind()
		if list == nil || list.Name() != kind.Name()+"List" || list.ItemKind() != kind || !kind.Info().JSON || !list.Info().JSON || kind.Info().Source == "" {
			t.Errorf("%s: list %v, source %q", kind, list, kind.Info().Source)
			continue
		}
		obj := kind.New()
		if err := kind.SetType(obj); err != nil || kind.Check(obj) != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if apiVersion, name := kind.TypeOf(obj); apiVersion != "one.example.com/one" || name != kind.Name() {
			t.Errorf("%s: %s %s", kind, apiVersion, name)
		}
		items, err := format.WithItems(list, list.New(), []runtime.Object{obj})
		if err != nil || list.Items(items).Len() != 1 {
			t.Errorf("%s: %v", list, err)
		}
	}
	if found < 40 {
		t.Errorf("%d kinds", found)
	}
}
