package client

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/askind/askind/meta"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Get returns one object.
func (r *Resource[T]) Get(ctx context.Context, name string, opts ...Option) (*T, error) {
	q, o, err := r.request("get", name, opts)
	if err != nil {
		return nil, err
	}
	if err := r.place(q, ""); err != nil {
		return nil, err
	}
	if o.version != "" {
		q.Options = &metav1.GetOptions{ResourceVersion: o.version}
	}
	return r.one(ctx, q)
}

// List is a part of a list, or all of it.
type List[T any] struct {
	// Items are the objects.
	Items []*T
	// ResourceVersion is the version of the collection. A watch can begin behind it.
	ResourceVersion string
	// Continue is the token for the next part, blank if this is the last one.
	Continue string
	// Remaining is how many objects follow, nil if that is not known.
	Remaining *int64
}

// List returns the objects of the resource: all of them, or those of the first answer if Limit is
// given. See [Resource.All] for lists that come in parts.
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

// pageSize is how many objects [Resource.All] asks for at a time.
const pageSize = 500

// All yields the objects of the resource, which it asks for in parts of 500, or of what Limit
// states. All parts are of one version of the collection, unless the server forgets it meanwhile:
// then the error is an Expired, and nothing follows.
func (r *Resource[T]) All(ctx context.Context, opts ...Option) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		opts := append([]Option{Limit(pageSize)}, opts...)
		for {
			list, err := r.List(ctx, opts...)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, obj := range list.Items {
				if !yield(obj, nil) {
					return
				}
			}
			if list.Continue == "" {
				return
			}
			opts = append(opts, Continue(list.Continue), AtVersion(""))
		}
	}
}

// Create stores a new object and returns it as it was stored. The namespace is that of In or of the
// object. With Subresource the object goes to a part of the object that has its name.
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

// Update puts an object in the place of the one that has its name, and returns it as it was stored.
// If the object states a resource version, the one in its place must have it; else the error is a
// Conflict.
func (r *Resource[T]) Update(ctx context.Context, obj *T, opts ...Option) (*T, error) {
	m, err := r.metadata(obj)
	if err != nil {
		return nil, err
	}
	q, o, err := r.request("update", m.Name, opts)
	if err != nil {
		return nil, err
	}
	if err := r.place(q, m.Namespace); err != nil {
		return nil, err
	}
	q.Body = obj
	q.Options = &metav1.UpdateOptions{DryRun: o.dryRun, FieldManager: o.manager, FieldValidation: o.validation}
	return r.one(ctx, q)
}

// UpdateStatus is [Resource.Update] of the subresource status: it stores the status of the object
// and nothing else.
func (r *Resource[T]) UpdateStatus(ctx context.Context, obj *T, opts ...Option) (*T, error) {
	return r.Update(ctx, obj, append(opts, Subresource("status"))...)
}

// Change gets an object, has a function change it, and updates it, again from the start if somebody
// else wrote in between. An error of the function ends it and is returned.
func (r *Resource[T]) Change(ctx context.Context, name string, change func(*T) error, opts ...Option) (*T, error) {
	for {
		obj, err := r.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		if err := change(obj); err != nil {
			return nil, err
		}
		out, err := r.Update(ctx, obj, opts...)
		if metav1.ReasonOf(err) != metav1.StatusReasonConflict || ctx.Err() != nil {
			return out, err
		}
	}
}

// Patch changes an object, and returns it as it was stored.
func (r *Resource[T]) Patch(ctx context.Context, name string, p Patch, opts ...Option) (*T, error) {
	q, o, err := r.request("patch", name, opts)
	if err != nil {
		return nil, err
	}
	if err := r.place(q, ""); err != nil {
		return nil, err
	}
	q.Patch = p
	q.Options = &metav1.PatchOptions{
		DryRun: o.dryRun, Force: o.force, FieldManager: o.manager,
		FieldValidation: o.validation,
	}
	return r.one(ctx, q)
}

// JSONPatch is a patch of RFC 6902: a list of operations.
func JSONPatch(data string) Patch { return Patch{MediaType: JSONPatchType, Data: []byte(data)} }

// MergePatch is a patch of RFC 7386: an object with the members that change, null for those that
// go.
func MergePatch(data string) Patch { return Patch{MediaType: MergePatchType, Data: []byte(data)} }

// StrategicPatch is a merge patch that merges lists by the keys of their elements.
func StrategicPatch(data string) Patch {
	return Patch{MediaType: StrategicPatchType, Data: []byte(data)}
}

// Apply states the fields of an object that the field manager, which must be given with the option
// FieldManager, has an opinion about: the server sets them, and unsets those that this manager
// stated before and states no more. Fields that the type writes although they are unset count as
// stated; use [Client.Untyped] where that matters.
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
	q.Options = &metav1.PatchOptions{
		DryRun: o.dryRun, Force: o.force, FieldManager: o.manager,
		FieldValidation: o.validation,
	}
	return r.one(ctx, q)
}

