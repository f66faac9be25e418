package dynamic

import (
	"fmt"

	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// stated holds the apiVersion and kind of an object.
type stated struct{ apiVersion, kind string }

// APIVersion returns the apiVersion that the object states, blank if it states none.
func (s *stated) APIVersion() string { return s.apiVersion }

// Kind returns the kind that the object states, blank if it states none.
func (s *stated) Kind() string { return s.kind }

// SetType makes the object state an apiVersion and a kind.
func (s *stated) SetType(apiVersion, kind string) { s.apiVersion, s.kind = apiVersion, kind }

// groupVersionKind returns what the object states.
func (s *stated) groupVersionKind() (schema.GroupVersionKind, error) {
	switch {
	case s.kind == "":
		return schema.GroupVersionKind{}, fmt.Errorf("dynamic: %w", runtime.ErrMissingKind)
	case s.apiVersion == "":
		return schema.GroupVersionKind{}, fmt.Errorf("dynamic: %w", runtime.ErrMissingVersion)
	}
	gv, err := schema.ParseGroupVersion(s.apiVersion)
	return gv.WithKind(s.kind), err
}

// Object is an object of a kind that a [Definition] describes. Like other objects, it is safe for
// concurrent reads.
type Object struct {
	stated
	metav1.ObjectMeta
	// Content holds all members except apiVersion, kind and metadata, which must not be set in it.
	Content unstructured.Object
}

// List is a list of objects of one kind.
type List struct {
	stated
	metav1.ListMeta
	Items []Object `json:"items"` // the formats read the name of the field
}

var (
	_ runtime.Untyped = (*Object)(nil)
	_ runtime.Untyped = (*List)(nil)
)

// RuntimeKind implements [runtime.Untyped].
func (o *Object) RuntimeKind() (*runtime.Kind, error) {
	if o == nil {
		return nil, &runtime.ObjectError{Object: "*dynamic.Object", Reason: "the pointer is nil"}
	}
	gvk, err := o.groupVersionKind()
	if err != nil {
		return nil, err
	}
	return runtime.NewKind(gvk, &objectSpec), nil
}

// RuntimeKind implements [runtime.Untyped].
func (l *List) RuntimeKind() (*runtime.Kind, error) {
	if l == nil {
		return nil, &runtime.ObjectError{Object: "*dynamic.List", Reason: "the pointer is nil"}
	}
	gvk, err := l.groupVersionKind()
	if err != nil {
		return nil, err
	}
	return runtime.NewKind(gvk, &listSpec), nil
}

// Unstructured returns a copy of the object with its metadata as a member.
func (o *Object) Unstructured() (*unstructured.Object, error) {
	out := o.Content.Clone()
	out.SetType(o.apiVersion, o.kind)
	return out, out.SetObjectMeta(&o.ObjectMeta)
}

// Text returns the text of a member of the content: a string, or a number or boolean as JSON writes
// it. It is blank if no such value exists.
func (o *Object) Text(path ...string) string {
	v, found, err := o.Content.Get(path...)
	if !found || err != nil {
		return ""
	}
	switch v.Type() {
	case unstructured.TypeNull, unstructured.TypeObject, unstructured.TypeArray:
		return ""
	}
	return textOf(v)
}

// CopyStatus copies the member status of an object to another.
func CopyStatus(to, from *Object) {
	if v, found, err := from.Content.Get("status"); found && err == nil {
		_ = to.Content.Set(v, "status") // an object accepts any member
		return
	}
	_, _ = to.Content.Delete("status")
}

// Content is written in one order: kind, apiVersion, metadata, then the others by name.
var (
	objectSpec = runtime.KindSpec[Object]{
		Source:           source,
		Metadata:         func(in *Object) any { return &in.ObjectMeta },
		DeepCopyInto:     copyObject,
		AppendJSONFields: appendObject,
		DecodeJSON:       decodeAnyObject,
		Export:           export,
		Encoded: runtime.Encoded[Object]{
			DecodeJSONMetadata: func(r *jsonwire.Reader, out *Object) {
				metav1.DecodeJSONObjectMeta(r, &out.ObjectMeta)
			},
			Undefaulted: true,
		},
	}
	listSpec = runtime.KindSpec[List]{
		Source:           source,
		Metadata:         func(in *List) any { return &in.ListMeta },
		Items:            func(in *List) runtime.Items { return (*runtime.Slice[Object])(&in.Items) },
		DeepCopyInto:     copyList,
		AppendJSONFields: appendList,
		DecodeJSON:       func(r *jsonwire.Reader, out *List) { decodeList(r, out, decodeAnyObject) },
		Encoded:          runtime.Encoded[List]{JSONItems: true},
	}
)

// source is the source of kinds whose definition does not state one.
const source = "github.com/askind/askind/meta/dynamic"

func copyObject(in, out *Object) {
	out.stated = in.stated
	metav1.DeepCopyIntoObjectMeta(&in.ObjectMeta, &out.ObjectMeta)
	unstructured.DeepCopyIntoObject(&in.Content, &out.Content)
}

func copyList(in, out *List) {
	out.stated = in.stated
	metav1.DeepCopyIntoListMeta(&in.ListMeta, &out.ListMeta)
	out.Items = nil
	if in.Items == nil {
		return
	}
	out.Items = make([]Object, len(in.Items))
	for i := range in.Items {
		copyObject(&in.Items[i], &out.Items[i])
	}
}

// export clears server-populated fields.
func export(o *Object) {
	metav1.ClearServerFields(&o.ObjectMeta)
	_, _ = o.Content.Delete("status")
}

// append appends apiVersion and kind as members.
func (s *stated) append(dst []byte) []byte {
	if s.kind != "" {
		dst = jsonwire.AppendStringMember(dst, `,"kind":`, s.kind)
	}
	if s.apiVersion != "" {
		dst = jsonwire.AppendStringMember(dst, `,"apiVersion":`, s.apiVersion)
	}
	return dst
}

func appendObject(dst []byte, in *Object) ([]byte, error) { return appendMembers(in.append(dst), in) }

// appendMembers appends everything except apiVersion and kind.
func appendMembers(dst []byte, in *Object) ([]byte, error) {
	dst = append(dst, `,"metadata":`...)
	dst, err := metav1.AppendJSONObjectMeta(dst, &in.ObjectMeta)
	if err != nil {
		return dst, schema.AtField(err, "metadata")
	}
	for _, name := range [...]string{"apiVersion", "kind", "metadata"} {
		if in.Content.Has(name) {
			return dst, fmt.Errorf("dynamic: the content has a member %q; set it in the object itself", name)
		}
	}
	start := len(dst)
	if dst, err = in.Content.AppendJSON(dst); err != nil {
		return dst, err
	}
	if len(dst) == start+len("{}") {
		return dst[:start], nil
	}
	dst[start] = ','
	return dst[:len(dst)-1], nil
}

// appendList omits the kind of items, as in lists of typed objects: it follows from the list.
func appendList(dst []byte, in *List) ([]byte, error) {
	dst = append(in.append(dst), `,"metadata":`...)
	dst, err := metav1.AppendJSONListMeta(dst, &in.ListMeta)
	if err != nil {
		return dst, schema.AtField(err, "metadata")
	}
	dst = append(dst, `,"items":[`...)
	for i := range in.Items {
		dst = jsonwire.AppendComma(dst, i)
		start := len(dst)
		if dst, err = appendMembers(dst, &in.Items[i]); err != nil {
			return dst, schema.AtField(schema.AtIndex(err, i), "items")
		}
		dst = jsonwire.CloseObject(dst, start)
	}
	return append(dst, ']'), nil
}

// decodeAnyObject fills an object with all members.
func decodeAnyObject(r *jsonwire.Reader, out *Object) { decodeObject(r, out, nil) }

// decodeObject fills an object. A nil filter admits all members.
func decodeObject(r *jsonwire.Reader, out *Object, f *unstructured.Filter) {
	var seen uint64
	unstructured.DecodeJSONMembers(r, &out.Content, f, func(name []byte) bool {
		switch string(name) {
		case "apiVersion":
			r.Seen(&seen, 0, name)
			out.apiVersion = r.String(out.apiVersion)
		case "kind":
			r.Seen(&seen, 1, name)
			out.kind = r.String(out.kind)
		case "metadata":
			r.Seen(&seen, 2, name)
			metav1.DecodeJSONObjectMeta(r, &out.ObjectMeta)
		default:
			return false
		}
		return true
	})
}

var listNames = []string{"apiVersion", "items", "kind", "metadata"}

func decodeList(r *jsonwire.Reader, out *List, decode func(*jsonwire.Reader, *Object)) {
	var seen uint64
	for name := r.Object(); name != nil; name = r.NextKey() {
		switch string(name) {
		case "apiVersion":
			r.Seen(&seen, 0, name)
			out.apiVersion = r.String(out.apiVersion)
		case "kind":
			r.Seen(&seen, 1, name)
			out.kind = r.String(out.kind)
		case "metadata":
			r.Seen(&seen, 2, name)
			metav1.DecodeJSONListMeta(r, &out.ListMeta)
		case "items":
			r.Seen(&seen, 3, name)
			r.Items(&out.Items, decode)
		default:
			r.Unknown(name, listNames)
		}
	}
}
