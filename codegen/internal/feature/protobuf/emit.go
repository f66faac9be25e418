package protobuf

import (
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/guard"
	"github.com/askind/askind/codegen/internal/model"
)

// Emit implements [feature.Plan].
func (p *planner) Emit(f *emit.File) {
	written := slices.DeleteFunc(slices.Clone(p.messages), func(m *message) bool { return m.hand })
	if len(written) == 0 {
		return
	}
	f.P("// The code below was written against this version of the functions that it calls.")
	f.Pf("const _ = %s", wire("ABI1"))
	sizes := sizer{f: f, sized: map[*types.TypeName]bool{}}
	for _, m := range written {
		if m.isSized() {
			sizes.sized[m.t.Named.Obj()] = true
		}
	}
	for _, m := range written {
		(&writer{f: f}).function(m)
		(&reader{f: f}).function(m)
		if m.isSized() {
			sizes.function(m)
		}
	}
	var structs []*types.Named
	for _, m := range written {
		if m.t.Struct != nil && !m.methods {
			structs = append(structs, m.t.Named)
		}
	}
	guard.Write(f, guard.Inlined(structs, p.c.Package.Go, p.calls), p.c.Package.Go)
}

// calls reports whether functions or methods of a type write its values. The numbers of the
// standard library do not change.
func (p *planner) calls(n *types.Named, _ bool) bool {
	pkg := p.c.Universe.Package(n.Obj().Pkg().Path())
	return pkg == nil || pkg.Std || isStruct(n) || model.MarshalsProto(n) ||
		p.c.Universe.Func(model.PrependProto, n).Exists()
}

func wire(name string) emit.Ident { return emit.Ident{Path: emit.PBWire, Name: name} }

// about returns the part of a generated comment that names omitted fields.
func about(t *model.Type) string {
	if t.EmbedsTypeMeta() != nil {
		return " but kind and apiVersion"
	}
	return ""
}

// target returns the value of a field, a selector on in or out.
func (fd *field) target(root string) string {
	if fd.selector == "" {
		return "*" + root
	}
	return root + "." + fd.selector
}

// isTextMap reports whether the functions for map[string]string apply.
func isTextMap(n *node) bool {
	return n.elem.op == scalar && expr.IsBasic(n.key.typ, "string") && expr.IsBasic(n.elem.typ, "string")
}

// writer generates the functions that write messages.
type writer struct {
	f *emit.File
	// marked reports that the function has a variable mark.
	marked bool
}

func (w *writer) function(m *message) {
	f, name := w.f, model.PrependProto.Name(m.t.Name)
	f.P()
	if m.methods {
		f.Pf("// %s writes all fields, by a method of the type.", name)
		f.Pf("func %s(w *%s, in *%s) {", name, wire("Writer"), m.t.Named)
		f.Pf("%s(w, in)", wire("PrependByMethods"))
		f.P("}")
		return
	}
	f.Pf("// %s writes all fields%s, the last one first.", name, about(m.t))
	f.Pf("func %s(w *%s, in *%s) {", name, wire("Writer"), m.t.Named)
	if m.isSized() {
		f.Pf("if w.Measures() {\nw.Count(%s(w, in))\nreturn\n}", sizeName(m.t.Name))
	}
	for _, fd := range slices.Backward(m.fields) {
		w.field(fd)
	}
	f.P("}")
}

func (w *writer) field(fd *field) {
	f, n, x := w.f, fd.node, fd.target("in")
	switch n.op {
	case scalar:
		w.scalar(n, fd.number, x)
	case octets:
		f.Pf("if %s != nil {", x)
		f.Pf("w.BytesField(%d, %s)\n}", fd.number, x)
	case nested:
		if n.nilable {
			f.Pf("if %s != nil {", x)
			w.nested(n, fd.number, "&"+x, "mark :=")
			f.P("}")
			return
		}
		assign := "mark ="
		if !w.marked {
			assign, w.marked = "mark :=", true
		}
		w.nested(n, fd.number, "&"+x, assign)
	case pointer:
		f.Pf("if %s != nil {", x)
		if n.elem.op == scalar {
			w.scalar(n.elem, fd.number, "*"+x)
		} else {
			w.nested(n.elem, fd.number, x, "mark :=")
		}
		f.P("}")
	case list:
		if n.elem.op == scalar && expr.IsBasic(n.elem.typ, "string") {
			f.Pf("w.Strings(%d, %s)", fd.number, x)
			return
		}
		f.Pf("for i := len(%s) - 1; i >= 0; i-- {", x)
		w.element(n.elem, fd.number, expr.Operand(x)+"[i]")
		f.P("}")
	case mapping:
		w.mapping(n, fd.number, x)
	}
}

