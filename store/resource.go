package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// ResourceOptions describe a resource.
type ResourceOptions struct {
	_ struct{} // literals name their fields

	// Factory reads and writes the objects. Its scheme must know the kind, unless that is untyped.
	Factory *serializer.Factory
	// Kind is the kind in the version in which it is stored.
	Kind schema.GroupVersionKind
	// Untyped states that the scheme does not know the kind, and that its objects are of the type
	// [*unstructured.Object].
	Untyped bool
	// Resource is the plural name of the resource. It must be set for untyped kinds; for others the
	// default is that of the kind.
	Resource string
	// Scope states whether the objects of an untyped kind live in namespaces.
	Scope runtime.Scope
	// MediaType is the format in which objects are stored. The default is application/json.
	MediaType string
	// Fields are the fields that can select objects, besides name and namespace. The default is the
	// selectable fields of the kind, without an index.
	Fields []Field
}

// Field is a field that objects can be selected by.
type Field struct {
	_ struct{} // literals name their fields

	// Path is the path of the field in selectors, such as "spec.nodeName".
	Path string
	// Value returns the value of the field. The default is the value at the path in the JSON of the
	// object: a string, or the JSON text of a number or boolean; blank if there is none.
	Value func(runtime.Object) string
	// Index maintains an index of the field, so that lists by its value do not scan other objects,
	// and watches for one value do not wake up for others. It takes memory for each object.
	Index bool
}

// Resource gives access to the objects of one kind. It is safe for concurrent use. The zero value
// is not usable; use [Store.Add].
type Resource struct {
	store    *Store
	bound    atomic.Pointer[binding]
	untyped  bool
	resource schema.GroupResource
	scope    runtime.Scope
	media    string
	json     bool
	start    []byte // of documents in JSON, up to the metadata; nil if it is not certain
	fields   []field
	prefix   string                // of the keys in the engine
	gone     atomic.Pointer[error] // why operations end; nil until the resource is removed
	end      uint64                // the number of the first event after the removal; read it after gone
}

// binding is what a resource has from a scheme. It never changes; [Resource.Rebind] makes another
// one.
type binding struct {
	factory *serializer.Factory
	kind    *runtime.Kind // in the storage version
	list    *runtime.Kind
}

// field is a declared field.
type field struct {
	Field
	path []string
}

// prefixOf returns what the keys of a resource begin with. Neither groups nor resources hold a
// slash.
func prefixOf(gr schema.GroupResource) string { return gr.Group + "/" + gr.Resource + "/" }

// newResource returns the resource that the options describe.
func newResource(s *Store, o *ResourceOptions) (*Resource, error) {
	if o.Factory == nil {
		return nil, errors.New("store: the resource has no factory")
	}
	r := &Resource{store: s, untyped: o.Untyped, media: o.MediaType}
	if err := r.setKind(o); err != nil {
		return nil, err
	}
	if strings.ContainsAny(r.resource.Group+r.resource.Resource, "/\x00") || r.resource.Resource == "" {
		return nil, fmt.Errorf("store: %q is not the name of a resource", r.resource)
	}
	r.prefix = prefixOf(r.resource)
	if r.media == "" {
		r.media = "application/json"
	}
	format, err := o.Factory.ForContentType(r.media)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", r.resource, err)
	}
	if kind := r.bound.Load().kind; format.Documents == nil || !format.CanEncode(kind) {
		return nil, fmt.Errorf("store: the format %s cannot hold objects of %s", format.Name, kind)
	}
	if r.json = format.Name == "json"; r.json && !r.untyped {
		if text, ok := opening(r.Kind()); ok {
			r.start = append(text, `"metadata":`...)
		}
	}
	return r, r.setFields(o)
}

