package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store"
)

// program is the user of requests that the program makes itself. Everything is allowed to it.
var program = &auth.User{Name: "system:program", Groups: []string{auth.Masters, auth.Authenticated}}

// Client returns a client in the same process. Its requests pass the same checks, hooks and audits
// as those of other clients, but no connection. They are made as the program itself, which may do
// everything; see [Server.ClientFor].
//
// A get, list, create or update of typed objects, or an update of their status, goes straight to
// the store: nothing is encoded, and the limits on concurrent requests do not count it. Everything
// else goes through the handler of the server, encoded as over HTTP, and counts: patches,
// deletions, watches, other subresources, resources made of functions or of a [Delegate], untyped
// objects, metadata and other representations, and documents.
func (s *Server) Client() *client.Client { return s.ClientFor(program) }

// ClientFor is [Server.Client] with requests that are made as a user and authorized like those of
// other clients.
func (s *Server) ClientFor(u *auth.User) *client.Client {
	return client.New(&backend{s: s, user: u}, s.Scheme())
}

// processUserKey is the key of the user of a request in process. No connection can set it.
type processUserKey struct{}

// backend carries requests to the server that it is in the process of. What asks for another form
// than objects goes through the handler, as over HTTP; the rest goes straight to the store.
type backend struct {
	s    *Server
	user *auth.User
	way  atomic.Pointer[way]
}

// way is the way through the handler, with the factory that it was made for.
type way struct {
	*client.Transport
	factory *serializer.Factory
}

// handler returns the way through the handler.
func (b *backend) handler() (*client.Transport, error) {
	f := b.s.Factory()
	if w := b.way.Load(); w != nil && w.factory == f {
		return w.Transport, nil
	}
	t, err := client.HTTP("http://"+inProcessHost, f,
		client.RoundTripper(roundTripper(func(r *http.Request) (*http.Response, error) {
			return b.s.Transport().RoundTrip(r.WithContext(context.WithValue(r.Context(), processUserKey{}, b.user)))
		})))
	if err == nil {
		b.way.Store(&way{t, f})
	}
	return t, err
}

// roundTripper is a function as an [http.RoundTripper].
type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Document implements [client.Backend].
func (b *backend) Document(ctx context.Context, r *client.DocumentRequest) (*client.Document, error) {
	t, err := b.handler()
	if err != nil {
		return nil, err
	}
	return t.Document(ctx, r)
}

// Do implements [client.Backend].
func (b *backend) Do(ctx context.Context, r *client.Request) (*client.Response, error) {
	do := direct[r.Verb]
	_, untyped := r.Body.(runtime.Untyped)
	whole := r.Subresource == "" || r.Subresource == "status" && r.Verb == verbUpdate
	if do == nil || untyped || r.Accept != "" || r.Untyped || !r.As.Empty() || !whole {
		return b.carry(ctx, r)
	}
	c, err := b.call(ctx, r)
	if err != nil {
		return nil, err
	}
	if c.res == nil || c.res.stored == nil { // of a delegate, or of functions
		return b.carry(ctx, r)
	}
	code, obj, err := c.directly(do, r)
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()): // as over a connection
		return nil, fmt.Errorf("client: %s %s: %w", r.Verb, r.Path(), context.Cause(ctx))
	case err != nil:
		return nil, asStatus(c.s.masked(c.r, err))
	}
	return &client.Response{Code: code, Object: obj, Warnings: c.takeWarnings()}, nil
}

// directly calls one of the direct functions. A panic of a hook is an internal error.
func (c *call) directly(do directFunc, r *client.Request) (code int, obj runtime.Object, err error) {
	defer recovered(&err)
	return do(c, r)
}

// carry sends a request through the handler.
func (b *backend) carry(ctx context.Context, r *client.Request) (*client.Response, error) {
	t, err := b.handler()
	if err != nil {
		return nil, err
	}
	return t.Do(ctx, r)
}

// call finds out what a request is about, and whether the user may make it. The call has no
// resource if a delegate has it. A panic of an authorizer is an internal error.
func (b *backend) call(ctx context.Context, r *client.Request) (_ *call, err error) {
	defer recovered(&err)
	if err := r.Check(); err != nil {
		return nil, err
	}
	if b.s.over(true) {
		return nil, unavailable(errUnavailable)
	}
	st := b.s.state.Load()
	t := &target{
		gvr: r.Resource, namespace: r.Namespace, name: r.Name, subresource: r.Subresource, prefix: r.Prefix,
	}
	if t.prefix == "" {
		t.prefix = b.s.config.prefix(r.Resource)
	}
	id := &trace{id: newUID(), arrived: b.s.config.now()}
	ctx = auth.WithUser(context.WithValue(ctx, traceKey{}, id), b.user)
	method := http.MethodGet // for the log
	switch r.Verb {
	case verbCreate:
		method = http.MethodPost
	case verbUpdate:
		method = http.MethodPut
	}
	request, err := http.NewRequestWithContext(ctx, method, r.Path(), nil)
	if err != nil {
		return nil, err
	}
	c := &call{s: b.s, st: st, ctx: ctx, r: request, Request: &Request{
		ID: id.id, Verb: r.Verb, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name,
		User: b.user,
	}}
	a := c.attributes(r.Path())
	if o, ok := r.Options.(*metav1.ListOptions); ok && o != nil && r.Verb == verbList {
		a.Name = nameIn(o.FieldSelector)
	}
	if err := c.authorize(a); err != nil {
		return nil, err
	}
	if b.s.delegated(st, t.prefix, t.gvr.GroupVersion()) != nil {
		return c, nil
	}
	if c.res, c.sub, err = b.s.find(st, t); err != nil {
		return nil, err
	}
	verbs := c.res.verbs
	if c.sub != nil {
		verbs = c.sub.verbs
	}
	if !slices.Contains(verbs, r.Verb) {
		return nil, metav1.MethodNotAllowed(c.res.groupResource(), r.Verb)
	}
	c.Kind = c.res.served.GroupVersionKind()
	if c.res.warning != "" {
		c.Warn(c.res.warning)
	}
	return c, nil
}

