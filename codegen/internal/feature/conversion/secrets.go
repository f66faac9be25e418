package conversion

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/model"
)

// A field that is a secret in one version must be a secret in every version that the value reaches.
// Where fields are matched, this file compares the two ends of each link. Where a hand-written
// function converts, it compares the fields at equal paths, and requires a marker for every other
// secret. The marker +askind:sensitive=false declares that a field may be shown.

// checkSecrets reports secrets that the conversions of a pair would expose.
func (p *planner) checkSecrets(pr *pair) {
	for _, l := range pr.links {
		p.checkLink(pr, l)
		for d, r := range l.rules {
			if r == nil {
				continue
			}
			_, dst := l.ends(direction(d))
			r.hands(func(h *hand) {
				if p.byType[keyOf(h.in, h.out)] == nil && p.byType[keyOf(h.out, h.in)] == nil && !p.spoken(dst.fields) {
					p.checkHand(h, nil)
				}
			})
		}
	}
	for d := range pr.ways {
		if h := pr.ways[d].hand; h != nil {
			var lost []place
			for _, l := range pr.losses[d] {
				lost = append(lost, l.at)
			}
			p.checkHand(h, lost)
		}
	}
}

// checkLink compares the ends of a link.
func (p *planner) checkLink(pr *pair, l *link) {
	ours, theirs := p.u.PathTrait(model.Sensitive, l.spoke.fields), p.u.PathTrait(model.Sensitive, l.hub.fields)
	if ours == theirs {
		return
	}
	secret, open := l.spoke, l.hub
	if theirs {
		secret, open = open, secret
	}
	if p.spoken(open.fields) || secret.last().Var == open.last().Var {
		return
	}
	p.shown(l.spoke.last().Pos, secret.last(), open.last(), p.fieldName(pr.spoke, l.spoke), p.fieldName(pr.hub, l.hub))
}

// spoken reports whether the last of some fields is marked, as a secret or as not secret.
func (p *planner) spoken(fields []*model.Field) bool {
	_, said := p.u.FieldTrait(model.Sensitive, fields[len(fields)-1])
	return said
}

// shown reports a secret that another field exposes, once for the two.
func (p *planner) shown(pos token.Pos, secret, open *model.Field, a, b string) {
	if !p.once("secret " + p.u.Position(secret.Pos).String() + " " + p.u.Position(open.Pos).String()) {
		return
	}
	p.c.Errorf(pos, "convert-sensitive",
		"%s and %s hold the same value, and only one is sensitive: the other version would show the secret", a, b).
		Relate(p.u.Position(secret.Pos), "sensitive here").
		Relate(p.u.Position(open.Pos), "not sensitive here").
		Suggest("// +askind:sensitive")
}

// checkHand compares the types of a hand-written function, except for fields that the function
// loses according to markers.
func (p *planner) checkHand(h *hand, lost []place) {
	in, out := p.typeName(h.in), p.typeName(h.out)
	var unknown []place
	for _, secret := range p.secrets(h.in) {
		within := func(l place) bool { return slices.Equal(l.names, secret.names) || secret.startsWith(l) }
		drops := func(f *model.Field) bool { return f.Markers.Get("askind:drop") != nil }
		if slices.ContainsFunc(lost, within) || slices.ContainsFunc(secret.fields, drops) {
			continue
		}
		open, found := p.at(h.out, secret.names)
		switch {
		case !found:
			unknown = append(unknown, secret)
		case p.spoken(open.fields), p.u.PathTrait(model.Sensitive, open.fields), p.sensitiveBelow(open.typ()) != nil:
		default:
			path := "." + secret.path()
			p.shown(h.fn.Pos(), secret.last(), open.last(), in+path, out+path)
		}
	}
	if len(unknown) == 0 || p.marksOther(h.out, h.in) || !p.once("secret "+h.fn.FullName()) {
		return
	}
	secret := unknown[0]
	p.c.Errorf(h.fn.Pos(), "convert-sensitive",
		"%s takes %s, whose %s is sensitive, to %s, which has no corresponding marked field: the other version would "+
			"show the secret; "+
			"mark the corresponding field, with =false if it may be shown",
		h.fn.Name(), in, secret.path(), out).
		Relate(p.u.Position(secret.last().Pos), "sensitive here").
		Suggest("// +askind:sensitive")
}

// marksOther reports whether a type, or a field below it that another type lacks, is marked as a
// secret or as not secret.
func (p *planner) marksOther(t, other types.Type) bool {
	if _, said := p.u.TypeTrait(model.Sensitive, t); said {
		return true
	}
	return slices.ContainsFunc(p.marked(t), func(m place) bool {
		_, found := p.at(other, m.names)
		return !found
	})
}

// secrets lists the sensitive fields below a type, except those within another sensitive field.
func (p *planner) secrets(t types.Type) []place {
	return slices.DeleteFunc(p.marked(t), func(m place) bool { return !p.u.PathTrait(model.Sensitive, m.fields) })
}

// marked lists the fields below a type that are marked as secret or not secret, except those within
// a secret. Lists and maps add no step to the path.
func (p *planner) marked(t types.Type) []place {
	var out []place
	seen := map[*types.Struct]bool{}
	var walk func(t types.Type, above place)
	walk = func(t types.Type, above place) {
		st := structBelow(t)
		if st == nil || seen[st] {
			return
		}
		seen[st] = true
		for _, m := range members(p.u, st) {
			at := above.below(m)
			secret := p.u.PathTrait(model.Sensitive, m.fields)
			if secret || p.spoken(m.fields) {
				out = append(out, at)
			}
			if !secret {
				walk(m.typ(), at)
			}
		}
	}
	walk(t, place{})
	return out
}

// at finds the field with a path below a type, through lists and maps as [planner.marked] does.
func (p *planner) at(t types.Type, names []string) (at place, found bool) {
	for len(names) > 0 {
		st := structBelow(t)
		if st == nil {
			return at, false
		}
		all := members(p.u, st)
		i := slices.IndexFunc(all, func(m place) bool {
			return len(m.names) <= len(names) && slices.Equal(m.names, names[:len(m.names)])
		})
		if i < 0 {
			return at, false
		}
		at = at.below(all[i])
		t, names = at.typ(), names[len(all[i].names):]
	}
	return at, true
}

// structBelow returns the struct that a type is, points to, or is a list or map of, or nil.
func structBelow(t types.Type) *types.Struct {
	for range maxDepth {
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Struct:
			return u
		case interface{ Elem() types.Type }:
			t = u.Elem()
		default:
			return nil
		}
	}
	return nil
}
