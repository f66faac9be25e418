package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/askind/askind/meta"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Get returns one object.
func (r *Resource[T]) Get(ctx context.Context, name string, opts ...Option) (*T, error) {
	q, o, err := r.requestOne("get", "", name, opts)
	if err != nil {
		return nil, err
	}
	if o.version != "" {
		q.Options = &metav1.GetOptions{ResourceVersion: o.version}
	}
	return r.one(ctx, q)
}

// List is one page of a list, or the whole list.
type List[T any] struct {
	// Items are the objects.
	Items []*T
	// ResourceVersion is the version of the collection. A watch can start after it.
	ResourceVersion string
	// Continue is the token for the next page, blank on the last one.
	Continue string
	// Remaining is the number of objects that follow, nil if unknown.
	Remaining *int64
}

// List returns the objects of the resource: all of them, or the first page if Limit is given. See
// [Resource.All] for all pages.
func (r *Resource[T]) List(ctx context.Context, opts ...Option) (*List[T], error) {
	q, o, err := r.request("list", "", opts)
	if err != nil {
		return nil, err
	}
	q.Options = &o.list
	resp, err := r.client.backend.Do(ctx, q)
	if err != nil {
		return nil, err
	}
	return r.list(q, resp.Object)
}

// pageSize is the default page size of [Resource.All].
const pageSize = 500

// All yields the objects of the resource. It requests them in pages of 500, or of the size that
// Limit states. All pages show one version of the collection. If that version expires meanwhile,
// All ends with an Expired error. It also ends with an error if the server repeats a page or
// changes the version.
func (r *Resource[T]) All(ctx context.Context, opts ...Option) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for list, err := range r.pages(ctx, opts) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, obj := range list.Items {
				if !yield(obj, nil) {
					return
				}
			}
		}
	}
}

// pages yields the pages of a list.
func (r *Resource[T]) pages(ctx context.Context, opts []Option) iter.Seq2[*List[T], error] {
	return func(yield func(*List[T], error) bool) {
		opts := append([]Option{Limit(pageSize)}, opts...)
		read := &pagesRead{options: opts, next: opts}
		for {
			list, err := r.List(ctx, read.next...)
			if err == nil {
				err = read.add(r.groupResource(), list.ResourceVersion, list.Continue)
			}
			if !yield(list, err) || err != nil || list.Continue == "" {
				return
			}
		}
	}
}

// pagesRead checks the pages of a list. A server that repeats a token would never end the list,
// which is an error, and so is one that changes the version between pages.
type pagesRead struct {
	options []Option
	next    []Option // the options for the next page
	n       int
	version string
	// kept is the token of an earlier page, kept for twice as many pages each time, so that any
	// repetition is found.
	kept string
}

// add adds a page with its version and the token of the next one.
func (p *pagesRead) add(of schema.GroupResource, version, token string) error {
	switch p.n++; {
	case p.kept != "" && token == p.kept:
		return fmt.Errorf("client: the server repeats the continue token %.64q in the list of %s", token, of)
	case p.n > 1 && version != p.version:
		return fmt.Errorf("client: the list of %s has the version %.64q on its first page and %.64q on a later one",
			of, p.version, version)
	}
	p.version = version
	if p.n&(p.n-1) == 0 {
		p.kept = token
	}
	p.next = append(slices.Clip(p.options), nextPage(token))
	return nil
}

// Create stores a new object and returns the stored object. The namespace is that of In or of the
// object. With Subresource the object is posted to that subresource of the object with its name.
func (r *Resource[T]) Create(ctx context.Context, obj *T, opts ...Option) (*T, error) {
	q, o, err := r.request("create", "", opts)
	if err != nil {
		return nil, err
	}
	m, err := r.metadata(obj)
	if err != nil {
		return nil, err
	}
	if q.Subresource != "" {
		q.Name = m.Name
	}
	if err := r.place(q, m.Namespace); err != nil {
		return nil, err
	}
	q.Body = obj
	q.Options = &metav1.CreateOptions{DryRun: o.dryRun, FieldManager: o.manager, FieldValidation: o.validation}
	return r.one(ctx, q)
}

// Update replaces the object with the same name, and returns the stored object. If obj has a
// resource version, it must be that of the existing object; otherwise the error is a Conflict.
func (r *Resource[T]) Update(ctx context.Context, obj *T, opts ...Option) (*T, error) {
	m, err := r.metadata(obj)
	if err != nil {
		return nil, err
	}
	q, o, err := r.requestOne("update", m.Namespace, m.Name, opts)
	if err != nil {
		return nil, err
	}
	q.Body = obj
	q.Options = &metav1.UpdateOptions{DryRun: o.dryRun, FieldManager: o.manager, FieldValidation: o.validation}
	return r.one(ctx, q)
}

// UpdateStatus is [Resource.Update] of the subresource status: it stores only the status of the
// object.
func (r *Resource[T]) UpdateStatus(ctx context.Context, obj *T, opts ...Option) (*T, error) {
	return r.Update(ctx, obj, slices.Concat(opts, []Option{Subresource("status")})...)
}

