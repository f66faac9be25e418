// Package register generates the registration of the kinds of a package.
//
// It writes the variable GroupVersion, one static record for each kind, and the function AddTo that
// passes them to a builder. After the kinds, AddTo registers the results of other features, such as
// conversions.
package register

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/jsonpath"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
)

// abi is the version of the contract between the records and package runtime.
const abi = 1

// Plan plans the registration of the kinds of a package.
func Plan(c *feature.Context) feature.Plan {
	p := &plan{c: c}
	if !c.Package.HasGroup || len(c.Package.Kinds) == 0 && len(c.Registrations.Statements()) == 0 {
		return nil
	}
	p.checkGroupVersion()
	p.names()
	for _, k := range c.Package.Kinds {
		p.kind(k)
	}
	return p
}

type plan struct {
	c *feature.Context
	// groupVersion and addTo report whether the names are free; hand-written declarations take
	// precedence.
	groupVersion, addTo bool
}

func (p *plan) checkGroupVersion() {
	pkg := p.c.Package
	for _, name := range []string{"groupName", "versionName"} {
		for i, m := range pkg.Markers.All(name) {
			if first := pkg.Markers.Get(name); i > 0 && m.Value != first.Value {
				p.c.Errorf(m.Pos, "register-groupversion", "the package has the markers +%s=%s and +%s=%s, and can have one",
					name, first.Value, name, m.Value).
					Relate(p.c.Universe.Position(first.Pos), "the other marker")
			}
		}
	}
	at := func(name string) token.Pos {
		if m := pkg.Markers.Get(name); m != nil {
			return m.ValuePos
		}
		return pkg.Pos
	}
	if !model.IsGroup(pkg.Group) {
		p.c.Errorf(at("groupName"), "register-groupversion", "%q is not a group name: it must be a DNS name in lower case",
			pkg.Group).Suggest("// +groupName=fleet.example.com")
	}
	if !model.IsLabel(pkg.Version) {
		p.c.Errorf(at("versionName"), "register-groupversion",
			"%q is not a version name: it must consist of lower-case letters, digits and dashes", pkg.Version).
			Suggest("// +versionName=v1")
	}
}

// names looks for hand-written declarations with the names of generated ones.
func (p *plan) names() {
	scope := p.c.Package.Go.Scope()
	p.groupVersion, p.addTo = true, true
	if obj := scope.Lookup("GroupVersion"); obj != nil {
		p.groupVersion = false
		// The type of a variable without a declared type is unknown here; the compiler checks it.
		if v, ok := obj.(*types.Var); !ok || !model.IsNamed(v.Type(), emit.Schema, "GroupVersion") && !isAny(v.Type()) {
			p.c.Errorf(obj.Pos(), "register-name",
				"GroupVersion is not a variable of type schema.GroupVersion; rename it")
		}
	}
	if obj := scope.Lookup("AddTo"); obj != nil {
		p.addTo = false
		if fn, ok := obj.(*types.Func); !ok || !model.ShapeOf("func(b *runtime.Builder)").Fits(fn.Signature(), nil) {
			p.c.Errorf(obj.Pos(), "register-name",
				"AddTo is not a func(b *runtime.Builder); rename it, and AddTo is generated")
		} else {
			p.c.Errorf(obj.Pos(), "register-name",
				"AddTo is hand-written; rename it and call the generated AddTo from it").
				Suggest("func AddAllTo(b *runtime.Builder)")
		}
	}
	for _, k := range p.c.Package.Kinds {
		if obj := scope.Lookup(variable(k)); obj != nil {
			p.c.Errorf(obj.Pos(), "register-name", "the name %s is reserved for the record of kind %s",
				variable(k), k.Name)
		}
	}
}

func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}

func variable(k *model.Kind) string { return "kind" + k.Name }

