package validation

import (
	"go/token"
	"go/types"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
	"github.com/askind/askind/schema"
)

// once reports an error at the marker of a rule, unless one was reported there already. For types
// of another module, whose markers the user cannot change, it is a warning, and the rule is
// omitted.
func (p *plan) once(r *constraint.Rule, format string, args ...any) {
	p.onceAt(r.Marker.Pos, format, args...)
}

func (p *plan) onceAt(pos token.Pos, format string, args ...any) {
	at := p.u.Position(pos).String()
	if p.reported[at] {
		return
	}
	p.reported[at] = true
	if len(p.c.Package.Foreign) > 0 {
		p.c.Warnf(pos, "validation-rule", format, args...)
		return
	}
	p.c.Errorf(pos, "validation-rule", format, args...)
}

// checkTypes reports the rules of the package that have no meaning at their position.
func (p *plan) checkTypes() {
	for _, t := range p.c.Package.Declared() {
		rules := p.read(t.Markers)
		p.cel(t.Name, t.Markers, rules)
		p.repeated(rules)
		if t.Struct != nil || !hasParameter(t.Named.Underlying()) {
			p.check(rules, t.Named, t.Name)
		}
		if r := rules.Get(constraint.Immutable); r != nil && p.isKind(t.Named) {
			p.once(r, "marker %s has no effect on %s, which is a kind; put it on its fields", r, t.Name)
		}
		if t.Struct == nil {
			if m := t.Markers.Get("union"); m != nil {
				p.onceAt(m.Pos, "marker +union has no effect on %s, which is not a struct", t.Name)
			}
			continue
		}
		p.names(rules, p.u.JSONFields(t.Struct), t.Name)
		p.checkFields(t.Name, t.Struct)
	}
}

// checkFields reports the rules of the fields of a struct, and of the unnamed structs in it, that
// have no meaning. The owner is the named type around them.
func (p *plan) checkFields(owner string, st *types.Struct) {
	fields := p.u.JSONFields(st)
	p.unions(fields, owner)
	for _, f := range p.u.Fields(st) {
		rules := p.read(f.Markers)
		p.cel(owner, f.Markers, rules)
		p.repeated(rules)
		if f.JSON.Skip || !f.Exported() && !f.Embedded {
			for _, r := range rules {
				if r.Kind == constraint.Default { // which functions for defaults set all the same
					continue
				}
				p.once(r, "marker %s has no effect on %s, which is not part of the JSON", r, f.Name)
			}
			continue
		}
		member := func(jf *model.JSONField) bool { return jf.Var == f.Var }
		if f.Embedded && !slices.ContainsFunc(fields, member) {
			for _, r := range rules {
				if hasChecks(constraint.Rules{r}) {
					p.once(r, "marker %s has no effect on %s, whose fields are those of %s in JSON", r, f.Name, owner)
				}
			}
			continue
		}
		if !hasParameter(f.Type) {
			p.check(rules, f.Type, f.Name)
		}
		if secret, _ := p.u.FieldTrait(model.Sensitive, f); secret {
			if r := rules.Get(constraint.ListType); r != nil && r.Text == "set" {
				p.listed(r, f.Name, "the elements of a set")
			}
		}
		if r := rules.Get(constraint.Required); r != nil && rules.Has(constraint.Optional) {
			p.once(r, "%s is both required and optional", f.Name)
		}
		if inner := unnamed(f.Type); inner != nil {
			p.checkFields(owner, inner)
		}
	}
}

// hasParameter reports whether a type contains a parameter of a generic type. What rules mean for
// such a type depends on the arguments.
func hasParameter(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	for part := range model.Parts(t) {
		if hasParameter(part) {
			return true
		}
	}
	return false
}

// unnamed returns the unnamed struct in a type, or nil.
func unnamed(t types.Type) *types.Struct {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		return unnamed(model.Elem(u))
	case *types.Struct:
		return u
	}
	return nil
}

