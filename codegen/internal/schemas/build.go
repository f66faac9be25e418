package schemas

import (
	"cmp"
	"go/constant"
	"go/types"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/feature/defaults"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
)

// Definition is a named schema, to which others refer.
type Definition struct {
	Name   string
	Named  *types.Named
	Schema *Schema
}

// Builder creates schemas. It has the definitions of all types that were added and of those that
// they reach, except those that are elsewhere.
type Builder struct {
	Universe *model.Universe
	// Elsewhere, if set, reports whether the definition of a struct is generated elsewhere.
	Elsewhere func(n *types.Named) bool
	// Inline inlines the types of the API machinery that are not structs in JSON, such as Quantity
	// and Time.
	Inline bool
	// Malformed has the markers of defaults that cannot be read, which the schemas therefore lack.
	Malformed []*marker.Marker

	byName map[string]*Definition
	queue  []*Definition
	// open has the named types other than structs whose schemas are being created, to detect
	// recursion.
	open []*types.Named
	// parts counts the schemas in an inlined one.
	parts int
}

// Add adds the definition of a named struct and returns its name.
func (b *Builder) Add(n *types.Named) string {
	name := b.enter(n)
	for len(b.queue) > 0 {
		d := b.queue[0]
		b.queue = b.queue[1:]
		b.define(d)
	}
	return name
}

func (b *Builder) enter(n *types.Named) string {
	name := Name(b.Universe, n)
	if b.Elsewhere != nil && b.Elsewhere(n) {
		return name
	}
	if b.byName == nil {
		b.byName = map[string]*Definition{}
	}
	if b.byName[name] == nil {
		d := &Definition{Name: name, Named: n}
		b.byName[name] = d
		b.queue = append(b.queue, d)
	}
	return name
}

// Definitions returns all definitions in order of name.
func (b *Builder) Definitions() []*Definition {
	return slices.SortedFunc(maps.Values(b.byName), func(a, b *Definition) int { return cmp.Compare(a.Name, b.Name) })
}

// Definition returns the definition with a name, or nil.
func (b *Builder) Definition(name string) *Definition { return b.byName[name] }

func (b *Builder) define(d *Definition) {
	n := d.Named
	if d.Schema = leaf(n); d.Schema != nil {
		d.Schema.Nullable = false // stated where the type is used
	} else if st, ok := n.Underlying().(*types.Struct); ok {
		d.Schema = b.structure(st, b.Universe.Package(n.Obj().Pkg().Path()))
	} else {
		b.open = append(b.open, n)
		d.Schema = b.underlying(n)
		b.open = b.open[:len(b.open)-1]
	}
	b.typeRules(d.Schema, n)
}

// typeRules applies the comment and the rules of the declaration of a type.
func (b *Builder) typeRules(s *Schema, n *types.Named) {
	if t := b.Universe.Type(n); t != nil {
		if s.Description == "" && leaf(n) == nil {
			s.Description, s.Deprecated = describe(t.Doc)
		}
		b.apply(s, constraint.Read(t.Markers, nil), n)
	}
}

func (b *Builder) typ(t types.Type) *Schema {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return b.underlying(t)
	}
	if s := leaf(n); s != nil {
		if shared(n) && !b.Inline {
			return &Schema{Ref: b.enter(n)}
		}
		b.typeRules(s, n)
		return s
	}
	if s := b.opaque(n); s != nil {
		return s
	}
	if model.IsStruct(n) || slices.ContainsFunc(b.open, func(o *types.Named) bool { return types.Identical(o, n) }) {
		return &Schema{Ref: b.enter(n)}
	}
	b.open = append(b.open, n)
	s := b.underlying(n)
	b.open = b.open[:len(b.open)-1]
	b.typeRules(s, n)
	return s
}

// opaque returns the schema of a type that encodes its own JSON: any value unless a marker states
// the type, or a string if the type encodes itself as text. It returns nil for other types.
func (b *Builder) opaque(n *types.Named) *Schema {
	json, text := Writes(n)
	if !json && b.byHand(n) {
		json = true
	}
	if !json && !text {
		return nil
	}
	s := &Schema{}
	if !json {
		s.Type = "string"
	}
	b.typeRules(s, n)
	if s.Type == "" && len(s.Union) == 0 {
		s.PreserveUnknown = true
	}
	return s
}

