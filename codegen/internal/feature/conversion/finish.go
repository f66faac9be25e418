package conversion

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// finish does the work that requires all pairs: it checks hub fields that only callers can fill,
// and reports unused markers and functions.
func (p *planner) finish() {
	p.findExternal()
	for _, pr := range p.pairs {
		for _, h := range pr.looseHub {
			p.coverOutside(pr, h)
		}
		p.checkTwice(pr)
		p.checkSecrets(pr)
		for _, losses := range pr.losses {
			slices.SortStableFunc(losses, func(a, b loss) int { return cmp.Compare(a.at.path(), b.at.path()) })
		}
	}
	byPos := func(a, b *marker.Marker) int { return cmp.Compare(a.Pos, b.Pos) }
	for _, m := range slices.SortedFunc(maps.Keys(p.absents), byPos) {
		use := p.absents[m]
		if use.found {
			continue
		}
		arg := m.ArgAt("field")
		d := p.c.Errorf(arg.ValuePos, "convert-marker", "no hub has %q, so the marker has no effect", arg.Value)
		if near, ok := schema.Nearest(arg.Value, use.known); ok {
			d.Suggest("// %s", strings.Replace(m.Line, arg.Value, near, 1))
		}
	}
	p.reportScopeless()
	for _, h := range p.hands.all {
		if h.fn.Exported() && len(p.pkg.Kinds) == 0 {
			continue // for the other packages that share this one
		}
		if !h.used && p.meantAsConversion(h) && p.hands.mentions(h.fn.Name()) < 2 {
			p.c.Warnf(h.fn.Pos(), "convert-unused", "%s converts %s to %s, which no conversion of this package uses",
				h.fn.Name(), p.typeName(h.in), p.typeName(h.out))
		}
	}
}

// reportScopeless reports functions that would convert two types but lack the scope or the result,
// such as those for another generator, and that nothing calls.
func (p *planner) reportScopeless() {
	for _, fn := range p.pkg.Functions() {
		s := fn.Signature()
		if _, _, ok := converts(s); ok || s.TypeParams().Len() > 0 || s.Params().Len() < 2 || s.Params().Len() > 3 ||
			!strings.HasPrefix(strings.ToLower(fn.Name()), "convert") {
			continue
		}
		for _, pr := range p.pairs {
			for d := range pr.ways {
				in, out := pr.types(direction(d))
				if !types.Identical(s.Params().At(0).Type(), types.NewPointer(in.Named)) ||
					!types.Identical(s.Params().At(1).Type(), types.NewPointer(out.Named)) ||
					p.hands.mentions(fn.Name()) > 1 {
					continue
				}
				p.c.Warnf(fn.Pos(), "convert-unused", "%s is not called; with another signature it would convert %s to %s",
					fn.Name(), p.typeName(in.Named), p.typeName(out.Named)).
					Suggest("%s", p.signatureOf(fn.Name(), in.Named, out.Named))
			}
		}
	}
}

// meantAsConversion distinguishes conversions between versions from other functions with the same
// signature, such as those that show an object as a table.
func (p *planner) meantAsConversion(h *hand) bool {
	if h.reserved || strings.HasPrefix(strings.ToLower(h.fn.Name()), "convert") {
		return true
	}
	peer := func(t types.Type) bool {
		n, ok := types.Unalias(t).(*types.Named)
		return ok && slices.ContainsFunc(p.pairs, func(pr *pair) bool { return pr.peer.pkg.Go == n.Obj().Pkg() })
	}
	return p.local(h.in) && peer(h.out) || peer(h.in) && p.local(h.out)
}

// findExternal computes for every pair the hub paths that each of its callers fills after the call.
// A caller fills paths below the field for which it calls: by its own moves, with zero where one of
// its markers declares them absent, and by what its own callers fill. A call for the elements of a
// list fills nothing. The sets start with all paths and shrink until nothing changes.
func (p *planner) findExternal() {
	for changed := true; changed; {
		changed = false
		for _, pr := range p.pairs {
			var all map[string]bool
			if pr.root {
				all = map[string]bool{}
			}
			for _, s := range pr.sites {
				filled, known := s.fills()
				switch {
				case !known:
				case all == nil:
					all = filled
				default:
					maps.DeleteFunc(all, func(path string, _ bool) bool { return !filled[path] })
				}
			}
			if all != nil && (pr.external == nil || len(all) < len(pr.external)) {
				pr.external, changed = all, true
			}
		}
	}
}

