package lint

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
)

// fieldRules returns the rules about the types of fields, also in combination with markers and
// tags.
func fieldRules() []*Rule {
	return []*Rule{
		{
			Name: "field-unexported", Doc: "A field is not exported.",
			Why:   "No format encodes it, and no conversion in another package can access it: its value is lost whenever an object is sent or stored.",
			field: fieldUnexported,
		},
		{
			Name:  "optional-present",
			Doc:   "An optional field is encoded even if it is not set: it has neither omitempty nor omitzero, or has omitempty and is a struct or an array.",
			Why:   "The zero value then looks like an explicit value, and the default of another client never applies.",
			field: optionalPresent,
		},
		{
			Name: "integer-size", Doc: "A field is an int, uint or uintptr, whose size depends on the platform.",
			Why:   "Another program may be unable to read the value.",
			field: integerSize,
		},
		{
			Name:  "duration-number",
			Doc:   "A field is a time.Duration, which is a number of nanoseconds in every format.",
			Why:   "Other clients read a number without a unit as seconds or milliseconds, and 1m30s is refused.",
			warns: true, field: durationNumber,
		},
		{
			Name: "enum-missing", Doc: "A string type has constants, but no marker limits its values to them.",
			Why:   "Any text is accepted, and neither kubectl explain nor an editor shows the constants.",
			warns: true, typ: enumMissing,
		},
		{
			Name: "map-key", Doc: "A map has keys that JSON does not support.",
			Why:   "Only strings, integers, and types with MarshalText and UnmarshalText can be names of members.",
			field: func(c *context, f *model.Field) { mapKey(c, f.Type) },
			typ:   func(c *context, t *model.Type) { mapKey(c, t.Named.Underlying()) },
		},
		{
			Name: "protobuf-unfit", Doc: "A field has a type that protobuf cannot represent, in a package that does not use protobuf yet. In a package that does, the generator reports it.",
			Why:   "The kind cannot support protobuf without a change of its Go type. +askind:protobuf=false on the field or type states that this is intended.",
			field: protobufUnfit,
		},
	}
}

func fieldUnexported(c *context, f *model.Field) {
	if f.Exported() || f.Embedded {
		return
	}
	first, n := utf8.DecodeRuneInString(f.Name)
	d := c.report(c.pos, "%s is not exported, so it is lost in every format", c.path)
	if unicode.IsUpper(unicode.ToUpper(first)) {
		d.Suggest("%c%s", unicode.ToUpper(first), f.Name[n:])
	}
}

// optionalMarkers has the markers of optional fields.
var optionalMarkers = []string{"optional", "k8s:optional", "kubebuilder:validation:Optional"}

func optionalPresent(c *context, f *model.Field) {
	optional := slices.ContainsFunc(optionalMarkers, f.Markers.Has)
	if !optional || f.JSON.Skip || f.JSON.OmitZero || !f.Exported() || f.Embedded && f.JSON.Name == "" {
		return
	}
	switch u := f.Type.Underlying().(type) {
	case *types.Struct:
		if f.JSON.OmitEmpty {
			c.report(c.pos, "%s is optional, but omitempty never leaves out a struct",
				c.path).Suggest("use omitzero, or a pointer")
			return
		}
	case *types.Array:
		if f.JSON.OmitEmpty && u.Len() > 0 {
			c.report(c.pos, "%s is optional, but omitempty never leaves out an array",
				c.path).Suggest("use omitzero, or a slice")
			return
		}
	}
	if f.JSON.OmitEmpty {
		return
	}
	d := c.report(c.pos, "%s is optional, but is always written", c.path)
	if _, ok := f.Type.Underlying().(*types.Struct); ok {
		d.Suggest("`json:\"%s,omitzero\"`", f.JSONName())
		return
	}
	d.Suggest("`json:\"%s,omitempty\"`", f.JSONName())
}

func integerSize(c *context, f *model.Field) {
	if f.JSON.Skip || !f.Exported() {
		return
	}
	t := f.Type
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return
	}
	better := map[types.BasicKind]string{
		types.Int: "int32 or int64", types.Uint: "uint32 or uint64",
		types.Uintptr: "uint64",
	}[b.Kind()]
	if better != "" {
		c.report(c.pos, "the size of %s depends on the platform: its type is %s", c.path,
			b.Name()).Suggest("%s", better)
	}
}

func durationNumber(c *context, f *model.Field) {
	if !f.JSON.Skip && f.Exported() && model.IsNamed(innermost(f.Type), "time", "Duration") {
		c.report(c.pos, "%s is a time.Duration, which is a number of nanoseconds in every format", c.path).
			Suggest("metav1.Duration, which is text such as 1m30s")
	}
}

// innermost returns the type at the end of pointers, lists and maps.
func innermost(t types.Type) types.Type {
	t = types.Unalias(t)
	switch t.(type) {
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		return innermost(model.Elem(t))
	}
	return t
}

