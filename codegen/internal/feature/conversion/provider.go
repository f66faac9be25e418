package conversion

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/model"
)

// A struct that several API packages share has its conversions in its own package, which names a
// hub like any other. They are called from there instead of being repeated in each package with
// such a field, so that hand-written functions in the package of the struct are used everywhere.

// provided returns the rule that calls the conversion of a struct in the package of one of the two
// types, or nil. The conversion is used only if it is complete: not if fields of the struct are
// converted by an enclosing struct, here or there.
func (p *planner) provided(in, out types.Type, c at) *rule {
	a, _ := types.Unalias(in).(*types.Named)
	b, _ := types.Unalias(out).(*types.Named)
	if a == nil || b == nil || !model.IsStruct(a) || !model.IsStruct(b) || p.reachedInto(c) {
		return nil
	}
	for d, types := range [][2]*types.Named{{a, b}, {b, a}} {
		spoke, hub := types[0], types[1]
		q := p.plannerOf(spoke)
		if q == nil {
			continue
		}
		pr := q.byType[keyOf(spoke, hub)]
		if pr == nil || len(pr.external) > 0 || pr.walks || !pr.public() ||
			slices.ContainsFunc(pr.spoke.Fields, func(f *model.Field) bool { return q.anchored[f.Var] }) {
			continue
		}
		return &rule{action: callPair, in: in, out: out, pair: pr, dir: direction(d)}
	}
	return nil
}

// public reports whether other packages can call the functions of a pair.
func (pr *pair) public() bool {
	for i := range pr.ways {
		if !token.IsExported(pr.ways[i].called()) {
			return false
		}
	}
	return true
}

// reachedInto reports whether something other than a link determines parts of its value.
func (p *planner) reachedInto(c at) bool {
	if c.link == nil {
		return false
	}
	below := func(p, of place) bool { return p.within(of) && !of.within(p) }
	for _, l := range c.pair.links {
		if l != c.link && (below(l.hub, c.link.hub) || below(l.spoke, c.link.spoke)) {
			return true
		}
	}
	return slices.ContainsFunc(c.pair.losses[toHub], func(l loss) bool { return below(l.at, c.link.spoke) }) ||
		slices.ContainsFunc(c.pair.losses[fromHub], func(l loss) bool { return below(l.at, c.link.hub) })
}

// plannerOf plans the package of a type, if that is another package with conversions. Its errors
// are reported when that package is planned itself.
func (p *planner) plannerOf(n *types.Named) *planner {
	if n.Obj().Pkg() == nil || p.pkg.Owns(n.Obj()) {
		return nil
	}
	pkg := p.u.Home(n)
	if pkg == nil || !pkg.Output || len(pkg.Hubs()) == 0 {
		return nil
	}
	key := "conversion " + pkg.Path
	if q, ok := p.c.Shared[key]; ok {
		other, _ := q.(*planner)
		return other // nil while that package is being planned
	}
	p.c.Shared[key] = nil
	q := newPlanner(p.c.Scratch(pkg))
	q.plan()
	p.c.Shared[key] = q
	return q
}
