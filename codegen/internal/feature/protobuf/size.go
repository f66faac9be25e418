package protobuf

import (
	"go/types"
	"math/bits"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
)

// sizer generates the functions that return the sizes of messages. A list of objects is preceded by
// its length, so objects are measured that are not in the processor's caches. These functions have
// fewer instructions per field than those that write, so the processor requests more fields before
// the first one arrives from memory.
type sizer struct {
	f *emit.File
	// sized has the types with such a function; others are measured by the function that writes
	// them.
	sized map[*types.TypeName]bool
	// sum is the variable that holds the sum.
	sum string
	// marked reports that the function has a variable mark.
	marked bool
}

func sizeName(typeName string) string { return "sizeProto" + typeName }

// isSized reports whether a message has such a function: it has fields, and methods of the type do
// not write it.
func (m *message) isSized() bool { return !m.methods && len(m.fields) > 0 }

func (s *sizer) function(m *message) {
	f := s.f
	s.sum, s.marked = "n", false
	f.P()
	f.Pf("// %s returns how many bytes %s writes.", sizeName(m.t.Name), model.PrependProto.Name(m.t.Name))
	f.Pf("func %s(w *%s, in *%s) (n int) {", sizeName(m.t.Name), wire("Writer"), m.t.Named)
	fixed := 0
	for _, fd := range m.fields {
		if fd.always() {
			fixed += tagSize(fd.number) + width(fd.node)
		}
	}
	if fixed > 0 {
		f.Pf("n = %d // tags, and values of fixed length", fixed)
	}
	for _, fd := range m.fields {
		s.field(fd)
	}
	f.P("return n\n}")
}

// always reports whether a field is written regardless of its value.
func (fd *field) always() bool {
	return fd.node.op == scalar || fd.node.op == nested && !fd.node.nilable
}

// tagSize returns the size of the tag of a field in bytes.
func tagSize(number int) int { return (bits.Len(uint(number)) + 3 + 6) / 7 }

// width returns the size of a scalar in bytes if its type determines it, else 0.
func width(n *node) int {
	switch n.method {
	case "Bool":
		return 1
	case "Float32":
		return 4
	case "Float64":
		return 8
	}
	return 0
}

func (s *sizer) field(fd *field) {
	f, n, x, tag := s.f, fd.node, fd.target("in"), tagSize(fd.number)
	switch {
	case n.op == scalar && width(n) > 0: // has been added
	case fd.always():
		s.value(n, 0, x, false)
	case n.op == octets || n.op == nested:
		f.Pf("if %s != nil {", x)
		s.value(n, tag, x, true)
		f.P("}")
	case n.op == pointer:
		f.Pf("if %s != nil {", x)
		s.value(n.elem, tag, "*"+x, true)
		f.P("}")
	case n.op == list && width(n.elem) > 0:
		f.Pf("n += %d * len(%s)", tag+width(n.elem), x)
	case n.op == list:
		f.Pf("for i := range %s {", x)
		s.value(n.elem, tag, expr.Operand(x)+"[i]", true)
		f.P("}")
	case n.op == mapping && isTextMap(n):
		s.mark(false)
		f.Pf("w.StringMap(%d, %s)", fd.number, x)
		f.P("n += w.Uncount(mark)")
	case n.op == mapping:
		s.mapping(n, tag, x)
	}
}

func (s *sizer) mapping(n *node, tag int, x string) {
	f, vars := s.f, "key, value"
	if width(n.elem) > 0 {
		vars = "key"
	}
	f.Pf("for %s := range %s {", vars, x)
	f.P("entry := 0")
	s.sum = "entry"
	s.value(n.key, 1, "key", true)
	if n.elem.op == octets {
		f.P("if value != nil {")
	}
	s.value(n.elem, 1, "value", true)
	if n.elem.op == octets {
		f.P("}")
	}
	s.sum = "n"
	f.Pf("n += %d + %s(entry)\n}", tag, wire("SizeBytes"))
}

// value adds an existing value with its tag. In a block it has its own variable mark.
func (s *sizer) value(n *node, tag int, x string, block bool) {
	switch {
	case n.op == octets, n.method == "String":
		s.add(tag, "%s(len(%s))", wire("SizeBytes"), x)
	case n.op == nested:
		s.nested(n, tag, expr.AddressOf(x), block)
	case width(n) > 0:
		s.f.Pf("%s += %d", s.sum, tag+width(n))
	default:
		s.add(tag, "%s(uint64(%s))", wire("SizeVarint"), x)
	}
}

// nested adds a message.
func (s *sizer) nested(n *node, tag int, address string, block bool) {
	if named, ok := types.Unalias(n.typ).(*types.Named); ok && s.sized[named.Obj()] {
		s.add(tag, "%s(%s(w, %s))", wire("SizeBytes"), sizeName(named.Obj().Name()), address)
		return
	}
	s.mark(block)
	s.f.Pf("%s(w, %s)", n.encoder(), address)
	s.add(tag, "%s(w.Uncount(mark))", wire("SizeBytes"))
}

func (s *sizer) mark(block bool) {
	assign := "mark ="
	if block || !s.marked {
		assign = "mark :="
	}
	s.marked = s.marked || !block
	s.f.Pf("%s w.Mark()", assign)
}

// add adds a size and that of a tag, which is 0 if it has already been added.
func (s *sizer) add(tag int, format string, args ...any) {
	if tag > 0 {
		s.f.Pf("%s += %d + %s", s.sum, tag, s.f.Sf(format, args...))
		return
	}
	s.f.Pf("%s += %s", s.sum, s.f.Sf(format, args...))
}
