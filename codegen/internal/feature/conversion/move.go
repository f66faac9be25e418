package conversion

import (
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// anchorMark begins a path that is relative to the kind.
const anchorMark = "$."

// anchoredField is a field whose marker has a path relative to the kind, and the path to the field.
type anchoredField struct {
	at     place
	m      *marker.Marker
	inside bool
}

// anchor finds the fields below a kind that are moved to a path relative to the kind, and assigns
// each move to the innermost pair that contains both ends: its function reads one and writes the
// other.
func (p *planner) anchor(root *pair) {
	var found []anchoredField
	p.walkAnchors(root.spoke.Named, root.hub.Named, place{}, false, map[*types.TypeName]bool{}, &found)
	for _, a := range found {
		p.anchored[a.at.last().Var] = true
		if a.inside {
			p.c.Errorf(a.m.ValuePos, "convert-marker",
				"a path from the kind leads to a single place, but %s.%s is in a list or map of kind %s", root.spoke.Name,
				a.at.path(), root.spoke.Name)
			continue
		}
		hub, _ := p.resolveMarker(root, a.m, strings.TrimPrefix(a.m.Value, anchorMark), anchorMark)
		if hub == nil {
			continue
		}
		key, l := p.innermost(root, &link{spoke: a.at, hub: *hub, moved: true})
		same := func(o *link) bool { return o.spoke.path() == l.spoke.path() && o.hub.path() == l.hub.path() }
		if !slices.ContainsFunc(p.moves[key], same) {
			p.moves[key] = append(p.moves[key], l)
		}
	}
}

// walkAnchors visits the fields with such markers below a type, once for each path to them. It
// omits values that have the same type on both sides: they are copied, and the markers of such a
// type are for another version. The type hub is that of the other side, or nil if it is unknown.
func (p *planner) walkAnchors(t, hub types.Type, at place, inside bool, above map[*types.TypeName]bool,
	found *[]anchoredField,
) {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		p.walkAnchors(ptr.Elem(), hub, at, inside, above, found)
		return
	}
	if hub != nil {
		if hub = pointedTo(hub); types.Identical(t, hub) {
			return
		}
	}
	switch t := types.Unalias(t).(type) {
	case *types.Slice, *types.Array, *types.Map:
		var elem types.Type
		if hub != nil {
			if list, ok := hub.Underlying().(interface{ Elem() types.Type }); ok {
				elem = list.Elem()
			}
		}
		p.walkAnchors(model.Elem(t), elem, at, true, above, found)
	case *types.Named:
		if above[t.Obj()] || !p.anchorsBelow(t) {
			return
		}
		above[t.Obj()] = true
		p.walkAnchors(t.Underlying(), hub, at, inside, above, found)
		delete(above, t.Obj())
	case *types.Struct:
		for _, m := range members(p.u, t) {
			below, other := at.below(m), p.counterpart(m, hub)
			mark := anchorOf(m.last())
			switch {
			case mark == nil && other != nil:
				p.walkAnchors(m.typ(), other.typ(), below, inside, above, found)
			case mark == nil:
				p.walkAnchors(m.typ(), nil, below, inside, above, found)
			case other == nil || other.last().Var != m.last().Var:
				*found = append(*found, anchoredField{below, mark, inside})
			}
		}
	}
}

// counterpart returns the field of the struct hub to which a field of the other side is mapped, by
// its marker or by its name, or nil if it is unknown.
func (p *planner) counterpart(m place, hub types.Type) *place {
	if hub == nil {
		return nil
	}
	_, st := model.StructOf(hub)
	if st == nil {
		return nil
	}
	if to := m.last().Markers.Get("askind:to"); to != nil && anchorOf(m.last()) == nil {
		at, _, _ := resolve(p.u, st, to.Value)
		return at
	}
	for _, h := range members(p.u, st) {
		if h.key == m.key {
			return &h
		}
	}
	return nil
}

// anchorsBelow reports whether a type or any type below it has a field with a path relative to the
// kind. Few have, and there may be very many paths through the others.
func (p *planner) anchorsBelow(t *types.Named) bool {
	found, known := p.leads[t]
	if !known {
		for f := range p.u.FieldsBelow(t, nil) {
			if found = anchorOf(f) != nil; found {
				break
			}
		}
		p.leads[t] = found
	}
	return found
}

// anchorOf returns the marker of a field with a path relative to the kind, or nil.
func anchorOf(f *model.Field) *marker.Marker {
	if m := f.Markers.Get("askind:to"); m != nil && strings.HasPrefix(m.Value, anchorMark) {
		return m
	}
	return nil
}

// innermost descends from a pair while both ends of a link are in fields that are matched by name,
// and returns the last pair with the rest of the link.
func (p *planner) innermost(root *pair, l *link) (pairKey, *link) {
	spoke, hub := root.spoke.Named, root.hub.Named
	for len(l.spoke.names) > 1 && len(l.hub.names) > 1 && l.spoke.names[0] == l.hub.names[0] {
		s, h := firstOf(l.spoke), firstOf(l.hub)
		if s.last().Markers.Has("askind:to") || s.last().Markers.Has("askind:drop") {
			break
		}
		sn, _ := model.StructOf(s.typ())
		hn, _ := model.StructOf(h.typ())
		if sn == nil || hn == nil || types.Identical(sn, hn) {
			break
		}
		spoke, hub = sn, hn
		l = &link{spoke: l.spoke.from(s), hub: l.hub.from(h), moved: true}
	}
	return keyOf(spoke, hub), l
}

// firstOf returns the part of a place that ends with the first name of its path.
func firstOf(p place) place {
	n := 1
	for n < len(p.fields) && inlined(p.fields[n-1]) {
		n++
	}
	return place{fields: p.fields[:n], names: p.names[:1], key: p.names[0]}
}

// from returns the rest of a place after its prefix.
func (p place) from(start place) place {
	return place{fields: p.fields[len(start.fields):], names: p.names[len(start.names):], key: p.key, whole: p.whole}
}

// resolveMarker finds the hub place that a marker names. If it does not exist, resolveMarker
// reports an error and returns the path that was probably meant.
func (p *planner) resolveMarker(pr *pair, m *marker.Marker, path, prefix string) (at *place, meant string) {
	at, missing, known := resolve(p.u, pr.hub.Struct, path)
	if at != nil {
		return at, path
	}
	why := ""
	if known == nil {
		why = ": the path does not lead through structs"
	}
	d := p.c.Errorf(m.ValuePos, "convert-marker", "%s has no field %q%s", p.typeName(pr.hub.Named), path, why)
	d.Relate(p.u.Position(pr.hub.Pos), "%s", p.typeName(pr.hub.Named))
	if near, ok := schema.Nearest(missing, known); ok {
		parts := strings.Split(path, ".")
		parts[slices.Index(parts, missing)] = near
		near = strings.Join(parts, ".")
		if found, _, _ := resolve(p.u, pr.hub.Struct, near); found != nil {
			meant = near
			d.Suggest("// +askind:to=%s%s", prefix, meant)
		}
	}
	return nil, meant
}