func (w *writer) scalar(n *node, number int, x string) {
	w.f.Pf("w.%s(%d, %s)", n.method, number, expr.Convert(x, n.typ, n.basic))
}

func (w *writer) nested(n *node, number int, address, assign string) {
	w.f.Pf("%s w.Mark()", assign)
	w.f.Pf("%s(w, %s)", n.encoder(), address)
	w.f.Pf("w.Message(%d, mark)", number)
}

// encoder returns the function that writes a message.
func (n *node) encoder() emit.Ident {
	if n.methods {
		return wire("PrependByMethods")
	}
	return n.write.Ident
}

// element writes an element of a list, regardless of its value.
func (w *writer) element(n *node, number int, x string) {
	switch n.op {
	case scalar:
		w.scalar(n, number, x)
	case octets:
		w.f.Pf("w.BytesField(%d, %s)", number, x)
	case nested:
		w.nested(n, number, "&"+x, "mark :=")
	}
}

func (w *writer) mapping(n *node, number int, x string) {
	f := w.f
	if isTextMap(n) {
		f.Pf("w.StringMap(%d, %s)", number, x)
		return
	}
	f.Pf("if len(%s) > 0 {", x)
	text := n.key.method == "String"
	key := "keys[i]"
	if text {
		f.Pf("keys := %s(w, %s)", wire("SortedKeys"), x)
		if !expr.IsBasic(n.key.typ, "string") {
			key = f.Type(n.key.typ) + "(keys[i])"
		}
	} else {
		f.Pf("keys := %s(%s)", wire("SortedIntKeys"), x)
	}
	f.P("for i := len(keys) - 1; i >= 0; i-- {")
	f.P("entry := w.Mark()")
	f.Pf("value := %s[%s]", expr.Operand(x), key)
	switch n.elem.op {
	case scalar:
		w.scalar(n.elem, 2, "value")
	case octets:
		f.P("if value != nil {\nw.BytesField(2, value)\n}")
	case nested:
		w.nested(n.elem, 2, "&value", "mark :=")
	}
	if text {
		f.P("w.String(1, keys[i])")
	} else {
		w.scalar(n.key, 1, "keys[i]")
	}
	f.Pf("w.Message(%d, entry)\n}", number)
	if text {
		f.P("w.ReleaseKeys(keys)")
	}
	f.P("}")
}

// reader generates the functions that read messages.
type reader struct{ f *emit.File }

func (r *reader) function(m *message) {
	f, name := r.f, model.DecodeProto.Name(m.t.Name)
	f.P()
	f.Pf("// %s merges the remaining fields of the current message of r into out.", name)
	f.Pf("func %s(r *%s, out *%s) {", name, wire("Reader"), m.t.Named)
	if m.methods {
		f.Pf("%s(r, out)\n}", wire("DecodeByMethods"))
		return
	}
	f.P("for r.Next() {")
	if len(m.fields) == 0 {
		f.P("r.Unknown()\n}\n}")
		return
	}
	f.P("switch r.Field() {")
	for _, fd := range m.fields {
		f.Pf("case %d:", fd.number)
		r.field(fd, "out")
	}
	f.P("default:\nr.Unknown()\n}\n}")
	if m.whole {
		f.P("// A message without elements is not nil.")
		f.Pf("if *out == nil {\n*out = %s{}\n}", m.t.Named)
	}
	f.P("}")
}