// enumMissing reports a string type with several constants that accepts any text, because neither
// markers of the type or of its fields in the package nor a function limit it.
func enumMissing(c *context, t *model.Type) {
	b, ok := t.Named.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsString == 0 || limited(t.Markers) {
		return
	}
	values := schemas.Constants(t.Named)
	if len(values) < 2 || c.pkg.Lookup("Validate"+t.Name) != nil {
		return
	}
	for _, holder := range c.pkg.Types {
		for _, f := range holder.Fields {
			if types.Identical(innermost(f.Type), t.Named) && limited(f.Markers) {
				return
			}
		}
	}
	c.report(c.pos, "%s accepts any text, not only its constants %s", c.path, strings.Join(values, ", ")).
		Suggest("// +enum\ntype %s %s", t.Name, b.Name())
}

// limited reports whether markers limit the text of a declaration or of its elements.
func limited(list marker.List) bool {
	rules := constraint.Read(list, nil)
	rules = append(rules, rules.Inner(constraint.Elements)...)
	return slices.ContainsFunc(rules, func(r *constraint.Rule) bool {
		switch r.Kind {
		case constraint.Enum, constraint.EnumConstants, constraint.Pattern, constraint.Format:
			return true
		}
		return false
	})
}

// mapKey checks the maps in a type.
func mapKey(c *context, t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer, *types.Slice, *types.Array:
		mapKey(c, model.Elem(t))
	case *types.Map:
		if !isJSONKey(t.Key()) {
			c.report(c.pos, "%s is a map with keys of type %s, which JSON does not support", c.path,
				c.typeName(t.Key())).Suggest(
				"use a string or an integer as key, or give the type MarshalText and UnmarshalText",
			)
		}
		mapKey(c, t.Elem())
	}
}

func isJSONKey(t types.Type) bool {
	if isParameter(t) {
		return true
	}
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&(types.IsString|types.IsInteger) != 0 {
		return true
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && model.Method(n, "MarshalText") != nil && model.Method(n, "UnmarshalText") != nil
}

// isParameter reports whether a type is a parameter of a generic one, about which nothing is known.
func isParameter(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

func (c *context) typeName(t types.Type) string { return c.pkg.TypeName(t) }

func protobufUnfit(c *context, f *model.Field) {
	if c.pkg.AsksProto() || !f.InProto() || model.IsTypeMeta(f) || c.withoutProto() {
		return
	}
	if problem := c.unfit(f.Type, false); problem != "" {
		c.report(c.pos, "%s cannot be represented in protobuf: %s", c.path, problem).Suggest("// +askind:protobuf=false")
	}
}

// withoutProto reports whether a marker here or on an enclosing declaration disables protobuf.
func (c *context) withoutProto() bool {
	for _, list := range c.markers {
		if m := list.Get("askind:protobuf"); m != nil && m.Value == "false" {
			return true
		}
		if m := list.Get("protobuf"); m != nil && m.Raw == "=false" {
			return true
		}
	}
	return false
}

// unfit describes why a type cannot be a field of a message, or an element of a repeated one. It
// returns "" if it can.
func (c *context) unfit(t types.Type, element bool) string {
	if isParameter(t) {
		return ""
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if mt := c.u.Type(n); mt != nil && (mt.ProtoMessage() || c.u.Func(model.PrependProto, n).Exists()) {
			return ""
		}
		if _, ok := n.Underlying().(*types.Struct); ok {
			return c.unfitStruct(n)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 || u.Kind() == types.Uintptr || u.Kind() == types.UnsafePointer {
			return c.typeName(t) + " has no form there"
		}
		return ""
	case *types.Pointer:
		switch {
		case element:
			return "an element of a list or map cannot be nil"
		case isParameter(u.Elem()):
			return ""
		}
		switch u.Elem().Underlying().(type) {
		case *types.Basic, *types.Struct:
			return c.unfit(u.Elem(), false)
		}
		return "nil and empty are the same there, so " + c.typeName(t) + " makes no difference"
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 {
			return ""
		}
		if element {
			return "a list inside of a list or map needs a type of its own with +askind:protobuf:message"
		}
		return c.unfit(u.Elem(), true)
	case *types.Map:
		if element {
			return "a map inside of a list or map needs a type of its own with +askind:protobuf:message"
		}
		b, ok := u.Key().Underlying().(*types.Basic)
		if !isParameter(u.Key()) &&
			(!ok || b.Info()&(types.IsString|types.IsInteger) == 0 || b.Kind() == types.Uintptr) {
			return "keys are strings or integers"
		}
		return c.unfit(u.Elem(), true)
	case *types.Array:
		return "there are no arrays of fixed length"
	case *types.Struct:
		return "a struct without a name has no message"
	}
	return c.typeName(t) + " has no form there"
}

// unfitStruct is unfit for a named struct without protobuf functions. A struct of the main module
// gets them when its package enables protobuf, and one whose fields have numbers, such as those of
// Kubernetes, when a package names it with +askind:foreign.
func (c *context) unfitStruct(n *types.Named) string {
	p := c.u.Package(n.Obj().Pkg().Path())
	switch {
	case n.TypeArgs().Len() > 0:
		return c.typeName(n) + " is an instance of a generic type, which has no message"
	case p != nil && p.Output, numbered(n):
		return ""
	}
	return c.typeName(n) + " has no functions for it"
}

// numbered reports whether fields of a struct have protobuf tags.
func numbered(n *types.Named) bool {
	s, _ := n.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		if reflect.StructTag(s.Tag(i)).Get("protobuf") != "" {
			return true
		}
	}
	return false
}
