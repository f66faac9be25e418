package conversion

import (
	"slices"
	"strings"
)

// A guard is a hash of a struct as converted by one function. Fields that the callers of this
// function convert, because a marker moves them, are not in the hash: a change of them would be
// missed, and a carried value would be restored in a struct that was edited.

// checkOutside reports carried fields of one side of a pair whose guard would miss a change.
func (p *planner) checkOutside(pr *pair, d direction) {
	outside := pr.outsideHub()
	if d == toHub {
		outside = pr.outsideSpoke()
	}
	owner, _ := pr.types(d)
	for _, l := range pr.carriedLosses(d) {
		missed := slices.IndexFunc(outside, func(at place) bool { return l.guardedBy(at) })
		if missed < 0 {
			continue
		}
		at := outside[missed]
		diag := p.carryProblem(owner, l,
			"%s is converted outside of the struct, so the guard would miss a change of it", at.path()).
			Relate(p.u.Position(at.last().Pos), "%s", p.fieldName(owner, at))
		if len(pr.sites) > 0 && d == fromHub {
			s := pr.sites[0]
			diag.Message += "; move the marker to " + s.pair.spoke.Name
			diag.Suggest("// +askind:carry:field=%s.%s", s.link.hub.path(), l.at.path())
			continue
		}
		var inside []string
		for _, other := range pr.links {
			if source, _ := other.ends(d); !source.whole && !strings.HasPrefix(source.key, "go:") &&
				!p.isSensitive(source.last()) && p.sensitiveBelow(source.typ()) == nil {
				inside = append(inside, source.path())
			}
		}
		if diag.Message += "; name the fields of the guard"; len(inside) > 0 {
			diag.Suggest("// +askind:carry:guard=%s", strings.Join(inside, ";"))
		}
	}
}

// guardedBy reports whether a carried field depends on a place of its struct.
func (l *loss) guardedBy(at place) bool {
	within := func(a, b string) bool { return strings.HasPrefix(a+".", b+".") }
	c := l.carried
	return !c.unguarded && (c.guard == nil || slices.ContainsFunc(c.guard, func(g string) bool {
		g, _, _ = strings.Cut(g, "[*]")
		return within(g, pathText(at)) || within(pathText(at), g)
	}))
}

// outsideHub returns the fields of the hub that callers of a pair convert.
func (pr *pair) outsideHub() []place {
	return slices.DeleteFunc(slices.Clone(pr.looseHub), func(h place) bool {
		return !pr.movedFromOutside(h.id(), map[*pair]bool{})
	})
}

// movedFromOutside reports whether a caller of a pair converts something into a field of the hub,
// or into a part of it.
func (pr *pair) movedFromOutside(id string, seen map[*pair]bool) bool {
	if seen[pr] {
		return false
	}
	seen[pr] = true
	return slices.ContainsFunc(pr.sites, func(s site) bool {
		whole := s.link.hub.id() + step + id
		moves := func(l *link) bool { return strings.HasPrefix(l.hub.id()+step, whole+step) }
		return slices.ContainsFunc(s.pair.links, moves) || s.pair.movedFromOutside(whole, seen)
	})
}

// outsideSpoke returns the fields of the spoke that the callers of a pair move.
func (pr *pair) outsideSpoke() []place {
	return slices.DeleteFunc(slices.Clone(pr.anchored), func(at place) bool {
		return slices.ContainsFunc(pr.links, func(l *link) bool { return comparePlaces(l.spoke, at) == 0 })
	})
}
