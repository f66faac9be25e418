package fuzz_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/askind/askind/fuzz"
	ruledv1 "github.com/askind/askind/internal/ruled/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// ruled is a kind with a rule of every sort.
func ruled(tb testing.TB) *runtime.Kind {
	tb.Helper()
	scheme, err := runtime.NewScheme(ruledv1.AddTo)
	if err != nil {
		tb.Fatal(err)
	}
	k, err := scheme.Kind(ruledv1.GroupVersion.WithKind("Ruled"))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func TestValidObject(t *testing.T) {
	t.Parallel()
	k := ruled(t)
	var set [5]int
	for seed := range uint64(200) {
		obj, err := fuzz.ValidObject(k, seed)
		if err != nil {
			t.Fatal(err)
		}
		if errs := k.Validate(t.Context(), obj); len(errs) > 0 {
			t.Fatal(errs)
		}
		again, err := fuzz.ValidObject(k, seed)
		if err != nil || !reflect.DeepEqual(obj, again) {
			t.Fatalf("seed %d gives two objects: %v", seed, err)
		}
		s := obj.(*ruledv1.Ruled).Spec
		for i, is := range []bool{s.Floors != nil, len(s.Tags) > 0, len(s.Shelves) > 0, s.Pay != nil, s.Address != ""} {
			if is {
				set[i]++
			}
		}
	}
	for i, n := range set {
		if n == 0 {
			t.Errorf("optional field %d is never set", i)
		}
	}
}

func TestValidObjectWithoutSchema(t *testing.T) {
	t.Parallel()
	type thing struct{}
	gvk := schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Thing"}
	scheme, err := runtime.NewScheme(
		func(b *runtime.Builder) { runtime.AddKind(b, &runtime.KindSpec[thing]{GroupVersionKind: gvk}) },
	)
	if err != nil {
		t.Fatal(err)
	}
	k, err := scheme.Kind(gvk)
	if err != nil {
		t.Fatal(err)
	}
	if obj, err := fuzz.ValidObject(k, 1); err == nil {
		t.Errorf("got %v of a kind without a schema", obj)
	}
}

func ExampleValidObject() {
	scheme, err := runtime.NewScheme(ruledv1.AddTo)
	if err != nil {
		panic(err)
	}
	k, err := scheme.Kind(ruledv1.GroupVersion.WithKind("Ruled"))
	if err != nil {
		panic(err)
	}
	obj, err := fuzz.ValidObject(k, 1)
	if err != nil {
		panic(err)
	}
	spec := obj.(*ruledv1.Ruled).Spec
	fmt.Println(len([]rune(spec.Name)) >= 2, spec.Owner != "", len(spec.Notes) >= 1)
	// Output: true true true
}
