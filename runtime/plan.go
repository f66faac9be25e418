package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
)

// planRoute determines which kind of a group version an object of kind k becomes, and plans the
// route.
func (s *Scheme) planRoute(k *Kind, gv schema.GroupVersion) (*route, error) {
	if !slices.Contains(s.versions[gv.Group], gv) {
		return nil, s.unknownVersion(gv)
	}
	named, err := s.Kind(gv.WithKind(k.gvk.Kind))
	if err == nil {
		r, err := s.planRouteTo(k, named)
		if err == nil || gv.Group == k.gvk.Group {
			return r, err
		}
	}
	single := k
	if k.itemKind != nil {
		single = k.itemKind
	}
	var reachable []*Kind
	for _, t := range s.reachable(single) {
		for _, to := range s.kindsOf(t) {
			if to.GroupVersion() != gv {
				continue
			}
			if k.itemKind != nil {
				to = to.listKind
			}
			if to != nil {
				reachable = append(reachable, to)
			}
		}
	}
	switch len(reachable) {
	case 1:
		return s.planRouteTo(k, reachable[0])
	case 0:
		if named != nil {
			return s.planRouteTo(k, named) // for its error
		}
		return nil, err
	}
	names := make([]string, len(reachable))
	for i, to := range reachable {
		names[i] = to.gvk.Kind
	}
	return nil, &ambiguousTargetError{From: k.gvk, GroupVersion: gv, Kinds: names}
}

// reachable returns the Go types that conversions can reach from single objects of a kind.
func (s *Scheme) reachable(k *Kind) []reflect.Type {
	if k.untyped {
		return nil
	}
	return s.graph.Reachable(k.Type())
}

// planRouteTo plans the route from a kind to another; lists are converted item by item.
func (s *Scheme) planRouteTo(from, to *Kind) (*route, error) {
	r := &route{from: from, to: to}
	if from.untyped || to.untyped {
		// All untyped kinds have the same Go type, so it does not identify the content of their
		// objects.
		if from.Type() == to.Type() && from.gvk.GroupKind() == to.gvk.GroupKind() {
			return r, nil
		}
		return nil, &conversion.NoRouteError{From: from.gvk.String(), To: to.gvk.String()}
	}
	if from.Type() == to.Type() {
		return r, nil
	}
	start, end := from.Type(), to.Type()
	if from.itemKind != nil && to.itemKind != nil {
		r.lifted = true
		start, end = from.itemKind.Type(), to.itemKind.Type()
		if start == end { // two list types over one item type
			return nil, &conversion.NoRouteError{From: from.gvk.String(), To: to.gvk.String()}
		}
	}
	planned, err := s.graph.Plan(start, end)
	if no, ok := errors.AsType[*conversion.NoRouteError](err); ok {
		no.Unregistered = s.unregistered(start, end)
	}
	if err != nil {
		return nil, err
	}
	at := from
	if r.lifted {
		at = from.itemKind
	}
	for i, e := range planned.Edges {
		next := s.kindsOf(planned.Nodes[i+1])[0]
		r.steps = append(r.steps, step{edge: s.edges[e], to: next, lost: lostBetween(s.edges[e], at, next)})
		at = next
	}
	return r, nil
}

// unregistered returns the package of a type without a kind to which a conversion leads from one of
// some types.
func (s *Scheme) unregistered(from ...reflect.Type) string {
	for _, e := range s.registered.conversions {
		if slices.Contains(from, e.from()) && len(s.kindsOf(e.to())) == 0 {
			return e.to().PkgPath()
		}
	}
	return ""
}

// ambiguousTargetError reports that a group version has several kinds that an object could become.
// errors.Is finds [ErrAmbiguousKind].
type ambiguousTargetError struct {
	From         schema.GroupVersionKind
	GroupVersion schema.GroupVersion
	Kinds        []string
}

// Error implements error.
func (e *ambiguousTargetError) Error() string {
	return fmt.Sprintf("runtime: %s in %s can be %s; name the kind and use As", e.From, e.GroupVersion,
		strings.Join(e.Kinds, " or "))
}

// Unwrap returns [ErrAmbiguousKind].
func (e *ambiguousTargetError) Unwrap() error { return ErrAmbiguousKind }
