package runtime

import (
	"reflect"
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
)

// As returns the object shown as another kind. It uses an as-kind edge of the object's own version,
// or of another version, or two edges in a row, or conversion to a kind declared equivalent, in
// this order. A list is shown as a list of that kind or, for a kind that shows whole lists, as one
// object. The result shares no memory with the object, which is not modified. An [Untyped] object
// whose kind is registered with a Go type is first decoded into that type; any other is shown by
// the [Views] of its kind.
func (s *Scheme) As(obj Object, gvk schema.GroupVersionKind) (Object, error) {
	return s.AsWith(obj, gvk, s.copying)
}

// AsWith is [Scheme.As] with a scope, which may carry options for the function of the edge, a
// clock, and permission to share memory with the object.
func (s *Scheme) AsWith(obj Object, gvk schema.GroupVersionKind, scope *conversion.Scope) (Object, error) {
	k, obj, err := s.typed(obj)
	if err != nil {
		return nil, err
	}
	p, err := s.asPlan(k, gvk)
	if err != nil {
		return nil, err
	}
	out, err := p.run(obj, scope)
	return out, s.withoutSecrets(k, err)
}

// As returns the object shown as a T.
func As[T any](s *Scheme, obj Object) (*T, error) {
	k, err := KindFor[T](s)
	if err != nil {
		return nil, err
	}
	out, err := s.As(obj, k.gvk)
	if err != nil {
		return nil, err
	}
	if t, ok := out.(*T); ok {
		return t, nil
	}
	return nil, &ObjectError{Object: reflect.TypeOf(out).String(), Reason: "a list shown as " + k.gvk.String() +
		" is a " + reflect.TypeOf(out).String()}
}

// CanAs reports whether objects of one kind can be shown as another, and returns the kind of the
// result: for a list, the list form.
func (s *Scheme) CanAs(from, to schema.GroupVersionKind) (schema.GroupVersionKind, bool) {
	if _, ok := s.Lookup(to); !ok { // a common miss, so avoid building an error
		return schema.GroupVersionKind{}, false
	}
	k, ok := s.Lookup(from)
	if !ok {
		return schema.GroupVersionKind{}, false
	}
	p, err := s.asPlan(k, to)
	if err != nil {
		return schema.GroupVersionKind{}, false
	}
	return p.to.gvk, true
}

// AsTargets returns the kinds that objects of a kind can be shown as, excluding other versions of
// the kind itself, in the order of [Scheme.Kinds]. For a list kind the result has the kinds of
// single objects.
func (s *Scheme) AsTargets(from schema.GroupVersionKind) []schema.GroupVersionKind {
	k, err := s.Kind(from)
	if err != nil {
		return nil
	}
	single := k
	if k.itemKind != nil {
		single = k.itemKind
	}
	var out []schema.GroupVersionKind
	for _, to := range s.ordered {
		if to.itemKind != nil || to.gvk.GroupKind() == single.gvk.GroupKind() || alike(single, to) {
			continue
		}
		if _, err := s.asPlan(k, to.gvk); err == nil {
			out = append(out, to.gvk)
		}
	}
	return out
}

// alike reports whether kinds are untyped and have the same Go type, as all kinds of a server that
// were defined at run time do. Objects of different ones are never shown as each other.
func alike(a, b *Kind) bool { return a.untyped && b.untyped && a.Type() == b.Type() }

// ShowsItemsAlone reports whether a list can be shown as another kind, or converted to it, one item
// at a time, so that each item affects only its own item in the result. It is false for a kind that
// collects, where each item may affect any field, such as a sum.
func (s *Scheme) ShowsItemsAlone(list *Kind, to schema.GroupVersionKind) bool {
	p, err := s.asPlan(list, to)
	return err == nil && (p.from == p.to || p.lifted && p.collect == nil)
}

// UpdateFrom is the reverse of [Scheme.As]. It returns a copy of the object, in the object's own
// version, with the state of the view written into it by the [UpdateFromView] function of the
// as-kind edge. A view of another kind is converted to the kind of the edge first.
func (s *Scheme) UpdateFrom(obj, view Object) (Object, error) {
	return s.UpdateWith(obj, view, s.copying)
}

