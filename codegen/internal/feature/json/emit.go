package json

import (
	"cmp"
	stdjson "encoding/json"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/guard"
	"github.com/askind/askind/codegen/internal/model"
)

// Emit implements [feature.Plan].
func (p *planner) Emit(f *emit.File) {
	if len(p.functions) == 0 {
		return
	}
	local := p.c.Package.Path
	f.P("// The code below was written against this version of the functions that it calls.")
	f.Pf("const _ = %s", wire("ABI1"))
	for _, fn := range p.functions {
		e := &encoder{f: f, local: local, starts: map[string]bool{}}
		if fn.appendAll {
			e.function(fn)
		}
		if fn.appendFields {
			e.fieldsFunction(fn)
		}
		if fn.decode {
			(&decoder{f: f}).function(fn)
		}
	}
	zero := make([]*types.Named, 0, len(p.zero))
	for obj := range p.zero {
		if n := obj.Type().(*types.Named); !plain(n) {
			zero = append(zero, n)
		}
	}
	slices.SortFunc(zero, func(a, b *types.Named) int { return cmp.Compare(a.Obj().Name(), b.Obj().Name()) })
	for _, n := range zero {
		f.P()
		emitZero(f, local, n)
	}
	p.guards(f)
}

// guards writes declarations that stop compiling when a struct changes.
func (p *planner) guards(f *emit.File) {
	var structs []*types.Named
	for _, fn := range p.functions {
		if fn.t.Struct != nil && fn.node.op == structure {
			structs = append(structs, fn.t.Named)
		}
	}
	guard.Write(f, guard.Inlined(structs, p.c.Package.Go, p.calls), p.c.Package.Go)
}

// calls reports whether functions or methods of a type write the JSON of a field. Promoted fields
// are written one by one, without a function of the embedded type. The generated code of a package
// guards its own types.
func (p *planner) calls(n *types.Named, promoted bool) bool {
	u := p.c.Universe
	if pkg := u.Package(n.Obj().Pkg().Path()); pkg == nil || pkg.Std || model.IsTypeMetaType(n) {
		return true
	}
	if promoted {
		return p.planned[n.Obj()]
	}
	marshal, unmarshal := methods(n)
	return marshal != none && unmarshal != none ||
		u.Func(model.AppendJSON, n).Exists() && u.Func(model.DecodeJSON, n).Exists()
}

func wire(name string) emit.Ident { return emit.Ident{Path: emit.JSONWire, Name: name} }

// memberPrefix is ',"name":'.
func memberPrefix(key string) string {
	name, err := stdjson.Marshal(key)
	if err != nil {
		name = []byte(strconv.Quote(key))
	}
	return "," + string(name) + ":"
}