// byHand reports whether a hand-written function of its package encodes a type.
func (b *Builder) byHand(n *types.Named) bool { return b.Universe.Func(model.AppendJSON, n).ByHand() }

// Writes reports whether a type has methods that encode it as JSON, or as text.
func Writes(n *types.Named) (json, text bool) {
	return model.AnyMethod(n, "MarshalJSON") != nil, model.AnyMethod(n, "MarshalText") != nil
}

func (b *Builder) underlying(t types.Type) *Schema {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basic(u)
	case *types.Pointer:
		return b.typ(u.Elem())
	case *types.Slice:
		if e, ok := u.Elem().Underlying().(*types.Basic); ok && e.Kind() == types.Byte {
			return &Schema{Type: "string", Format: "byte", bytes: true}
		}
		return &Schema{Type: "array", Items: b.element(u.Elem())}
	case *types.Array:
		n := u.Len()
		return &Schema{Type: "array", Items: b.element(u.Elem()), MaxItems: &n, MinItems: &n}
	case *types.Map:
		s := &Schema{Type: "object", Values: b.element(u.Elem())}
		if k := b.typ(u.Key()); k.Type == "string" && (k.MinLength != nil || k.MaxLength != nil ||
			len(k.Patterns) > 0 || len(k.Enum) > 0) {
			s.Keys = k
		}
		return s
	case *types.Struct:
		return b.structure(u, nil)
	}
	return &Schema{PreserveUnknown: true} // an interface, or a type without a JSON form
}

// element returns the schema of an element, which the codec encodes as null if it is a nil pointer.
func (b *Builder) element(t types.Type) *Schema {
	s := b.typ(t)
	switch types.Unalias(t).Underlying().(type) {
	case *types.Pointer, *types.Map:
		s.Nullable = s.Nullable || s.Type != "" || s.Ref != ""
	case *types.Slice:
		s.Nullable = true
	}
	return s
}

func basic(b *types.Basic) *Schema {
	whole := func(format, minimum, maximum string) *Schema {
		return &Schema{Type: "integer", Format: format, Minimum: minimum, Maximum: maximum}
	}
	switch b.Kind() {
	case types.Bool:
		return &Schema{Type: "boolean"}
	case types.Int8:
		return whole("int32", "-128", "127")
	case types.Int16:
		return whole("int32", "-32768", "32767")
	case types.Int32:
		return whole("int32", "", "")
	case types.Int, types.Int64:
		return whole("int64", "", "")
	case types.Uint8:
		return whole("int32", "0", "255")
	case types.Uint16:
		return whole("int32", "0", "65535")
	case types.Uint32:
		return whole("int64", "0", "4294967295")
	case types.Uint, types.Uint64, types.Uintptr:
		return whole("", "0", "")
	case types.Float32:
		return &Schema{Type: "number", Format: "float"}
	case types.Float64:
		return &Schema{Type: "number", Format: "double"}
	}
	return &Schema{Type: "string"}
}

// structure returns the schema of the members of a struct. Markers of the package may make fields
// optional.
func (b *Builder) structure(st *types.Struct, pkg *model.Package) *Schema {
	s := &Schema{Type: "object"}
	fields := b.Universe.JSONFields(st)
	for _, f := range fields {
		rules := constraint.Read(f.Markers, nil)
		fs := b.field(f, rules)
		s.Properties = append(s.Properties, Property{Name: f.Key, Schema: fs})
		home := pkg
		if f.Var.Pkg() != nil {
			home = b.Universe.Package(f.Var.Pkg().Path())
		}
		if IsRequired(f, rules, home) {
			s.Required = append(s.Required, f.Key)
		}
	}
	_, unions := Unions(fields)
	for _, name := range slices.Sorted(maps.Keys(unions)) {
		if len(unions[name].Names) > 0 {
			s.Groups = append(s.Groups, *unions[name])
		}
	}
	return s
}

