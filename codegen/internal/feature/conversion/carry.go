package conversion

import (
	"cmp"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// Carried fields are those that one side lacks and whose values are restored by the conversion
// back. This file plans them:
//
//  - A marker turns a loss of a pair into a carried field: on a field of the spoke, or on the struct
//    for a field of the hub.
//  - For each pair with carried fields in or below it (pair.walks), a function is generated next to
//    the conversion. The conversion of the kind, which has the annotations, calls it.
//  - A carried value may have a guard: a hash of the innermost struct around it as the other side
//    represents it, or of the fields that the marker names. The hash is computed on the result of
//    the conversion back, so that both directions hash the same value. Fields directly in a kind, its
//    spec or its status have no guard by default: any edit of the object would change the hash.

// carried describes a carried field, according to its marker.
type carried struct {
	m *marker.Marker
	// named holds the places that the marker names as the guard.
	named []place
	// unguarded means that the value is restored regardless of edits. Otherwise guard has the paths
	// that the value depends on; nil means the whole struct.
	unguarded bool
	guard     []string
}

// carryMarker returns the marker of a carried field, unless it is disabled.
func carryMarker(l marker.List) *marker.Marker {
	if !l.Has("askind:carry") {
		return nil
	}
	return l.Get("askind:carry")
}

// known reports whether a field with a carry marker has a counterpart in this hub. If there is no
// other hub that may lack it, the marker is an error.
func (m *matcher) known(f place) bool {
	i := slices.IndexFunc(m.hub, func(h place) bool { return sameName(f, h) })
	if i < 0 {
		return false
	}
	mark := carryMarker(f.last().Markers)
	m.carriers[mark.Pos] = true
	if len(m.pkg.Hubs()) < 2 {
		h := m.hub[i]
		m.c.Errorf(mark.Pos, "convert-carry", "%s has a counterpart in %s, so there is nothing to carry",
			m.fieldName(m.pr.spoke, f), m.typeName(m.pr.hub.Named)).
			Relate(m.u.Position(h.last().Pos), "%s", m.fieldName(m.pr.hub, h))
	}
	return true
}

// carry records a field of the spoke that the hub lacks.
func (m *matcher) carry(f place, mark *marker.Marker) {
	m.carriers[mark.Pos] = true
	if a := mark.ArgAt("field"); a != nil {
		m.c.Errorf(a.Pos, "convert-carry",
			"on a field, +askind:carry carries the field itself; for a field of the hub, move the marker to the struct")
	}
	m.pr.losses[toHub] = append(m.pr.losses[toHub], loss{at: f, pos: mark.Pos, carried: m.carriedBy(mark, m.pr.spoke)})
}

// carriedBack applies the markers for carried hub fields that the spoke lacks.
func (m *matcher) carriedBack() {
	for _, mark := range m.pr.spoke.Markers.All("askind:carry") {
		if mark.Value == "false" {
			continue
		}
		m.carriers[mark.Pos] = true
		arg := mark.ArgAt("field")
		if arg == nil {
			if m.once("carry field " + m.u.Position(mark.Pos).String()) {
				m.c.Errorf(mark.Pos, "convert-carry",
					"on a type, +askind:carry must name the carried field of the hub").
					Suggest("// +askind:carry:field=name")
			}
			continue
		}
		at, _, known := resolve(m.u, m.pr.hub.Struct, arg.Value)
		m.track(mark, at != nil, known)
		if at == nil {
			continue
		}
		if l := m.taken[at.id()]; l != nil {
			m.notAbsent(arg.ValuePos, m.pr, arg.Value, true, m.pr, l)
			continue
		}
		m.pr.losses[fromHub] = append(m.pr.losses[fromHub],
			loss{at: *at, pos: mark.Pos, carried: m.carriedBy(mark, m.pr.hub)})
	}
}

// unguarded is the value of the argument guard for values that are restored regardless of edits.
const unguarded = "none"

// carriedBy resolves the fields that a marker names as the guard.
func (m *matcher) carriedBy(mark *marker.Marker, t *model.Type) *carried {
	out := &carried{m: mark}
	arg := mark.ArgAt("guard")
	if arg == nil {
		return out
	}
	if out.unguarded = arg.Value == unguarded; out.unguarded {
		return out
	}
	for name := range strings.FieldsFuncSeq(arg.Value, func(r rune) bool { return r == ';' || r == ' ' }) {
		at, missing, known := resolve(m.u, t.Struct, name)
		if at != nil {
			out.named = append(out.named, *at)
			continue
		}
		if !m.once("guard " + name + m.u.Position(mark.Pos).String()) {
			continue
		}
		d := m.c.Errorf(arg.ValuePos, "convert-carry", "%s has no field %q for the guard", m.typeName(t.Named), name)
		if near, ok := schema.Nearest(missing, known); ok {
			d.Suggest("// %s", strings.Replace(mark.Line, name, strings.Replace(name, missing, near, 1), 1))
		}
	}
	if len(out.named) == 0 && m.once("no guard "+m.u.Position(mark.Pos).String()) &&
		strings.Trim(arg.Value, "; ") == "" {
		m.c.Errorf(arg.ValuePos, "convert-carry",
			"the guard names no field; omit it for the default, or write guard=none to restore the value regardless of edits")
	}
	return out
}

// carriedLosses returns the fields that a direction carries: those of its source that its target
// lacks.
func (pr *pair) carriedLosses(d direction) []loss {
	return slices.DeleteFunc(slices.Clone(pr.losses[d]), func(l loss) bool { return l.carried == nil })
}

func carriedPaths(pr *pair, d direction) []string {
	var out []string
	for _, l := range pr.carriedLosses(d) {
		out = append(out, l.at.path())
	}
	return out
}

// planCarrying decides which pairs need a walker function, and reports fields that cannot be
// carried.
func (p *planner) planCarrying() {
	for _, pr := range p.pairs {
		p.checkLeft(pr)
	}
	p.unusedCarriers()
	own := func(pr *pair) bool { return len(pr.carriedLosses(toHub))+len(pr.carriedLosses(fromHub)) > 0 }
	for changed := true; changed; {
		changed = false
		for _, pr := range p.pairs {
			if pr.walks {
				continue
			}
			pr.walks = own(pr)
			pr.children(toHub, func(_ *link, below *pair) { pr.walks = pr.walks || below.walks })
			changed = changed || pr.walks
		}
	}
	reached := map[*pair]bool{}
	var reach func(pr *pair)
	reach = func(pr *pair) {
		if reached[pr] || !pr.walks {
			return
		}
		reached[pr] = true
		p.checkWay(pr)
		pr.children(toHub, func(_ *link, below *pair) { reach(below) })
	}
	for _, pr := range p.kinds {
		if pr.walks {
			p.checkKind(pr)
		}
		reach(pr)
	}
	for _, pr := range p.pairs {
		if !own(pr) {
			continue
		}
		if !reached[pr] {
			p.carryErrorf(
				pr, "no kind of this package contains it in a field that is converted field by field, so there are no "+
					"annotations to carry it in",
			)
			continue
		}
		for d := range pr.ways {
			p.checkCarried(pr, direction(d))
			p.findGuards(pr, direction(d))
			p.checkOutside(pr, direction(d))
			p.planGuards(pr, direction(d))
		}
	}
}

// carryErrorf reports an error that concerns all carried fields of a pair.
func (p *planner) carryErrorf(pr *pair, format string, args ...any) {
	for d := range pr.ways {
		for _, l := range pr.carriedLosses(direction(d)) {
			if p.once("carry " + p.u.Position(l.carried.m.Pos).String()) {
				owner, _ := pr.types(direction(d))
				p.carryProblem(owner, l, format, args...)
			}
		}
	}
}

// children calls f for the pairs whose functions a direction calls, except for objects inside the
// object, which carry their own fields.
func (pr *pair) children(d direction, f func(l *link, below *pair)) {
	for _, l := range pr.links {
		if l.rules[d] == nil || l.rules[d.back()] == nil {
			continue
		}
		l.rules[d].pairs("", func(_ string, below *pair, _ direction) {
			if below.kind == nil {
				f(l, below)
			}
		})
	}
}

// unusedCarriers reports markers that no conversion uses.
func (p *planner) unusedCarriers() {
	unused := func(l marker.List, name string) {
		for _, m := range l.All("askind:carry") {
			if m.Value != "false" && !p.carriers[m.Pos] && p.once("carry "+p.u.Position(m.Pos).String()) {
				p.c.Errorf(m.Pos, "convert-carry",
					"%s cannot be carried: no conversion of this package converts its struct field by field", name)
			}
		}
	}
	for _, t := range p.pkg.Served() {
		if t.Named.TypeParams().Len() > 0 {
			continue
		}
		unused(t.Markers, "a field unknown to "+t.Name)
		for _, f := range t.Fields {
			unused(f.Markers, t.Name+"."+f.Name)
		}
	}
}

// checkKind reports an error if a kind of the pair has no annotations, or if a hand-written
// function does not carry.
func (p *planner) checkKind(pr *pair) {
	if t := pr.unannotated(); t != nil {
		p.c.Errorf(pr.kind.Pos, "convert-carry",
			"fields marked +askind:carry are stored in the annotations of the object, but %s has no metadata with "+
				"annotations", p.typeName(t.Named)).
			Suggest("add metadata, or declare the fields with +askind:drop and +askind:absent")
		return
	}
	for d := range pr.ways {
		w := &pr.ways[d]
		if w.hand == nil || p.hands.mentions(p.walkerName(pr, direction(d))) > 0 {
			continue
		}
		p.c.Errorf(w.hand.fn.Pos(), "convert-carry",
			"%s has fields to carry, so %s, which is hand-written, must carry them at its end", pr.kind.Name,
			w.hand.fn.Name()).
			Suggest("return %s", strings.Replace(p.carryCall(pr, direction(d)), "%s", "carry.Object", 1))
	}
}

// unannotated returns the type of a pair of kinds that has no annotations to carry anything in, or
// nil.
func (pr *pair) unannotated() *model.Type {
	if annotations(pr.kind) == "" {
		return pr.spoke
	}
	if k := pr.peer.pkg.Kind(pr.hub.Name); k == nil || annotations(k) == "" {
		return pr.hub
	}
	return nil
}

// canCarry reports whether the value of a field can be carried in an annotation, as far as the kind
// around it and the field itself determine.
func (p *planner) canCarry(pr *pair, f place) bool {
	if root := pr.around(nil); root.kind != nil && root.unannotated() != nil {
		return false
	}
	why, _ := p.uncarriable(f)
	return why == ""
}

// uncarriable returns why a field cannot be carried, and the field in it that is the reason, if
// any. It returns "" if nothing about the field itself prevents it.
func (p *planner) uncarriable(f place) (why string, inner *model.Field) {
	const public = "marked as sensitive, and anyone who can read an object can read its annotations"
	if slices.ContainsFunc(f.fields, p.isSensitive) {
		return "it is " + public, nil
	}
	if secret := p.sensitiveBelow(f.typ()); secret != nil {
		return secret.Name + " in it is " + public, secret
	}
	switch last := f.last(); {
	case last.JSON.Skip || !last.Exported():
		return "values are carried as JSON, which omits it", nil
	case !visible(f, p.pkg.Go):
		return "the path to it leads through an unexported field of another package", nil
	}
	return "", nil
}

// annotations returns the selector of the annotations of an object of the kind, or "" if it has
// none.
func annotations(k *model.Kind) string {
	if k.Metadata == nil || k.IsList {
		return ""
	}
	st, ok := k.Metadata.Type.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	for f := range st.Fields() {
		if f.Name() == "Annotations" &&
			types.Identical(f.Type(), types.NewMap(types.Typ[types.String], types.Typ[types.String])) {
			return k.Metadata.Name + ".Annotations"
		}
	}
	return ""
}

// carryCall returns the call that carries for a kind, in which %s stands for the function.
func (p *planner) carryCall(pr *pair, d direction) string {
	kinds := []*model.Kind{pr.kind, pr.peer.pkg.Kind(pr.hub.Name)}
	if d == fromHub {
		slices.Reverse(kinds)
	}
	return "%s(s, &out." + annotations(kinds[1]) + ", " + strconv.Quote(kindName(kinds[0])) + ", " +
		strconv.Quote(kindName(kinds[1])) + ", in, out, " + p.walkerName(pr, d) + ")"
}

// kindName returns the name of a kind in the annotation: apiVersion/Kind.
func kindName(k *model.Kind) string { return k.Package.APIVersion() + "/" + k.Name }

// checkWay reports an error if a pair cannot be reached in both directions.
func (p *planner) checkWay(pr *pair) {
	for d := range pr.ways {
		for _, l := range pr.links {
			r, other, h := l.rules[d], l.rules[direction(d).back()], pr.ways[d].hand
			if r != nil || other == nil || h == nil {
				continue
			}
			other.pairs("", func(_ string, below *pair, _ direction) {
				if below.walks && below.kind == nil {
					p.c.Errorf(l.spoke.last().Pos, "convert-carry",
						"%s has fields to carry below, but %s, which is hand-written, does not convert it "+
							"field by field", p.fieldName(pr.spoke, l.spoke), h.fn.Name()).
						Relate(p.u.Position(h.fn.Pos()), "%s", h.fn.Name()).
						Suggest("if err := %sFields(in, out, s); err != nil {\n\treturn err\n}",
							emit.LowerFirst(pr.ways[d].name))
				}
			})
		}
	}
}

// checkLeft reports values that hand-written functions convert although fields below them are to be
// carried.
func (p *planner) checkLeft(pr *pair) {
	lost := func(t types.Type, f place, fn *types.Func) {
		if m := p.carriesBelow(t); m != nil && p.once("carry "+p.u.Position(m.Pos).String()) {
			p.c.Errorf(m.Pos, "convert-carry",
				"the marked field is lost where %s, which is hand-written, converts %s", fn.Name(),
				p.fieldName(pr.spoke, f)).
				Relate(p.u.Position(fn.Pos()), "%s", fn.Name())
		}
	}
	if !pr.ways[toHub].generated() && !pr.ways[fromHub].generated() {
		for _, f := range p.membersOf(pr.spoke) {
			lost(f.typ(), f, pr.ways[toHub].hand.fn)
		}
		return
	}
	for _, l := range pr.links {
		left := true
		for _, r := range l.rules {
			if r == nil {
				continue
			}
			left = false
			r.hands(func(h *hand) {
				if !r.hasPair() {
					lost([]types.Type{h.in, h.out}[r.dir], l.spoke, h.fn)
				}
			})
		}
		for i := range pr.ways {
			if h := pr.ways[i].hand; left && h != nil {
				lost(l.spoke.typ(), l.spoke, h.fn)
			}
		}
	}
}

// carriesBelow returns a marker of a carried field in a type of this package or below it. Nested
// kinds are skipped.
func (p *planner) carriesBelow(t types.Type) (found *marker.Marker) {
	enter := func(t *model.Type) bool {
		if isKind(t) {
			return false
		}
		found = cmp.Or(found, carryMarker(t.Markers))
		return found == nil
	}
	for f := range p.u.FieldsBelow(t, enter) {
		if found = cmp.Or(found, carryMarker(f.Markers)); found != nil {
			break
		}
	}
	return found
}

// checkCarried checks the carried fields of one side of a pair.
func (p *planner) checkCarried(pr *pair, d direction) {
	owner, _ := pr.types(d)
	losses := pr.carriedLosses(d)
	if len(losses) == 0 {
		return
	}
	for i, l := range losses {
		if why, inner := p.uncarriable(l.at); inner != nil {
			p.carryProblem(owner, l, "%s", why).Relate(p.u.Position(inner.Pos), "%s", inner.Name)
		} else if why != "" {
			p.carryProblem(owner, l, "%s", why)
		}
		for _, g := range l.carried.named {
			if slices.ContainsFunc(g.fields, p.isSensitive) || p.sensitiveBelow(g.typ()) != nil {
				p.carryProblem(owner, l, "%s is or holds a secret, and a hash of it would be in an annotation",
					g.path())
			}
		}
		for _, other := range losses[:i] {
			if l.at.within(other.at) { // they are sorted
				p.carryProblem(owner, l, "%s is carried already", other.at.path())
			}
		}
	}
	for _, op := range []model.Op{model.AppendJSON, model.DecodeJSON} {
		if !p.u.Func(op, owner.Named).Exists() {
			p.carryProblem(owner, losses[0],
				"values are carried as JSON, and there is no function %s; structs that are not generic have one if their "+
					"package has +groupName or +askind:generate", op.Name(owner.Name))
			return
		}
	}
}

// carryProblem reports why a field cannot be carried.
func (p *planner) carryProblem(owner *model.Type, l loss, format string, args ...any) *diag.Diagnostic {
	return p.c.Errorf(l.carried.m.Pos, "convert-carry", "%s cannot be carried: "+format,
		slices.Concat([]any{p.fieldName(owner, l.at)}, args)...)
}

// isSensitive reports whether a field holds a secret.
func (p *planner) isSensitive(f *model.Field) bool {
	has, _ := p.u.FieldTrait(model.Sensitive, f)
	return has
}

// sensitiveBelow returns a field with a secret below a type, or nil.
func (p *planner) sensitiveBelow(t types.Type) *model.Field {
	for f := range p.u.FieldsBelow(t, nil) {
		if p.isSensitive(f) {
			return f
		}
	}
	return nil
}

// guard is what some carried fields of one side of a pair depend on.
type guard struct {
	// dir is the direction in which the fields leave their side.
	dir    direction
	losses []loss
}

// planGuards groups the carried fields of one side by their guards.
func (p *planner) planGuards(pr *pair, d direction) {
	for _, l := range pr.carriedLosses(d) {
		i := slices.IndexFunc(pr.guards, func(g *guard) bool {
			c := g.losses[0].carried
			return g.dir == d && c.unguarded == l.carried.unguarded && slices.Equal(c.guard, l.carried.guard)
		})
		if i < 0 {
			i = len(pr.guards)
			pr.guards = append(pr.guards, &guard{dir: d})
		}
		pr.guards[i].losses = append(pr.guards[i].losses, l)
	}
}

// findGuards determines the guards of the carried fields of one side: the fields that the marker
// names, or else the innermost struct around the field.
func (p *planner) findGuards(pr *pair, d direction) {
	owner, _ := pr.types(d)
	for _, l := range pr.carriedLosses(d) {
		c := l.carried
		if c.unguarded {
			continue
		}
		for _, at := range c.named {
			c.guard = append(c.guard, pathText(at))
		}
		if len(c.named) == 0 {
			p.guardByStruct(owner, l)
		}
	}
}

// guardByStruct guards a carried field by the innermost struct around it, excluding the secrets in
// that struct. A kind, its metadata, spec and status are not used as guards.
func (p *planner) guardByStruct(owner *model.Type, l loss) {
	c, t, path := l.carried, types.Type(owner.Named), ""
	for i, f := range l.at.fields[:len(l.at.fields)-1] {
		if !inlined(f) {
			around := place{fields: l.at.fields[:i+1], names: l.at.names[:namesOf(l.at, i+1)]}
			t, path = f.Type, pathText(around)
		}
	}
	if p.isPart(owner, path) {
		c.unguarded = true
		return
	}
	left := maxPaths
	counted, why := p.counted(t, path, nil, &left)
	if why != "" {
		if p.once("secrets " + p.typeName(owner.Named)) {
			p.carryProblem(owner, l, "its guard must exclude the secrets in %s, %s; name the fields of the guard",
				p.typeName(t), why).
				Suggest("// +askind:carry:guard=name;zone")
		}
		return
	}
	c.unguarded = counted == nil
	if !slices.Equal(counted, []string{""}) {
		c.guard = counted
	}
}

// namesOf returns how many names the first n steps of a place add to its path.
func namesOf(at place, n int) int {
	count := 0
	for _, f := range at.fields[:n] {
		if !inlined(f) {
			count++
		}
	}
	return count
}

// isPart reports whether the value at a path of a struct is an object, or the metadata, spec or
// status of an object.
func (p *planner) isPart(owner *model.Type, path string) bool {
	parts := []string{"metadata", "spec", "status"}
	if isKind(owner) {
		return path == "" || slices.Contains(parts, path)
	}
	return path == "" && slices.ContainsFunc(p.kinds, func(pr *pair) bool {
		return slices.ContainsFunc([]*model.Type{pr.spoke, pr.hub}, func(kind *model.Type) bool {
			return slices.ContainsFunc(members(p.u, kind.Struct), func(m place) bool {
				n, _ := model.StructOf(m.typ())
				return n != nil && types.Identical(n, owner.Named) && slices.Contains(parts, m.key)
			})
		})
	})
}

// counted returns the paths of a value that may be hashed: the value itself if it contains no
// secrets, or else its parts without secrets. It returns a reason if it fails: for recursive types
// with secrets, and if it has to look at more paths than are left.
func (p *planner) counted(t types.Type, at string, above []types.Type, left *int) (paths []string, why string) {
	t = types.Unalias(t)
	if p.sensitiveBelow(t) == nil {
		return []string{at}, ""
	}
	if slices.Contains(above, t) {
		return nil, "which is a recursive type"
	}
	if *left--; *left < 0 {
		return nil, "to which too many paths lead"
	}
	above = append(slices.Clone(above), t)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return p.counted(u.Elem(), at, above, left)
	case *types.Slice, *types.Array, *types.Map:
		return p.counted(model.Elem(u), at+"[*]", above, left)
	case *types.Struct:
		var out []string
		for _, m := range members(p.u, u) {
			if strings.HasPrefix(m.key, "go:") || slices.ContainsFunc(m.fields, p.isSensitive) {
				continue
			}
			counted, why := p.counted(m.typ(), join(at, pathText(m)), above, left)
			if why != "" {
				return nil, why
			}
			out = append(out, counted...)
		}
		return out, ""
	}
	return nil, ""
}

// wayBase returns the name of a conversion without its first word.
func wayBase(name string) string { return name[len("convert"):] }

// walkerName returns the name of the walker function of a pair.
func (p *planner) walkerName(pr *pair, d direction) string {
	if pr.walkers[d] == "" {
		pr.walkers[d] = p.free("carry" + wayBase(pr.ways[d].name))
	}
	return pr.walkers[d]
}

// free returns a name that no other function of this file has. The names of two types may differ
// only in the case of their first letter.
func (p *planner) free(name string) string {
	for !p.once("function " + name) {
		name += "_"
	}
	return name
}