// Delete deletes an object, or begins to: an object with finalizers stays until they are gone.
func (r *Resource[T]) Delete(ctx context.Context, name string, opts ...Option) error {
	q, o, err := r.request("delete", name, opts)
	if err != nil {
		return err
	}
	if err := r.place(q, ""); err != nil {
		return err
	}
	q.Body = &o.deletion
	_, err = r.client.backend.Do(ctx, q)
	return err
}

// DeleteAll deletes the objects of the resource that Labels and Fields select, or all of them.
func (r *Resource[T]) DeleteAll(ctx context.Context, opts ...Option) error {
	q, o, err := r.request("deletecollection", "", opts)
	if err != nil {
		return err
	}
	q.Options, q.Body = &o.list, &o.deletion
	_, err = r.client.backend.Do(ctx, q)
	return err
}

// Show returns one object as another kind that it can be shown as, such as a *metav1.Scale or a
// *metav1.Table.
func Show[To, T any](ctx context.Context, r *Resource[T], name string) (*To, error) {
	q, _, err := r.request("get", name, nil)
	if err != nil {
		return nil, err
	}
	if err := r.place(q, ""); err != nil {
		return nil, err
	}
	k, err := runtime.KindFor[To](r.scheme)
	if err != nil {
		return nil, fmt.Errorf("client: showing %s: %w", q.Resource.Resource, err)
	}
	q.As, q.Untyped = k.GroupVersionKind(), false
	return expect[To](r.client.backend.Do(ctx, q))
}

// ShowAll returns the objects of the resource, on one object of a kind that shows many, such as a
// *metav1.Table.
func ShowAll[To, T any](ctx context.Context, r *Resource[T], opts ...Option) (*To, error) {
	q, o, err := r.request("list", "", opts)
	if err != nil {
		return nil, err
	}
	k, err := runtime.KindFor[To](r.scheme)
	if err != nil {
		return nil, fmt.Errorf("client: showing %s: %w", q.Resource.Resource, err)
	}
	q.As, q.Untyped, q.Options = k.GroupVersionKind(), false, &o.list
	return expect[To](r.client.backend.Do(ctx, q))
}

// Scale returns the size of an object whose kind has the subresource scale.
func (r *Resource[T]) Scale(ctx context.Context, name string) (*metav1.Scale, error) {
	q, _, err := r.request("get", name, []Option{Subresource("scale")})
	if err != nil {
		return nil, err
	}
	if err := r.place(q, ""); err != nil {
		return nil, err
	}
	q.Untyped = false
	return expect[metav1.Scale](r.client.backend.Do(ctx, q))
}

// UpdateScale sets the size of an object whose kind has the subresource scale.
func (r *Resource[T]) UpdateScale(ctx context.Context, s *metav1.Scale) (*metav1.Scale, error) {
	q, _, err := r.request("update", s.Name, []Option{Subresource("scale")})
	if err != nil {
		return nil, err
	}
	if err := r.place(q, s.Namespace); err != nil {
		return nil, err
	}
	q.Untyped, q.Body = false, s
	return expect[metav1.Scale](r.client.backend.Do(ctx, q))
}

// one carries out a request that is answered with an object.
func (r *Resource[T]) one(ctx context.Context, q *Request) (*T, error) {
	return expect[T](r.client.backend.Do(ctx, q))
}

// expect returns the object of an answer, which must be a T.
func expect[T any](resp *Response, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	if obj, ok := resp.Object.(*T); ok {
		return obj, nil
	}
	return nil, fmt.Errorf("client: the server answered with a %s and not with a %s", describe(resp.Object),
		reflect.TypeFor[T]())
}

// describe names what a server answered with.
func describe(obj runtime.Object) string {
	switch o := obj.(type) {
	case nil:
		return "blank body"
	case *metav1.Status:
		return "Status: " + o.Message
	case *unstructured.Object:
		return o.APIVersion() + " " + o.Kind()
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

// list takes a list apart.
func (r *Resource[T]) list(q *Request, obj runtime.Object) (*List[T], error) {
	if u, ok := obj.(*unstructured.List); ok {
		return untypedList[T](u)
	}
	k, err := r.scheme.KindOf(obj)
	if err != nil || !k.IsList() {
		return nil, fmt.Errorf("client: the server answered the list of %s with a %s", q.Resource.Resource,
			describe(obj))
	}
	items := k.Items(obj)
	out := &List[T]{Items: make([]*T, items.Len())}
	for i := range out.Items {
		item, ok := items.At(i).(*T)
		if !ok {
			return nil, fmt.Errorf("client: the list of %s has a %s and not a %s", q.Resource.Resource,
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

// untypedList takes a list of unstructured objects apart.
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
			return nil, fmt.Errorf("client: the list has an untyped object and not a %s", reflect.TypeFor[T]())
		}
		out.Items[i] = item
	}
	return out, nil
}

// groupResource names the resource in errors.
func (r *Resource[T]) groupResource() schema.GroupResource {
	return r.template.Resource.GroupResource()
}
