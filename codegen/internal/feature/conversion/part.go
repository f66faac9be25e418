package conversion

import (
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/reads"
)

// Part is a generated conversion of a kind, of which it is known where each field of its result
// comes from. It keeps the metadata.
type Part struct {
	// Func is the name of the function, Suffix the end of it that tells the direction.
	Func, Suffix string
	// In and Out are the kinds.
	In, Out *model.Kind

	pair *pair
	dir  direction
}

// Parts returns the conversions of this sort between a kind of the package and others. They are
// known only when all packages are planned, and only if the feature is part of the run.
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

// partsKey is where the plan of a package is kept for other features.
func partsKey(path string) string { return "conversion parts " + path }

// Reads returns what has to be read of the source so that what is read of the result is right. It
// reports false if that is not certain.
func (x *Part) Reads(out *reads.Tree) (*reads.Tree, bool) {
	in := &reads.Tree{}
	ok := x.pair.reads(x.dir, out, in)
	return in, ok
}

// reads adds to in what the function of a direction reads to make what is read of its result.
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

// read returns what is read of a place, nil if nothing is. It is not certain below a pointer that
// is set only if one of several values is there.
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

// reads adds to in what the rule reads of its source to make what is read of its result.
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