// UpdateWith is [Scheme.UpdateFrom] with a scope, which receives the carried values that the update
// drops. The result never shares memory with the object.
func (s *Scheme) UpdateWith(obj, view Object, scope *conversion.Scope) (Object, error) {
	k, obj, err := s.typed(obj)
	if err != nil {
		return nil, err
	}
	v, view, err := s.typed(view)
	if err != nil {
		return nil, err
	}
	for _, through := range s.variants(k) {
		for _, e := range s.edgesFrom(through.to) {
			if e.update.id() == 0 || !s.converts(through.to, k) {
				continue
			}
			seen, ok, err := s.viewFor(v, view, e, scope)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			return s.update(obj, k, seen, through, e, scope)
		}
	}
	return nil, &noAsError{From: v.gvk, To: k.gvk}
}

// CanUpdateFrom reports whether [Scheme.UpdateFrom] can write views of one kind into objects of
// another.
func (s *Scheme) CanUpdateFrom(from, view schema.GroupVersionKind) bool {
	k, ok := s.Lookup(from)
	if !ok {
		return false
	}
	v, ok := s.Lookup(view)
	if !ok {
		return false
	}
	for _, through := range s.variants(k) {
		for _, e := range s.edgesFrom(through.to) {
			if e.update.id() != 0 && s.converts(through.to, k) && s.canView(v, e) {
				return true
			}
		}
	}
	return false
}

// canView reports whether [Scheme.viewFor] can make the type that an edge's Update function reads.
func (s *Scheme) canView(v *Kind, e *asEdge) bool {
	if v.Type() == e.to() {
		return true
	}
	for _, k := range s.kindsOf(e.to()) {
		if s.converts(v, k) {
			return true
		}
	}
	return false
}

// viewFor returns the view as the type that an edge's Update function reads, if possible.
func (s *Scheme) viewFor(v *Kind, view Object, e *asEdge, scope *conversion.Scope) (Object, bool, error) {
	if v.Type() == e.to() {
		return view, true, nil
	}
	for _, k := range s.kindsOf(e.to()) {
		if r, err := s.planRouteTo(v, k); err == nil {
			out, err := r.run(view, scope.WithSharing(false))
			return out, err == nil, err
		}
	}
	return nil, false, nil
}

// update converts obj to the version that has the edge, updates it there and converts it back.
func (s *Scheme) update(obj Object, k *Kind, view Object, through variant, e *asEdge, scope *conversion.Scope) (
	Object, error,
) {
	copying := scope.WithSharing(false)
	there, err := through.route.run(obj, copying)
	if err != nil {
		return nil, err
	}
	if err := e.update.call(view, there, copying); err != nil {
		return nil, &ConvertError{From: s.kindsOf(e.to())[0].gvk, To: k.gvk, Err: err}
	}
	back, err := s.planRouteTo(through.to, k)
	if err != nil {
		return nil, err
	}
	return back.run(there, scope.WithSharing(true))
}

// kindsOf returns the kinds of a struct type.
func (s *Scheme) kindsOf(t reflect.Type) []*Kind {
	return s.alike(s.types[pointerTo(t)])
}

// edgesFrom returns the as-kind edges of the Go type of a kind.
func (s *Scheme) edgesFrom(k *Kind) []*asEdge {
	if k.untyped {
		return k.as
	}
	if preferred := s.types[k.pointer]; preferred != nil {
		return preferred.as
	}
	return nil
}

// asPlan is a planned route from one kind to another.
type asPlan struct {
	from, to *Kind
	// each holds the steps for a single object or, on a list, for each item.
	each []step
	// edge is the first as-kind edge. It collects, or is the last step of each except for those in
	// after; nil if conversions alone lead to the kind.
	edge *asEdge
	// collect is the edge that shows all items as one object after the steps in each; nil if items
	// are shown separately.
	collect     *asEdge
	collectKind *Kind
	// after holds the steps for the collected object.
	after []step
	// lifted reports whether from is a list and the steps apply to its items.
	lifted bool
}

