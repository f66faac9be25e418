package conversion

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// matcher pairs the fields of one struct pair.
type matcher struct {
	*planner
	pr         *pair
	spoke, hub []place
	// taken maps the ids of filled hub paths to the link that fills them.
	taken map[string]*link
	// open holds the spoke fields still to be matched by name.
	open []place
}

// match decides how every field of a pair converts. Markers take precedence over names. Remaining
// fields are an error unless a hand-written function handles the struct.
func (p *planner) match(pr *pair) {
	if !pr.ways[toHub].generated() && !pr.ways[fromHub].generated() {
		p.declaredLosses(pr)
		return
	}
	m := &matcher{planner: p, pr: pr, taken: map[string]*link{}}
	m.spoke, m.hub = p.membersOf(pr.spoke), p.membersOf(pr.hub)
	// Two fields with the same JSON name have already been reported.
	unclear := func(at place) bool {
		name := at.last().JSON.Name
		return len(at.fields) == 1 && (pr.spoke.SharesName(name) || pr.hub.SharesName(name))
	}
	m.spoke, m.hub = slices.DeleteFunc(m.spoke, unclear), slices.DeleteFunc(m.hub, unclear)
	pr.whole = p.wholeStruct(pr)
	m.embedded()
	m.markedEmbedded()
	for _, f := range m.spoke {
		m.markers(f)
	}
	for _, l := range p.moves[keyOf(pr.spoke.Named, pr.hub.Named)] {
		m.take(l)
	}
	m.byName()
	m.absent()
	for _, f := range m.open {
		m.uncovered(f)
	}
	for _, h := range m.hub {
		m.cover(h)
	}
	for _, l := range pr.links {
		m.rules(l)
	}
	if !pr.whole {
		p.unexported(pr.spoke)
		p.unexported(pr.hub)
	}
}

// unexported reports the fields of a struct that its conversions skip because they are not
// exported. Structs of other modules are ignored, because the user cannot change them.
func (p *planner) unexported(t *model.Type) {
	if !t.Package.Main() {
		return
	}
	for _, f := range t.Fields {
		if f.Name == "_" || f.Exported() || f.Embedded || hasOwnMarker(f) || f.Markers.Has("askind:nolint") ||
			!p.once("unexported "+p.u.Position(f.Pos).String()) {
			continue
		}
		p.c.Warnf(f.Pos, "convert-unexported",
			"%s.%s is not exported, so conversions between versions lose it; export it, or declare the loss",
			p.typeName(t.Named), f.Name).
			Suggest("// +askind:nolint:rule=field-unexported,reason=\"why nothing needs the value after a conversion\"")
	}
}

// membersOf returns the fields of a struct that a conversion fills. For a kind, it omits the type
// meta, which the scheme writes; in other structs, such as object references, it is ordinary data.
// Unexported fields take part only if they have a marker.
func (p *planner) membersOf(t *model.Type) []place {
	kind := isKind(t)
	return slices.DeleteFunc(members(p.u, t.Struct), func(m place) bool {
		return kind && model.IsTypeMeta(m.fields[0]) || isPrivate(m)
	})
}

// isPrivate reports whether a field is skipped because it is not exported and has no marker.
func isPrivate(m place) bool {
	f := m.last()
	return !f.Exported() && !f.Embedded && !hasOwnMarker(f)
}

// hasOwnMarker reports whether a field has a marker of this generator, other than one that disables
// a lint rule.
func hasOwnMarker(f *model.Field) bool {
	return slices.ContainsFunc(f.Markers, func(m *marker.Marker) bool {
		return strings.HasPrefix(m.Name, "askind:") && m.Name != "askind:nolint"
	})
}

// inside lists the fields of the struct at a place that take part in conversions, and reports the
// unexported ones that do not.
func (p *planner) inside(at place) []place {
	named, st := model.StructOf(at.typ())
	if named != nil {
		if t := p.u.Type(named); t != nil {
			p.unexported(t)
		}
	}
	return slices.DeleteFunc(members(p.u, st), isPrivate)
}