// kind checks the registration of a kind and looks for its validation function.
func (p *plan) kind(k *model.Kind) {
	c := p.c
	for _, name := range []string{k.Resource, k.Singular} {
		if !model.IsLabel(name) {
			c.Errorf(k.Pos, "register-resource",
				"%q is not a resource name for kind %s: it must consist of lower-case letters, digits and dashes", name,
				k.Name)
		}
	}
	for _, m := range k.Selectable {
		p.selectable(k, m)
	}
	fn := c.Universe.Func(model.Validate, k.Named)
	switch fn.State {
	case model.Declared:
		c.Log("register: hand-written " + fn.Path + "." + fn.Name)
		if c.Registrations.Field(k, "Validate") == nil { // else the generated function calls it
			c.Registrations.KindField(k, "Validate", func(f *emit.File) string { return f.S(fn.Ident) })
		}
	case model.Mistyped:
		c.Errorf(fn.Object.Pos(), "register-validate",
			"%s does not have the signature %s for T = %s, so it would never be called; correct it or give it another name",
			fn.Name, model.Validate.Shape, k.Name)
	}
}

// selectable checks that the path of a selectable field consists only of member names, that the
// field exists, and that it is not sensitive, because a client could guess its value by selecting.
func (p *plan) selectable(k *model.Kind, m *marker.Marker) {
	arg := m.ArgAt("JSONPath")
	if arg == nil {
		return // reported with the form of the marker
	}
	path, err := jsonpath.Parse(arg.Value)
	if err != nil {
		p.c.Errorf(arg.ValuePos, "register-selectable", "the path of a selectable field of %s: %v", k.Name, err)
		return
	}
	for _, step := range path.Steps {
		if step.Kind != jsonpath.Field || strings.Contains(step.Name, ".") { // paths are split at dots
			p.c.Errorf(arg.ValuePos, "register-selectable",
				"the path %s of a selectable field of %s must consist only of member names without dots", arg.Value, k.Name)
			return
		}
	}
	var t types.Type = k.Named
	for _, step := range path.Steps {
		var fields []*model.JSONField
		if _, st := model.StructOf(t); st != nil {
			fields = p.c.Universe.JSONFields(st)
		}
		i := slices.IndexFunc(fields, func(f *model.JSONField) bool { return f.Key == step.Name })
		if i < 0 {
			if model.WritesItself(t) {
				return
			}
			p.c.Errorf(arg.ValuePos, "register-selectable", "the path %s of a selectable field of %s: no member is named %q",
				arg.Value, k.Name, step.Name)
			return
		}
		if p.c.Universe.PathTrait(model.Sensitive, fields[i].Path) {
			p.c.Errorf(arg.ValuePos, "register-selectable",
				"%s is marked +%s, and cannot be selected by", step.Name, model.Sensitive)
			return
		}
		t = fields[i].Type
	}
	if !selectableType(t) {
		p.c.Errorf(arg.ValuePos, "register-selectable", "a field to select by must be a string, an integer or a boolean, "+
			"which %s of %s is not", arg.Value, k.Name)
	}
}

// selectableType reports whether values of a type are single texts, integers or booleans in JSON.
func selectableType(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if model.WritesItself(t) {
		return true // it is known when the program runs
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsString|types.IsInteger|types.IsBoolean) != 0
}

// selectablePaths returns the paths of the selectable fields of a kind.
func selectablePaths(k *model.Kind) (out []string) {
	for _, m := range k.Selectable {
		if path, ok := m.Arg("JSONPath"); ok {
			out = append(out, path)
		}
	}
	return out
}

// Emit implements [feature.Plan].
func (p *plan) Emit(f *emit.File) {
	c := p.c
	if p.groupVersion {
		f.P("// GroupVersion identifies the API of this package.")
		f.Pf("var GroupVersion = %s", p.gv(f))
		f.P()
	}
	f.Pf("// AddTo adds the kinds of %s, and what can be done with them, to a scheme under construction.",
		c.Package.APIVersion())
	f.Pf("func AddTo(b *%s) {", rt("Builder"))
	for _, k := range c.Package.Kinds {
		if !k.Apart {
			f.Pf("%s(b, &%s)", rt("AddKind"), variable(k))
		}
	}
	for _, s := range c.Registrations.Statements() {
		s.Write(f)
	}
	for _, s := range p.sensitive() {
		f.Pf("%s[%s](b, %s)", rt("AddSensitive"), s.typ, expr.Quote(s.fields...))
	}
	f.P("}")
	for _, k := range c.Package.Kinds {
		f.P()
		p.record(f, k)
	}
}