// Change gets an object, lets a function modify it, and updates it. After a Conflict it starts
// over, at first within 10 ms and later after up to a second, until the context is done. An error
// of the function is returned at once.
func (r *Resource[T]) Change(ctx context.Context, name string, change func(*T) error, opts ...Option) (*T, error) {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		obj, err := r.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		if err := change(obj); err != nil {
			return nil, err
		}
		out, err := r.Update(ctx, obj, opts...)
		if metav1.ReasonOf(err) != metav1.StatusReasonConflict {
			return out, err
		}
		select {
		case <-time.After(rand.N(wait)):
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		}
	}
}

// Patch changes an object, and returns the stored object.
func (r *Resource[T]) Patch(ctx context.Context, name string, p Patch, opts ...Option) (*T, error) {
	q, o, err := r.requestOne("patch", "", name, opts)
	if err != nil {
		return nil, err
	}
	q.Patch = p
	q.Options = o.patch()
	return r.one(ctx, q)
}

// JSONPatch returns a patch of RFC 6902: a list of operations.
func JSONPatch(data string) Patch { return Patch{MediaType: JSONPatchType, Data: []byte(data)} }

// MergePatch returns a patch of RFC 7386: an object with the changed members, null for removed
// ones.
func MergePatch(data string) Patch { return Patch{MediaType: MergePatchType, Data: []byte(data)} }

// StrategicPatch returns a merge patch that merges lists by the keys of their elements.
func StrategicPatch(data string) Patch {
	return Patch{MediaType: StrategicPatchType, Data: []byte(data)}
}

// Apply is a server-side apply of the fields of an object. The option FieldManager is required. The
// server sets these fields, and removes those that this manager applied before but does not apply
// now. Fields that the type encodes even if they are unset count as applied; use [Client.Untyped]
// where that matters.
func (r *Resource[T]) Apply(ctx context.Context, obj *T, opts ...Option) (*T, error) {
	m, err := r.metadata(obj)
	if err != nil {
		return nil, err
	}
	q, o, err := r.request("patch", m.Name, opts)
	if err != nil {
		return nil, err
	}
	if o.manager == "" {
		return nil, fmt.Errorf("client: Apply of %s needs the option FieldManager", q.Resource.Resource)
	}
	if err := r.place(q, m.Namespace); err != nil {
		return nil, err
	}
	q.Patch = Patch{MediaType: ApplyPatchType, Object: obj}
	q.Options = o.patch()
	return r.one(ctx, q)
}

// Delete deletes an object, or marks it for deletion: an object with finalizers stays until they
// are removed.
func (r *Resource[T]) Delete(ctx context.Context, name string, opts ...Option) error {
	q, o, err := r.requestOne("delete", "", name, opts)
	if err != nil {
		return err
	}
	q.Body = &o.deletion
	_, err = r.client.backend.Do(ctx, q)
	return err
}

// DeleteAll deletes the objects of the resource that Labels and Fields select, or all of them. If
// they are in namespaces, it needs [Resource.In]: servers refuse to delete in all namespaces.
func (r *Resource[T]) DeleteAll(ctx context.Context, opts ...Option) error {
	q, o, err := r.request("deletecollection", "", opts)
	if err != nil {
		return err
	}
	q.Options, q.Body = &o.list, &o.deletion
	_, err = r.client.backend.Do(ctx, q)
	return err
}

// Show returns one object as another kind, such as a *metav1.Scale or a *metav1.Table. With the
// option Subresource it returns the view of that name, whose kind is To, of the object.
func Show[To, T any](ctx context.Context, r *Resource[T], name string, opts ...Option) (*To, error) {
	q, o, err := r.requestOne("get", "", name, opts)
	if err != nil {
		return nil, err
	}
	if o.version != "" {
		q.Options = &metav1.GetOptions{ResourceVersion: o.version}
	}
	if q.Subresource != "" {
		q.Untyped = false
		return expect[To](r.client.backend.Do(ctx, q))
	}
	return show[To](ctx, r, q)
}

// Act sends in to a subresource that is an operation on an object, such as one that a server of
// this module declares with server.Subresource, and returns the answer. It takes the options of a
// creation, except for Subresource.
func Act[S, T any](ctx context.Context, r *Resource[T], name, subresource string, in *S, opts ...Option) (*S, error) {
	q, o, err := r.requestOne("create", "", name, append(slices.Clone(opts), Subresource(subresource)))
	if err != nil {
		return nil, err
	}
	if name == "" || subresource == "" {
		return nil, fmt.Errorf("client: an operation on one of the %s needs its name and the subresource",
			q.Resource.Resource)
	}
	q.Untyped, q.Body = false, in
	q.Options = &metav1.CreateOptions{DryRun: o.dryRun, FieldManager: o.manager, FieldValidation: o.validation}
	return expect[S](r.client.backend.Do(ctx, q))
}

