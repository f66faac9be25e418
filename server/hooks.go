package server

import (
	"context"

	"github.com/askind/askind/runtime"
)

// Hooks are functions that take part in the writes of one kind. T is its type in any version that
// the scheme has; objects of other versions are converted. Each may be nil.
//
// In every call, new is the object to store and old the stored object: old is nil on create, new on
// delete. Both belong to the call. An error refuses the request: a [*metav1.StatusError] is sent as
// it is, [runtime.FieldErrors] become 422, and any other error is an internal one.
//
// A write that conflicts with another one is tried again, so Prepare, Validate and Admit may be
// called more than once for one request.
type Hooks[T any] struct {
	_ struct{} // literals name their fields

	// Prepare may change new before it is validated, for example to fill in fields that users omit.
	// It is not called for deletions.
	Prepare func(ctx context.Context, r *Request, old, new *T) error
	// Validate returns violations in new, in addition to those found by the scheme's validation. It
	// is not called for deletions.
	Validate func(ctx context.Context, r *Request, old, new *T) runtime.FieldErrors
	// Admit may refuse the write, for example with [Request.Forbidden]. It is called for deletions
	// too. It must not change the objects.
	Admit func(ctx context.Context, r *Request, old, new *T) error
	// AfterCommit is called after a commit and before the client has its response. It is not called
	// for a dry run or for a write that changed nothing. It must not change the objects. A panic is
	// logged, and the client gets the response to the write, which is stored.
	AfterCommit func(ctx context.Context, r *Request, old, new *T)
}

// For adds hooks for a kind whose objects are in the store. Hooks that are added several times run
// in the order of the options.
func For[T any](h Hooks[T]) Option {
	out := kindHooks{kindIn: runtime.KindFor[T], prepare: erased(h.Prepare), admit: erased(h.Admit)}
	if f := h.Validate; f != nil {
		out.validate = func(ctx context.Context, r *Request, old, new runtime.Object) runtime.FieldErrors {
			return f(ctx, r, typed[T](old), typed[T](new))
		}
	}
	if f := h.AfterCommit; f != nil {
		out.afterCommit = func(ctx context.Context, r *Request, old, new runtime.Object) {
			f(ctx, r, typed[T](old), typed[T](new))
		}
	}
	return optionFunc(func(c *config) { c.hooks = append(c.hooks, out) })
}

// erased returns a function of [Hooks] without its type.
func erased[T any](f func(ctx context.Context, r *Request, old, new *T) error) (
	out func(ctx context.Context, r *Request, old, new runtime.Object) error,
) {
	if f != nil {
		out = func(ctx context.Context, r *Request, old, new runtime.Object) error {
			return f(ctx, r, typed[T](old), typed[T](new))
		}
	}
	return out
}

// AdmitFunc decides about a write of any kind. The objects are in the version in which they are
// stored; old is nil for a new object, new for one that is deleted. For a [Resource] made of
// functions old is nil, except for deletions, where it has only its name and namespace. The
// function must not modify the objects.
type AdmitFunc func(ctx context.Context, r *Request, old, new runtime.Object) error

// Admit adds a function that may refuse writes of all kinds. It runs before the Admit hooks of the
// kind.
func Admit(f AdmitFunc) Option {
	return optionFunc(func(c *config) { c.admit = append(c.admit, f) })
}

// kindHooks are the [Hooks] of a kind with its type erased. Functions that are not set are nil.
// Objects may be nil, which stands for a nil pointer.
type kindHooks struct {
	kindIn      func(s *runtime.Scheme) (*runtime.Kind, error)
	prepare     func(ctx context.Context, r *Request, old, new runtime.Object) error
	validate    func(ctx context.Context, r *Request, old, new runtime.Object) runtime.FieldErrors
	admit       func(ctx context.Context, r *Request, old, new runtime.Object) error
	afterCommit func(ctx context.Context, r *Request, old, new runtime.Object)

	kind *runtime.Kind // that they want objects as, once they are those of a collection
}

// typed returns an object as a T, nil for nil.
func typed[T any](obj runtime.Object) *T {
	t, _ := obj.(*T)
	return t
}

// objects are the two states of a write in one version.
type objects struct{ old, new runtime.Object }

// as returns the states in the version of a kind. The result may share memory with what it was made
// of.
func (o objects) as(s *runtime.Scheme, k *runtime.Kind) (out objects, err error) {
	convert := func(obj runtime.Object) (runtime.Object, error) {
		if obj == nil {
			return nil, nil
		}
		return s.ConvertSharing(obj, k.GroupVersion())
	}
	if out.old, err = convert(o.old); err != nil {
		return out, err
	}
	out.new, err = convert(o.new)
	return out, err
}