// setKind finds the kind and what is named by it.
func (r *Resource) setKind(o *ResourceOptions) error {
	r.resource = schema.GroupResource{Group: o.Kind.Group, Resource: o.Resource}
	if o.Untyped {
		r.scope = o.Scope
		r.bound.Store(&binding{
			factory: o.Factory, kind: unstructured.Kind(o.Kind),
			list: unstructured.ListKind(o.Kind.GroupVersion().WithKind(o.Kind.Kind + "List")),
		})
		return nil
	}
	b, err := bind(o.Factory, o.Kind)
	if err != nil {
		return err
	}
	if _, err := metadataOf(b.kind, b.kind.New()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	r.scope = b.kind.Info().Scope
	if r.resource.Resource == "" {
		r.resource.Resource = b.kind.Info().Resource
	}
	r.bound.Store(b)
	return nil
}

// bind finds a kind and its list in the scheme of a factory.
func bind(f *serializer.Factory, gvk schema.GroupVersionKind) (*binding, error) {
	kind, err := f.Scheme().Kind(gvk)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if kind.ListKind() == nil {
		return nil, fmt.Errorf("store: %s has no list kind", kind)
	}
	return &binding{factory: f, kind: kind, list: kind.ListKind()}, nil
}

// Rebind makes the resource read and write its objects with another factory from now on, such as
// that of a scheme with additional kinds, so that it does not keep the scheme before in memory. The
// scheme must have the kind of the resource as it is declared now; use [Store.Replace] for another
// declaration. Objects that are stored in a version that the scheme does not have become
// undecodable. Operations that are under way, lists and watches are not affected.
func (r *Resource) Rebind(f *serializer.Factory) error {
	if f == nil {
		return errors.New("store: the resource has no factory")
	}
	before := r.bound.Load()
	if r.untyped {
		r.bound.Store(&binding{factory: f, kind: before.kind, list: before.list})
		return nil
	}
	after, err := bind(f, before.kind.GroupVersionKind())
	if err != nil {
		return err
	}
	if was, is := before.kind.Type(), after.kind.Type(); was != is {
		return fmt.Errorf("store: objects of %s are of the Go type %s, not %s", r.resource, was, is)
	}
	r.bound.Store(after)
	return nil
}

// setFields takes over the declared fields.
func (r *Resource) setFields(o *ResourceOptions) error {
	declared := o.Fields
	if declared == nil && !r.untyped {
		for _, path := range r.Kind().Info().SelectableFields {
			declared = append(declared, Field{Path: strings.TrimPrefix(path, ".")})
		}
	}
	for _, f := range declared {
		if f.Path == "" || strings.ContainsAny(f.Path, "\x00=!,") ||
			slices.ContainsFunc(r.fields, func(other field) bool { return other.Path == f.Path }) {
			return fmt.Errorf("store: %s: the field %q is declared twice or cannot be selected by", r.resource, f.Path)
		}
		r.fields = append(r.fields, field{f, strings.Split(f.Path, ".")})
	}
	return nil
}

// indexed reports whether a field has an index.
func (r *Resource) indexed() bool {
	return slices.ContainsFunc(r.fields, func(f field) bool { return f.Index })
}

// Kind returns the kind in the storage version.
func (r *Resource) Kind() *runtime.Kind { return r.bound.Load().kind }

// ListKind returns the kind of lists, in the storage version.
func (r *Resource) ListKind() *runtime.Kind { return r.bound.Load().list }

// GroupResource returns the name of the resource.
func (r *Resource) GroupResource() schema.GroupResource { return r.resource }

// Factory returns the factory that reads and writes the objects.
func (r *Resource) Factory() *serializer.Factory { return r.bound.Load().factory }

// Store returns the store that the resource belongs to.
func (r *Resource) Store() *Store { return r.store }

// usable returns an error if the resource has been removed or replaced.
func (r *Resource) usable() error {
	if why := r.gone.Load(); why != nil {
		return fmt.Errorf("store: %s: %w", r.resource, *why)
	}
	return nil
}

// engineKey returns the key of an object in the engine. The error is for names that no object can
// have.
func (r *Resource) engineKey(key Key) (string, error) {
	switch {
	case key.Name == "":
		return "", errors.New("the object has no name")
	case r.scope == runtime.Namespaced && key.Namespace == "":
		return "", errors.New("the object has no namespace")
	case r.scope != runtime.Namespaced && key.Namespace != "":
		return "", errors.New("the object has a namespace, but its kind is of cluster scope")
	case !segment(key.Name):
		return "", fmt.Errorf("the name %q holds a slash or a NUL byte, or is a dot or two", key.Name)
	case key.Namespace != "" && !segment(key.Namespace):
		return "", fmt.Errorf("the namespace %q holds a slash or a NUL byte, or is a dot or two", key.Namespace)
	}
	out := r.prefix + key.Namespace + "/" + key.Name
	return out, CheckKey(out)
}

// segment reports whether a text can be a part of a key, and of a path in a URL.
func segment(s string) bool {
	return s != "." && s != ".." && !strings.ContainsAny(s, "/\x00")
}

// namespaced reports whether the objects live in namespaces.
func (r *Resource) namespaced() bool { return r.scope == runtime.Namespaced }