// several has the rules that a declaration may state more than once.
var several = []constraint.Kind{
	constraint.ListMapKey, constraint.ExactlyOneOf, constraint.AtMostOneOf, constraint.AtLeastOneOf, constraint.CEL,
	constraint.Discriminator, constraint.Member, constraint.OptionalMember, constraint.Neq,
}

// repeated reports markers that a declaration has twice with different values. Generators do not
// agree which of them counts.
func (p *plan) repeated(rules constraint.Rules) {
	first := map[string]*constraint.Rule{}
	for _, r := range rules {
		before := first[r.Marker.Name]
		switch {
		case before == nil:
			first[r.Marker.Name] = r
		case slices.Contains(several, r.Kind) || r.Marker.Value == before.Marker.Value:
		case r.Kind == constraint.Keys || r.Kind == constraint.Elements && strings.HasPrefix(r.Marker.Name, "k8s:"):
		default:
			p.once(r, "marker %s=%s contradicts %s=%s above", r, r.Marker.Value, before, before.Marker.Value)
		}
	}
}

func (p *plan) read(l marker.List) constraint.Rules {
	return constraint.Read(l, func(pos token.Pos, format string, args ...any) { p.onceAt(pos, format, args...) })
}

// cel reports rules that nothing enforces.
func (p *plan) cel(owner string, l marker.List, rules constraint.Rules) {
	accepted := l.Get("askind:cel")
	all := append(rules.All(constraint.CEL), rules.Inner(constraint.Elements).All(constraint.CEL)...)
	if accepted != nil {
		switch {
		case accepted.Value != "function" && accepted.Value != "crd":
			p.onceAt(accepted.ValuePos, "the values of marker +askind:cel are function and crd")
		case len(all) == 0:
			p.onceAt(accepted.Pos, "marker +askind:cel has no effect without a rule in CEL")
		case accepted.Value == "function" && p.c.Package.Lookup("Validate"+owner) == nil &&
			p.c.Package.Lookup("ValidateChange"+owner) == nil:
			p.onceAt(
				accepted.Pos, "no function enforces the rule; declare func Validate%s(ctx context.Context, in *%s) "+
					"runtime.FieldErrors", owner, owner,
			)
		}
		return
	}
	for _, r := range all {
		rule, _ := r.Marker.Arg("rule")
		p.once(r, "the rule %q is in CEL, which is not evaluated here; write it as func Validate%s(ctx "+
			"context.Context, in *%s) runtime.FieldErrors and say so with +askind:cel=function, or with +askind:cel=crd "+
			"that only a CustomResourceDefinition needs it",
			rule, owner, owner)
	}
}

// names reports unknown fields in the rules of a struct.
func (p *plan) names(rules constraint.Rules, fields []*model.JSONField, owner string) {
	var all []string
	for _, f := range fields {
		all = append(all, f.Key)
	}
	for _, r := range rules {
		if r.Kind != constraint.ExactlyOneOf && r.Kind != constraint.AtMostOneOf && r.Kind != constraint.AtLeastOneOf {
			continue
		}
		for _, name := range r.Values {
			i := slices.Index(all, name)
			switch {
			case i < 0:
				near, _ := schema.Nearest(name, all)
				p.missing(r, owner, name, near)
			case present(fields[i], "x") == "true":
				p.once(r, "%s of %s is always written, so it counts as set; add omitempty, or make it a pointer",
					name, owner)
			}
		}
	}
}

func (p *plan) missing(r *constraint.Rule, owner, name, near string) {
	suggestion := ""
	if near != "" {
		suggestion = " (did you mean " + near + "?)"
	}
	p.once(r, "%s has no field %q%s", owner, name, suggestion)
}

func findField(fields []*model.JSONField, key string) *model.JSONField {
	for _, f := range fields {
		if f.Key == key {
			return f
		}
	}
	return nil
}

// form is the JSON form of a value.
type form string