// Unions returns the unions of some fields by name, and the names in order of their first field.
func Unions(fields []*model.JSONField) (names []string, unions map[string]*Group) {
	unions = map[string]*Group{}
	for _, f := range fields {
		for _, r := range constraint.Read(f.Markers, nil) {
			if r.Kind != constraint.Discriminator && r.Kind != constraint.Member &&
				r.Kind != constraint.OptionalMember {
				continue
			}
			g := unions[r.Text]
			if g == nil {
				g = &Group{Least: 1, Optional: map[string]bool{}}
				unions[r.Text], names = g, append(names, r.Text)
			}
			if r.Kind != constraint.Member {
				g.Least = 0 // also because a discriminator may name a member without a value
			}
			if r.Kind == constraint.Discriminator {
				g.Discriminator = f.Key
				continue
			}
			value := f.Name
			if len(r.Values) > 0 {
				value = r.Values[0]
			}
			g.Names, g.Values = append(g.Names, f.Key), append(g.Values, value)
			g.Optional[f.Key] = r.Set
		}
	}
	return names, unions
}

// IsRequired reports whether a field must be present: a marker says so, or no marker says
// otherwise, and the field is always encoded and has no default. The package is that of the struct.
func IsRequired(f *model.JSONField, rules constraint.Rules, pkg *model.Package) bool {
	switch {
	case rules.Has(constraint.Required):
		return true
	case rules.Has(constraint.Optional), rules.Has(constraint.Default), f.JSON.OmitEmpty, f.JSON.OmitZero:
		return false
	case pkg != nil && pkg.Markers.Has("kubebuilder:validation:Optional"):
		return false
	}
	// Fields of an embedded pointer are present only if the pointer is set.
	for _, step := range f.Path[:len(f.Path)-1] {
		if _, ok := step.Type.Underlying().(*types.Pointer); ok {
			return false
		}
	}
	return true
}

// field returns the schema of a member of an object.
func (b *Builder) field(f *model.JSONField, rules constraint.Rules) *Schema {
	s := b.typ(f.Type)
	if rules.Has(constraint.Schemaless) {
		s = &Schema{PreserveUnknown: true}
	}
	b.apply(s, rules, f.Type)
	if text, deprecated := describe(f.Doc); text != "" {
		s.Description, s.Deprecated = text, deprecated
	} else if n, ok := types.Unalias(f.Type).(*types.Named); ok && isMeta(n, "ObjectMeta") {
		s.Description = "The name, the labels and the other metadata of the object."
	} else if ok && isMeta(n, "ListMeta") {
		s.Description = "The metadata of the list."
	}
	if null(f) && !rules.Has(constraint.Required) && s.MinItems == nil && s.MinProperties == nil {
		s.Nullable = s.Type != "" || s.Ref != "" || len(s.Union) > 0
	}
	tag := reflect.StructTag(f.Tag)
	s.PatchStrategy = cmp.Or(s.PatchStrategy, tag.Get("patchStrategy"))
	s.PatchMergeKey = cmp.Or(s.PatchMergeKey, tag.Get("patchMergeKey"))
	b.defaultOf(s, f, rules)
	if f.Quoted && !s.PreserveUnknown {
		s.quote()
	}
	return s
}

// null reports whether the codec may encode a field as null.
func null(f *model.JSONField) bool {
	if f.JSON.OmitEmpty || f.JSON.OmitZero {
		return false
	}
	switch types.Unalias(f.Type).Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		return true
	case *types.Struct:
		// Zero times are encoded as null.
		n, ok := types.Unalias(f.Type).(*types.Named)
		return ok && (isMeta(n, "Time") || isMeta(n, "MicroTime"))
	}
	return false
}

// defaultOf sets the same default as the generated functions: that of the field, or of its type.
func (b *Builder) defaultOf(s *Schema, f *model.JSONField, rules constraint.Rules) {
	if f.Var.Pkg() == nil {
		return
	}
	if r := rules.Get(constraint.Default); r != nil && !b.Universe.FollowsDefaults(f.Var.Pkg()) {
		s.keyDefault = defaults.JSON(b.Universe, b.Universe.Package(f.Var.Pkg().Path()), f.Type, r.Marker)
	} else if m, from := b.Universe.DefaultOf(f.Field); m != nil {
		s.Default = defaults.JSON(b.Universe, from, f.Type, m)
		if s.Default == "" && from.Main() && strings.TrimSpace(m.Raw) != "null" {
			b.Malformed = append(b.Malformed, m)
		}
	}
}

