package conversion

import (
	"go/types"

	"github.com/askind/askind/codegen/internal/model"
)

// keepsMarker marks functions that are declared to keep the metadata.
const keepsMarker = "askind:keepsmetadata"

// takeClaims accepts the declarations of hand-written functions that they keep the metadata. These
// are allowed on conversions of kinds whose metadata has the same type on both sides and that carry
// nothing.
func (p *planner) takeClaims() {
	for _, fn := range p.pkg.Functions() {
		markers := p.pkg.FunctionMarkers(fn)
		if !markers.Has(keepsMarker) {
			continue
		}
		m := markers.Get(keepsMarker)
		pr, w := p.wayBy(fn)
		switch {
		case pr == nil:
			p.c.Errorf(m.Pos, "convert-metadata", "%s is not the conversion of a kind, so the marker has no effect",
				fn.Name())
		case !pr.sameMetadata():
			p.c.Errorf(m.Pos, "convert-metadata",
				"%s and %s do not both have metadata of one type, so %s cannot keep it", p.typeName(pr.spoke.Named),
				p.typeName(pr.hub.Named), fn.Name())
		case pr.walks:
			p.c.Errorf(m.Pos, "convert-metadata",
				"%s has fields to carry in an annotation, so %s does not keep the metadata",
				pr.kind.Name, fn.Name())
		default:
			w.keeps = true
		}
	}
}

// wayBy returns the direction of a kind that a function converts in, or nil.
func (p *planner) wayBy(fn *types.Func) (*pair, *way) {
	for _, pr := range p.kinds {
		for d := range pr.ways {
			if h := pr.ways[d].hand; h != nil && h.fn == fn {
				return pr, &pr.ways[d]
			}
		}
	}
	return nil, nil
}

// sameMetadata reports whether both sides are kinds that have metadata, of one type.
func (pr *pair) sameMetadata() bool {
	peer := pr.peer.pkg.Kind(pr.hub.Name)
	return pr.kind != nil && peer != nil && pr.kind.Metadata != nil && peer.Metadata != nil &&
		types.Identical(pr.kind.Metadata.Type, peer.Metadata.Type)
}

// keepsMetadata reports whether a direction of a kind is known to keep the metadata unchanged: both
// sides have metadata of the same type, which the generated function assigns or copies, and nothing
// else is written to it. Hand-written functions may do anything.
func (pr *pair) keepsMetadata(d direction) bool {
	if !pr.sameMetadata() || pr.ways[d].hand != nil || pr.walks { // what is carried travels in an annotation
		return false
	}
	from, to := pr.kind.Metadata, pr.peer.pkg.Kind(pr.hub.Name).Metadata
	if d == fromHub {
		from, to = to, from
	}
	begins := func(p place, f *model.Field) bool { return p.fields[0].Var == f.Var }
	kept := false
	for _, l := range pr.links {
		src, dst := l.ends(d)
		if !begins(dst, to) {
			continue
		}
		r := l.rules[d]
		if kept || len(dst.fields) > 1 || len(src.fields) > 1 || !begins(src, from) || r == nil || r.action != assign &&
			r.action != clone {
			return false
		}
		kept = true
	}
	// What only the other direction loses is cleared in the result.
	for _, l := range pr.losses[d.back()] {
		if begins(l.at, to) {
			return false
		}
	}
	return kept
}
