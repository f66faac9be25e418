package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// Functions make a resource whose objects are not in the store: a review that is computed, a view
// of something else. The functions that are set determine its verbs in discovery. T is the type of
// the kind in the version in which it is served.
//
// Errors are those of [Hooks]. The objects that functions return are not changed.
type Functions[T any] struct {
	_ struct{} // literals name their fields

	// Get returns the object that the request names.
	Get func(ctx context.Context, r *Request) (*T, error)
	// List returns the objects that the request selects. The kind must have a list.
	List func(ctx context.Context, r *Request, o *metav1.ListOptions) ([]*T, error)
	// Create answers a POST. The object from the body has been defaulted and validated.
	Create func(ctx context.Context, r *Request, in *T) (*T, error)
	// Update answers a PUT.
	Update func(ctx context.Context, r *Request, in *T) (*T, error)
	// Delete removes the object that the request names, and returns its last state.
	Delete func(ctx context.Context, r *Request, o *metav1.DeleteOptions) (*T, error)
}

// Resource serves a kind by functions instead of the store.
func Resource[T any](f Functions[T]) Option {
	return optionFunc(func(c *config) { c.functions = append(c.functions, typedFunctions[T]{f}) })
}

// functionResource are [Functions] with their type erased.
type functionResource interface {
	kindIn(s *runtime.Scheme) (*runtime.Kind, error)
	verbs() []string
	serve(c *call) error
}

type typedFunctions[T any] struct{ Functions[T] }

func (f typedFunctions[T]) kindIn(s *runtime.Scheme) (*runtime.Kind, error) {
	return runtime.KindFor[T](s)
}

func (f typedFunctions[T]) verbs() (out []string) {
	for _, v := range []struct {
		verb string
		has  bool
	}{
		{verbCreate, f.Create != nil},
		{verbDelete, f.Delete != nil},
		{verbGet, f.Get != nil},
		{verbList, f.List != nil},
		{verbUpdate, f.Update != nil},
	} {
		if v.has {
			out = append(out, v.verb)
		}
	}
	return out
}

// serve answers a request for the resource.
func (f typedFunctions[T]) serve(c *call) error {
	if c.Verb == verbList {
		return f.list(c)
	}
	if err := c.begin(c.Kind); err != nil {
		return err
	}
	code := http.StatusOK
	var out *T
	var err error
	switch c.Verb {
	case verbGet:
		out, err = f.Get(c.ctx, c.Request)
	case verbCreate:
		code = http.StatusCreated
		out, err = f.write(c, f.Create)
	case verbUpdate:
		out, err = f.write(c, f.Update)
	case verbDelete:
		out, err = f.remove(c)
	}
	if err != nil {
		return c.refuse(c.Name, err)
	}
	if out, err = stated(c.res.served, out); err != nil {
		return err
	}
	return c.respond(code, out)
}

// stated returns a shallow copy of an object that a function returned, which states its kind. The
// object itself may be shared among requests.
func stated[T any](k *runtime.Kind, obj *T) (*T, error) {
	if err := k.Check(obj); err != nil {
		return nil, err
	}
	out := *obj
	return &out, k.SetType(&out)
}

// write reads the body of a request and calls a function with it.
func (f typedFunctions[T]) write(c *call, do func(context.Context, *Request, *T) (*T, error)) (*T, error) {
	o, err := httpapi.ReadOptions[metav1.CreateOptions](c.x) // those of an update have the same fields
	if err != nil {
		return nil, err
	}
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return nil, err
	}
	in, err := httpapi.ReadBody[T](c.x, serializer.DecodeOptions{
		DefaultKind: c.Kind, Default: true, Validate: true, ValidateConverted: true,
	})
	if err != nil {
		return nil, strictError(err)
	}
	if m, err := meta.Accessor(c.res.served, in); err == nil {
		if err := c.identify(m); err != nil {
			return nil, err
		}
		c.Name, c.Namespace = m.Name, m.Namespace
	}
	return f.admitted(c, objects{new: in}, func() (*T, error) { return do(c.ctx, c.Request, in) })
}

// admitted calls a function that writes, if the Admit functions let it. A panic is an error, so
// that the write is audited.
func (f typedFunctions[T]) admitted(c *call, o objects, do func() (*T, error)) (out *T, err error) {
	defer func() { c.audit(nil, err) }()
	defer recovered(&err)
	if err := c.match(""); err != nil { // the objects of functions have no tags
		return nil, err
	}
	if err := c.admit(c.ctx, o); err != nil {
		return nil, err
	}
	return do()
}

// remove reads the options of a deletion and calls the function. The object that is admitted has
// its name and namespace alone.
func (f typedFunctions[T]) remove(c *call) (*T, error) {
	o, err := httpapi.ReadOptions[metav1.DeleteOptions](c.x)
	if err != nil {
		return nil, err
	}
	c.DryRun = dryRun(o.DryRun)
	named := c.res.served.New()
	if m, err := meta.Accessor(c.res.served, named); err == nil {
		m.Name, m.Namespace = c.Name, c.Namespace
	}
	return f.admitted(c, objects{old: named}, func() (*T, error) { return f.Delete(c.ctx, c.Request, o) })
}

// list answers a GET of the collection.
func (f typedFunctions[T]) list(c *call) error {
	k := c.res.served.ListKind()
	if err := c.begin(k.GroupVersionKind()); err != nil {
		return err
	}
	o, err := httpapi.ReadOptions[metav1.ListOptions](c.x)
	if err != nil {
		return err
	}
	if o.ShardSelector != "" {
		return metav1.BadRequest("shardSelector: not supported by " + c.res.groupResource().String())
	}
	o.Limit = max(o.Limit, 0) // a negative limit is no limit
	items, err := f.List(c.ctx, c.Request, o)
	if err != nil {
		return c.refuse("", err)
	}
	objects := make([]runtime.Object, len(items))
	for i, item := range items {
		objects[i] = item
	}
	list := k.New()
	if err := meta.SetItems(k, list, objects...); err != nil {
		return err
	}
	if err := k.SetType(list); err != nil {
		return err
	}
	return c.respond(http.StatusOK, list)
}

// functionalKinds returns the resources that are made of functions, by their kinds.
func (s *Server) functionalKinds(st *state) (map[schema.GroupVersionKind]*resource, error) {
	out := map[schema.GroupVersionKind]*resource{}
	functions := s.config.functions
	if own := s.config.reviews.functions; own != nil {
		functions = append(own(s), functions...)
	}
	for _, f := range functions {
		k, err := s.optionKind(st, f.kindIn)
		switch {
		case err != nil:
			return nil, fmt.Errorf("server: a resource of functions: %w", err)
		case k == nil:
			continue
		case k.Info().Resource == "":
			return nil, fmt.Errorf("server: %s cannot be a resource of functions, because it has no resource name", k)
		case out[k.GroupVersionKind()] != nil:
			return nil, fmt.Errorf("server: %s is a resource of functions twice", k)
		case !s.config.enables(k.GroupVersion()):
			continue
		}
		out[k.GroupVersionKind()] = &resource{
			collection: &collection{storage: new(storage), kind: k, parts: &parts{kind: k}},
			gvr:        k.GroupVersionResource(), served: k,
			verbs:   f.verbs(),
			warning: k.Info().Deprecated, prefix: s.config.prefix(k.GroupVersionResource()), functions: f,
			subresources: map[string]*subresource{},
		}
	}
	return out, nil
}
