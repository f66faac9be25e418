// Package json generates encoding to and decoding from JSON, equal to encoding/json.
//
// For every type T that takes part it writes AppendJSON<T> and DecodeJSON<T>, and
// AppendJSON<T>Fields for structs that embed TypeMeta. They follow the rules of encoding/json for
// names, order, embedded structs and conflicts between them, for omitempty, omitzero and the string
// option, and for methods that a type declares itself. These things differ:
//
//   - Names are matched with exact case.
//   - A map or slice is replaced, never merged into, and null makes a raw message nil.
//   - A json.Number is read only from a number, and a value with the string option must have the
//     canonical form: no leading zeros, and no null for a pointer.
//   - A negative zero counts as zero for omitzero.
//   - Map values are written by methods with a pointer receiver too, although they have no address.
//   - A method that an embedded field promotes is never used to write the struct; where encoding/json
//     would use one, that is an error.
//
// The plan of a type is a tree of [node] values, from which both directions are written.
package json

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
)

// Plan plans the functions for JSON of a package.
func Plan(c *feature.Context) feature.Plan {
	p := &planner{c: c, planned: map[*types.TypeName]bool{}, zero: map[*types.TypeName]bool{}, taken: map[string]bool{}}
	for _, t := range c.Package.Types {
		if t.Exported() {
			p.plan(t)
		}
	}
	for _, k := range c.Package.Kinds {
		for field, op := range map[string]model.Op{
			"AppendJSONFields": model.AppendJSONFields,
			"DecodeJSON":       model.DecodeJSON,
		} {
			if fn := c.Universe.Func(op, k.Named); fn.Exists() {
				c.Registrations.KindField(k, field, func(f *emit.File) string { return f.S(fn.Ident) })
			}
		}
		encoded(c, k)
	}
	slices.SortFunc(p.functions, func(a, b *function) int { return cmp.Compare(a.t.Name, b.t.Name) })
	return p
}

// encoded registers the parts of a kind that can be read from encoded JSON alone. Kinds with
// hand-written functions or methods are skipped.
func encoded(c *feature.Context, k *model.Kind) {
	u := c.Universe
	if u.Func(model.DecodeJSON, k.Named).State != model.Generated || k.Struct == nil || model.ReadsItself(k.Named) {
		return
	}
	if fn, ok := u.MetadataFunc(model.DecodeJSON, k); ok {
		c.Registrations.KindField(k, feature.Encoded+"DecodeJSONMetadata", func(f *emit.File) string {
			return f.Sf("func(r *%s, out *%s) { %s(r, &out.%s) }", wire("Reader"), k.Named, fn.Ident, k.Metadata.Name)
		})
	}
	if !k.IsList || k.ItemKind == nil || k.ItemPointer {
		return
	}
	for _, f := range u.JSONFields(k.Struct) {
		if f.Key == "items" && f.Var == k.Items.Var && u.Func(model.DecodeJSON, k.Item).Exists() {
			c.Registrations.KindField(k, feature.Encoded+"JSONItems", func(*emit.File) string { return "true" })
		}
	}
}

// op is the form of a value in JSON.
type op uint8

const (
	text     op = iota // a string
	boolean            // true or false
	signed             // an integer
	unsigned           // an integer without sign
	float              // a number
	number             // json.Number
	base64             // []byte
	texts              // []string
	textMap            // map[string]string
	untyped            // any
	rawJSON            // json.RawMessage
	call               // AppendJSON<T> and DecodeJSON<T>
	pointer
	slice
	array
	mapping
	structure
	unusable // a diagnostic has been given
)

// node is the form of one type.
type node struct {
	op  op
	typ types.Type
	// basic is the kind of scalars; bits its size.
	basic *types.Basic
	// appendFn and decodeFn are for call. With fields set, the value is written by the function
	// that omits kind and apiVersion.
	appendFn, decodeFn emit.Ident
	noTypeMeta         bool
	// The methods that write and read the type, or blank.
	marshal, unmarshal method
	elem               *node
	key                *node
	fields             []*fieldNode
	// names is the variable with the names of a structure.
	names string
	// item means that the elements of a slice are the items of a list kind.
	item bool
}