// ShowAll returns the objects of the resource as one object of another kind, such as a
// *metav1.Table.
func ShowAll[To, T any](ctx context.Context, r *Resource[T], opts ...Option) (*To, error) {
	q, o, err := r.request("list", "", opts)
	if err != nil {
		return nil, err
	}
	q.Options = &o.list
	return show[To](ctx, r, q)
}

// show sends a request whose response is represented as a To.
func show[To, T any](ctx context.Context, r *Resource[T], q *Request) (*To, error) {
	k, err := runtime.KindFor[To](r.scheme)
	if err != nil {
		return nil, fmt.Errorf("client: showing %s: %w", q.Resource.Resource, err)
	}
	q.As, q.Untyped = k.GroupVersionKind(), false
	return expect[To](r.client.backend.Do(ctx, q))
}

// Scale returns the size of an object whose kind has the subresource scale.
func (r *Resource[T]) Scale(ctx context.Context, name string) (*metav1.Scale, error) {
	return Show[metav1.Scale](ctx, r, name, Subresource("scale"))
}

// UpdateScale sets the size of an object whose kind has the subresource scale.
func (r *Resource[T]) UpdateScale(ctx context.Context, s *metav1.Scale) (*metav1.Scale, error) {
	q, _, err := r.requestOne("update", s.Namespace, s.Name, []Option{Subresource("scale")})
	if err != nil {
		return nil, err
	}
	q.Untyped, q.Body = false, s
	return expect[metav1.Scale](r.client.backend.Do(ctx, q))
}

// one sends a request whose response is an object.
func (r *Resource[T]) one(ctx context.Context, q *Request) (*T, error) {
	return expect[T](r.client.backend.Do(ctx, q))
}

// expect returns the object of a response, which must be a T.
func expect[T any](resp *Response, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	if obj, ok := resp.Object.(*T); ok {
		return obj, nil
	}
	return nil, fmt.Errorf("client: the server returned a %s instead of a %s", describe(resp.Object),
		reflect.TypeFor[T]())
}

// describe names the type of a response for errors.
func describe(obj runtime.Object) string {
	switch o := obj.(type) {
	case nil:
		return "response without a body"
	case *metav1.Status:
		return "Status: " + schema.Shorten(o.Message, 500)
	case *unstructured.Object:
		return schema.Shorten(o.APIVersion()+" "+o.Kind(), 500)
	}
	return reflect.TypeOf(obj).String()
}

// metadata returns the metadata of an object.
func (r *Resource[T]) metadata(obj *T) (*metav1.ObjectMeta, error) {
	if r.err != nil {
		return nil, r.err
	}
	if u, ok := any(obj).(*unstructured.Object); ok && u != nil {
		return u.ObjectMeta()
	}
	k, err := r.scheme.KindOf(obj)
	if err != nil {
		return nil, err
	}
	return meta.Accessor(k, obj)
}

// list converts a decoded list.
func (r *Resource[T]) list(q *Request, obj runtime.Object) (*List[T], error) {
	if u, ok := obj.(*unstructured.List); ok {
		return untypedList[T](u)
	}
	k, err := r.scheme.KindOf(obj)
	if err != nil || !k.IsList() {
		return nil, fmt.Errorf("client: the server returned a %[2]s for the list of %[1]s", q.Resource.Resource,
			describe(obj))
	}
	items := k.Items(obj)
	out := &List[T]{Items: make([]*T, items.Len())}
	for i := range out.Items {
		item, ok := items.At(i).(*T)
		if !ok {
			return nil, fmt.Errorf("client: the list of %s contains a %s instead of a %s", q.Resource.Resource,
				describe(items.At(i)), reflect.TypeFor[T]())
		}
		if apiVersion, _ := k.ItemKind().TypeOf(item); apiVersion == "" {
			if err := k.ItemKind().SetType(item); err != nil {
				return nil, err
			}
		}
		out.Items[i] = item
	}
	m, err := meta.ListAccessor(k, obj)
	if err != nil {
		return nil, err
	}
	out.ResourceVersion, out.Continue, out.Remaining = m.ResourceVersion, m.Continue, m.RemainingItemCount
	return out, nil
}

// untypedList converts a list of unstructured objects.
func untypedList[T any](u *unstructured.List) (*List[T], error) {
	items, err := u.Items()
	if err != nil {
		return nil, err
	}
	out := &List[T]{Items: make([]*T, len(items)), ResourceVersion: u.ResourceVersion(), Continue: u.Continue()}
	if n, ok := u.RemainingItemCount(); ok {
		out.Remaining = &n
	}
	for i := range items {
		item, ok := any(&items[i]).(*T)
		if !ok {
			return nil, fmt.Errorf("client: the list contains an untyped object instead of a %s", reflect.TypeFor[T]())
		}
		out.Items[i] = item
	}
	return out, nil
}

// groupResource returns the resource for errors.
func (r *Resource[T]) groupResource() schema.GroupResource {
	return r.template.Resource.GroupResource()
}
