// Package lint finds mistakes in API types that compile.
//
// Every rule has a name, which is the code of its findings, and describes the mistake and why it
// matters. [Check] runs all rules over the packages of a run. A marker suppresses a finding, with a
// reason:
//
//	// +askind:nolint:rule=tag-name,reason="v1 was published with this name"
//
// On a field the marker applies to the field and, if its type is an unnamed struct, to the fields
// of that struct; on a type also to its fields, and in a package comment to the package. A marker
// without a reason, for an unknown rule, or that suppresses nothing is itself a finding. The marker
// also suppresses the [Warnings] of the generator, for which this is not checked.
package lint

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// Rule is one kind of mistake. At least one of its functions is set.
type Rule struct {
	Name string
	// Doc describes what is reported, Why the consequences.
	Doc, Why string
	// warns makes the findings warnings instead of errors.
	warns bool

	// field checks a field of a struct that is encoded as JSON field by field; typ, a named type;
	// kind, a kind; structure, a named or unnamed struct.
	field     func(c *context, f *model.Field)
	typ       func(c *context, t *model.Type)
	kind      func(c *context, k *model.Kind)
	structure func(c *context, st *types.Struct)
}

// Rules returns all rules in order of name.
func Rules() []*Rule {
	rules := slices.Concat(tagRules(), fieldRules(), kindRules(), kubebuilderRules())
	slices.SortFunc(rules, func(a, b *Rule) int { return strings.Compare(a.Name, b.Name) })
	return rules
}

// The code of findings about nolint markers.
const nolintCode = "nolint"

// Warnings are the codes of the warnings that the generator itself prints.
var Warnings = []string{
	"column-reads", "convert-hub", "convert-kind", "convert-unexported", "convert-unused", "default-embedded",
	"default-signature", "default-unused", "default-value", "default-zero", "foreign-metadata", "json-inline",
	"json-name", "json-order", "marker-ignored", "marker-near-miss", "marker-place", "marker-value",
	"name-near", "validate-signature", "validation-format", "validation-rule",
}

// linter runs the rules over one package.
type linter struct {
	u     *model.Universe
	pkg   *model.Package
	rules []*Rule
	diags *diag.List
	// forCluster reports that definitions for a cluster are made of the package.
	forCluster bool
	// used has the markers that have suppressed a rule.
	used map[use]bool
	// seen has the checked markers, in order.
	seen []*marker.Marker
}

type use struct {
	pos  token.Pos
	rule string
}

// context is the place that a rule checks: the markers that apply there, from the inside out, and
// the Go path for messages.
type context struct {
	*linter
	rule    *Rule
	markers []marker.List
	path    string
	pos     token.Pos
}

// Check runs all rules over the packages of the universe.
func Check(u *model.Universe, d *diag.List) {
	for _, p := range u.Packages {
		l := &linter{u: u, pkg: p, rules: Rules(), diags: d, forCluster: isForCluster(p), used: map[use]bool{}}
		l.note(p.Markers)
		for _, t := range l.types() {
			l.note(t.Markers)
			l.checkType(t)
		}
		for _, k := range p.Kinds {
			if !p.IsForeign(k.Type) {
				l.each(func(r *Rule) {
					if r.kind != nil {
						r.kind(&context{
							linter: l, rule: r, markers: []marker.List{k.Markers, p.Markers}, path: k.Name,
							pos: k.Pos,
						}, k)
					}
				})
			}
		}
		for _, fn := range p.Functions() {
			l.note(p.FunctionMarkers(fn))
		}
		l.checkMarkers()
	}
}

