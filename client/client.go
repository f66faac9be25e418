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

// Client gives access to the resources of one server. It is safe for concurrent use. The zero value
// is not usable; use [New].
type Client struct {
	backend Backend
	scheme  *runtime.Scheme
}

// New returns a client that sends its requests through a backend. The scheme holds the kinds for
// typed access.
func New(b Backend, s *runtime.Scheme) *Client {
	if b == nil || s == nil {
		panic("client: New: the backend or the scheme is nil")
	}
	return &Client{backend: b, scheme: s}
}

// Backend returns the backend of the client.
func (c *Client) Backend() Backend { return c.backend }

// Scheme returns the scheme of the client.
func (c *Client) Scheme() *runtime.Scheme { return c.scheme }

// Of returns access to the objects of a Go type, in the version of the type. The resource is that
// of the kind, unless changed with Under or Named. If the scheme does not have the type, or the
// kind has no resource, every call returns that error.
func Of[T any](c *Client) *Resource[T] {
	r := &Resource[T]{client: c, scheme: c.scheme}
	k, err := runtime.KindFor[T](c.scheme)
	switch {
	case err != nil:
		r.err = fmt.Errorf("client: access to %s: %w", reflect.TypeFor[T](), err)
	case k.Info().Resource == "":
		r.err = fmt.Errorf("client: the kind %s has no resource; register it with one", k)
	default:
		r.template = Request{Resource: k.GroupVersionResource(), Kind: k.GroupVersionKind()}
		r.namespaced = k.Info().Scope == runtime.Namespaced
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

// Resource is access to the objects of one resource, in all namespaces or in one. It is immutable
// and safe for concurrent use.
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

// Under returns access to the resource under a path prefix other than the default, see
// [discovery.PrefixOf].
func (r *Resource[T]) Under(prefix string) *Resource[T] {
	out := *r
	out.template.Prefix = prefix
	return &out
}

// Named returns access to another resource of the same kind.
func (r *Resource[T]) Named(resource schema.GroupVersionResource) *Resource[T] {
	out := *r
	out.template.Resource = resource
	return &out
}

// Mapping returns the resource and its kind.
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

// Client returns the client of the resource.
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

// requestOne begins a request for one object, in the namespace of In or of the object.
func (r *Resource[T]) requestOne(verb, namespace, name string, opts []Option) (*Request, *options, error) {
	q, o, err := r.request(verb, name, opts)
	if err != nil {
		return nil, nil, err
	}
	return q, o, r.place(q, namespace)
}

// place sets the namespace of a request from its object. A missing or a different namespace is an
// error.
func (r *Resource[T]) place(q *Request, namespace string) error {
	if !r.namespaced {
		return nil
	}
	if q.Namespace != "" && namespace != "" && q.Namespace != namespace {
		return fmt.Errorf("client: the object is in the namespace %q, but In was called with %q", namespace,
			q.Namespace)
	}
	if q.Namespace = cmp.Or(q.Namespace, namespace); q.Namespace == "" {
		return fmt.Errorf("client: %s live in namespaces: call In with one", q.Resource.Resource)
	}
	return nil
}