// private lists the unexported fields of a struct that conversions skip.
func (p *planner) private(t *model.Type) []string {
	var out []string
	for _, m := range members(p.u, t.Struct) {
		if isPrivate(m) {
			out = append(out, p.typeName(t.Named)+"."+m.last().Name)
		}
	}
	return out
}

func isKind(t *model.Type) bool { return t.Package.Kind(t.Name) != nil }

// wholeStruct reports whether the two structs have the same fields with the same types, order and
// tags, so that a Go conversion works and stops compiling when they begin to differ.
func (p *planner) wholeStruct(pr *pair) bool {
	if !types.Identical(pr.spoke.Struct, pr.hub.Struct) || isKind(pr.spoke) || pr.spoke.Markers.Has("askind:absent") ||
		pr.spoke.Markers.Has("askind:carry") {
		return false
	}
	return !slices.ContainsFunc(pr.spoke.Fields, func(f *model.Field) bool {
		return f.Markers.Has("askind:to") || f.Markers.Has("askind:drop") || f.Markers.Has("askind:carry")
	})
}

// embedded links embedded structs of the same type as a whole.
func (m *matcher) embedded() {
	for _, f := range m.pr.spoke.Fields {
		if !inlined(f) || model.IsTypeMeta(f) && isKind(m.pr.spoke) {
			continue
		}
		i := slices.IndexFunc(m.pr.hub.Fields, func(h *model.Field) bool {
			return inlined(h) && types.Identical(h.Type, f.Type)
		})
		if i < 0 {
			continue
		}
		h := m.pr.hub.Fields[i]
		m.spoke = without(m.spoke, f)
		m.hub = without(m.hub, h)
		m.pr.links = append(m.pr.links, &link{spoke: wholeField(f), hub: wholeField(h)})
	}
}

// markedEmbedded handles embedded structs with their own markers as a whole, instead of by field.
func (m *matcher) markedEmbedded() {
	for _, f := range m.pr.spoke.Fields {
		fields := without(slices.Clone(m.spoke), f)
		if !inlined(f) || len(fields) == len(m.spoke) {
			continue
		}
		carry, to := carryMarker(f.Markers), f.Markers.Get("askind:to")
		switch {
		case carry != nil:
			m.carriers[carry.Pos] = true
			m.c.Errorf(carry.Pos, "convert-carry", "%s is embedded, so its fields are carried one by one; mark the fields",
				f.Name)
			m.spoke = fields
		case to != nil && strings.HasPrefix(to.Value, anchorMark):
			m.c.Errorf(to.ValuePos, "convert-marker",
				"an embedded struct has no path from the kind; write a path relative to the enclosing struct, or mark its fields")
			m.spoke = fields
		case to != nil || f.Markers.Has("askind:drop"):
			m.spoke = append(fields, wholeField(f))
		}
	}
}

func wholeField(f *model.Field) place {
	return place{fields: []*model.Field{f}, key: "go:" + f.Name, whole: true}
}

// without removes the fields promoted from an embedded one.
func without(all []place, embedded *model.Field) []place {
	return slices.DeleteFunc(all, func(p place) bool { return len(p.fields) > 1 && p.fields[0].Var == embedded.Var })
}

// markers handles a spoke field according to its markers.
func (m *matcher) markers(f place) {
	field := f.last()
	drop, to, carry := field.Markers.Get("askind:drop"), field.Markers.Get("askind:to"), carryMarker(field.Markers)
	if carry != nil && to != nil && drop == nil {
		m.carriers[carry.Pos] = true
		m.c.Errorf(carry.Pos, "convert-marker",
			"a field is either carried or mapped, not both").Relate(m.u.Position(to.Pos), "+askind:to")
	}
	switch {
	case drop != nil:
		for _, other := range []*marker.Marker{to, carry} {
			if other != nil {
				m.carriers[other.Pos] = true
				m.c.Errorf(other.Pos, "convert-marker", "a field is either dropped or %s, not both",
					map[bool]string{true: "mapped", false: "carried"}[other == to]).
					Relate(m.u.Position(drop.Pos), "+askind:drop")
			}
		}
		m.drop(f, drop)
	case carry != nil && to == nil && !m.known(f):
		m.carry(f, carry)
	case to == nil:
		m.open = append(m.open, f)
	case to.Value == ".":
		_, st := model.StructOf(f.typ())
		if st == nil {
			m.c.Errorf(to.ValuePos, "convert-marker",
				"+askind:to=. matches the fields of a struct with those of the hub, but %s is not a struct", field.Name)
			return
		}
		for _, below := range m.inside(f) {
			m.markers(f.below(below))
		}
	case strings.HasPrefix(to.Value, anchorMark):
		if m.anchored[field.Var] {
			m.pr.anchored = append(m.pr.anchored, f)
		} else { // it is not below a kind, or the marker is not for this hub
			m.open = append(m.open, f)
		}
	default:
		m.to(f, to)
	}
}