// types returns the package's own types that take part in generation, and types that need no
// functions of their own: generic structs, which take part through their instances, and the string
// types of fields.
func (l *linter) types() []*model.Type {
	var out []*model.Type
	for _, t := range l.pkg.Types {
		if !l.pkg.IsForeign(t) {
			out = append(out, t)
		}
	}
	texts := l.textsOfFields()
	for _, t := range l.pkg.Declared() {
		if t.Named.TypeParams().Len() > 0 &&
			slices.ContainsFunc(t.Fields, func(f *model.Field) bool { return f.JSON.Present }) ||
			texts[t.Named] && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// textsOfFields returns the named string types of the fields of the package.
func (l *linter) textsOfFields() map[*types.Named]bool {
	out := map[*types.Named]bool{}
	for _, t := range l.pkg.Types {
		for _, f := range t.Fields {
			n, ok := innermost(f.Type).(*types.Named)
			if !ok || f.JSON.Skip {
				continue
			}
			if b, ok := n.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				out[n] = true
			}
		}
	}
	return out
}

func (l *linter) each(f func(r *Rule)) {
	for _, r := range l.rules {
		f(r)
	}
}

func (l *linter) checkType(t *model.Type) {
	outer := []marker.List{t.Markers, l.pkg.Markers}
	l.each(func(r *Rule) {
		if r.typ != nil {
			r.typ(&context{linter: l, rule: r, markers: outer, path: t.Name, pos: t.Pos}, t)
		}
	})
	if l.hasOwnForm(t) {
		return
	}
	if t.Struct != nil {
		l.checkStruct(t.Struct, t.Fields, t.Name, t.Pos, outer)
		return
	}
	l.checkInside(t.Named.Underlying(), t.Name, outer)
}

// hasOwnForm reports whether a type determines its own encoding, so that its fields do not matter.
func (l *linter) hasOwnForm(t *model.Type) bool {
	for _, name := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
		if model.Method(t.Named, name) != nil {
			return true
		}
	}
	return l.u.Func(model.AppendJSON, t.Named).State == model.Declared
}

func (l *linter) checkStruct(st *types.Struct, fields []*model.Field, path string, pos token.Pos, outer []marker.List) {
	l.each(func(r *Rule) {
		if r.structure != nil {
			r.structure(&context{linter: l, rule: r, markers: outer, path: path, pos: pos}, st)
		}
	})
	for _, f := range fields {
		if f.Name == "_" {
			continue
		}
		l.note(f.Markers)
		inner := append([]marker.List{f.Markers}, outer...)
		at := path + "." + f.Name
		l.each(func(r *Rule) {
			if r.field != nil {
				r.field(&context{linter: l, rule: r, markers: inner, path: at, pos: f.Pos}, f)
			}
		})
		l.checkInside(f.Type, at, inner)
	}
}

// checkInside checks the unnamed structs in a type.
func (l *linter) checkInside(t types.Type, path string, outer []marker.List) {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		l.checkInside(model.Elem(t), path, outer)
	case *types.Struct:
		if fields := l.u.Fields(t); len(fields) > 0 {
			l.checkStruct(t, fields, path, fields[0].Pos, outer)
		}
	}
}

// report records a finding unless a marker suppresses the rule here. It never returns nil.
func (c *context) report(pos token.Pos, format string, args ...any) *diag.Diagnostic {
	for _, list := range c.markers {
		for _, m := range list.All("askind:nolint") {
			if slices.Contains(m.Rules(), c.rule.Name) {
				c.used[use{m.Pos, c.rule.Name}] = true
				return new(diag.Diagnostic)
			}
		}
	}
	if c.rule.warns {
		return c.diags.Warnf(c.u.Position(pos), c.rule.Name, format, args...)
	}
	return c.diags.Errorf(c.u.Position(pos), c.rule.Name, format, args...)
}

// note records nolint markers.
func (l *linter) note(list marker.List) {
	for _, m := range list.All("askind:nolint") {
		if !slices.ContainsFunc(l.seen, func(o *marker.Marker) bool { return o.Pos == m.Pos }) {
			l.seen = append(l.seen, m)
		}
	}
}

// checkMarkers reports markers that suppress nothing. Missing arguments are reported where the
// syntax of markers is checked.
func (l *linter) checkMarkers() {
	var names []string
	for _, r := range l.rules {
		names = append(names, r.Name)
	}
	for _, m := range l.seen {
		if a := m.ArgAt("reason"); a != nil && (a.Bare || strings.TrimSpace(a.Value) == "") {
			l.diags.Errorf(l.u.Position(a.Pos), nolintCode, "a suppressed rule needs a reason; state it")
		}
		a := m.ArgAt("rule")
		if a == nil {
			continue
		}
		for _, name := range m.Rules() {
			switch {
			case slices.Contains(Warnings, name):
				// Only a run of the generator finds out whether the marker suppresses anything.
			case !slices.Contains(names, name):
				d := l.diags.Errorf(l.u.Position(a.ValuePos), nolintCode, "unknown rule %q", name)
				if near, ok := schema.Nearest(name, slices.Concat(names, Warnings)); ok {
					d.Suggest("rule=%s", near)
				}
			case !l.used[use{m.Pos, name}]:
				l.diags.Errorf(l.u.Position(m.Pos), nolintCode,
					"%s reports nothing here; remove the marker", name)
			}
		}
	}
}
