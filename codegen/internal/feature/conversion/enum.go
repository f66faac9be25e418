package conversion

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/marker"
)

// checkEnum compares the constants of two string types. If both have some, every value that the source names must have a
// constant of the target, or a marker or a hand-written function decides what becomes of it.
//
// The marker is +askind:absent:field=value,reason="..." on the type of this package: it accepts a value that only the hub
// has a constant for, and the value is passed on as it is.
func (p *planner) checkEnum(in, out types.Type, c at) {
	from, to := p.constants(in), p.constants(out)
	if len(from) == 0 || len(to) == 0 {
		return
	}
	key := keyOf(in, out)
	accepted := p.acceptedValues(in, out, c.dir)
	for _, k := range from {
		value := constant.StringVal(k.Val())
		if slices.ContainsFunc(to, func(o *types.Const) bool { return constant.StringVal(o.Val()) == value }) || slices.Contains(accepted, value) {
			continue
		}
		if !p.once("enum " + key.spoke + " " + key.hub + " " + value) {
			continue
		}
		pos := k.Pos()
		if c.dir == fromHub {
			pos = p.declaration(out)
		}
		d := p.c.Errorf(pos, "convert-enum", "%s has no constant for %q (%s.%s)", p.typeName(out), value, k.Pkg().Name(), k.Name())
		if c.dir == fromHub {
			d.Relate(p.u.Position(k.Pos()), "%s.%s", k.Pkg().Name(), k.Name())
		} else {
			d.Relate(p.u.Position(p.declaration(out)), "%s", p.typeName(out))
		}
		if c.dir == fromHub && p.local(out) {
			d.Suggest(`// +askind:absent:field=%s,reason="why passing it on is right"`, value)
			continue
		}
		d.Suggest("func convert%sTo%s(in *%s, out *%s, s *conversion.Scope) error", baseName(in), c.pair.peer.label, p.typeName(in), p.typeName(out))
	}
}

func baseName(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return upperFirst(n.Obj().Name())
	}
	return ""
}

func (p *planner) local(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() == p.pkg.Go
}

func (p *planner) declaration(t types.Type) token.Pos {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pos()
	}
	return token.NoPos
}

// constants are those declared for a named string type in its package, in order of declaration.
func (p *planner) constants(t types.Type) []*types.Const {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	var out []*types.Const
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if k, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(k.Type(), t) && k.Val().Kind() == constant.String {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *types.Const) int { return int(a.Pos() - b.Pos()) })
	return out
}

// acceptedValues are those that markers on the spoke's type accept from the hub.
func (p *planner) acceptedValues(in, out types.Type, d direction) []string {
	if d != fromHub {
		return nil
	}
	n, ok := types.Unalias(out).(*types.Named)
	if !ok {
		return nil
	}
	t := p.u.Type(n)
	if t == nil {
		return nil
	}
	var values, known []string
	for _, k := range p.constants(in) {
		known = append(known, constant.StringVal(k.Val()))
	}
	for _, m := range t.Markers.All("askind:absent") {
		value, ok := m.Arg("field")
		if !ok {
			continue
		}
		p.track(m, slices.Contains(known, value), known)
		values = append(values, value)
	}
	return values
}

// track notes whether what a +askind:absent marker names exists in any hub.
func (p *planner) track(m *marker.Marker, found bool, known []string) {
	use := p.absents[m]
	if use == nil {
		use = &absentUse{m: m}
		p.absents[m] = use
	}
	use.found = use.found || found
	use.known = append(use.known, known...)
}