const (
	text    form = "strings"
	number  form = "numbers"
	boolean form = "booleans"
	list    form = "lists"
	mapping form = "maps"
	object  form = "structs"
	data    form = "bytes"
	either  form = "numbers or strings"
	own     form = "a type with its own JSON form"
	unknown form = "values of any type"
)

// formOf returns the form of a type or of its pointer target.
func (p *plan) formOf(t types.Type) form {
	if _, ok := types.Unalias(t).(*types.Named); ok {
		if ptr, ok := t.Underlying().(*types.Pointer); ok { // a pointer type may point to itself
			if _, again := ptr.Elem().Underlying().(*types.Pointer); again {
				return unknown
			}
		}
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && p.opaque(n) {
		if schemas.IsIntOrString(n) {
			return either
		}
		return own
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return p.formOf(u.Elem())
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return text
		case u.Info()&types.IsBoolean != 0:
			return boolean
		}
		return number
	case *types.Slice:
		if isBytes(u) {
			return data
		}
		return list
	case *types.Array:
		return list
	case *types.Map:
		return mapping
	case *types.Struct:
		return object
	}
	return unknown
}

// applies has the forms of values to which a rule applies. A rule that is not listed applies to
// all.
var applies = map[constraint.Kind][]form{
	constraint.Minimum: {number}, constraint.Maximum: {number}, constraint.MultipleOf: {number},
	constraint.MinLength: {text, data}, constraint.MaxLength: {text, data}, constraint.MaxBytes: {text},
	constraint.Pattern: {text},
	constraint.Enum:    {text, number, boolean}, constraint.EnumConstants: {text, number}, constraint.Neq: {
		text,
		number, boolean,
	},
	constraint.MinItems: {list}, constraint.MaxItems: {list}, constraint.UniqueItems: {list},
	constraint.UniqueKeys: {list},
	constraint.ListType:   {list}, constraint.ListMapKey: {list},
	constraint.MinProperties: {mapping, object}, constraint.MaxProperties: {mapping, object},
	constraint.MapType: {mapping, object}, constraint.StructType: {object, mapping},
	constraint.ExactlyOneOf: {object}, constraint.AtMostOneOf: {object}, constraint.AtLeastOneOf: {object},
	constraint.Keys: {mapping}, constraint.Elements: {list, mapping},
	constraint.Type: {own, unknown}, constraint.EmbeddedResource: {own, unknown, object, mapping},
	constraint.PreserveUnknown: {object, mapping, own, unknown}, constraint.IntOrString: {own, unknown},
	constraint.Format: {text, number, data, own, unknown}, constraint.PatchMergeKey: {list},
	constraint.PatchStrategy: {list, mapping, object, own, unknown},
}

// fits reports whether a rule applies to values of a form.
func fits(r *constraint.Rule, f form) bool {
	forms, ok := applies[r.Kind]
	if !ok || slices.Contains(forms, f) {
		return true
	}
	if f != either {
		return false
	}
	switch r.Kind {
	case constraint.Minimum, constraint.Maximum, constraint.MultipleOf, constraint.MinLength, constraint.MaxLength,
		constraint.MaxBytes, constraint.Pattern, constraint.Enum, constraint.Type, constraint.IntOrString,
		constraint.Format:
		return true
	}
	return false
}

// check reports the rules that do not apply to a type.
func (p *plan) check(rules constraint.Rules, t types.Type, name string) {
	f := p.formOf(t)
	for _, r := range rules {
		if !fits(r, f) {
			words := make([]string, len(applies[r.Kind]))
			for i, f := range applies[r.Kind] {
				words[i] = string(f)
			}
			p.once(r, "marker %s applies to %s, but %s has type %s", r, strings.Join(words, " and "), name,
				p.typeName(t))
			continue
		}
		p.checkRule(r, rules, t, f, name)
	}
	p.contradictions(rules, t, name)
	// The depth of rules is finite; that of recursive types is not.
	if inner := rules.Inner(constraint.Elements); len(inner) > 0 {
		if elem := elementOf(t); elem != nil {
			p.onlyFields(inner, "an element of "+name)
			p.check(inner, elem, "an element of "+name)
		}
	}
	if inner := rules.Inner(constraint.Keys); len(inner) > 0 {
		if m, ok := deref(t).Underlying().(*types.Map); ok {
			p.onlyFields(inner, "a key of "+name)
			p.check(inner, m.Key(), "a key of "+name)
		}
	}
}