// fills returns the ids of the paths that a call site fills in the struct passed to the call. They
// are unknown until those of the calling pair are known.
func (s site) fills() (map[string]bool, bool) {
	out := map[string]bool{}
	if s.inside {
		return out, true
	}
	if s.pair.external == nil {
		return nil, false
	}
	fill := func(id string) {
		if rest, ok := strings.CutPrefix(id, s.link.hub.id()+step); ok {
			out[rest] = true
		}
	}
	for _, l := range s.pair.links {
		fill(l.hub.id())
	}
	for _, l := range s.pair.losses[fromHub] {
		fill(l.at.id())
	}
	for id := range s.pair.external {
		fill(id)
	}
	return out, true
}

// checkTwice reports places of the hub that two fields of the spoke would fill, or a field and the
// zero of a marker, because one is a part of what the other converts: the one written last would
// replace the other.
func (p *planner) checkTwice(pr *pair) {
	for _, l := range pr.links {
		if l.rules[toHub] == nil {
			continue
		}
		if owner, other := pr.fillerAround(l.hub); other != nil {
			p.mappedTwice(pr, l, owner, other)
		}
	}
	for _, l := range pr.losses[fromHub] {
		if owner, other := pr.fillerAround(l.at); other != nil {
			p.notAbsent(l.pos, pr, l.at.path(), l.carried != nil, owner, other)
		}
	}
}

// fillerAround returns the link that fills a place of the hub, or a part of it, as a part of a
// value around it, with the pair of the link, or nil. What hand-written functions fill is unknown.
func (pr *pair) fillerAround(at place) (*pair, *link) {
	for _, l := range pr.links {
		r := l.rules[toHub]
		if r == nil || !at.under(l.hub) {
			continue
		}
		if !r.converts() {
			return pr, l
		}
		rest := at.from(l.hub)
		var owner *pair
		var found *link
		r.pairs("", func(_ string, below *pair, d direction) {
			if d == toHub && found == nil {
				owner, found = below.filler(rest)
			}
		})
		if found != nil {
			return owner, found
		}
	}
	return nil, nil
}

// filler is like [pair.fillerAround], for a value that the pair itself may convert.
func (pr *pair) filler(at place) (*pair, *link) {
	for _, l := range pr.links {
		if l.rules[toHub] != nil && (comparePlaces(l.hub, at) == 0 || l.hub.under(at)) {
			return pr, l
		}
	}
	return pr.fillerAround(at)
}

// coverOutside reports a hub field that nothing fills.
func (p *planner) coverOutside(pr *pair, h place) {
	path := h.path()
	if pr.external[h.id()] || isAbsent(pr, h) {
		return
	}
	some := false
	for e := range pr.external {
		some = some || strings.HasPrefix(e, h.id()+step)
	}
	if _, st := model.StructOf(h.typ()); st != nil && some {
		for _, below := range p.inside(h) {
			p.coverOutside(pr, h.below(below))
		}
		return
	}
	if pr.leave(fromHub, h) {
		return
	}
	pr.missing[fromHub] = append(pr.missing[fromHub], h)
	advice := "do without it"
	if p.canCarry(pr, h) {
		advice = "do without it, or restore it with +askind:carry:field=" + path
	}
	p.c.Errorf(h.last().Pos, "convert-unmapped", "%s has no counterpart in %s; %s", p.named(pr, fromHub, h),
		pr.spoke.Name, advice).
		Relate(p.u.Position(pr.spoke.Pos), "%s, where to put the marker", pr.spoke.Name).
		Suggest(`// +askind:absent:field=%s,reason="why %s can do without"`, path,
			cmp.Or(p.pkg.Version, pr.spoke.Package.Name))
}

// declared is one loss with its path, relative to a struct or a kind.
type declared struct {
	path, reason string
	sort         lossSort
	// at is where the loss is declared: a marker or a field. other is the place on the other side.
	at, other     token.Pos
	otherName     string
	owner, target *model.Type
	// unguarded means that a carried value is never lost.
	unguarded bool
}

// lossSort is how a value gets lost.
type lossSort string

const (
	// dropped and absent are declared by markers.
	dropped lossSort = "dropped"
	absent  lossSort = "absent"
	// merged values become indistinguishable: nil and zero, unset and empty.
	merged lossSort = "merged"
	// guarded values are carried but lost if their guard is edited.
	guarded lossSort = "carried"
	// unconverted are the types of nested objects.
	unconverted lossSort = "unconverted"
)