// method is an interface of the standard library that a type implements itself.
type method uint8

const (
	none method = iota
	json
	textual
)

// fieldNode is a member of an object.
type fieldNode struct {
	*model.JSONField
	node *node
	// omit lists the conditions under which the member is omitted, as functions of the selector.
	omitEmpty, omitZero bool
	typeMeta            bool
}

// function is the plan for one type.
type function struct {
	t    *model.Type
	node *node
	// Which functions are generated.
	appendAll, appendFields, decode bool
}

type planner struct {
	c         *feature.Context
	planned   map[*types.TypeName]bool
	functions []*function
	// zero holds the types for which a function isZero<T> is written.
	zero map[*types.TypeName]bool
	// taken holds the names of variables.
	taken map[string]bool

	// The type and field being planned, for diagnostics.
	owner   *model.Type
	pos     token.Pos
	path    string
	suffix  string
	inlined []types.Type
}

func (p *planner) errorf(code, format string, args ...any) *diag.Diagnostic {
	return p.c.Errorf(p.pos, code, "%s: %s", p.path, fmt.Sprintf(format, args...))
}

func (p *planner) typeName(t types.Type) string { return p.c.TypeName(t) }

// plan decides how to write the functions of a type of this package, once.
func (p *planner) plan(t *model.Type) {
	if p.planned[t.Named.Obj()] {
		return
	}
	p.planned[t.Named.Obj()] = true
	f := &function{
		t:            t,
		appendAll:    p.c.Generates("json", model.AppendJSON, t),
		appendFields: t.EmbedsTypeMeta() != nil && p.c.Generates("json", model.AppendJSONFields, t),
		decode:       p.c.Generates("json", model.DecodeJSON, t),
	}
	if !f.appendAll && f.appendFields {
		p.c.Errorf(t.Pos, "json-fields", "%s is hand-written, but %s is not", model.AppendJSON.Name(t.Name),
			model.AppendJSONFields.Name(t.Name)).
			Suggest("func %s(dst []byte, in *%s) ([]byte, error)", model.AppendJSONFields.Name(t.Name),
				p.typeName(t.Named))
		return
	}
	if !f.appendAll && !f.decode {
		return
	}
	p.functions = append(p.functions, f)

	owner, pos, path, suffix, inlined := p.owner, p.pos, p.path, p.suffix, p.inlined
	p.owner, p.pos, p.path, p.suffix, p.inlined = t, t.Pos, t.Name, "", nil
	f.node = p.declared(t)
	if t.EmbedsTypeMeta() != nil && f.appendFields && f.node.marshal != none {
		p.errorf("json-fields", "a kind with a method that writes JSON needs a function for its fields").
			Suggest("func %s(dst []byte, in *%s) ([]byte, error)", model.AppendJSONFields.Name(t.Name), t.Name)
	}
	p.owner, p.pos, p.path, p.suffix, p.inlined = owner, pos, path, suffix, inlined
}

// declared returns the form of a named type of this package, as used by its own functions.
func (p *planner) declared(t *model.Type) *node {
	marshal, unmarshal := methods(t.Named)
	n := &node{typ: t.Named, op: unusable}
	if marshal == none || unmarshal == none {
		n = p.under(t.Named)
	}
	n.marshal, n.unmarshal = marshal, unmarshal
	return n
}