// onlyFields reports rules about the presence of fields at the elements or keys of a value.
func (p *plan) onlyFields(rules constraint.Rules, name string) {
	for _, r := range rules {
		switch r.Kind {
		case constraint.Required, constraint.Forbidden, constraint.Discriminator, constraint.Member,
			constraint.OptionalMember, constraint.EnumConstants, constraint.ExactlyOneOf, constraint.AtMostOneOf,
			constraint.AtLeastOneOf:
			p.once(r, "marker %s has no effect on %s", r, name)
		}
	}
}

func deref(t types.Type) types.Type {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

// elementOf returns the type of the elements of a list or map, or nil for other types.
func elementOf(t types.Type) types.Type {
	switch u := deref(t).Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map:
		return model.Elem(u)
	}
	return nil
}

// numberFormats has formats of numbers, which are not checked.
var numberFormats = []string{"int32", "int64", "float", "double"}

// checkedFormats has the formats that are checked, and those that are only informative.
var checkedFormats = []string{
	"date-time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uri",
	"uuid", "uuid3", "uuid4", "uuid5", "byte", "password",
	"k8s-short-name", "k8s-long-name", "k8s-label-key", "k8s-label-value", "k8s-uuid", "k8s-path-segment-name",
}

func (p *plan) checkRule(r *constraint.Rule, rules constraint.Rules, t types.Type, f form, name string) {
	switch r.Kind {
	case constraint.Pattern:
		if _, err := regexp.Compile(r.Text); err != nil {
			p.onceAt(r.Marker.ValuePos, "%v", err)
		}
	case constraint.Format:
		if n, ok := types.Unalias(deref(t)).(*types.Named); ok && !schemas.TakesFormat(n, r.Text) {
			p.once(r, "%s has type %s, whose form is fixed, so the format %q has no effect", name, p.typeName(t), r.Text)
			return
		}
		known := checkedFormats
		if f == number {
			known = numberFormats
		}
		if !slices.Contains(known, r.Text) && f != own && f != either && f != unknown {
			near, _ := schema.Nearest(r.Text, known)
			d := p.c.Warnf(r.Marker.ValuePos, "validation-format", "the format %q is not checked; use one of %s", r.Text,
				strings.Join(known, ", "))
			if near != "" {
				d.Suggest("%s", near)
			}
		}
	case constraint.Enum:
		b, _ := deref(t).Underlying().(*types.Basic)
		if f == either {
			b = types.Typ[types.Int32]
		}
		seen := map[string]bool{}
		for _, v := range schemas.Literals(f == text, r.Values) {
			if b != nil && !(f == either && strings.HasPrefix(v, `"`)) {
				if _, ok := goLiteral(b, v); !ok {
					p.once(r, "%s is not a value of %s", v, p.typeName(t))
				}
			}
			same := v
			if n, ok := new(big.Rat).SetString(v); ok { // 1 and 1.0
				same = n.String()
			}
			if seen[same] {
				p.once(r, "marker %s names %s twice", r, v)
			}
			seen[same] = true
		}
		if len(r.Values) == 0 {
			p.once(r, "marker %s names no value", r)
		}
	case constraint.Neq:
		v := schemas.Literals(f == text, []string{r.Text})[0]
		if b, ok := deref(t).Underlying().(*types.Basic); ok {
			if _, ok := goLiteral(b, v); !ok {
				p.once(r, "%s is not a value of %s", v, p.typeName(t))
			}
		}
	case constraint.EnumConstants:
		if n, ok := types.Unalias(t).(*types.Named); ok && len(schemas.Constants(n)) == 0 {
			p.once(r, "%s has no constants, so no value would be allowed", name)
		}
	case constraint.ListType:
		p.listType(r, rules, t, name)
	case constraint.ListMapKey:
		list := rules.Get(constraint.ListType)
		if (list == nil || list.Text != "map") && !rules.Has(constraint.UniqueKeys) {
			p.once(r, "marker %s has no effect without listType=map", r)
			return
		}
		p.elementKey(r, t, name)
	case constraint.UniqueKeys:
		if !rules.Has(constraint.ListMapKey) {
			p.once(r, "marker %s requires a marker +k8s:listMapKey that names the field that identifies elements", r)
		}
	case constraint.PatchMergeKey:
		p.elementKey(r, t, name)
	case constraint.UniqueItems:
		if elem := elementOf(t); elem != nil && !expr.Plain(elem) {
			p.once(r, "the elements of %s, of type %s, cannot be compared; use listType=map with keys", name,
				p.typeName(elem))
		}
	case constraint.MapType, constraint.StructType:
		if r.Text != "atomic" && r.Text != "granular" {
			p.once(r, "%q must be atomic or granular", r.Text)
		}
	}
}