// example returns an example as JSON. Kubebuilder markers may enclose a list in braces.
func (b *Builder) example(s *Schema, r *constraint.Rule, t types.Type) string {
	if s.Type != "string" && strings.HasPrefix(strings.TrimSpace(r.Marker.Raw), "{") {
		if text := defaults.JSON(b.Universe, nil, t, r.Marker); text != "" {
			return text
		}
	}
	return Literals(s.Type == "string", []string{r.Text})[0]
}

// apply adds rules to a schema. The type is that of the rules, for the constants of an enum.
func (b *Builder) apply(s *Schema, rules constraint.Rules, t types.Type) {
	for _, r := range rules {
		b.rule(s, r, t)
	}
	if inner := rules.Inner(constraint.Elements); len(inner) > 0 {
		switch {
		case s.Items != nil:
			b.apply(s.Items, inner, nil)
		case s.Values != nil:
			b.apply(s.Values, inner, nil)
		}
	}
	if inner := rules.Inner(constraint.Keys); len(inner) > 0 && s.Values != nil {
		if s.Keys == nil {
			s.Keys = &Schema{Type: "string"}
		}
		b.apply(s.Keys, inner, nil)
	}
}

func (b *Builder) rule(s *Schema, r *constraint.Rule, t types.Type) {
	switch r.Kind {
	case constraint.Required:
		if r.Set && !nilable(t) {
			notZero(s)
		}
	case constraint.Nullable:
		s.Nullable = true
	case constraint.Minimum:
		stricter(&s.Minimum, &s.ExclusiveMinimum, r, 1)
	case constraint.Maximum:
		stricter(&s.Maximum, &s.ExclusiveMaximum, r, -1)
	case constraint.MultipleOf:
		if !slices.Contains(s.MultipleOf, r.Text) {
			s.MultipleOf = append(s.MultipleOf, r.Text)
		}
	case constraint.MinLength:
		most(&s.MinLength, s.length(r.N), false)
	case constraint.MaxLength, constraint.MaxBytes: // a string has no more characters than bytes
		most(&s.MaxLength, s.length(r.N), true)
	case constraint.Pattern:
		s.Patterns = append(s.Patterns, r.Text)
	case constraint.Format:
		format(s, r.Text)
	case constraint.Enum:
		s.Enum = intersect(s.Enum, Literals(s.Type == "string", r.Values))
	case constraint.EnumConstants:
		if n, ok := t.(*types.Named); ok {
			s.Enum = intersect(s.Enum, Constants(n))
		}
	case constraint.Neq:
		s.Not = append(s.Not, Literals(s.Type == "string", []string{r.Text})...)
	case constraint.MinItems:
		most(&s.MinItems, r.N, false)
	case constraint.MaxItems:
		most(&s.MaxItems, r.N, true)
	case constraint.UniqueItems:
		s.UniqueItems = true
	case constraint.MinProperties:
		most(&s.MinProperties, r.N, false)
	case constraint.MaxProperties:
		most(&s.MaxProperties, r.N, true)
	case constraint.ExactlyOneOf:
		s.Groups = append(s.Groups, Group{Names: r.Values, Least: 1})
	case constraint.AtMostOneOf:
		s.Groups = append(s.Groups, Group{Names: r.Values})
	case constraint.AtLeastOneOf:
		s.Groups = append(s.Groups, Group{Names: r.Values, Least: 1, Many: true})
	case constraint.Type:
		s.Type, s.PreserveUnknown = r.Text, false
		if r.Text == "object" || r.Text == "" {
			s.PreserveUnknown = true
		}
	case constraint.Title:
		s.Title = r.Text
	case constraint.ExternalDocs:
		s.DocsURL, s.Docs = r.Values[0], r.Values[1]
	case constraint.Example:
		s.Example = b.example(s, r, t)
	case constraint.EmbeddedResource:
		s.EmbeddedResource = true
		s.Type = cmp.Or(s.Type, "object")
	case constraint.IntOrString:
		s.Type, s.Format, s.Ref, s.PreserveUnknown = "", "", "", false
		s.IntOrString, s.Union = true, []string{"integer", "string"}
	case constraint.PreserveUnknown:
		s.PreserveUnknown = true
	case constraint.ListType:
		s.ListType = r.Text
	case constraint.ListMapKey:
		if !slices.Contains(s.ListMapKeys, r.Text) { // two generators may have a marker each
			s.ListMapKeys = append(s.ListMapKeys, r.Text)
			s.ListMapPos = cmp.Or(s.ListMapPos, r.Marker.Pos)
		}
	case constraint.MapType, constraint.StructType:
		s.MapType = r.Text
	case constraint.PatchStrategy:
		s.PatchStrategy = r.Text
	case constraint.PatchMergeKey:
		s.PatchMergeKey = r.Text
	case constraint.CEL:
		s.CEL = append(s.CEL, cel(r))
	case constraint.Immutable:
		s.Immutable = true
	}
}