// directFunc answers a request without a handler. It returns an object in the version of the
// request, which is the caller's.
type directFunc func(*call, *client.Request) (code int, obj runtime.Object, err error)

// direct are the verbs that need no handler.
var direct = map[string]directFunc{
	verbGet: withOptions(func(c *call, o *metav1.GetOptions, _ *client.Request) (int, runtime.Object, error) {
		e, err := c.getObject(o)
		return c.shown(http.StatusOK, e, err)
	}),
	verbList: withOptions(func(c *call, o *metav1.ListOptions, _ *client.Request) (int, runtime.Object, error) {
		list, err := c.listObjects(o)
		if err != nil {
			return 0, nil, err
		}
		obj, err := list.Object()
		if err != nil {
			return 0, nil, err
		}
		obj, err = c.st.scheme.ConvertSharing(obj, c.Kind.GroupVersion())
		return http.StatusOK, obj, err
	}),
	verbCreate: withOptions(func(c *call, o *metav1.CreateOptions, r *client.Request) (int, runtime.Object, error) {
		obj, err := c.received(r.Body)
		if err != nil {
			return 0, nil, err
		}
		e, err := c.createObject(obj, o)
		return c.shown(http.StatusCreated, e, err)
	}),
	verbUpdate: withOptions(func(c *call, o *metav1.UpdateOptions, r *client.Request) (int, runtime.Object, error) {
		obj, err := c.received(r.Body)
		if err != nil {
			return 0, nil, err
		}
		part := partObject
		if c.sub != nil {
			part = partStatus
		}
		e, err := c.replaceObject(obj, o, part)
		return c.shown(http.StatusOK, e, err)
	}),
}

// withOptions returns a directFunc that reads the options of the request first.
func withOptions[T any](do func(*call, *T, *client.Request) (int, runtime.Object, error)) directFunc {
	return func(c *call, r *client.Request) (int, runtime.Object, error) {
		o, err := optionsOf[T](c, r.Options)
		if err != nil {
			return 0, nil, err
		}
		return do(c, o, r)
	}
}

// optionsOf returns the options of a request in process, which are validated like those of a query.
func optionsOf[T any](c *call, obj runtime.Object) (*T, error) {
	if obj == nil {
		return new(T), nil
	}
	o, err := runtime.ConvertTo[T](c.st.scheme, obj)
	if err != nil {
		return nil, metav1.BadRequest(err.Error())
	}
	k, err := runtime.KindFor[T](c.st.scheme)
	if err != nil {
		return nil, err
	}
	if found := k.Validate(c.ctx, o); len(found) > 0 {
		return nil, metav1.Invalid(k.GroupVersionKind().GroupKind(), "", found)
	}
	return o, nil
}

// received returns a copy of an object from the program, with its defaults, in the version in which
// it is stored.
func (c *call) received(obj runtime.Object) (runtime.Object, error) {
	if obj == nil {
		return nil, metav1.BadRequest("the request has no object")
	}
	obj, err := c.st.scheme.DeepCopy(obj)
	if err != nil {
		return nil, err
	}
	if err := c.st.scheme.Default(obj); err != nil {
		return nil, err
	}
	return c.stored(obj)
}

// shown returns a stored object in the version of the request, unless there is an error.
func (c *call) shown(code int, e *store.Entry, err error) (int, runtime.Object, error) {
	if err != nil {
		return 0, nil, err
	}
	obj, err := e.Object()
	if err != nil {
		return 0, nil, err
	}
	obj, err = c.st.scheme.ConvertSharing(obj, c.Kind.GroupVersion())
	return code, obj, err
}

// Watch implements [client.Backend].
func (b *backend) Watch(ctx context.Context, r *client.Request) iter.Seq2[serializer.Event, error] {
	return func(yield func(serializer.Event, error) bool) {
		t, err := b.handler()
		if err != nil {
			yield(serializer.Event{}, err)
			return
		}
		t.Watch(ctx, r)(yield)
	}
}