// atomic reports whether the declaration of a struct says that it merges as a whole.
func (p *plan) atomic(t types.Type) bool {
	for _, r := range p.rulesOfType(t) {
		if (r.Kind == constraint.StructType || r.Kind == constraint.MapType) && r.Text == "atomic" {
			return true
		}
	}
	return false
}

func (p *plan) listType(r *constraint.Rule, rules constraint.Rules, t types.Type, name string) {
	elem := elementOf(t)
	switch r.Text {
	case "atomic":
	case "set":
		if elem != nil && p.formOf(elem) == object && !p.atomic(elem) {
			p.once(r, "a set has elements that merge as a whole: mark %s with +structType=atomic, or use listType=map "+
				"with keys", p.typeName(elem))
			return
		}
		if elem != nil && !expr.Plain(elem) {
			p.once(r, "the elements of %s, of type %s, cannot be compared; use listType=map with keys", name,
				p.typeName(elem))
		}
	case "map":
		if !rules.Has(constraint.ListMapKey) {
			p.once(r, "listType=map requires a marker +listMapKey that names the field that identifies elements")
		}
	default:
		p.once(r, "%q must be atomic, set or map", r.Text)
	}
}

// elementKey reports a key of a list that is not a field of its elements.
func (p *plan) elementKey(r *constraint.Rule, t types.Type, name string) {
	elem := elementOf(t)
	if elem == nil {
		return
	}
	if _, ok := elem.Underlying().(*types.Pointer); ok {
		p.once(r, "the elements of %s are pointers; make them values", name)
		return
	}
	st, ok := elem.Underlying().(*types.Struct)
	if !ok {
		p.once(r, "the elements of %s are not structs, so they have no field %q", name, r.Text)
		return
	}
	fields := p.u.JSONFields(st)
	f := findField(fields, r.Text)
	if f == nil {
		var all []string
		for _, f := range fields {
			all = append(all, f.Key)
		}
		near, _ := schema.Nearest(r.Text, all)
		p.missing(r, p.typeName(elem), r.Text, near)
		return
	}
	if _, ok := f.Type.Underlying().(*types.Basic); !ok {
		p.once(r, "%s of %s is not a string, number or boolean, so it cannot identify elements", r.Text,
			p.typeName(elem))
	}
	if p.u.PathTrait(model.Sensitive, f.Path) {
		p.listed(r, r.Text+" of "+p.typeName(elem), "the keys of elements")
	}
}

// listed reports a secret that managed fields would show, which are in the metadata of objects.
func (p *plan) listed(r *constraint.Rule, name, what string) {
	p.once(r, "%s is marked +%s, and the managed fields of an object list %s; use listType=atomic", name,
		model.Sensitive, what)
}