// length returns the length of a string for a length in a rule. The base64 of n bytes has as many
// characters as that of the next multiple of three.
func (s *Schema) length(n int64) int64 {
	if s.bytes {
		return (n + 2) / 3 * 4
	}
	return n
}

// nilable reports whether only nil counts as missing in values of a type.
func nilable(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// notZero excludes the zero value, which a required field of the k8s family must not have.
func notZero(s *Schema) {
	switch {
	case s.Type == "string":
		most(&s.MinLength, 1, false)
	case s.Type == "array":
		most(&s.MinItems, 1, false)
	case s.Type == "object" && s.Values != nil:
		most(&s.MinProperties, 1, false)
	case s.Type == "integer", s.Type == "number":
		s.Not = append(s.Not, "0")
	case s.Type == "boolean":
		s.Not = append(s.Not, "false")
	}
}

func cel(r *constraint.Rule) CEL {
	arg := func(name string) string { v, _ := r.Marker.Arg(name); return v }
	return CEL{
		Rule: arg("rule"), Message: arg("message"), MessageExpression: arg("messageExpression"), Reason: arg("reason"),
		FieldPath: arg("fieldPath"), OptionalOldSelf: arg("optionalOldSelf") == "true",
	}
}

// most keeps the stricter one of two counts.
func most(have **int64, n int64, upper bool) {
	if *have == nil || upper == (n < **have) && n != **have {
		*have = &n
	}
}

// stricter keeps the stricter one of two bounds: the greater one if the sign is positive.
func stricter(have *string, exclusive *bool, r *constraint.Rule, sign int) {
	if *have != "" {
		a, ok1 := new(big.Rat).SetString(*have)
		b, ok2 := new(big.Rat).SetString(r.Text)
		if ok1 && ok2 {
			switch c := b.Cmp(a) * sign; {
			case c < 0:
				return
			case c == 0:
				*exclusive = *exclusive || r.Exclusive
				return
			}
		}
	}
	*have, *exclusive = r.Text, r.Exclusive
}

func intersect(have, more []string) []string {
	if have == nil {
		return more
	}
	return slices.DeleteFunc(slices.Clone(have), func(v string) bool { return !slices.Contains(more, v) })
}

// Literals returns JSON values as those of a type. For a text, all values become strings.
func Literals(isText bool, values []string) []string {
	out := slices.Clone(values)
	for i, v := range out {
		if isText && !strings.HasPrefix(v, `"`) {
			out[i] = constraint.Quote(v)
		}
	}
	return out
}

// Constants returns the values of the constants of a type, as JSON, in order of declaration.
func Constants(n *types.Named) []string {
	scope := n.Obj().Pkg().Scope()
	var found []*types.Const
	for _, name := range scope.Names() {
		if k, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(k.Type(), n) {
			found = append(found, k)
		}
	}
	slices.SortFunc(found, func(a, b *types.Const) int { return cmp.Compare(a.Pos(), b.Pos()) })
	var out []string
	for _, k := range found {
		text := k.Val().ExactString()
		switch b, _ := n.Underlying().(*types.Basic); {
		case k.Val().Kind() == constant.String:
			text = constraint.Quote(constant.StringVal(k.Val()))
		case b.Info()&types.IsFloat != 0: // as JSON, and not as a fraction
			f, _ := constant.Float64Val(k.Val())
			text = strconv.FormatFloat(f, 'g', -1, int(types.SizesFor("gc", "amd64").Sizeof(b))*8)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