// node returns the form of a type as a field, element or key's value.
func (p *planner) node(t types.Type) *node {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return p.under(t)
	}
	if obj := n.Obj(); obj.Pkg() != nil && obj.Pkg().Path() == "encoding/json" {
		switch obj.Name() {
		case "RawMessage":
			return &node{op: rawJSON, typ: t}
		case "Number":
			return &node{op: number, typ: t}
		}
	}
	if model.Hidden(n, p.c.Package.Go) {
		p.errorf("json-hidden", "%s is not exported, so its JSON cannot be written here", p.typeName(n)).Suggest("%s",
			p.c.HowToGetFunctions(n))
		return &node{op: unusable, typ: t}
	}
	appendFn, decodeFn := p.c.Universe.Func(model.AppendJSON, n), p.c.Universe.Func(model.DecodeJSON, n)
	if appendFn.Exists() && decodeFn.Exists() {
		if p.c.Package.Owns(n.Obj()) {
			if t := p.c.Universe.Type(n); appendFn.State == model.Generated || decodeFn.State == model.Generated {
				p.plan(t)
			}
		}
		return &node{op: call, typ: t, appendFn: appendFn.Ident, decodeFn: decodeFn.Ident}
	}
	if appendFn.Exists() != decodeFn.Exists() {
		p.errorf("json-half", "%s has only one of %s and %s", p.typeName(n), appendFn.Name, decodeFn.Name)
	}
	marshal, unmarshal := methods(n)
	if marshal != none && unmarshal != none {
		return &node{op: unusable, typ: t, marshal: marshal, unmarshal: unmarshal}
	}
	out := *p.under(n)
	out.marshal, out.unmarshal = marshal, unmarshal
	return &out
}

// under returns the form of a type by its structure.
func (p *planner) under(t types.Type) *node {
	for _, seen := range p.inlined {
		if types.Identical(seen, t) {
			p.errorf("json-recursive", "%s contains itself and has no AppendJSON and DecodeJSON functions",
				p.typeName(t)).Suggest("%s", p.c.HowToGetFunctions(t))
			return &node{op: unusable, typ: t}
		}
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		p.inlined = append(p.inlined, n)
		defer func() { p.inlined = p.inlined[:len(p.inlined)-1] }()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		info := u.Info()
		n := &node{typ: t, basic: u}
		switch {
		case u.Kind() == types.Uintptr:
			p.errorf("json-type", "%s is an address", p.typeName(t)).Suggest("use uint64")
			n.op = unusable
		case info&types.IsString != 0:
			n.op = text
		case info&types.IsBoolean != 0:
			n.op = boolean
		case info&types.IsInteger != 0 && info&types.IsUnsigned != 0:
			n.op = unsigned
		case info&types.IsInteger != 0:
			n.op = signed
		case info&types.IsFloat != 0:
			n.op = float
		default:
			if u.Kind() != types.Invalid {
				p.errorf("json-type", "%s has no form in JSON", p.typeName(t)).Suggest("%s", p.aside())
			}
			n.op = unusable
		}
		return n
	case *types.Pointer:
		return &node{op: pointer, typ: t, elem: p.node(u.Elem())}
	case *types.Slice:
		elem := types.Unalias(u.Elem())
		if b, ok := elem.(*types.Basic); ok && b.Kind() == types.String {
			return &node{op: texts, typ: t, elem: p.node(u.Elem())}
		}
		if b, ok := elem.Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 {
			if elem == b {
				return &node{op: base64, typ: t}
			}
			if m, _ := methods(elem.(*types.Named)); m == none {
				p.errorf("json-type", "a slice of %s would be written as base64",
					p.typeName(elem)).Suggest("use []byte")
				return &node{op: unusable, typ: t}
			}
		}
		return &node{op: slice, typ: t, elem: p.node(u.Elem())}
	case *types.Array:
		return &node{op: array, typ: t, elem: p.node(u.Elem())}
	case *types.Map:
		if types.Identical(u.Key(), types.Typ[types.String]) && types.Identical(u.Elem(), types.Typ[types.String]) {
			return &node{op: textMap, typ: t}
		}
		return &node{op: mapping, typ: t, key: p.key(u.Key()), elem: p.node(u.Elem())}
	case *types.Struct:
		return p.structure(t, u)
	case *types.Interface:
		if !u.Empty() {
			p.errorf("json-interface", "a value of interface %s cannot be decoded",
				p.typeName(t)).Suggest("use any, json.RawMessage or runtime.RawExtension")
			return &node{op: unusable, typ: t}
		}
		return &node{op: untyped, typ: t}
	case *types.Chan, *types.Signature:
		p.errorf("json-type", "%s has no form in JSON", p.typeName(t)).Suggest("%s", p.aside())
	}
	return &node{op: unusable, typ: t}
}

func (p *planner) aside() string { return `give the field the tag json:"-"` }