func (m *matcher) drop(f place, mark *marker.Marker) {
	if strings.TrimSpace(mark.Value) == "" && mark.Raw != "" {
		m.c.Errorf(mark.ValuePos, "convert-marker",
			"a dropped field needs a reason").Suggest(`// +askind:drop="why the hub does not need it"`)
	}
	m.pr.losses[toHub] = append(m.pr.losses[toHub], loss{at: f, reason: mark.Value, pos: mark.Pos})
}

// to links a field to the path in its marker. With several hubs, the path may be meant for another
// one, so a hub that lacks the path but has a field of the same name is matched by name.
func (m *matcher) to(f place, mark *marker.Marker) {
	if at, _, _ := resolve(m.u, m.pr.hub.Struct, mark.Value); at == nil && len(m.pkg.Hubs()) > 1 {
		if slices.ContainsFunc(m.hub, func(h place) bool { return h.key == f.key }) {
			m.open = append(m.open, f)
			return
		}
	}
	hub, meant := m.resolveMarker(m.pr, mark, mark.Value, "")
	if hub != nil {
		m.take(&link{spoke: f, hub: *hub, moved: true})
	} else {
		m.settle(f, meant)
	}
}

// take records a link unless the hub field is filled already.
func (m *matcher) take(l *link) {
	if other := m.taken[l.hub.id()]; other != nil {
		m.mappedTwice(m.pr, l, m.pr, other)
		return
	}
	m.taken[l.hub.id()] = l
	m.pr.links = append(m.pr.links, l)
}

// mappedTwice reports a field of a pair that is mapped to the same place as another field, that of
// the pair itself or of one below it.
func (p *planner) mappedTwice(pr *pair, l *link, owner *pair, other *link) {
	p.c.Errorf(l.spoke.last().Pos, "convert-unmapped", "both %s and %s are mapped to %s of %s",
		p.fieldName(owner.spoke, other.spoke), p.fieldName(pr.spoke, l.spoke), l.hub.path(),
		p.typeName(pr.hub.Named)).
		Relate(p.u.Position(other.spoke.last().Pos), "the other field")
}

// settle records that a hub field will be filled once an error about a spoke field is fixed, so
// that it is not reported too.
func (m *matcher) settle(f place, path string) {
	if at, _, _ := resolve(m.u, m.pr.hub.Struct, path); at != nil && m.taken[at.id()] == nil {
		m.taken[at.id()] = &link{spoke: f}
	}
}

// byName links fields with the same JSON name or, where a side has no JSON tag, the same Go name,
// unless another field has that JSON name.
func (m *matcher) byName() {
	var rest []place
	for _, f := range m.open {
		i := slices.IndexFunc(m.hub, func(h place) bool { return m.taken[h.id()] == nil && f.key == h.key })
		if i < 0 {
			i = slices.IndexFunc(m.hub, func(h place) bool {
				return m.taken[h.id()] == nil && sameGoName(f, h) &&
					!slices.ContainsFunc(m.open, func(o place) bool { return o.key == h.key })
			})
		}
		if i < 0 {
			rest = append(rest, f)
			continue
		}
		m.take(&link{spoke: f, hub: m.hub[i]})
	}
	m.open = rest
}

func sameName(f, h place) bool { return f.key == h.key || sameGoName(f, h) }