func (p *asPlan) run(obj Object, scope *conversion.Scope) (Object, error) {
	out, err := p.apply(obj, scope)
	if err != nil {
		return nil, &ConvertError{From: p.from.gvk, To: p.to.gvk, Err: err}
	}
	// an object that already has the kind may be its own result if sharing is allowed, and must not
	// be written to
	if out != obj {
		p.to.stamp(out)
	}
	return out, nil
}

func (p *asPlan) apply(obj Object, scope *conversion.Scope) (Object, error) {
	if p.collect != nil {
		return p.applyCollect(obj, scope)
	}
	r := route{from: p.from, to: p.to, steps: p.each, lifted: p.lifted}
	if len(r.steps) == 0 {
		return r.run(obj, scope)
	}
	out := p.to.table.newObject()
	if p.lifted {
		return out, r.runItems(obj, out, scope.Fixed())
	}
	return out, runSteps(p.each, obj, out, scope)
}

// applyCollect shows all items as one object.
func (p *asPlan) applyCollect(obj Object, scope *conversion.Scope) (Object, error) {
	scope = scope.Fixed()
	whole, err := p.begin(scope)
	if err != nil {
		return nil, err
	}
	if !p.lifted {
		if err := p.add(obj, whole, scope); err != nil {
			return nil, err
		}
		_, out, err := p.finish(whole, nil, scope)
		return out, err
	}
	items := p.from.table.items(obj)
	for i := range items.Len() {
		if err := p.add(items.At(i), whole, scope); err != nil {
			return nil, schema.AtField(schema.AtIndex(err, i), "items")
		}
	}
	_, out, err := p.finish(whole, listMetadata(p.from, obj), scope)
	return out, err
}

// begin returns a new, empty collecting object.
func (p *asPlan) begin(scope *conversion.Scope) (Object, error) {
	whole := p.collectKind.table.newObject()
	if p.collect.begin == nil {
		return whole, nil
	}
	return whole, p.collect.begin.complete(whole, scope)
}

// add shows one item on the collected object.
func (p *asPlan) add(item, whole Object, scope *conversion.Scope) error {
	for i, step := range p.each {
		between, err := step.take(item, scope)
		if err != nil {
			return err
		}
		item = between
		if i == 0 && !scope.Sharing() {
			scope = scope.WithSharing(true)
		}
	}
	return p.collect.call(item, whole, scope)
}

// finish completes the collecting object and returns the result and its kind. The metadata of a
// list replaces what the edge set for its single object; it is nil for a single object.
func (p *asPlan) finish(whole Object, listMetadata any, scope *conversion.Scope) (*Kind, Object, error) {
	if err := copyMetadata(listMetadata, p.collectKind.table.metadata(whole), scope.Sharing()); err != nil {
		return nil, nil, err
	}
	if p.collect.finish != nil {
		if err := p.collect.finish.complete(whole, scope); err != nil {
			return nil, nil, err
		}
	}
	p.collectKind.stamp(whole)
	if len(p.after) == 0 {
		return p.collectKind, whole, nil
	}
	out := p.to.table.newObject()
	if err := runSteps(p.after, whole, out, scope.WithSharing(true)); err != nil {
		return nil, nil, err
	}
	p.to.stamp(out)
	return p.to, out, nil
}

type plannedAs struct {
	gvk  schema.GroupVersionKind
	plan *asPlan
	err  error
}

// asPlan returns the plan to show a kind as another, from the kind's cache or newly planned.
func (s *Scheme) asPlan(k *Kind, gvk schema.GroupVersionKind) (*asPlan, error) {
	known := k.routes.as.Load()
	if known != nil {
		for i := range *known {
			if p := &(*known)[i]; p.gvk == gvk {
				return p.plan, p.err
			}
		}
	}
	to, err := s.Kind(gvk)
	if err != nil {
		return nil, err // client-supplied names must not fill the cache
	}
	plan, err := s.planAs(k, to)
	var next []plannedAs
	if known != nil {
		next = slices.Clone(*known)
	}
	next = append(next, plannedAs{gvk: gvk, plan: plan, err: err})
	k.routes.as.Store(&next)
	return plan, err
}