// key returns the form of a map key.
func (p *planner) key(t types.Type) *node {
	n := &node{typ: t}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		n.marshal, n.unmarshal = textMethods(named)
	}
	u, _ := t.Underlying().(*types.Basic)
	n.basic = u
	switch {
	case u != nil && u.Info()&types.IsString != 0:
		// A key of string kind is written verbatim, even if it has a method.
		n.op, n.marshal = text, none
		return n
	case n.marshal != none && n.unmarshal != none:
		n.op = untyped
		return n
	case u != nil && u.Info()&types.IsInteger != 0 && u.Kind() != types.Uintptr:
		n.op = signed
		if u.Info()&types.IsUnsigned != 0 {
			n.op = unsigned
		}
	default:
		n.op = unusable
		if !model.ContainsInvalid(t) {
			p.errorf("json-mapkey", "a map key of type %s has no form in JSON",
				p.typeName(t)).Suggest("use a string or integer type, or one with MarshalText and UnmarshalText")
		}
		return n
	}
	if n.marshal != n.unmarshal {
		n.op = unusable
		p.errorf("json-mapkey", "map key %s has only one of MarshalText and UnmarshalText", p.typeName(t))
	}
	return n
}

// structure returns the form of a struct: an object.
func (p *planner) structure(t types.Type, st *types.Struct) *node {
	n := &node{op: structure, typ: t, names: p.namesVariable()}
	pos, path, suffix := p.pos, p.path, p.suffix
	defer func() { p.pos, p.path, p.suffix = pos, path, suffix }()
	p.embedded(st)
	p.sameNames(t, st)
	sameSource := len(p.inlined) == 0 || p.inlined[0] == types.Type(p.owner.Named) && len(p.inlined) == 1
	list := p.listKind(t)
	for _, jf := range p.c.Universe.JSONFields(st) {
		if sameSource {
			p.pos = jf.Path[0].Pos
		}
		p.path = path + "." + jf.Selector()
		p.suffix = suffix + strings.ReplaceAll(jf.Selector(), ".", "")
		if jf.JSON.Inline && !jf.Embedded {
			p.c.Warnf(p.pos, "json-inline",
				"%s: encoding/json ignores the option inline of a field that is not embedded, and writes it under %q",
				p.path, jf.Key)
		}
		for _, step := range jf.Path {
			if !step.Exported() && step.Var.Pkg() != p.c.Package.Go {
				p.errorf("json-hidden", "the embedded %s is not exported, so its JSON cannot be written here",
					step.Name).Suggest("%s", p.c.HowToGetFunctions(t))
			}
		}
		f := &fieldNode{
			JSONField: jf, node: p.node(jf.Type), omitEmpty: jf.JSON.OmitEmpty, omitZero: jf.JSON.OmitZero,
			typeMeta: model.IsTypeMeta(jf.Path[0]) && len(jf.Path) > 1,
		}
		if f.node.op == call || f.node.op == pointer && f.node.elem.op == call {
			f.JSONField.Quoted = false
		}
		if list != nil && jf.Field.Var == list.Items.Var {
			f.node = p.items(list, f.node)
		}
		if f.omitZero && !p.canBeZero(f.node.typ) {
			p.errorf("json-omitzero", "whether %s is zero cannot be determined without reflection",
				p.typeName(f.node.typ)).Suggest("use a pointer with omitempty")
		}
		n.fields = append(n.fields, f)
	}
	for i, f := range n.fields {
		if f.typeMeta && i > 0 && !n.fields[i-1].typeMeta {
			p.c.Warnf(f.Path[0].Pos, "json-order",
				"%s: kind and apiVersion are always written first; embed TypeMeta first", path)
			break
		}
	}
	return n
}

// namesVariable returns the name of the variable with the member names of the struct being planned.
// Field B of type A and field C of type AB can result in the same name; the later one is then
// lengthened.
func (p *planner) namesVariable() string {
	name := "names" + emit.UpperFirst(p.owner.Name) + p.suffix
	for p.taken[name] || p.c.Package.Go.Scope().Lookup(name) != nil {
		name += "_"
	}
	p.taken[name] = true
	return name
}