// allLosses lists the losses of a direction of a pair, with everything below it.
func allLosses(root *pair, d direction) []declared {
	return everywhere(root, d, func(pr *pair, d direction, _ string) []declared { return pr.localLosses(d) })
}

// allCarried lists the values that a direction of a pair carries, with everything below it. The
// reasons are the guards.
func allCarried(root *pair, d direction) []declared {
	return everywhere(root, d, func(pr *pair, d direction, prefix string) []declared {
		var out []declared
		owner, target := pr.types(d)
		for _, l := range pr.carriedLosses(d) {
			if pr.walks {
				out = append(out, declared{
					path: l.at.printed(), reason: l.carried.guardText(prefix), sort: guarded, at: l.pos,
					other: l.at.last().Pos, otherName: l.at.last().Name, owner: owner, target: target,
					unguarded: l.carried.unguarded,
				})
			}
		}
		return out
	})
}

// guardText returns the guard of a carried field of a struct at a path, as in the marker.
func (c *carried) guardText(prefix string) string {
	switch {
	case c.unguarded:
		return "guard=" + unguarded
	case c.guard == nil:
		return "guard=" + cmp.Or(prefix, ".")
	}
	paths := make([]string, len(c.guard))
	for i, path := range c.guard {
		paths[i] = join(prefix, path)
	}
	return "guard=" + strings.Join(paths, ";")
}

// conversionWay is one direction of a pair.
type conversionWay struct {
	*pair
	d direction
}

// maxPaths is the number of paths from which on each struct is listed at one path only. Structs
// that contain each other are at the end of very many.
const maxPaths = 1000

// everywhere collects the results of local for a pair and everything below it, at every path up to
// [maxPaths].
func everywhere(root *pair, d direction, local func(pr *pair, d direction, prefix string) []declared) []declared {
	leads := leading(conversionWay{root, d}, func(w conversionWay) bool { return len(local(w.pair, w.d, "")) > 0 })
	var out []declared
	paths, visited := 0, map[conversionWay]bool{}
	var walk func(w conversionWay, prefix string, above []*pair)
	walk = func(w conversionWay, prefix string, above []*pair) {
		paths++
		visited[w] = true
		for _, l := range local(w.pair, w.d, prefix) {
			l.path = join(prefix, l.path)
			out = append(out, l)
		}
		above = append(above, w.pair)
		w.below(func(path string, below conversionWay) {
			if leads[below] && !slices.Contains(above, below.pair) && (paths < maxPaths || !visited[below]) {
				walk(below, join(prefix, path), above)
			}
		})
	}
	walk(conversionWay{root, d}, "", nil)
	return uniqueLosses(out)
}

// below calls f for the conversions that a conversion calls, with the path of the value.
func (w conversionWay) below(f func(path string, below conversionWay)) {
	for _, l := range w.links {
		r := l.rules[w.d]
		if r == nil {
			continue
		}
		src, _ := l.ends(w.d)
		at := ""
		if !src.whole {
			at = src.printed()
		}
		r.pairs(at, func(path string, below *pair, d direction) { f(path, conversionWay{below, d}) })
	}
}

// leading returns the conversions, from one on, that have something or that lead to one that has.
// There may be very many paths through the others.
func leading(from conversionWay, has func(conversionWay) bool) map[conversionWay]bool {
	leads := map[conversionWay]bool{from: has(from)}
	all := []conversionWay{from}
	for i := 0; i < len(all); i++ {
		all[i].below(func(_ string, below conversionWay) {
			if _, known := leads[below]; !known {
				leads[below] = has(below)
				all = append(all, below)
			}
		})
	}
	for changed := true; changed; {
		changed = false
		for _, w := range slices.Backward(all) {
			w.below(func(_ string, below conversionWay) {
				if leads[below] && !leads[w] {
					leads[w], changed = true, true
				}
			})
		}
	}
	return leads
}

func uniqueLosses(all []declared) []declared {
	slices.SortStableFunc(all, func(a, b declared) int { return cmp.Compare(a.path, b.path) })
	return slices.CompactFunc(all, func(a, b declared) bool { return a.path == b.path && a.reason == b.reason })
}

