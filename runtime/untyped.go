package runtime

import (
	"errors"
	"reflect"
	"slices"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Untyped is implemented by objects of a Go type that can hold any kind. Such a type does not have
// to be registered: each object states its kind and provides a record for it, so that functions for
// registered objects accept it as well, as far as that record allows. Package meta/unstructured has
// such objects.
//
// A scheme treats an untyped object as the kind that it states. If that kind is registered with a
// Go type of its own, [Scheme.As], [Scheme.ConvertTo] and [Scheme.UpdateFrom] decode the object
// into that type first. A kind may also be registered with the untyped Go type, as a server does
// with resources that are defined at run time; then its record in the scheme is used. Versions of
// one such kind are converted by changing the apiVersion.
type Untyped interface {
	// APIVersion and Kind return what the object states, or blank strings.
	APIVersion() string
	Kind() string
	// SetType writes both into the object.
	SetType(apiVersion, kind string)
	// RuntimeKind returns a record of the kind that the object states, made with [NewKind]. The
	// error states what is missing.
	RuntimeKind() (*Kind, error)
}

// UntypedList is implemented by [Untyped] objects that can be lists.
type UntypedList interface {
	Untyped
	// ListMetadata returns a pointer to a copy of the metadata of the list, of the type that typed
	// lists have; or nil if the metadata does not fit that type.
	ListMetadata() any
	// WithoutItems returns a copy of the list, of the same Go type, whose items are an empty array.
	// It shares the memory of everything else with the list.
	WithoutItems() Object
}

// Views show the objects of an [Untyped] Go type as other kinds, like as-kind edges for other
// types. They are immutable and safe for concurrent use.
type Views struct {
	edges []*asEdge
	err   error // of an edge that cannot be used
}

// NewViews returns views with the edges that a function registers with [AddAs]. The From of each
// must be the untyped Go type. Other registrations of the function are ignored. Invalid edges are
// reported by the scheme to which the views are added.
func NewViews(add func(*Builder)) *Views {
	b := Builder{edges: make([]asEdge, 3)} // as metadata, as rows and as a scale
	add(&b)
	v := new(Views)
	for _, e := range b.as {
		if wrong := e.wrong(); wrong != "" {
			v.err = errors.Join(v.err, &conflictError{What: e.name() + " added at " + e.site.String(), First: wrong})
			continue
		}
		v.edges = append(v.edges, e)
	}
	return v
}

type viewEntry struct {
	gvk   schema.GroupVersionKind
	views *Views
	site  site
}

// AddViews sets how objects of a kind that is registered with an [Untyped] Go type are shown as
// other kinds. The views of a list kind are those of its items.
func AddViews(b *Builder, gvk schema.GroupVersionKind, views *Views) {
	b.views = append(b.views, viewEntry{gvk: gvk, views: views, site: callerSite(0)})
}

// viewed returns the struct type that the views of a kind show: its objects, or the items of a
// list.
func (w *build) viewed(k *Kind) reflect.Type {
	if k.has.items {
		return itemType(k.table.items(k.table.newObject()))
	}
	return k.Type()
}

// addViews assigns views to untyped kinds.
func (w *build) addViews() {
	w.views = sorted.Delete(w.views, func(e viewEntry) (again bool) {
		k, reason := w.scheme.kinds[e.gvk], ""
		switch {
		case e.views == nil:
			reason = "they are nil"
		case e.views.err != nil:
			w.errs = append(w.errs, e.views.err)
		case k == nil:
			reason = "the kind is not registered"
		case !k.untyped:
			reason = "objects of the kind are of type *" + typeName(k.Type()) + "; use AddAs"
		case slices.ContainsFunc(e.views.edges, func(a *asEdge) bool { return a.from() != w.viewed(k) }):
			reason = "one of them is not from *" + typeName(w.viewed(k))
		default:
			again = len(k.as) > 0 && len(e.views.edges) > 0 && &k.as[0] == &e.views.edges[0]
			k.as = e.views.edges
		}
		if reason != "" { // the place is looked up only for a message
			w.conflict("the views of "+e.gvk.String()+" added at "+e.site.String(), reason, "")
		}
		return again
	})
}

// NewKind returns a kind that belongs to no scheme, for objects of kinds that cannot be registered
// in advance. It has the functions of the spec but the name gvk. The spec is not modified and may
// be used for any number of kinds. No conversions lead to or from such a kind. With views, objects
// of an [Untyped] type can be shown as other kinds.
func NewKind[T any](gvk schema.GroupVersionKind, spec *KindSpec[T], views ...*Views) *Kind {
	_, untyped := any((*T)(nil)).(Untyped)
	return newKind(gvk, specOf(spec), untyped, views)
}

func newKind(gvk schema.GroupVersionKind, s Spec, untyped bool, views []*Views) *Kind {
	k := &struct { // a single allocation
		Kind
		own identity
	}{own: *identityOf(s.spec)}
	k.own.gvk = gvk
	k.Kind = Kind{
		identity: &k.own, table: s, apiVersion: gvk.APIVersion(), pointer: s.pointer,
		has: s.has(), added: &noneAdded, untyped: untyped,
	}
	for i, v := range views {
		if i == 0 {
			k.as = v.edges // never appended to
			continue
		}
		k.as = append(slices.Clip(k.as), v.edges...)
	}
	return &k.Kind
}

// untypedKind returns the kind of an untyped object: the record in the scheme, if the kind is
// registered with the Go type of the object, else the one that the object provides.
func (s *Scheme) untypedKind(obj Untyped) (*Kind, error) {
	own, err := obj.RuntimeKind()
	if err != nil {
		return nil, err
	}
	if k := s.kinds[own.gvk]; k != nil && k.pointer == own.pointer {
		return k, nil
	}
	return own, nil
}

// typed returns the kind of an object and the object: an untyped one of a kind that the scheme
// knows by a Go type is read into that type. Other objects are returned as they are.
func (s *Scheme) typed(obj Object) (*Kind, Object, error) {
	k, err := s.KindOf(obj)
	if err != nil || !k.untyped {
		return k, obj, err
	}
	known, ok := s.Lookup(k.gvk)
	if !ok || known.untyped {
		return k, obj, nil
	}
	text, err := k.AppendJSON(nil, obj)
	if err != nil {
		return nil, nil, err
	}
	out := known.table.newObject()
	r := jsonwire.NewReader(text, jsonwire.Options{Checker: s.checker(false)})
	if err := known.DecodeJSON(r, out); err != nil {
		return nil, nil, err
	}
	r.End()
	if problems := r.Problems(); len(problems) > 0 {
		return nil, nil, untypedError(text, problems)
	}
	return known, out, nil
}

// untypedError is the error for an untyped object that does not fit into the Go type of its kind.
// Nobody has seen the text, so problems have paths and no positions.
func untypedError(text []byte, found []jsonwire.Problem) error {
	e := new(DecodeError)
	for i := range found {
		p := &found[i]
		e.Problems = append(e.Problems, Problem{
			Path: jsonwire.PathAt(text, p.Offset).String(), Cause: CauseOf(p.Code), Message: p.Message, Err: p.Err,
		})
	}
	return e
}

// Typed returns an [Untyped] object of a kind that the scheme knows by a Go type as a new object of
// that type, and any other object unchanged. Members that the Go type does not have are dropped.
// The error is a [*DecodeError] with the paths of the values that do not fit.
func (s *Scheme) Typed(obj Object) (Object, error) {
	_, obj, err := s.typed(obj)
	return obj, err
}
