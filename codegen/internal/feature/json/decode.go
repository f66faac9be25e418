package json

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
)

// decoder writes the decoding functions.
type decoder struct {
	f *emit.File
	// objects, lists, and maps count the enclosing loops, to number their variables.
	objects, lists, maps int
	tables               []*node
}

func (d *decoder) function(fn *function) {
	f, t := d.f, fn.t
	name := model.DecodeJSON.Name(t.Name)
	f.P()
	f.Pf("// %s reads the next value of r into out.", name)
	f.Pf("func %s(r *%s, out *%s) {", name, wire("Reader"), t.Named)
	switch {
	case fn.node.unmarshal != none:
		d.unmarshaler(fn.node, "*out")
	case fn.node.op == structure:
		d.object(fn.node, "out")
	default:
		d.value(fn.node, "*out", false)
	}
	f.P("}")
	for _, n := range d.tables {
		names := make([]string, len(n.fields))
		for i, fd := range n.fields {
			names[i] = strconv.Quote(fd.Key)
		}
		slices.Sort(names)
		f.P()
		f.Pf("var %s = []string{%s}", n.names, lines(names))
	}
}

// lines joins the elements of a composite literal, several on each line.
func lines(elems []string) string {
	length := 0
	for _, e := range elems {
		length += len(e) + 2
	}
	if length < 100 {
		return strings.Join(elems, ", ")
	}
	var b strings.Builder
	width := 0
	b.WriteByte('\n')
	for i, e := range elems {
		b.WriteString(e + ",")
		width += len(e) + 2
		if width > 100 || i == len(elems)-1 {
			b.WriteByte('\n')
			width = 0
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func (d *decoder) unmarshaler(n *node, target string) {
	if n.unmarshal == textual {
		d.f.Pf("r.TextUnmarshaler(%s)", expr.AddressOf(target))
		return
	}
	d.f.Pf("r.Unmarshaler(%s)", expr.AddressOf(target))
}

// object writes the loop over the members of an object.
func (d *decoder) object(n *node, target string) {
	f := d.f
	d.objects++
	key, seen := expr.Numbered("key", d.objects+d.maps), expr.Numbered("seen", d.objects)
	wide := len(n.fields) > 64
	switch {
	case wide:
		f.Pf("var %s [%d]uint64", seen, (len(n.fields)+63)/64)
	case len(n.fields) > 0:
		f.Pf("var %s uint64", seen)
	}
	f.Pf("for %s := r.Object(); %s != nil; %s = r.NextKey() {", key, key, key)
	if len(n.fields) > 0 {
		f.Pf("switch string(%s) {", key)
		for i, fd := range n.fields {
			f.Pf("case %s:", strconv.Quote(fd.Key))
			if wide {
				f.Pf("r.Seen(&%s[%d], %d, %s)", seen, i/64, i%64, key)
			} else {
				f.Pf("r.Seen(&%s, %d, %s)", seen, i, key)
			}
			d.member(fd, target)
		}
		f.P("default:")
		f.Pf("r.Unknown(%s, %s)", key, n.names)
		d.tables = append(d.tables, n)
		f.P("}")
	} else {
		f.Pf("r.Unknown(%s, nil)", key)
	}
	f.P("}")
	d.objects--
}

func (d *decoder) member(fd *fieldNode, target string) {
	f := d.f
	for _, step := range fd.Path[:len(fd.Path)-1] {
		target += "." + step.Name
		if p, ok := step.Type.Underlying().(*types.Pointer); ok {
			f.Pf("if %s == nil {\n%s = %s[%s](r)\n}", target, target, wire("New"), p.Elem())
		}
	}
	target += "." + fd.Name
	if fd.Quoted {
		d.quoted(fd.node, target)
		return
	}
	d.value(fd.node, target, false)
}

// quoted reads a scalar from inside a string.
func (d *decoder) quoted(n *node, target string) {
	f := d.f
	if n.op == pointer {
		f.Pf("if r.Null() {\n%s = nil\n} else {", target)
		f.Pf("if %s == nil {\n%s = %s[%s](r)\n}", target, target, wire("New"), n.elem.typ)
		n, target = n.elem, "*"+target
		defer f.P("}")
	}
	f.P("if text := r.Text(); text != nil {")
	f.Pf("q := %s(text, %s{})", wire("NewReader"), wire("Options"))
	if n.op == number {
		d.number(n, "q", target)
	} else {
		x, _ := scalar(f, n, "q", target)
		f.Pf("%s = %s", target, x)
	}
	f.P("q.End()")
	f.Pf("for _, p := range q.Problems() {\nr.Invalid(%s(p.Message))\n}", emit.Ident{Path: "errors", Name: "New"})
	f.P("}")
}

// scalar returns the expression that reads a value from the reader named r and keeps old for null.
// It reports false for values that need statements.
func scalar(f *emit.File, n *node, r, old string) (string, bool) {
	if n.unmarshal != none {
		return "", false
	}
	read := func(method, basic string) string {
		if old == "" {
			old = zeroOf(basic)
		} else {
			old = expr.Convert(old, n.typ, basic)
		}
		x := r + "." + method + "(" + old + ")"
		if expr.IsBasic(n.typ, basic) {
			return x
		}
		return f.Sf("%s(%s)", n.typ, x)
	}
	switch n.op {
	case text:
		return read("String", "string"), true
	case boolean:
		return read("Bool", "bool"), true
	case signed, unsigned, float:
		basic := types.Typ[n.basic.Kind()].Name() // not byte or rune
		return read(emit.UpperFirst(basic), basic), true
	case base64:
		return r + ".Bytes()", true
	case texts:
		return r + ".Strings()", true
	case textMap:
		return r + ".StringMap()", true
	case untyped:
		return r + ".Any()", true
	case rawJSON:
		return r + ".Raw()", true
	}
	return "", false
}

func zeroOf(basic string) string {
	switch basic {
	case "string":
		return `""`
	case "bool":
		return "false"
	}
	return "0"
}

// value writes statements that read the next value into a target. If fresh is set, the target is
// the zero value.
func (d *decoder) value(n *node, target string, fresh bool) {
	f := d.f
	if n.unmarshal != none {
		d.unmarshaler(n, target)
		return
	}
	if x, ok := scalar(f, n, "r", target); ok {
		f.Pf("%s = %s", target, x)
		return
	}
	switch n.op {
	case number:
		d.number(n, "r", target)
	case call:
		f.Pf("%s(r, %s)", n.decodeFn, expr.AddressOf(target))
	case pointer:
		f.Pf("if r.Pointee(%s) {", expr.AddressOf(target))
		d.value(n.elem, "*"+target, fresh)
		f.P("}")
	case slice:
		d.slice(n, target, fresh)
	case array:
		d.array(n, target)
	case mapping:
		d.mapping(n, target, fresh)
	case structure:
		d.object(n, expr.Selectable(target))
	}
}

// number writes statements that read a json.Number from the reader named r.
func (d *decoder) number(n *node, r, target string) {
	d.f.Pf("if text := %s.Number(); text != nil {\n%s = %s(text)\n}", r, target, n.typ)
}

// orNull writes the branch for null of a map or slice.
func (d *decoder) orNull(target string, fresh bool) {
	if fresh {
		d.f.P("if !r.Null() {")
		return
	}
	d.f.Pf("if r.Null() {\n%s = nil\n} else {", target)
}

func (d *decoder) slice(n *node, target string, fresh bool) {
	f := d.f
	if n.elem.op == call && n.elem.unmarshal == none {
		fn := "List"
		if n.item {
			fn = "Items"
		}
		f.Pf("r.%s(%s, %s)", fn, expr.AddressOf(target), d.elemDecoder(n.elem))
		return
	}
	d.lists++
	more := expr.Numbered("more", d.lists)
	d.orNull(target, fresh)
	elems, start := expr.Numbered("elems", d.lists), expr.Numbered("start", d.lists)
	f.Pf("var %s []%s", elems, n.elem.typ)
	f.Pf("%s := r.Offset()", start)
	f.Pf("for %s := r.Array(); %s; %s = r.NextElem() {", more, more, more)
	if n.item {
		f.P("r.Item()")
	}
	f.Pf("%s = %s(r, %s, %s)", elems, wire("Extend"), elems, start)
	elem := elems + "[len(" + elems + ")-1]"
	if x, ok := scalar(f, n.elem, "r", ""); ok {
		f.Pf("%s = %s", elem, x)
	} else {
		d.value(n.elem, elem, true)
	}
	f.Pf("}\n%s = %s(r, %s)\n}", target, wire("Settle"), elems)
	d.lists--
}

// elemDecoder returns the function for the elements of a list. For a generic type, a non-generic
// function calls it.
func (d *decoder) elemDecoder(n *node) string {
	if t, ok := types.Unalias(n.typ).(*types.Named); ok && t.TypeArgs().Len() > 0 {
		return d.f.Sf("func(r *%s, out *%s) {\n%s(r, out)\n}", wire("Reader"), n.typ, n.decodeFn)
	}
	return d.f.S(n.decodeFn)
}

func (d *decoder) array(n *node, target string) {
	f := d.f
	d.lists++
	more, i := expr.Numbered("more", d.lists), expr.Numbered("i", d.lists)
	f.P("if !r.Null() {")
	f.Pf("%s := 0", i)
	f.Pf("for %s := r.Array(); %s; %s = r.NextElem() {", more, more, more)
	f.Pf("if %s == len(%s) {\nr.Skip()\ncontinue\n}", i, target)
	elem := expr.Operand(target) + "[" + i + "]"
	if x, ok := scalar(f, n.elem, "r", elem); ok {
		f.Pf("%s = %s", elem, x)
	} else {
		d.value(n.elem, elem, false)
	}
	f.Pf("%s++\n}", i)
	f.Pf("clear(%s[%s:])", expr.Operand(target), i)
	f.P("}")
	d.lists--
}

func (d *decoder) mapping(n *node, target string, fresh bool) {
	f := d.f
	d.maps++
	key, k, v := expr.Numbered("key", d.objects+d.maps), expr.Numbered("k", d.maps), expr.Numbered("v", d.maps)
	d.orNull(target, fresh)
	f.Pf("%s = %s{}", target, n.typ)
	f.Pf("for %s := r.Object(); %s != nil; %s = r.NextKey() {", key, key, key)
	f.Pf("%s(r, %s)", wire("SpendEntry"), target)
	d.key(n.key, key, k)
	f.Pf("if r.Strict() {\nif _, ok := %s[%s]; ok {\nr.Duplicate(%s)\n}\n}", expr.Operand(target), k, key)
	elem := expr.Operand(target) + "[" + k + "]"
	if x, ok := scalar(f, n.elem, "r", ""); ok {
		f.Pf("%s = %s", elem, x)
	} else {
		f.Pf("var %s %s", v, n.elem.typ)
		d.value(n.elem, v, true)
		f.Pf("%s = %s", elem, v)
	}
	f.P("}\n}")
	d.maps--
}

// key writes the conversion of a member name to a map key.
func (d *decoder) key(n *node, key, k string) {
	f := d.f
	switch {
	case n.unmarshal != none:
		f.Pf("var %s %s", k, n.typ)
		f.Pf("if err := %s.UnmarshalText(%s); err != nil {\nr.Skip()\nr.Invalid(err)\ncontinue\n}", k, key)
	case n.op == text:
		if _, ok := types.Unalias(n.typ).(*types.Basic); ok {
			f.Pf("%s := r.KeyString(%s)", k, key)
		} else {
			f.Pf("%s := %s(r.KeyString(%s))", k, n.typ, key)
		}
	default:
		bits := bitSize(f, n.basic)
		parse := "ParseInt"
		if n.op == unsigned {
			parse = "ParseUint"
		}
		num := "n" + strings.TrimPrefix(k, "k")
		f.Pf("%s, err := %s(string(%s), 10, %s)", num, emit.Ident{Path: "strconv", Name: parse}, key, bits)
		f.P("if err != nil {\nr.Skip()\nr.Invalid(err)\ncontinue\n}")
		f.Pf("%s := %s(%s)", k, n.typ, num)
	}
}

// bitSize returns the last argument of strconv.ParseInt for a type.
func bitSize(f *emit.File, b *types.Basic) string {
	if n := model.Bits(b, "386"); n == model.Bits(b, "amd64") {
		return strconv.Itoa(n)
	}
	return f.Ident("strconv", "IntSize")
}