func rt(name string) emit.Ident { return emit.Ident{Path: emit.Runtime, Name: name} }

func (p *plan) gv(f *emit.File) string {
	return f.Sf("%s{Group: %s, Version: %s}", emit.Ident{Path: emit.Schema, Name: "GroupVersion"},
		strconv.Quote(p.c.Package.Group), strconv.Quote(p.c.Package.Version))
}

func (p *plan) record(f *emit.File, k *model.Kind) {
	c := p.c
	f.Pf("var %s = %s[%s]{", variable(k), rt("KindSpec"), k.Named)
	f.Pf("GroupVersionKind: %s{Group: %s, Version: %s, Kind: %s},",
		emit.Ident{Path: emit.Schema, Name: "GroupVersionKind"},
		strconv.Quote(c.Package.Group), strconv.Quote(c.Package.Version), strconv.Quote(k.Name))
	f.Pf("Source: %s,", strconv.Quote(c.Universe.Source(k.Package, k.Pos)))
	if !k.IsList {
		f.Pf("Resource: %s,\nSingular: %s,", strconv.Quote(k.Resource), strconv.Quote(k.Singular))
	}
	quoted("ShortNames", k.ShortNames, f)
	quoted("Categories", k.Categories, f)
	if k.Cluster {
		f.Pf("Scope: %s,", rt("Cluster"))
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"Storage", k.Storage}, {"Shared", k.Shared}, {"Status", k.Status}, {"Unserved", k.Unserved}} {
		if flag.set {
			f.Pf("%s: true,", flag.name)
		}
	}
	if k.Deprecated != "" {
		f.Pf("Deprecated: %s,", strconv.Quote(k.Deprecated))
	}
	quoted("SelectableFields", selectablePaths(k), f)
	if k.List != nil {
		f.Pf("List: %s,", strconv.Quote(k.List.Name))
	}
	if k.ItemKind != nil {
		f.Pf("Item: %s,", strconv.Quote(k.ItemKind.Name))
	}
	f.Pf("ABI: %d,", abi)
	if k.TypeMeta != nil {
		f.Pf("TypeMeta: func(in *%s) (apiVersion, kind *string) { return &in.%s.APIVersion, &in.%s.Kind },", k.Named,
			k.TypeMeta.Name, k.TypeMeta.Name)
	}
	if k.Metadata != nil {
		if pointer := c.Universe.MetadataOf(k, "in", f); pointer != "" {
			f.Pf("Metadata: func(in *%s) any { return %s },", k.Named, pointer)
		}
	}
	if k.IsList {
		f.Pf("Items: func(in *%s) %s { return (*%s[%s])(&in.%s) },", k.Named, rt("Items"), rt("Slice"), k.Item,
			k.Items.Name)
	}
	for _, field := range []string{
		"DeepCopyInto", "AppendJSONFields", "DecodeJSON", "PrependProto", "DecodeProto",
		"Default", "Validate", "Export", "OmitDefaults", "ValidateChange", "SchemaName", "Schemas",
	} {
		if write := c.Registrations.Field(k, field); write != nil {
			f.Pf("%s: %s,", field, write(f))
		}
	}
	p.encoded(f, k)
	f.P("}")
}

// encoded writes the functions and numbers for reading parts of encoded objects, if the kind has
// any.
func (p *plan) encoded(f *emit.File, k *model.Kind) {
	fields := []string{"DecodeJSONMetadata", "DecodeProtoMetadata", "ProtoMetadata", "JSONItems", "ProtoItems"}
	any := slices.ContainsFunc(fields, func(field string) bool {
		return p.c.Registrations.Field(k, feature.Encoded+field) != nil
	})
	if !any {
		return
	}
	f.Pf("Encoded: %s[%s]{", rt("Encoded"), k.Named)
	for _, field := range append(fields, "Undefaulted") {
		if write := p.c.Registrations.Field(k, feature.Encoded+field); write != nil &&
			(field != "Undefaulted" || !k.IsList) {
			f.Pf("%s: %s,", field, write(f))
		}
	}
	f.P("},")
}

func quoted(field string, values []string, f *emit.File) {
	if len(values) > 0 {
		f.Pf("%s: []string{%s},", field, expr.Quote(values...))
	}
}