// listKind returns the list kind that a type of this package is, or nil.
func (p *planner) listKind(t types.Type) *model.Kind {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if k := p.c.Package.Kind(n.Obj().Name()); k != nil && k.IsList && k.Named.Obj() == n.Obj() {
		return k
	}
	return nil
}

// items makes the elements of a slice the items of a list kind, written without kind and apiVersion
// unless a marker says otherwise.
func (p *planner) items(list *model.Kind, n *node) *node {
	if n.op != slice {
		return n
	}
	out := *n
	out.item = true
	elem, ok := types.Unalias(n.elem.typ).(*types.Named)
	if !ok || n.elem.op != call || list.TypedItems {
		return &out
	}
	if fn := p.c.Universe.Func(model.AppendJSONFields, elem); fn.Exists() {
		e := *n.elem
		e.appendFn, e.noTypeMeta = fn.Ident, true
		out.elem = &e
	}
	return &out
}

// embedded reports structs that encoding/json would write by a promoted method, and embedded fields
// with their own JSON form, which encoding/json would flatten or use for the whole struct.
func (p *planner) embedded(st *types.Struct) {
	for _, f := range p.c.Universe.Fields(st) {
		if !f.Embedded || f.JSON.Name != "" || f.JSON.Skip {
			continue
		}
		t := types.Unalias(f.Type)
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		if _, isStruct := t.Underlying().(*types.Struct); !isStruct {
			continue
		}
		if m := promoted(t); m != "" {
			p.c.Errorf(f.Pos, "json-embedded", "%s.%s: the method %s of the embedded %s would write the whole struct",
				p.path, f.Name, m, p.typeName(t)).
				Suggest("%s %s `json:\"%s\"`", f.Name, p.typeName(f.Type), emit.LowerFirst(f.Name))
		}
	}
}

// sameNames reports fields with the same name in JSON: encoding/json omits all of them, so their
// values would be lost in every format and conversion. Where they come from embedded structs, this
// is a warning, because programs may rely on it.
func (p *planner) sameNames(t types.Type, st *types.Struct) {
	name := p.path
	if n, ok := types.Unalias(t).(*types.Named); ok {
		name = n.Obj().Name()
	}
	for _, c := range p.c.Universe.Clashes(st) {
		first, second := c[0], c[1]
		at, other := second.Path[0].Pos, first.Path[0].Pos // an embedded struct may be of another module
		if first == second {
			p.c.Warnf(at, "json-name", "%s.%s is embedded more than once at one depth, so it is neither read nor written",
				name, first.Selector())
			continue
		}
		report := p.c.Errorf
		if len(first.Path) > 1 {
			report = p.c.Warnf
		}
		report(at, "json-name", "%s.%s and %s.%s are both %q in JSON, so neither is read or written", name,
			first.Selector(), name, second.Selector(), first.Key).
			Relate(p.c.Universe.Position(other), "the other field")
	}
}

var marshals, unmarshals = model.ShapeOf("func() ([]byte, error)"), model.ShapeOf("func([]byte) error")

// codecs has the methods that determine the JSON form of a type.
var codecs = map[string]*model.Shape{
	"MarshalJSON": marshals, "MarshalText": marshals, "UnmarshalJSON": unmarshals, "UnmarshalText": unmarshals,
}

// promoted returns the name of a method of t, declared or promoted, that determines its JSON form.
func promoted(t types.Type) string {
	for _, name := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
		if fn := model.AnyMethod(t, name); fn != nil && codecs[name].Fits(fn.Signature(), nil) {
			return name
		}
	}
	return ""
}

// methods returns how a type itself determines its JSON form.
func methods(n *types.Named) (marshal, unmarshal method) {
	marshal, unmarshal = textMethods(n)
	if declares(n, "MarshalJSON") {
		marshal = json
	}
	if declares(n, "UnmarshalJSON") {
		unmarshal = json
	}
	return marshal, unmarshal
}

func textMethods(n *types.Named) (marshal, unmarshal method) {
	if declares(n, "MarshalText") {
		marshal = textual
	}
	if declares(n, "UnmarshalText") {
		unmarshal = textual
	}
	return marshal, unmarshal
}

func declares(n *types.Named, name string) bool { return model.HasMethod(n, name, codecs[name]) }
