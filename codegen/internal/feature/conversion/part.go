package conversion

import (
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/reads"
)

// Part is a generated conversion of a kind that keeps the metadata, and for which the origin of
// each field of its result is known.
type Part struct {
	// Func is the name of the function. Suffix is its last part, which identifies the direction.
	Func, Suffix string
	// In and Out are the kinds.
	In, Out *model.Kind

	pair *pair
	dir  direction
}

// Parts returns such conversions between a kind of the package and others. It must be called after
// all packages have been planned, and returns nothing unless the feature is part of the run.
func Parts(c *feature.Context, k *model.Kind) []Part {
	p, ok := c.Shared[partsKey(c.Package.Path)].(*planner)
	if !ok {
		return nil
	}
	var out []Part
	for _, pr := range p.kinds {
		if pr.kind != k {
			continue
		}
		hub := pr.peer.pkg.Kind(pr.hub.Name)
		for d, kinds := range [][2]*model.Kind{{k, hub}, {hub, k}} {
			if direction := direction(d); hub != nil && pr.keepsMetadata(direction) {
				suffix := [...]string{"To", "From"}[d] + pr.peer.label
				out = append(out, Part{
					Func: pr.ways[d].name, Suffix: suffix, In: kinds[0], Out: kinds[1], pair: pr,
					dir: direction,
				})
			}
		}
	}
	return out
}

// partsKey is the key under which the plan of a package is shared with other features.
func partsKey(path string) string { return "conversion parts " + path }

// Reads returns the parts of the source that determine the given parts of the result. It reports
// false if they are not known.
func (x *Part) Reads(out *reads.Tree) (*reads.Tree, bool) {
	in := &reads.Tree{}
	ok := x.pair.reads(x.dir, out, in)
	return in, ok
}

// reads adds to in the parts of the source of a direction that determine the parts out of its
// result.
func (pr *pair) reads(d direction, out, in *reads.Tree) bool {
	switch {
	case out.Whole || pr.ways[d].hand != nil: // a function that is written by hand may read everything
		in.Whole = true
		return true
	case pr.whole:
		in.Add(out)
		return true
	}
	for _, l := range pr.links {
		src, dst := l.ends(d)
		below, certain := dst.read(out)
		if !certain {
			return false
		}
		if below == nil {
			continue
		}
		from := in
		for _, f := range src.fields {
			from = from.Field(f.Name)
		}
		if r := l.rules[d]; r == nil || !r.reads(below, from) {
			return false
		}
	}
	return true
}

// read returns what is read of a place, or nil. It is uncertain below a pointer that is set only if
// one of several values is present.
func (p place) read(tree *reads.Tree) (below *reads.Tree, certain bool) {
	for i, f := range p.fields {
		if !tree.Whole {
			if tree = tree.Fields[f.Name]; tree == nil {
				return nil, true
			}
		}
		if i < len(p.fields)-1 && isPointer(f.Type) {
			return nil, false
		}
	}
	return tree, true
}

// reads adds to in the parts of the rule's source that determine the parts out of its result.
func (r *rule) reads(out, in *reads.Tree) bool {
	if out.Whole {
		in.Whole = true
		return true
	}
	switch r.action {
	case assign, clone: // the fields have the same names
		in.Add(out)
		return true
	case callPair:
		return r.pair.reads(r.dir, out, in)
	case each:
		return r.elem.reads(out.Element(), in.Element())
	case follow, give:
		return r.elem.reads(out, in)
	case take:
		if !r.zeroIsNil {
			return r.elem.reads(out, in)
		}
	}
	in.Whole = true
	return true
}