func literal(s string) string {
	if strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// encoder writes the encoding functions.
type encoder struct {
	f     *emit.File
	local string
	// lists and maps count the enclosing loops, to number their variables.
	lists, maps int
	// objects counts the enclosing objects under the same field, whose name is in within.
	objects int
	within  string
	// starts holds the names of the variables with the starts of objects.
	starts map[string]bool
	// pending is constant text that has not been appended yet.
	pending string
	// at is the path to the value being written.
	at expr.ErrorPath
}

func (e *encoder) function(fn *function) {
	t := fn.t
	name := model.AppendJSON.Name(t.Name)
	e.p("")
	e.p("// %s appends in as JSON to dst.", name)
	e.p("func %s(dst []byte, in *%s) ([]byte, error) {", name, t.Named)
	defer func() { e.p("}") }()
	if fn.node.marshal != none {
		e.p("return %s", e.marshaler(fn.node, "*in"))
		return
	}
	if fn.node.op == structure {
		if t.EmbedsTypeMeta() != nil {
			e.p("start := len(dst)")
			for _, fd := range fn.node.fields {
				if fd.typeMeta {
					e.member(fd, "in")
				}
			}
			e.p("dst, err := %s(dst, in)", model.AppendJSONFields.Name(t.Name))
			e.p("if err != nil {\nreturn dst, err\n}")
			e.p("return %s(dst, start), nil", wire("CloseObject"))
			return
		}
		if fallible(fn.node) {
			e.p("var err error")
		}
		e.p("start := len(dst)")
		for _, fd := range fn.node.fields {
			e.member(fd, "in")
		}
		e.p("return %s(dst, start), nil", wire("CloseObject"))
		return
	}
	if fallible(fn.node) {
		e.p("var err error")
	}
	e.value(fn.node, "*in", false)
	e.p("return dst, nil")
}

func (e *encoder) fieldsFunction(fn *function) {
	t := fn.t
	name := model.AppendJSONFields.Name(t.Name)
	e.p("")
	e.p("// %s appends every field but kind and apiVersion to dst, each as ',\"name\":value'.", name)
	e.p("func %s(dst []byte, in *%s) ([]byte, error) {", name, t.Named)
	if slices.ContainsFunc(fn.node.fields, func(fd *fieldNode) bool { return !fd.typeMeta && fallible(fd.node) }) {
		e.p("var err error")
	}
	for _, fd := range fn.node.fields {
		if !fd.typeMeta {
			e.member(fd, "in")
		}
	}
	e.p("return dst, nil\n}")
}

// fallible reports whether writing a value can fail. Map keys have a separate error variable.
func fallible(n *node) bool {
	if n.marshal != none {
		return true
	}
	switch n.op {
	case float, untyped, rawJSON, number, call:
		return true
	case pointer, slice, array, mapping:
		return fallible(n.elem)
	case structure:
		return slices.ContainsFunc(n.fields, func(fd *fieldNode) bool { return fallible(fd.node) })
	}
	return false
}

// member writes one member of an object with a leading comma.
func (e *encoder) member(fd *fieldNode, in string) {
	var conditions []string
	x := in
	for _, step := range fd.Path[:len(fd.Path)-1] {
		x += "." + step.Name
		if _, ok := step.Type.Underlying().(*types.Pointer); ok {
			conditions = append(conditions, x+" != nil")
		}
	}
	x += "." + fd.Name
	present := false
	if fd.omitEmpty {
		if c := expr.NonEmpty(x, fd.node.typ); c != "" {
			conditions = append(conditions, c)
			present = true
		}
	}
	if fd.omitZero {
		if c := isSet(e.f, e.local, fd.node.typ, x); !slices.Contains(conditions, c) {
			conditions = append(conditions, c)
			present = true
		}
	}
	if len(conditions) > 0 {
		e.p("if %s {", strings.Join(conditions, " && "))
	}
	e.lit(memberPrefix(fd.Key))
	at, within, objects := e.at, e.within, e.objects
	e.at, e.within, e.objects = at.Field(fd.Key), within+strings.ReplaceAll(fd.Selector(), ".", ""), 0
	switch {
	case fd.Quoted:
		e.quoted(fd.node, x, present)
	case fd.omitEmpty && fd.node.op == boolean && fd.node.marshal == none:
		e.lit("true") // otherwise it is omitted
	default:
		e.value(fd.node, x, present)
	}
	e.at, e.within, e.objects = at, within, objects
	if len(conditions) > 0 {
		e.p("}")
	}
}

// p writes a line after the pending constant text.
func (e *encoder) p(format string, args ...any) {
	e.flush()
	e.f.Pf(format, args...)
}

// lit appends constant text. Consecutive texts are appended together.
func (e *encoder) lit(text string) { e.pending += text }

func (e *encoder) flush() {
	text := e.pending
	e.pending = ""
	switch len(text) {
	case 0:
	default:
		e.f.Pf("dst = %s(dst, %s)", wire("AppendText"), literal(text))
	}
}

// scalar appends a value, together with the pending constant text if that is longer than a
// character.
func (e *encoder) scalar(name, x string) {
	if len(e.pending) < 2 {
		e.p("dst = %s(dst, %s)", wire("Append"+name), x)
		return
	}
	text := literal(e.pending)
	e.pending = ""
	e.f.Pf("dst = %s(dst, %s, %s)", wire("Append"+name+"Member"), text, x)
}

// quoted writes a scalar, or a pointer to one, inside a string.
func (e *encoder) quoted(n *node, x string, present bool) {
	if n.op == pointer {
		if !present {
			e.p("if %s == nil {\ndst = %s(dst, \"null\")\n} else {", x, wire("AppendText"))
			defer func() { e.p("}") }()
		}
		n, x = n.elem, "*"+x
	}
	if n.op == text {
		e.p("dst = %s(dst, string(%s(nil, %s)))", wire("AppendString"), wire("AppendString"),
			expr.Convert(x, n.typ, "string"))
		return
	}
	e.lit(`"`)
	e.value(n, x, present)
	e.lit(`"`)
}

// try writes a statement that appends and may fail.
func (e *encoder) try(call string) {
	e.p("if dst, err = %s; err != nil {\nreturn dst, %s\n}", call, e.at.At(e.f, "err"))
}

func (e *encoder) marshaler(n *node, x string) string {
	fn := "AppendMarshaler"
	if n.marshal == textual {
		fn = "AppendTextMarshaler"
	}
	return e.f.Sf("%s(dst, %s)", wire(fn), expr.AddressOf(x))
}

// value writes statements that append the value of an addressable expression. If present is set, an
// enclosing condition ensures that it is not nil.
func (e *encoder) value(n *node, x string, present bool) {
	if n.marshal != none {
		e.try(e.marshaler(n, x))
		return
	}
	null := func() func() {
		if present {
			return func() {}
		}
		e.p("if %s == nil {\ndst = %s(dst, \"null\")\n} else {", x, wire("AppendText"))
		return func() { e.p("}") }
	}
	switch n.op {
	case text:
		e.scalar("String", expr.Convert(x, n.typ, "string"))
	case boolean:
		e.scalar("Bool", expr.Convert(x, n.typ, "bool"))
	case signed:
		e.scalar("Int", expr.Convert(x, n.typ, "int64"))
	case unsigned:
		e.p("dst = %s(dst, %s)", wire("AppendUint"), expr.Convert(x, n.typ, "uint64"))
	case float:
		bits := strings.TrimPrefix(n.basic.Name(), "float")
		e.try(e.f.Sf("%s(dst, %s)", wire("AppendFloat"+bits), expr.Convert(x, n.typ, "float"+bits)))
	case number, untyped:
		e.try(e.f.Sf("%s(dst, %s)", wire("AppendAny"), x))
	case base64:
		e.p("dst = %s(dst, %s)", wire("AppendBytes"), x)
	case texts:
		e.scalar("Strings", x)
	case textMap:
		e.scalar("StringMap", x)
	case rawJSON:
		e.try(e.f.Sf("%s(dst, %s)", wire("AppendRaw"), x))
	case call:
		if !n.noTypeMeta {
			e.try(e.f.Sf("%s(dst, %s)", n.appendFn, expr.AddressOf(x)))
			break
		}
		e.object(func() { e.try(e.f.Sf("%s(dst, %s)", n.appendFn, expr.AddressOf(x))) })
	case pointer:
		end := null()
		e.value(n.elem, "*"+x, false)
		end()
	case slice:
		end := null()
		e.elements(n, x)
		end()
	case array:
		e.elements(n, x)
	case mapping:
		end := null()
		e.object(func() { e.mapping(n, x) })
		end()
	case structure:
		e.object(func() {
			for _, fd := range n.fields {
				e.member(fd, expr.Selectable(x))
			}
		})
	}
}

// object writes the start and end of an object.
func (e *encoder) object(members func()) {
	e.objects++
	start := expr.Numbered("start"+e.within, e.objects)
	for e.starts[start] { // field B of field A, and field AB
		start += "_"
	}
	e.starts[start] = true
	e.p("%s := len(dst)", start)
	members()
	e.p("dst = %s(dst, %s)", wire("CloseObject"), start)
	e.objects--
}

func (e *encoder) elements(n *node, x string) {
	e.lists++
	i := expr.Numbered("i", e.lists)
	e.lit("[")
	e.p("for %s := range %s {", i, x)
	e.p("dst = %s(dst, %s)", wire("AppendComma"), i)
	at := e.at
	e.at = at.Index(i)
	e.value(n.elem, expr.Operand(x)+"["+i+"]", false)
	e.at = at
	e.p("}")
	e.lit("]")
	e.lists--
}

func (e *encoder) mapping(n *node, x string) {
	e.maps++
	k, v := expr.Numbered("k", e.maps), expr.Numbered("v", e.maps)
	var keyText string
	switch {
	case n.key.marshal != none:
		// Keys are sorted by their text, so all of them are encoded first.
		names, key := expr.Numbered("names", e.maps), expr.Numbered("key", e.maps)
		e.p("%s := make(map[string]%s, len(%s))", names, n.key.typ, x)
		e.p("for %s := range %s {", k, x)
		e.p("text, err := %s.MarshalText()", k)
		e.p("if err != nil {\nreturn dst, %s\n}", e.at.At(e.f, "err"))
		e.p("%s[string(text)] = %s\n}", names, k)
		e.p("for _, %s := range %s(%s) {", key, wire("SortedKeys"), names)
		e.p("%s := %s[%s[%s]]", v, expr.Operand(x), names, key)
		keyText = key
		e.keyText(keyText)
	case n.key.op == text:
		e.p("for _, %s := range %s(%s) {", k, wire("SortedKeys"), x)
		e.p("%s := %s[%s]", v, expr.Operand(x), k)
		keyText = expr.Convert(k, n.key.typ, "string")
		e.keyText(keyText)
	default:
		e.p("for _, %s := range %s(%s) {", k, wire("SortedIntKeys"), x)
		e.p("%s := %s[%s]", v, expr.Operand(x), k)
		e.lit(`,"`)
		e.value(n.key, k, false)
		e.lit(`":`)
		if !fallible(n.elem) {
			break
		}
		format, wide := "FormatInt", "int64"
		if n.key.op == unsigned {
			format, wide = "FormatUint", "uint64"
		}
		keyText = e.f.Sf("%s(%s, 10)", emit.Ident{Path: "strconv", Name: format}, expr.Convert(k, n.key.typ, wide))
	}
	at := e.at
	e.at = at.Entry(keyText)
	e.value(n.elem, v, false)
	e.at = at
	e.p("}")
	e.maps--
}

// keyText writes the text of a key.
func (e *encoder) keyText(text string) {
	e.lit(",")
	e.p("dst = %s(dst, %s)", wire("AppendString"), text)
	e.lit(":")
}