// scalar returns the expression that reads a scalar.
func (r *reader) scalar(n *node) string {
	switch {
	case n.narrow:
		return r.f.Sf("%s[%s](r)", wire("Narrow"), n.typ)
	case expr.IsBasic(n.typ, n.basic):
		return "r." + n.method + "()"
	}
	return r.f.Sf("%s(r.%s())", n.typ, n.method)
}

// nested reads a message into the value at an address.
func (r *reader) nested(n *node, address, saved string) {
	r.f.Pf("%s := r.Message()", saved)
	r.f.Pf("%s(r, %s)", n.decoder(), address)
	r.f.Pf("r.EndMessage(%s)", saved)
}

// decoder returns the function that reads a message.
func (n *node) decoder() emit.Ident {
	if n.methods {
		return wire("DecodeByMethods")
	}
	return n.read.Ident
}

// decodeFunc returns the same function as a value. A generic function is wrapped in one for the
// type.
func (r *reader) decodeFunc(n *node) string {
	if n.methods || isGeneric(n.typ) {
		return r.f.Sf("func(r *%s, out *%s) {\n%s(r, out)\n}", wire("Reader"), n.typ, n.decoder())
	}
	return r.f.S(n.decoder())
}

// isGeneric reports whether a type is an instance of a generic one.
func isGeneric(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.TypeArgs().Len() > 0
}

// field writes the statements that read the current field into the field of the struct root.
func (r *reader) field(fd *field, root string) {
	f, n, x := r.f, fd.node, fd.target(root)
	switch n.op {
	case scalar:
		f.Pf("%s = %s", x, r.scalar(n))
	case octets:
		f.Pf("%s = r.Bytes()", x)
	case nested:
		r.nested(n, "&"+x, "saved")
	case pointer:
		if n.elem.op == scalar {
			f.Pf("%s = new(%s)", x, r.scalar(n.elem))
			return
		}
		f.Pf("r.Pointee(%s, %s)", expr.AddressOf(x), r.decodeFunc(n.elem))
	case list:
		r.list(fd, x)
	case mapping:
		r.mapping(n, x)
	}
}

func (r *reader) list(fd *field, x string) {
	f, elem := r.f, fd.node.elem
	switch elem.op {
	case scalar:
		function := elem.method + "s"
		switch {
		case expr.IsBasic(elem.typ, "string"):
			f.Pf("%s = r.Strings(%s)", x, x)
			return
		case elem.narrow:
			function = "Narrows"
		case elem.method == "String":
			function = "Texts"
		}
		f.Pf("%s = %s(r, %s)", x, wire(function), x)
	case octets:
		f.Pf("%s = %s(r, %s)", x, wire("ByteSlices"), x)
	case nested:
		function := "Messages"
		if fd.item {
			function = "Items"
		}
		f.Pf("r.%s(%s, %s)", function, expr.AddressOf(x), r.decodeFunc(elem))
	}
}

func (r *reader) mapping(n *node, x string) {
	f := r.f
	if isTextMap(n) {
		address := "&" + x
		if x[0] == '*' {
			address = x[1:]
		}
		if _, named := types.Unalias(n.typ).(*types.Named); named {
			address = f.Sf("(*map[string]string)(%s)", address)
		}
		f.Pf("r.StringMap(%s)", address)
		return
	}
	f.Pf("%s = %s(r, %s)", x, wire("GrowMap"), x)
	f.Pf("var key %s", n.key.typ)
	if n.elem.op == octets {
		f.Pf("value := %s{}", n.elem.typ) // an entry without a value has empty bytes, not nil
	} else {
		f.Pf("var value %s", n.elem.typ)
	}
	f.P("saved := r.Message()\nfor r.Next() {\nswitch r.Field() {\ncase 1:")
	f.Pf("key = %s\ncase 2:", r.scalar(n.key))
	switch n.elem.op {
	case scalar:
		f.Pf("value = %s", r.scalar(n.elem))
	case octets:
		f.P("value = r.Bytes()")
	case nested:
		r.nested(n.elem, "&value", "entry")
	}
	f.P("default:\nr.Unknown()\n}\n}\nr.EndMessage(saved)")
	f.Pf("%s[key] = value", expr.Operand(x))
}