// localLosses returns the losses of the fields of one pair.
func (pr *pair) localLosses(d direction) []declared {
	var out []declared
	owner, target := pr.types(d)
	add := func(l declared) {
		l.owner, l.target = owner, target
		out = append(out, l)
	}
	const reason = "empty and unset become one"
	for _, l := range pr.losses[d] {
		lost := declared{
			path: l.at.printed(), reason: l.reason, sort: [...]lossSort{dropped, absent}[d], at: l.pos,
			other: pr.peerPos(d, l),
		}
		if l.carried == nil {
			add(lost)
		}
		for _, path := range pr.lostPointers(l.at, d) {
			add(declared{
				path: path, reason: reason, sort: merged, at: lost.at, other: lost.other,
				otherName: target.Name,
			})
		}
	}
	for _, l := range pr.links {
		r := l.rules[d]
		if r == nil {
			continue
		}
		src, dst := l.ends(d)
		of := func(path, reason string, sort lossSort) {
			add(declared{
				path: path, reason: reason, sort: sort, at: l.spoke.last().Pos, other: l.hub.last().Pos,
				otherName: l.hub.last().Name,
			})
		}
		r.lossy(src.printed(), func(path, reason string) { of(path, reason, merged) })
		r.pairs(src.printed(), func(path string, below *pair, _ direction) {
			if isKind(below.spoke) && isKind(below.hub) {
				of(join(path, "kind"), "the type of an object inside of another is not converted", unconverted)
			}
		})
		for _, path := range pr.lostPointers(src, d) {
			of(path, reason, merged)
		}
		for _, n := range dst.pointers() {
			// A move may allocate a value that was unset in the source.
			if at, ok := pr.handles(dstEnd, place{fields: dst.fields[:n]}, d); ok {
				of(at.printed(), reason, merged)
			}
		}
	}
	return uniqueLosses(out)
}

// lostPointers returns the paths of the pointers on the path to a place of the source that a
// generated function does not keep as a whole.
func (pr *pair) lostPointers(at place, d direction) []string {
	var out []string
	for _, n := range at.pointers() {
		p := place{fields: at.fields[:n]}
		if _, ok := pr.handles(srcEnd, p, d); !ok && pr.ways[d].generated() && !inlined(p.last()) &&
			!pr.leaves(srcEnd, p, d) {
			out = append(out, jsonPath(p.fields))
		}
	}
	return out
}

// peerPos returns the place on the other side of a declared loss: the struct without the field, or
// the absent field.
func (pr *pair) peerPos(d direction, l loss) token.Pos {
	if d == toHub {
		return pr.hub.Pos
	}
	return l.at.last().Pos
}

// jsonPath returns the JSON path of Go fields, as package schema prints it.
func jsonPath(fields []*model.Field) string {
	var names []string
	for _, f := range fields {
		if !inlined(f) {
			names = append(names, f.JSONName())
		}
	}
	return schema.NewPath(names...).String()
}

// end is one side of a link in a direction.
type end uint8

const (
	srcEnd end = iota
	dstEnd
)

// handles reports whether a direction reads or writes a place as a whole, in the pair itself or in
// a function that it calls, and returns the place of the source that it reads for that.
func (pr *pair) handles(e end, p place, d direction) (from place, ok bool) {
	for _, l := range pr.links {
		r := l.rules[d]
		if r == nil {
			continue
		}
		src, dst := l.ends(d)
		at := src
		if e == dstEnd {
			at = dst
		}
		if comparePlaces(at, p) == 0 || p.under(at) && !r.hasPair() {
			return src, true
		}
		if !p.under(at) {
			continue
		}
		r.pairs("", func(_ string, below *pair, d direction) {
			if inner, found := below.handles(e, place{fields: p.fields[len(at.fields):]}, d); found {
				from, ok = src.below(inner), true
			}
		})
		if ok {
			return from, true
		}
	}
	return place{}, false
}

// leaves reports whether a direction leaves the value at or below a place to the hand-written
// function that calls it.
func (pr *pair) leaves(e end, p place, d direction) bool {
	if !pr.ways[d].fields {
		return false
	}
	below := func(at place) bool {
		return len(at.fields) >= len(p.fields) && comparePlaces(place{fields: at.fields[:len(p.fields)]}, p) == 0
	}
	side := d
	if e == dstEnd {
		side = d.back()
	}
	return slices.ContainsFunc(pr.leftPlaces[side], below) || slices.ContainsFunc(pr.links, func(l *link) bool {
		src, dst := l.ends(d)
		return l.rules[d] == nil && below([...]place{srcEnd: src, dstEnd: dst}[e])
	})
}

func join(prefix, path string) string {
	switch {
	case prefix == "":
		return path
	case path == "", strings.HasPrefix(path, "["):
		return prefix + path
	}
	return prefix + "." + path
}