// sameGoName reports whether two fields match by their Go names, which are used where a side has no
// JSON tag.
func sameGoName(f, h place) bool {
	a, b := f.last(), h.last()
	return (!a.JSON.Present || !b.JSON.Present) && !a.JSON.Skip && !b.JSON.Skip && a.Exported() && b.Exported() &&
		a.Name == b.Name
}

// absent applies the markers for hub fields that the spoke lacks.
func (m *matcher) absent() {
	for _, mark := range m.pr.spoke.Markers.All("askind:absent") {
		path, ok := mark.Arg("field")
		reason, _ := mark.Arg("reason")
		if !ok {
			continue
		}
		at, _, known := resolve(m.u, m.pr.hub.Struct, path)
		m.track(mark, at != nil, known)
		if at == nil {
			continue
		}
		if l := m.taken[at.id()]; l != nil {
			m.notAbsent(mark.ArgAt("field").ValuePos, m.pr, path, false, m.pr, l)
			continue
		}
		if strings.TrimSpace(reason) == "" {
			if a := mark.ArgAt("reason"); a != nil {
				m.c.Errorf(a.ValuePos, "convert-marker", "an absent field needs a reason")
			}
		}
		m.pr.losses[fromHub] = append(m.pr.losses[fromHub], loss{at: *at, reason: reason, pos: mark.Pos})
	}
	m.carriedBack()
}

// notAbsent reports a marker for a hub field of a pair to which a field is mapped, that of the pair
// itself or of one below it.
func (p *planner) notAbsent(pos token.Pos, pr *pair, path string, carried bool, owner *pair, other *link) {
	code, what := "convert-marker", "is not absent"
	if carried {
		code, what = "convert-carry", "need not be carried"
	}
	p.c.Errorf(pos, code, "%s of %s %s: %s is mapped to it", path, p.typeName(pr.hub.Named), what,
		p.fieldName(owner.spoke, other.spoke)).
		Relate(p.u.Position(other.spoke.last().Pos), "%s", other.spoke.last().Name)
}

func isAbsent(pr *pair, h place) bool {
	return slices.ContainsFunc(pr.losses[fromHub], func(l loss) bool { return l.at.id() == h.id() })
}

// uncovered handles a spoke field without a counterpart: its parts may have counterparts; otherwise
// it is an error.
func (m *matcher) uncovered(f place) {
	if _, st := model.StructOf(f.typ()); st != nil && m.hasAnchors(st, map[*types.Struct]bool{}) {
		for _, below := range m.inside(f) {
			at := f.below(below)
			switch mark := below.last().Markers.Get("askind:drop"); {
			case mark != nil:
				m.drop(at, mark)
			case carryMarker(below.last().Markers) != nil:
				m.carry(at, carryMarker(below.last().Markers))
			case m.anchored[below.last().Var]:
				m.pr.anchored = append(m.pr.anchored, at)
			default:
				m.uncovered(at)
			}
		}
		return
	}
	if m.pr.leave(toHub, f) {
		return
	}
	m.pr.missing[toHub] = append(m.pr.missing[toHub], f)
	hubName := m.typeName(m.pr.hub.Named)
	for _, h := range m.hub {
		if h.last().Name == f.last().Name && m.taken[h.id()] == nil && !isAbsent(m.pr, h) {
			m.c.Errorf(f.last().Pos, "convert-unmapped",
				"%s is %q in JSON and %s is %q: fields are matched by their JSON names", m.named(m.pr, toHub,
					f), f.path(), m.fieldName(m.pr.hub, h), h.path()).
				Relate(m.u.Position(h.last().Pos), "%s.%s", hubName, h.last().Name).
				Suggest("// +askind:to=%s", h.path())
			m.settle(f, h.path())
			return
		}
		if other := m.taken[h.id()]; other != nil && sameName(f, h) {
			m.c.Errorf(f.last().Pos, "convert-unmapped", "%s matches %s by name, but %s is mapped to it",
				m.named(m.pr, toHub, f), m.fieldName(m.pr.hub, h), m.fieldName(m.pr.spoke, other.spoke)).
				Relate(m.u.Position(other.spoke.last().Pos), "the other field").
				Suggest(`// +askind:drop="why %s does not need it"`, m.pr.peer.pkg.Version)
			return
		}
	}
	advice := "drop it"
	if m.canCarry(m.pr, f) {
		advice = "drop it, or restore it with +askind:carry"
	}
	var free, alike []string
	for _, h := range m.hub {
		if m.taken[h.id()] == nil && !isAbsent(m.pr, h) {
			free = append(free, h.path())
			if types.Identical(h.typ(), f.typ()) {
				alike = append(alike, h.path())
			}
		}
	}
	near, ok := schema.Nearest(f.path(), free)
	// A renamed field keeps its type, and often nothing of its name.
	switch {
	case ok:
	case len(alike) == 1:
		near, ok = alike[0], true
		advice = "if it is " + near + " there, say so; otherwise " + advice
	case len(alike) > 1:
		advice = "if it has another name there, one of " + strings.Join(alike[:min(len(alike), 5)], ", ") +
			", say so with +askind:to; otherwise " + advice
	}
	d := m.c.Errorf(f.last().Pos, "convert-unmapped", "%s has no counterpart in %s; %s", m.named(m.pr, toHub, f),
		hubName, advice).
		Relate(m.u.Position(m.pr.hub.Pos), "%s", hubName)
	if ok {
		d.Suggest("// +askind:to=%s", near)
		m.settle(f, near)
		return
	}
	d.Suggest(`// +askind:drop="why %s does not need it"`, m.pr.peer.pkg.Version)
}

