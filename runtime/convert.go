package runtime

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// ConvertError reports that an object could not be converted or shown as another kind. The message
// includes the path of the field if the function provided one. errors.Is and errors.As find the
// cause. If the conversion has several steps and one after the first failed, the cause is a
// ConvertError for that step, and the path is in the version that it converts from.
type ConvertError struct {
	_ struct{} // literals name their fields

	From, To schema.GroupVersionKind
	Err      error
}

// Error implements error.
func (e *ConvertError) Error() string {
	return fmt.Sprintf("runtime: %s to %s: %s", e.From, e.To, schema.MessageOf(e.Err))
}

// Unwrap returns the cause.
func (e *ConvertError) Unwrap() error { return e.Err }

// ConvertTo returns the object in another group version. The result shares no memory with the
// object, which is not modified. If the group version has a kind of the same name, that is the kind
// of the result; otherwise it is the only kind there that conversions lead to.
//
// The route is the one with the fewest losses, then the shortest, then the one through the most
// preferred versions. It is planned once for each kind and target. Lists are converted item by
// item. An [Untyped] object whose kind is registered with a Go type is first decoded into that
// type.
func (s *Scheme) ConvertTo(obj Object, gv schema.GroupVersion) (Object, error) {
	return s.convert(obj, gv, s.copying)
}

// ConvertSharing is [Scheme.ConvertTo] for callers that own the object or will modify neither it
// nor the result: the result may share memory with the object, and is the object itself if that
// already has the version.
func (s *Scheme) ConvertSharing(obj Object, gv schema.GroupVersion) (Object, error) {
	return s.convert(obj, gv, s.sharing)
}

// ConvertWith is [Scheme.ConvertTo] with a scope.
func (s *Scheme) ConvertWith(obj Object, gv schema.GroupVersion, scope *conversion.Scope) (Object, error) {
	return s.convert(obj, gv, scope)
}

// ConvertTo returns the object converted to a T. If T is registered as several kinds, the preferred
// one is used.
func ConvertTo[T any](s *Scheme, obj Object) (*T, error) {
	k, err := KindFor[T](s)
	if err != nil {
		return nil, err
	}
	out, err := s.convertFor(k, obj)
	t, _ := out.(*T)
	return t, err
}

// convertFor returns an object of the Go type of k, or an error.
func (s *Scheme) convertFor(k *Kind, obj Object) (Object, error) {
	out, err := s.convert(obj, k.GroupVersion(), s.copying)
	if err != nil {
		return nil, err
	}
	if k.table.holds(out) {
		return out, nil
	}
	return nil, &ObjectError{Object: fmt.Sprintf("%T", obj), Reason: fmt.Sprintf("in %s it is a %T", k.apiVersion, out)}
}

// Losses returns the declared losses of the route from a kind to a group version, in the order of
// its steps.
func (s *Scheme) Losses(from schema.GroupVersionKind, to schema.GroupVersion) ([]conversion.Loss, error) {
	k, err := s.Kind(from)
	if err != nil {
		return nil, err
	}
	r, err := s.route(k, to)
	if err != nil {
		return nil, err
	}
	var out []conversion.Loss
	for _, step := range r.steps {
		out = append(out, step.edge.losses...)
	}
	return out, nil
}

// CanConvert reports whether objects of a kind can be converted to a group version.
func (s *Scheme) CanConvert(from schema.GroupVersionKind, to schema.GroupVersion) bool {
	k, err := s.Kind(from)
	if err != nil || leavesGroup(k, to) {
		return false
	}
	_, err = s.route(k, to)
	return err == nil
}

func (s *Scheme) convert(obj Object, gv schema.GroupVersion, scope *conversion.Scope) (Object, error) {
	k, obj, err := s.typed(obj)
	if err != nil {
		return nil, err
	}
	r, err := s.route(k, gv)
	if err != nil {
		return nil, err
	}
	out, err := r.run(obj, scope)
	return out, s.withoutSecrets(k, err)
}

// route is a planned route from one kind to another.
type route struct {
	from, to *Kind
	// steps are the edges between single objects; on a list they apply to each item. No steps means
	// that both kinds have the same Go type.
	steps []step
	// lifted reports whether from and to are lists and the steps apply to their items.
	lifted bool
}

// step is one edge of a route, and a kind of the type that it leads to.
type step struct {
	edge *conversionEdge
	to   *Kind
	// lost finds the values that the edge drops; nil if it drops none.
	lost *lostFields
}

// run converts obj, which is of the kind r.from.
func (r *route) run(obj Object, scope *conversion.Scope) (Object, error) {
	if len(r.steps) == 0 {
		if r.from == r.to && scope.Sharing() {
			return obj, nil
		}
		if r.from != r.to && r.to.untyped && r.to.has.decodeJSON {
			return r.to.reread(obj, r.from)
		}
		out, err := r.from.table.deepCopy(obj)
		if err != nil {
			return nil, err
		}
		r.to.stamp(out)
		return out, nil
	}
	out := r.to.table.newObject()
	var err error
	if r.lifted {
		err = r.runItems(obj, out, scope)
	} else {
		err = runSteps(r.steps, obj, out, scope)
	}
	if err != nil {
		return nil, &ConvertError{From: r.from.gvk, To: r.to.gvk, Err: err}
	}
	r.to.stamp(out)
	return out, nil
}

