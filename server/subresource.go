package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// Subresource adds an operation on the objects of a kind: a POST to the path of an object, a slash
// and the name. The function gets a copy of the object and the decoded body, and returns the
// answer. Its changes to the object are validated and stored before the client gets the answer.
// After a conflict with another write, the function is called again with the new state.
//
// T is the type of the objects in any version, S that of the body and the answer. S is a kind too:
// a struct with TypeMeta and the marker +askind:kind, or T itself. Programs call the operation with
// client.Act.
func Subresource[T, S any](name string, f func(ctx context.Context, r *Request, obj *T, in *S) (*S, error)) Option {
	return optionFunc(func(c *config) { c.subs = append(c.subs, &typedAction[T, S]{name: name, act: f}) })
}

// SubresourceView adds a view of the objects of a kind: a GET of the path of an object, a slash and
// the name. It may have the name of a [Subresource] of the same types.
func SubresourceView[T, S any](name string, f func(ctx context.Context, r *Request, obj *T) (*S, error)) Option {
	return optionFunc(func(c *config) { c.subs = append(c.subs, &typedAction[T, S]{name: name, view: f}) })
}

// customSubresource is a subresource of the program with its types erased.
type customSubresource interface {
	of(s *runtime.Scheme) (*runtime.Kind, error)   // the kind of the objects
	body(s *runtime.Scheme) (*runtime.Kind, error) // the kind of the body and the answer
	describe(body *runtime.Kind) *subresource
}

// typedAction is a [Subresource] or a [SubresourceView].
type typedAction[T, S any] struct {
	name string
	act  func(ctx context.Context, r *Request, obj *T, in *S) (*S, error)
	view func(ctx context.Context, r *Request, obj *T) (*S, error)
}

func (a *typedAction[T, S]) of(s *runtime.Scheme) (*runtime.Kind, error) {
	return runtime.KindFor[T](s)
}

func (a *typedAction[T, S]) body(s *runtime.Scheme) (*runtime.Kind, error) {
	return runtime.KindFor[S](s)
}

func (a *typedAction[T, S]) describe(body *runtime.Kind) *subresource {
	sub := &subresource{name: a.name, kind: body.GroupVersionKind()}
	if a.act != nil {
		sub.verbs = append(sub.verbs, verbCreate)
	}
	if a.view != nil {
		sub.verbs = append(sub.verbs, verbGet)
	}
	sub.serve = func(c *call) error {
		if err := c.begin(sub.kind); err != nil {
			return err
		}
		if c.Verb == verbGet {
			return a.read(c, body)
		}
		return a.write(c, body)
	}
	return sub
}

// read answers a GET.
func (a *typedAction[T, S]) read(c *call, body *runtime.Kind) error {
	o, err := httpapi.ReadOptions[metav1.GetOptions](c.x)
	if err != nil {
		return err
	}
	e, err := c.getObject(o)
	if err != nil {
		return err
	}
	stored, err := e.Object()
	if err != nil {
		return err
	}
	obj, err := runtime.ConvertTo[T](c.st.scheme, stored)
	if err != nil {
		return err
	}
	out, err := a.view(c.ctx, c.Request, obj)
	if err != nil {
		return c.refuse(c.Name, err)
	}
	return a.answer(c, body, http.StatusOK, out)
}

// write answers a POST.
func (a *typedAction[T, S]) write(c *call, body *runtime.Kind) error {
	o, err := httpapi.ReadOptions[metav1.CreateOptions](c.x)
	if err != nil {
		return err
	}
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return err
	}
	in, err := httpapi.ReadBody[S](c.x, serializer.DecodeOptions{
		DefaultKind: body.GroupVersionKind(), Default: true,
		Validate: true, ValidateConverted: true,
	})
	if err != nil {
		return strictError(err)
	}
	of, err := runtime.KindFor[T](c.st.scheme)
	if err != nil {
		return err
	}
	var out *S
	act := func(ctx context.Context, old runtime.Object) (runtime.Object, error) {
		obj, err := runtime.ConvertTo[T](c.st.scheme, old)
		if err != nil {
			return nil, err
		}
		own, err := body.DeepCopy(in) // the function may change it, and be called again
		if err != nil {
			return nil, err
		}
		if out, err = a.act(ctx, c.Request, obj, typed[S](own)); err != nil {
			return nil, err
		}
		return c.st.scheme.ConvertWith(obj, c.res.kind.GroupVersion(), c.scope(true))
	}
	if _, err = c.change(change{next: act, through: of, part: partAction}); err != nil {
		return err
	}
	return a.answer(c, body, http.StatusCreated, out)
}

func (a *typedAction[T, S]) answer(c *call, body *runtime.Kind, code int, out *S) error {
	out, err := stated(body, out)
	if err != nil {
		return err
	}
	return c.respond(code, out)
}

// addSubresources adds the subresources of the program to the resources of their kinds, in every
// version.
func (s *Server) addSubresources(st *state) error {
	for _, custom := range s.config.subs {
		of, err := s.optionKind(st, custom.of)
		if err == nil && of == nil {
			continue
		}
		body, bodyErr := custom.body(st.scheme)
		if err = cmp.Or(err, bodyErr); err != nil {
			return fmt.Errorf("server: a subresource: %w", err)
		}
		found := false
		for _, r := range st.resources {
			if r.functions != nil || r.served.GroupVersionKind().GroupKind() != of.GroupVersionKind().GroupKind() {
				continue
			}
			found = true
			if err := r.addCustom(custom.describe(body)); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("server: the subresource %s: %s is not served", custom.describe(body).name, of)
		}
	}
	return nil
}

// addCustom adds a subresource, or what it can do to the one of the same name.
func (r *resource) addCustom(sub *subresource) error {
	if sub.name == "" || unfitName(sub.name) {
		return fmt.Errorf("server: %q cannot be the name of a subresource", sub.name)
	}
	present := r.subresources[sub.name]
	switch {
	case present == nil:
		r.add(sub)
		return nil
	case present.kind != sub.kind ||
		slices.ContainsFunc(sub.verbs, func(v string) bool { return slices.Contains(present.verbs, v) }):
		return fmt.Errorf("server: %s has a subresource %s already", r.groupResource(), sub.name)
	}
	both := *present
	both.verbs = append(slices.Clone(present.verbs), sub.verbs...)
	both.serve = func(c *call) error {
		if slices.Contains(sub.verbs, c.Verb) {
			return sub.serve(c)
		}
		return present.serve(c)
	}
	r.add(&both)
	return nil
}

// unfitName reports whether a name cannot be a segment of a path as it is.
func unfitName(name string) bool {
	segments := segmentsOf([]string{name})
	return len(segments) != 1 || segments[0] != name
}
