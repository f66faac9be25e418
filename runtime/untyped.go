package runtime

import "github.com/askind/askind/schema"

// Untyped is implemented by objects of a Go type that can hold any kind. Such a type is not registered: each object states its kind and
// brings the record for it, so that whatever takes a registered object takes it too, as far as that record goes. The package
// meta/unstructured has such objects.
type Untyped interface {
	// APIVersion and Kind are what the object states, blank where it states nothing.
	APIVersion() string
	Kind() string
	// SetType writes both into the object.
	SetType(apiVersion, kind string)
	// RuntimeKind returns a record of the kind that the object states, made with [NewKind]. The error says what is missing.
	RuntimeKind() (*Kind, error)
}

// NewKind returns a kind that belongs to no scheme, for objects whose kind nobody could register: it has the functions of the spec and the
// name gvk in place of that in the spec, which is not changed and may serve any number of kinds. No conversions lead from such a
// kind or to it.
func NewKind[T any](gvk schema.GroupVersionKind, spec *KindSpec[T]) *Kind {
	r := recordOf(spec)
	k := &struct { // one piece of memory
		Kind
		own identity
	}{own: r.identity}
	k.own.gvk = gvk
	k.Kind = Kind{identity: &k.own, table: spec, apiVersion: gvk.APIVersion(), pointer: spec.pointerType(), has: r.has()}
	return &k.Kind
}