// reread decodes an [Untyped] object of another version as one of this kind, which drops the
// members that this kind does not have. The items of a list that state their kind get the version,
// too.
func (k *Kind) reread(obj Object, from *Kind) (Object, error) {
	text, err := from.AppendJSON(nil, obj)
	if err != nil {
		return nil, err
	}
	r := jsonwire.NewReader(text, jsonwire.Options{Room: math.MaxInt})
	out := k.table.newObject()
	if err := k.DecodeJSON(r, out); err != nil {
		return nil, err
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	k.stamp(out)
	if k.itemKind == nil {
		return out, nil
	}
	items := k.table.items(out)
	for i := range items.Len() {
		if item, ok := items.At(i).(Untyped); ok && item.Kind() == k.itemKind.gvk.Kind {
			item.SetType(k.apiVersion, item.Kind())
		}
	}
	return out, nil
}

// runSteps takes all steps from in to out. Intermediate objects are not used elsewhere, so that
// later steps may share their memory. The error of a later step is a [*ConvertError], which names
// the version that its path is in.
func runSteps(steps []step, in, out Object, scope *conversion.Scope) error {
	last := len(steps) - 1
	for i := range last {
		between, err := steps[i].take(in, scope)
		if err != nil {
			return failed(steps, i, err)
		}
		in = between
		if !scope.Sharing() {
			scope = scope.WithSharing(true)
		}
	}
	if steps[last].to.itemKind != nil { // the items get their kind, so they must not be those of in
		scope = scope.WithSharing(false)
	}
	if err := steps[last].call(in, out, scope); err != nil {
		return failed(steps, last, err)
	}
	return nil
}

// failed returns the error of a step.
func failed(steps []step, i int, err error) error {
	if i == 0 {
		return err
	}
	return &ConvertError{From: steps[i-1].to.gvk, To: steps[i].to.gvk, Err: err}
}

func (s step) take(in Object, scope *conversion.Scope) (Object, error) {
	out := s.to.table.newObject()
	return out, s.call(in, out, scope)
}

func (s step) call(in, out Object, scope *conversion.Scope) error {
	if s.lost != nil && scope.ReportsDropped() {
		s.lost.report(in, scope)
	}
	return s.edge.call(in, out, scope)
}

// runItems takes the steps with each item of a list.
func (r *route) runItems(in, out Object, scope *conversion.Scope) error {
	from, to := r.from.table.items(in), r.to.table.items(out)
	if err := copyMetadata(listMetadata(r.from, in), r.to.table.metadata(out), scope.Sharing()); err != nil {
		return err
	}
	if from.IsNil() {
		return nil
	}
	to.Resize(from.Len())
	for i := range from.Len() {
		if err := runSteps(r.steps, from.At(i), to.At(i), scope); err != nil {
			return schema.AtField(schema.AtIndex(err, i), "items")
		}
	}
	return nil
}

// listMetadata returns a pointer to the metadata of a list, for reading only.
func listMetadata(k *Kind, list Object) any {
	if u, ok := list.(UntypedList); ok && k.untyped {
		return u.ListMetadata()
	}
	return k.table.metadata(list)
}

// copyMetadata copies what one metadata pointer points to into another, if both are of one type.
func copyMetadata(from, to any, sharing bool) error {
	if from == nil || to == nil || reflect.TypeOf(from) != reflect.TypeOf(to) {
		return nil
	}
	in, out := reflect.ValueOf(from), reflect.ValueOf(to)
	if in.Kind() != reflect.Pointer || in.IsNil() || out.IsNil() {
		return nil
	}
	elem := in.Elem()
	if !sharing {
		var err error
		if elem, err = copyValue(elem, nil); err != nil {
			return err
		}
	}
	out.Elem().Set(elem)
	return nil
}

// routeCache caches the routes from one kind. It is replaced as a whole when a new route is
// planned; a race may lose an entry, which is then planned again.
type routeCache struct {
	convert atomic.Pointer[[]plannedRoute]
	as      atomic.Pointer[[]plannedAs]
}

type plannedRoute struct {
	gv    schema.GroupVersion
	route *route
	err   error
}

// leavesGroup reports whether an untyped kind would change its group, which is never possible.
func leavesGroup(k *Kind, gv schema.GroupVersion) bool { return k.untyped && gv.Group != k.gvk.Group }

// route returns the route from a kind to a group version.
func (s *Scheme) route(k *Kind, gv schema.GroupVersion) (*route, error) {
	if leavesGroup(k, gv) {
		return s.planRoute(k, gv) // for its error, which is not kept: there can be very many groups
	}
	known := k.routes.convert.Load()
	if known != nil {
		for i := range *known {
			if p := &(*known)[i]; p.gv == gv {
				return p.route, p.err
			}
		}
	}
	r, err := s.planRoute(k, gv)
	if err != nil && !slices.Contains(s.versions[gv.Group], gv) {
		return nil, err // client-supplied group versions must not fill the cache
	}
	var next []plannedRoute
	if known != nil {
		next = slices.Clone(*known)
	}
	next = append(next, plannedRoute{gv: gv, route: r, err: err})
	k.routes.convert.Store(&next)
	return r, err
}
