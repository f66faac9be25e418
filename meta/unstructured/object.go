package unstructured

import (
	"fmt"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Object is an object of any kind. The zero Object has no members. An Object refers to a tree, so
// assigning it shares the tree: use [Object.Clone] for an independent copy. An Object is safe for
// concurrent reads.
type Object struct{ root }

var (
	_ runtime.UntypedList = (*Object)(nil)
	_ runtime.DeepCopier  = Object{}
)

// New returns an object with a kind and apiVersion and nothing else.
func New(gvk schema.GroupVersionKind) *Object {
	o := new(Object)
	o.SetType(gvk.APIVersion(), gvk.Kind)
	return o
}

// FromMap returns an object with the content of a map, without referring to it. Values may be of
// the types that Set accepts. The error is an [*AccessError].
func FromMap(m map[string]any) (*Object, error) {
	o := new(Object)
	if m == nil {
		return o, nil
	}
	return o, o.Set(m)
}

// Map returns the content as nested maps, see [Value.Any]. The caller owns it.
func (r *root) Map() map[string]any {
	m, _ := r.tree().any().(map[string]any)
	return m
}

// All yields the members of the object in lexical order of their names.
func (o *Object) All() iter.Seq2[string, Value] { return membersSeq(o.view) }

// Clone returns a copy that shares no memory with the object except for the names of its members.
// It uses only the memory that its content needs.
func (o *Object) Clone() *Object {
	out := new(Object)
	DeepCopyIntoObject(o, out)
	return out
}

// Equal reports whether two objects are equal, see [Value.Equal].
func (o *Object) Equal(other *Object) bool {
	return other != nil && equal(o.tree(), other.tree())
}

// IsZero reports whether the object has no members.
func (o Object) IsZero() bool { return o.Len() == 0 }

// APIVersion returns the apiVersion that the object states, or blank.
func (r *root) APIVersion() string { return r.textAt("apiVersion") }

// Kind returns the kind that the object states, or blank.
func (r *root) Kind() string { return r.textAt("kind") }

// textAt returns a string, or blank if the value is not one.
func (v view) textAt(path ...string) string {
	if at, _, _ := v.find(path); at.typ() == TypeString {
		return at.text()
	}
	return ""
}

// SetType sets the apiVersion and the kind of the object.
func (r *root) SetType(apiVersion, kind string) {
	r.setText(apiVersion, "apiVersion")
	r.setText(kind, "kind")
}

// setText writes a string at a place where it cannot fail, or removes it if it is blank.
func (r *root) setText(s string, path ...string) {
	if s == "" {
		_, _ = r.Delete(path...)
		return
	}
	if at, _, _ := r.find(path); at.typ() == TypeString && at.text() == s {
		return
	}
	_ = r.put(textView(s), path)
}

// GroupVersionKind returns the kind that the object states. The error is runtime.ErrMissingKind,
// runtime.ErrMissingVersion, or that of a malformed apiVersion.
func (r *root) GroupVersionKind() (schema.GroupVersionKind, error) {
	apiVersion, kind := r.APIVersion(), r.Kind()
	switch {
	case kind == "":
		return schema.GroupVersionKind{}, fmt.Errorf("unstructured: %w", runtime.ErrMissingKind)
	case apiVersion == "":
		return schema.GroupVersionKind{}, fmt.Errorf("unstructured: %w", runtime.ErrMissingVersion)
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return gv.WithKind(kind), nil
}

// RuntimeKind implements [runtime.Untyped].
func (o *Object) RuntimeKind() (*runtime.Kind, error) {
	if o == nil {
		return nil, &runtime.ObjectError{Object: "*unstructured.Object", Reason: "the pointer is nil"}
	}
	gvk, err := o.GroupVersionKind()
	if err != nil {
		return nil, err
	}
	if _, named, _ := o.lookup([]string{"metadata", "name"}); named { // not a list
		return runtime.NewKind(gvk, &objectSpec, objectViews), nil
	}
	return Kind(gvk), nil
}

// DeepCopyAny implements [runtime.DeepCopier].
func (o Object) DeepCopyAny() any { return *o.Clone() }

// AppendJSON implements jsonwire.Appender: it appends the object to dst as compact JSON with its
// members in lexical order.
func (r root) AppendJSON(dst []byte) ([]byte, error) { return appendView(dst, r.tree()), nil }

// MarshalJSON implements json.Marshaler.
func (r root) MarshalJSON() ([]byte, error) { return appendView(nil, r.tree()), nil }

// UnmarshalJSON implements json.Unmarshaler. The error is a [*runtime.DecodeError] with all
// problems.
func (r *root) UnmarshalJSON(data []byte) error { return r.unmarshal(data) }

// Format implements fmt.Formatter: all verbs write the object as JSON.
func (r root) Format(s fmt.State, _ rune) { write(s, r.tree()) }

// DeepCopyIntoObject makes out a copy of in that shares no memory with it except for the names of
// members.
func DeepCopyIntoObject(in, out *Object) {
	b := newBuilder()
	out.view = b.flush(b.copy(in.tree()))
	b.release()
}

// AppendJSONObject appends the object to dst.
func AppendJSONObject(dst []byte, in *Object) ([]byte, error) { return in.AppendJSON(dst) }

// DecodeJSONObject fills out from the next value of r. Items of a list that state neither kind nor
// apiVersion get those that follow from the list.
func DecodeJSONObject(r *jsonwire.Reader, out *Object) { out.decode(r) }