// leave records a field that only the hand-written functions of the pair can convert.
func (pr *pair) leave(d direction, f place) bool {
	if pr.ways[toHub].hand == nil || pr.ways[fromHub].hand == nil {
		return false
	}
	w := &pr.ways[d]
	w.left = append(w.left, f.path())
	pr.leftPlaces[d] = append(pr.leftPlaces[d], f)
	return true
}

func (m *matcher) hasAnchors(st *types.Struct, seen map[*types.Struct]bool) bool {
	if seen[st] {
		return false
	}
	seen[st] = true
	for _, below := range members(m.u, st) {
		if m.anchored[below.last().Var] {
			return true
		}
		if _, inner := model.StructOf(below.typ()); inner != nil && m.hasAnchors(inner, seen) {
			return true
		}
	}
	return false
}

// cover finds what fills a hub field: a link, a marker, or links and markers for all of its parts.
// Other fields may still be filled by the callers of the pair, which finish determines.
func (m *matcher) cover(h place) {
	if m.taken[h.id()] != nil || isAbsent(m.pr, h) {
		return
	}
	some := slices.ContainsFunc(m.pr.losses[fromHub], func(l loss) bool { return l.at.startsWith(h) })
	for taken := range m.taken {
		some = some || strings.HasPrefix(taken, h.id()+step)
	}
	if _, st := model.StructOf(h.typ()); st != nil && some {
		for _, below := range m.inside(h) {
			m.cover(h.below(below))
		}
		return
	}
	m.pr.looseHub = append(m.pr.looseHub, h)
}

// rules finds the rules of a link for the directions that are generated.
func (m *matcher) rules(l *link) {
	var via []*hand
	if mark := l.spoke.last().Markers.Get("askind:via"); mark != nil {
		via = m.viaNames(mark, l)
		m.checkVia(l, mark, via)
	}
	var misfits []string
	var why string
	failed := 0
	for d := range l.rules {
		w := &m.pr.ways[d]
		if !w.generated() {
			continue
		}
		src, dst := l.ends(direction(d))
		c := at{pair: m.pr, link: l, dir: direction(d), via: via, zeroIsNil: src.last().OmitsZero()}
		r, fit := m.rule(src.typ(), dst.typ(), c)
		unknown := fit != nil // a function would help
		if fit == nil {
			fit = m.writable(src, dst)
		}
		if fit == nil {
			l.rules[d] = r
			r.hands(m.use)
			continue
		}
		if w.fields {
			w.left = append(w.left, src.path())
			continue
		}
		why = fit.why
		l.misfit[d] = true
		failed++
		if !unknown || types.Identical(fit.in, fit.out) || unnamedStruct(fit.in) || unnamedStruct(fit.out) ||
			m.hiddenIn(fit.in) != nil || m.hiddenIn(fit.out) != nil {
			continue
		}
		misfits = append(misfits, m.functionFor(emit.UpperFirst(l.spoke.last().Name), fit.in, fit.out, c))
	}
	if failed == 0 || model.ContainsInvalid(l.spoke.typ()) || model.ContainsInvalid(l.hub.typ()) {
		return
	}
	text := ""
	if why != "" {
		text = ": " + why
	}
	m.c.Errorf(l.spoke.last().Pos, "convert-type", "no rule converts %s (%s, %s) to %s (%s)%s%s",
		m.fieldName(m.pr.spoke, l.spoke), m.typeName(l.spoke.typ()), m.where(m.pr, toHub, l.spoke),
		m.fieldName(m.pr.hub, l.hub), m.typeName(l.hub.typ()), []string{"", " and back"}[failed-1], text).
		Relate(m.u.Position(l.hub.last().Pos), "%s", m.named(m.pr, fromHub, l.hub)).
		Suggest("%s", strings.Join(misfits, "\n"))
}