// planAs resolves list kinds and plans for single objects.
func (s *Scheme) planAs(from, to *Kind) (*asPlan, error) {
	if from == to {
		return &asPlan{from: from, to: to}, nil
	}
	single, asked := from, to
	lifted := from.itemKind != nil || from.untyped && from.has.items
	if lifted {
		if from.itemKind != nil { // an untyped list has the views of its items
			single = from.itemKind
		}
		if to.itemKind != nil { // the list form was requested by name
			asked = to.itemKind
		}
	}
	if p := s.planSingle(single, asked); p != nil {
		p.from, p.to, p.lifted = from, asked, lifted
		switch {
		case !lifted:
			return p, nil
		case p.collect != nil:
			if asked == to {
				return p, nil
			}
		case asked.listKind == nil:
			return nil, &noAsError{From: from.gvk, To: to.gvk, NoList: true}
		default:
			// without steps the list itself is the result, so it must have the type of that form
			if p.to = asked.listKind; len(p.each) > 0 || from.Type() == p.to.Type() {
				return p, nil
			}
		}
	}
	return nil, &noAsError{From: from.gvk, To: to.gvk, Known: s.directTargets(single)}
}

// variant is a version of a kind and the steps that lead to it.
type variant struct {
	to    *Kind
	route *route
}

// variants returns the kind itself and the other versions that conversions can reach, in order of
// preference.
func (s *Scheme) variants(k *Kind) []variant {
	out := []variant{{to: k, route: &route{from: k, to: k}}}
	for _, gv := range s.VersionsOf(k.gvk.GroupKind()) {
		other := s.kinds[gv.WithKind(k.gvk.Kind)]
		if other == k {
			continue
		}
		if r, err := s.planRouteTo(k, other); err == nil && !r.lifted {
			out = append(out, variant{to: other, route: r})
		}
	}
	return out
}

// converts reports whether objects of a kind can be converted to another.
func (s *Scheme) converts(from, to *Kind) bool {
	_, err := s.planRouteTo(from, to)
	return err == nil
}

// planSingle plans a route from a single object's kind to another, trying the cheapest form first.
// It returns nil if no route exists.
func (s *Scheme) planSingle(from, to *Kind) *asPlan {
	variants := s.variants(from)
	for _, v := range variants { // one edge
		for _, e := range s.edgesFrom(v.to) {
			if e.to() == to.Type() {
				return s.edgePlan(v, e, to, nil)
			}
		}
	}
	for _, v := range variants { // an edge, then another from its result
		for _, e := range s.edgesFrom(v.to) {
			for _, via := range s.kindsOf(e.to()) {
				if after := s.continuation(via, to); after != nil {
					return s.edgePlan(v, e, via, after)
				}
			}
		}
	}
	if r, err := s.planRouteTo(from, to); err == nil && !r.lifted { // a kind declared equivalent
		return &asPlan{each: r.steps}
	}
	return nil
}

// edgePlan joins the steps to the version that has an edge, the edge, which leads to via, and the
// steps after it.
func (s *Scheme) edgePlan(v variant, e *asEdge, via *Kind, after []step) *asPlan {
	each := slices.Clone(v.route.steps)
	if e.collects {
		return &asPlan{each: each, edge: e, collect: e, collectKind: via, after: after}
	}
	each = append(each, step{edge: &e.conversionEdge, to: via})
	return &asPlan{each: append(each, after...), edge: e}
}

// continuation returns the steps from the target of an edge to another kind: one further edge, or a
// conversion.
func (s *Scheme) continuation(via, to *Kind) []step {
	for _, e := range s.edgesFrom(via) {
		if e.to() == to.Type() && !e.collects {
			return []step{{edge: &e.conversionEdge, to: to}}
		}
	}
	if r, err := s.planRouteTo(via, to); err == nil && len(r.steps) > 0 && !r.lifted {
		return r.steps
	}
	return nil
}

// directTargets returns the kinds that as-kind edges of a kind and of its other versions lead to.
func (s *Scheme) directTargets(k *Kind) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for _, v := range s.variants(k) {
		for _, e := range s.edgesFrom(v.to) {
			for _, to := range s.kindsOf(e.to()) {
				if !slices.Contains(out, to.gvk) {
					out = append(out, to.gvk)
				}
			}
		}
	}
	sorted.Func(out, schema.GroupVersionKind.Compare)
	return out
}
