package conversion

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/marker"
)

// checkEnum compares the constants of two string or integer types. If both have constants, every
// value that the source declares must have a constant of the target, or a marker or a hand-written
// function must handle it. Constants of integer types that have the same name must also have the
// same value.
//
// The marker +askind:absent:field=value,reason="..." on the type of this package accepts a value
// for which only the hub has a constant. The value is passed on unchanged.
func (p *planner) checkEnum(in, out types.Type, c at) {
	from, to := p.constants(in), p.constants(out)
	if len(from) == 0 || len(to) == 0 {
		return
	}
	key := keyOf(in, out)
	accepted := p.acceptedValues(in, out, c.dir)
	for _, k := range from {
		value := valueOf(k)
		i := slices.IndexFunc(to, func(o *types.Const) bool { return valueOf(o) == value })
		namesake := p.namesake(k, in, to, out)
		renumbered := namesake != nil && valueOf(namesake) != value
		if !renumbered && (i >= 0 || slices.Contains(accepted, value)) {
			continue
		}
		if !p.once("enum " + key.spoke + " " + key.hub + " " + value) {
			continue
		}
		if renumbered && !p.once("enum "+key.hub+" "+key.spoke+" "+valueOf(namesake)) {
			continue // reported for the other direction
		}
		pos := k.Pos()
		if c.dir == fromHub {
			pos = p.declaration(out)
		}
		if renumbered {
			p.c.Errorf(pos, "convert-enum", "%s is %s and %s is %s: the number would change its meaning",
				p.constName(k), value, p.constName(namesake), valueOf(namesake)).
				Relate(p.u.Position(namesake.Pos()), "%s", p.constName(namesake)).
				Suggest("%s", p.enumFunc(in, out, c))
			continue
		}
		d := p.c.Errorf(pos, "convert-enum", "%s has no constant for %s (%s)", p.typeName(out), quotedValue(k),
			p.constName(k))
		if c.dir == fromHub {
			d.Relate(p.u.Position(k.Pos()), "%s", p.constName(k))
		} else {
			d.Relate(p.u.Position(p.declaration(out)), "%s", p.typeName(out))
		}
		if c.dir == fromHub && p.local(out) {
			if value == "" || strings.ContainsAny(value, " ,;\"`()[]{}") {
				value = strconv.Quote(value)
			}
			d.Suggest(`// +askind:absent:field=%s,reason="why passing it on is correct"`, value)
			continue
		}
		d.Suggest("%s", p.enumFunc(in, out, c))
	}
}

// enumFunc returns the function that would convert an enumeration or, because a map key must keep
// its value, a map with such keys.
func (p *planner) enumFunc(in, out types.Type, c at) string {
	name := baseName(in)
	if c.ofMap != nil {
		name, in, out = emit.UpperFirst(c.link.spoke.last().Name), c.ofMap.in, c.ofMap.out
	}
	return p.functionFor(name, in, out, c)
}

// functionFor returns the declaration of a conversion function that a user may write.
func (p *planner) functionFor(name string, in, out types.Type, c at) string {
	word := [...]string{"To", "From"}[c.dir]
	return p.signatureOf("convert"+name+word+c.pair.peer.label, in, out)
}

// constName returns the name of a constant with its group version, since two packages may have the
// same name.
func (p *planner) constName(k *types.Const) string {
	if k.Pkg() == p.pkg.Go {
		return k.Name()
	}
	return k.Pkg().Name() + "." + k.Name()
}

// valueOf returns the value of a constant as text, without quotes for strings.
func valueOf(k *types.Const) string {
	if k.Val().Kind() == constant.String {
		return constant.StringVal(k.Val())
	}
	return k.Val().ExactString()
}

func quotedValue(k *types.Const) string {
	if k.Val().Kind() == constant.String {
		return strconv.Quote(valueOf(k))
	}
	return valueOf(k)
}

// namesake returns the constant of an integer type with the name of k, with or without the name of
// the type as prefix or suffix, or nil.
func (p *planner) namesake(k *types.Const, in types.Type, to []*types.Const, out types.Type) *types.Const {
	if k.Val().Kind() == constant.String {
		return nil
	}
	bare := func(k *types.Const, t types.Type) string {
		name := strings.TrimSuffix(strings.TrimPrefix(k.Name(), baseName(t)), baseName(t))
		return cmp.Or(strings.Trim(name, "_"), k.Name())
	}
	i := slices.IndexFunc(to, func(o *types.Const) bool { return bare(o, out) == bare(k, in) })
	if i < 0 {
		return nil
	}
	return to[i]
}

func baseName(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return emit.UpperFirst(n.Obj().Name())
	}
	return ""
}

func (p *planner) local(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && p.pkg.Owns(n.Obj())
}

func (p *planner) declaration(t types.Type) token.Pos {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pos()
	}
	return token.NoPos
}

// constants returns the constants declared for a named string or integer type in its package, in
// source order.
func (p *planner) constants(t types.Type) []*types.Const {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	var out []*types.Const
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if k, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(k.Type(), t) &&
			(k.Val().Kind() == constant.String || k.Val().Kind() == constant.Int) {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *types.Const) int { return int(a.Pos() - b.Pos()) })
	return out
}

// acceptedValues returns the values from the hub that markers on the spoke's type accept.
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
		known = append(known, valueOf(k))
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

// track records whether the name in a +askind:absent marker exists in any hub.
func (p *planner) track(m *marker.Marker, found bool, known []string) {
	use := p.absents[m]
	if use == nil {
		use = &absentUse{}
		p.absents[m] = use
	}
	use.found = use.found || found
	use.known = append(use.known, known...)
}