func unnamedStruct(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Struct)
	return ok
}

// writable returns why a value cannot be written: in order to allocate the structs on the path only
// for a non-zero value, the value must be comparable with zero.
func (m *matcher) writable(src, dst place) *misfit {
	if !visible(src, m.pkg.Go) || !visible(dst, m.pkg.Go) {
		return &misfit{src.typ(), dst.typ(), "an unexported field of another package cannot be reached"}
	}
	if len(dst.pointers()) == 0 {
		return nil
	}
	if _, ok := expr.NonZero("x", src.typ(), m.pkg.Go); !ok {
		return &misfit{
			src.typ(), dst.typ(),
			"the path leads through a pointer, and it is unknown whether the value is zero, so the pointer may have to stay nil",
		}
	}
	return nil
}

func visible(p place, from *types.Package) bool {
	return !slices.ContainsFunc(p.fields, func(f *model.Field) bool { return !f.Exported() && f.Var.Pkg() != from })
}

// checkVia reports functions named by a marker that its field cannot use.
func (m *matcher) checkVia(l *link, mark *marker.Marker, via []*hand) {
	for _, h := range via {
		fits := false
		for d := range l.rules {
			src, dst := l.ends(direction(d))
			fits = fits || reaches(src.typ(), h.in) && reaches(dst.typ(), h.out)
		}
		if !fits && m.once("via fits "+m.u.Position(mark.Pos).String()+h.fn.Name()) {
			m.c.Errorf(mark.ValuePos, "convert-marker",
				"%s converts %s to %s, which is not a direction of %s (%s) and %s (%s)", h.fn.Name(), m.typeName(h.in),
				m.typeName(h.out),
				m.fieldName(m.pr.spoke, l.spoke), m.typeName(l.spoke.typ()), m.fieldName(m.pr.hub,
					l.hub), m.typeName(l.hub.typ())).
				Relate(m.u.Position(h.fn.Pos()), "%s", h.fn.Name())
		}
	}
}

// reaches reports whether a type is, contains or points to another one.
func reaches(t, want types.Type) bool { return reachesBelow(t, want, 0) }

func reachesBelow(t, want types.Type, depth int) bool {
	if types.Identical(t, want) {
		return true
	}
	if depth++; depth > maxDepth {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Array:
		return reachesBelow(model.Elem(t), want, depth)
	case *types.Map:
		return types.Identical(t.Key(), want) || reachesBelow(t.Elem(), want, depth)
	}
	return false
}

// declaredLosses records the losses that markers declare for a pair with two hand-written
// functions.
func (p *planner) declaredLosses(pr *pair) {
	for _, f := range p.membersOf(pr.spoke) {
		if m := f.last().Markers.Get("askind:drop"); m != nil {
			pr.losses[toHub] = append(pr.losses[toHub], loss{at: f, reason: m.Value, pos: m.Pos})
		}
		if m := carryMarker(f.last().Markers); m != nil {
			(&matcher{planner: p, pr: pr}).carry(f, m)
		}
	}
	(&matcher{planner: p, pr: pr, taken: map[string]*link{}}).absent()
}
