//go:build !askind_plain

package runtime

import (
	"reflect"
	"strings"
	"testing"
)

// TestIdentityLiesAsSpec checks that an identity is what every KindSpec begins with, field by
// field, and that the type parameters do not change a layout.
func TestIdentityLiesAsSpec(t *testing.T) {
	t.Parallel()
	id, any := reflect.TypeFor[identity](), reflect.TypeFor[anySpec]()
	for _, spec := range []reflect.Type{reflect.TypeFor[KindSpec[struct{}]](), reflect.TypeFor[KindSpec[Kind]]()} {
		for i := range id.NumField() {
			got, want := id.Field(i), spec.Field(i)
			name := got.Name
			if name == "gvk" {
				name = "GroupVersionKind"
			}
			if !strings.EqualFold(name, want.Name) || got.Offset != want.Offset || got.Type != want.Type {
				t.Errorf("%s %v at %d is %s %v at %d in %v", got.Name, got.Type, got.Offset, want.Name, want.Type,
					want.Offset, spec)
			}
		}
		sameLayout(t, any, spec)
	}
	sameLayout(t, reflect.TypeFor[Partial[opaque, opaque]](), reflect.TypeFor[Partial[Kind, struct{ A, B int }]]())
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
