package client

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Client gives access to the resources of one server. It is safe for any number of goroutines.
type Client struct {
	backend Backend
	scheme  *runtime.Scheme
}

// New returns a client that sends its requests through a backend. The scheme knows the kinds of
// typed access.
func New(b Backend, s *runtime.Scheme) *Client { return &Client{backend: b, scheme: s} }

// Backend returns the backend of the client.
func (c *Client) Backend() Backend { return c.backend }

// Scheme returns the scheme of the client.
func (c *Client) Scheme() *runtime.Scheme { return c.scheme }

// Of returns access to the objects of a Go type, in the version that the type is of. The resource
// is that of the kind; Under and Named state another one. If the scheme does not have the type, or
// the kind has no resource, every call returns the error.
func Of[T any](c *Client) *Resource[T] {
	r := &Resource[T]{client: c, scheme: c.scheme}
	k, err := runtime.KindFor[T](c.scheme)
	switch {
	case err != nil:
		r.err = fmt.Errorf("client: access to %s: %w", reflect.TypeFor[T](), err)
	case k.Resource() == "":
		r.err = fmt.Errorf("client: the kind %s is served as no resource: its registration needs one", k)
	default:
		r.template = Request{Resource: k.GroupVersionResource(), Kind: k.GroupVersionKind()}
		r.namespaced = k.Scope() == runtime.Namespaced
	}
	return r
}

// Untyped returns access to the objects of a resource of any kind.
func (c *Client) Untyped(m restmapper.Mapping) *Resource[unstructured.Object] {
	return &Resource[unstructured.Object]{
		client: c, scheme: c.scheme, namespaced: m.Scope == runtime.Namespaced,
		template: Request{Prefix: m.Prefix, Resource: m.Resource, Kind: m.Kind, Untyped: true},
	}
}

// Metadata returns access to the metadata of the objects of a resource of any kind. Objects can be
// read, watched, patched and deleted through it, but not created or updated.
func (c *Client) Metadata(m restmapper.Mapping) *Resource[metav1.PartialObjectMetadata] {
	return &Resource[metav1.PartialObjectMetadata]{
		client: c, scheme: c.scheme, namespaced: m.Scope == runtime.Namespaced,
		template: Request{Prefix: m.Prefix, Resource: m.Resource, Kind: m.Kind, As: kindMetadata},
	}
}

var kindMetadata = schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "PartialObjectMetadata"}

// Resource is access to the objects of one resource, in all namespaces or in one. It never changes
// and is safe for any number of goroutines.
type Resource[T any] struct {
	client     *Client
	scheme     *runtime.Scheme
	template   Request
	namespaced bool
	err        error
}

// In returns access to one namespace; a blank one means all of them.
func (r *Resource[T]) In(namespace string) *Resource[T] {
	out := *r
	out.template.Namespace = namespace
	if namespace != "" && !r.namespaced && r.err == nil {
		out.err = fmt.Errorf("client: %s live outside of namespaces: do not call In", r.template.Resource.Resource)
	}
	return &out
}

// Under returns access to the resource under another prefix than the usual one, see
// [discovery.PrefixOf].
func (r *Resource[T]) Under(prefix string) *Resource[T] {
	out := *r
	out.template.Prefix = prefix
	return &out
}

// Named returns access to another resource that has the same kind of objects.
func (r *Resource[T]) Named(resource schema.GroupVersionResource) *Resource[T] {
	out := *r
	out.template.Resource = resource
	return &out
}

// Mapping returns which resource this is.
func (r *Resource[T]) Mapping() restmapper.Mapping {
	scope := runtime.Cluster
	if r.namespaced {
		scope = runtime.Namespaced
	}
	return restmapper.Mapping{
		Prefix: r.template.Prefix, Kind: r.template.Kind, Resource: r.template.Resource,
		Scope: scope,
	}
}

// Client returns the client that this is access through.
func (r *Resource[T]) Client() *Client { return r.client }

// request begins a request.
func (r *Resource[T]) request(verb, name string, opts []Option) (*Request, *options, error) {
	if r.err != nil {
		return nil, nil, r.err
	}
	o := gather(opts)
	if err := o.check(verb); err != nil {
		return nil, nil, err
	}
	out := r.template
	out.Verb, out.Name = verb, name
	out.Subresource = o.subresource
	if name == "" && (verb == "get" || verb == "update" || verb == "patch" || verb == "delete") {
		return nil, nil, fmt.Errorf("client: %s of %s needs a name", verb, out.Resource.Resource)
	}
	return &out, o, nil
}

// place fills in the namespace of a request from that of its object, and complains about one that
// is missing or another one.
func (r *Resource[T]) place(q *Request, namespace string) error {
	if !r.namespaced {
		return nil
	}
	if q.Namespace != "" && namespace != "" && q.Namespace != namespace {
		return fmt.Errorf("client: the object is of the namespace %q, and In was called with %q", namespace,
			q.Namespace)
	}
	if q.Namespace = cmp.Or(q.Namespace, namespace); q.Namespace == "" {
		return fmt.Errorf("client: %s live in namespaces: call In with one", q.Resource.Resource)
	}
	return nil
}
