//go:build !askind_plain

package runtime_test

import (
	"reflect"
	"testing"

	"github.com/askind/askind/runtime"
)

// TestTypeParametersKeepTheLayout checks that specs and parts have the same layout whatever their
// types are, since they are used as those of a type that is not stated.
func TestTypeParametersKeepTheLayout(t *testing.T) {
	t.Parallel()
	type small struct{}
	type large struct{ A, B int }
	sameLayout(t, reflect.TypeFor[runtime.KindSpec[small]](), reflect.TypeFor[runtime.KindSpec[large]]())
	sameLayout(t, reflect.TypeFor[runtime.Partial[small, small]](), reflect.TypeFor[runtime.Partial[large, small]]())
}

// sameLayout checks that two struct types differ only in the parameters of functions.
func sameLayout(t *testing.T, a, b reflect.Type) {
	t.Helper()
	if a.NumField() != b.NumField() || a.Size() != b.Size() {
		t.Errorf("%v has %d fields and %d bytes, %v has %d and %d", a, a.NumField(), a.Size(), b, b.NumField(), b.Size())
		return
	}
	for i := range a.NumField() {
		f, g := a.Field(i), b.Field(i)
		switch {
		case f.Name != g.Name || f.Offset != g.Offset || f.Type.Kind() != g.Type.Kind():
			t.Errorf("field %d of %v is %s %v, that of %v is %s %v", i, a, f.Name, f.Type, b, g.Name, g.Type)
		case f.Type == g.Type:
		case f.Type.Kind() == reflect.Struct:
			sameLayout(t, f.Type, g.Type)
		case f.Type.Kind() != reflect.Func || !samePassing(f.Type, g.Type):
			t.Errorf("field %d of %v is %s %v, that of %v is %s %v", i, a, f.Name, f.Type, b, g.Name, g.Type)
		}
	}
}

// samePassing reports whether two function types differ only in what pointers point to.
func samePassing(f, g reflect.Type) bool {
	if f.NumIn() != g.NumIn() || f.NumOut() != g.NumOut() {
		return false
	}
	same := func(a, b reflect.Type) bool {
		return a == b || a.Kind() == reflect.Pointer && b.Kind() == reflect.Pointer
	}
	for i := range f.NumIn() {
		if !same(f.In(i), g.In(i)) {
			return false
		}
	}
	for i := range f.NumOut() {
		if !same(f.Out(i), g.Out(i)) {
			return false
		}
	}
	return true
}
