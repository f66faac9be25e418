package conversion

import (
	"go/types"

	"github.com/askind/askind/codegen/internal/model"
)

// keepsMetadata reports whether a direction of a kind surely makes the metadata of its result equal to that of its source: both have metadata of one
// type, which the generated function assigns or copies, and nothing else is written into it. A function that is written by hand may do anything.
func (pr *pair) keepsMetadata(d direction) bool {
	peer := pr.peer.pkg.Kind(pr.hub.Name)
	if pr.kind == nil || peer == nil || pr.ways[d].hand != nil || pr.walks { // what is carried travels in an annotation
		return false
	}
	from, to := pr.kind.Metadata, peer.Metadata
	if d == fromHub {
		from, to = to, from
	}
	if from == nil || to == nil || !types.Identical(from.Type, to.Type) {
		return false
	}
	begins := func(p place, f *model.Field) bool { return p.fields[0].Var == f.Var }
	kept := false
	for _, l := range pr.links {
		src, dst := l.ends(d)
		if !begins(dst, to) {
			continue
		}
		r := l.rules[d]
		if kept || len(dst.fields) > 1 || len(src.fields) > 1 || !begins(src, from) || r == nil || r.action != assign && r.action != clone {
			return false
		}
		kept = true
	}
	// What only the other direction loses is cleared in the result.
	for _, l := range pr.losses(1 - d) {
		if begins(l.at, to) {
			return false
		}
	}
	return kept
}
