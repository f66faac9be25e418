package deepcopy

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
	for i, fn := range p.functions {
		if i > 0 {
			f.P()
		}
		fn.emit(f)
	}
	for _, o := range p.objects {
		f.P()
		o.emit(f)
	}
	var structs, guarded []*types.Named
	for _, fn := range p.functions {
		if fn.node != nil && fn.node.op == structure {
			structs = append(structs, fn.t.Named)
		}
		if fn.guard {
			guarded = append(guarded, fn.t.Named)
		}
	}
	inlined := guard.Inlined(structs, p.c.Package.Go, p.calls)[len(structs):]
	inlined = slices.DeleteFunc(inlined, func(n *types.Named) bool { // copies do not depend on the size of numbers
		_, number := n.Underlying().(*types.Basic)
		return number
	})
	guard.WriteUntagged(f, append(guarded, inlined...), p.c.Package.Go)
}

// calls reports whether a function or method copies values of a type. Types with neither references
// nor a hand-written function are assigned, and a guard ensures that this stays correct.
func (p *planner) calls(n *types.Named, _ bool) bool {
	u := p.c.Universe
	if pkg := u.Package(n.Obj().Pkg().Path()); pkg == nil || pkg.Std || immutable(n) || model.IsTypeMetaType(n) {
		return true
	}
	if fn := u.Func(model.DeepCopyInto, n); fn.Exists() {
		return p.planned[n.Obj()] || !fn.Ours || p.refers(n)
	}
	m := model.Method(n, "DeepCopy")
	return model.CopiesInto(n) || m != nil && copies(m, n)
}

func (fn *function) emit(f *emit.File) {
	name := fn.t.Name
	into := model.DeepCopyInto.Name(name)
	if fn.into {
		f.Pf("// %s copies in to out without sharing memory.", into)
		f.Pf("func %s(in, out *%s) {", into, fn.t.Named)
		if fn.viaDeep {
			f.P("in.DeepCopyInto(out)")
		} else {
			f.P("*out = *in")
			(&writer{f: f}).value(fn.node, "*in", "*out")
		}
		f.P("}")
	}
	if fn.alloc {
		if fn.into {
			f.P()
		}
		alloc := model.DeepCopy.Name(name)
		f.Pf("// %s returns a copy of in that shares no memory with it, and nil for nil.", alloc)
		f.Pf("func %s(in *%s) *%s {", alloc, fn.t.Named, fn.t.Named)
		f.P("if in == nil {\nreturn nil\n}")
		f.Pf("out := new(%s)", fn.t.Named)
		f.Pf("%s(in, out)", into)
		f.P("return out\n}")
	}
}

func (o object) emit(f *emit.File) {
	f.P("// DeepCopyObject implements the interface runtime.Object of k8s.io/apimachinery.")
	f.Pf("func (in *%s) DeepCopyObject() %s {", o.named,
		emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime", Name: "Object"})
	f.P("if in == nil {\nreturn nil\n}")
	f.Pf("out := new(%s)", o.named)
	if o.into.Exists() {
		f.Pf("%s(in, out)", o.into.Ident)
	} else {
		f.P("in.DeepCopyInto(out)")
	}
	f.P("return out\n}")
}

// writer writes statements. It counts the enclosing loops to number their variables.
type writer struct {
	f           *emit.File
	lists, maps int
}

// value replaces everything in out that shares memory with in. Both are addressable expressions of
// the node's type, and out already equals in.
func (w *writer) value(n *node, in, out string) {
	f := w.f
	switch n.op {
	case flat:
	case call:
		f.Pf("%s(%s, %s)", n.fn, expr.AddressOf(in), expr.AddressOf(out))
	case method:
		f.Pf("%s.DeepCopyInto(%s)", expr.Operand(in), expr.AddressOf(out))
	case methodNew:
		f.Pf("%s = *%s.DeepCopy()", out, expr.Operand(in))
	case methodVal:
		f.Pf("%s = %s.DeepCopy()", out, expr.Operand(in))
	case untyped:
		f.Pf("%s = %s(%s)", out, emit.Ident{Path: emit.Runtime, Name: "DeepCopyAny"}, in)
	case iface:
		f.Pf("if %s != nil {\n%s = %s.%s()\n}", in, out, expr.Operand(in), n.method)
	case pointer:
		f.Pf("if %s != nil {", in)
		elem := n.typ.Underlying().(*types.Pointer).Elem()
		switch n.elem.op {
		case methodNew:
			f.Pf("%s = %s.DeepCopy()", out, expr.Operand(in))
		case call, method:
			f.Pf("%s = new(%s)", out, elem)
			w.value(n.elem, "*"+in, "*"+out)
		default:
			f.Pf("%s = new(%s)", out, elem)
			f.Pf("*%s = *%s", out, in)
			w.value(n.elem, "*"+in, "*"+out)
		}
		f.P("}")
	case slice:
		f.Pf("if %s != nil {", in)
		f.Pf("%s = make(%s, len(%s))", out, n.typ, in)
		if startsFromCopy(n.elem) {
			f.Pf("copy(%s, %s)", out, in)
		}
		if n.elem.op != flat {
			w.elements(n.elem, in, out)
		}
		f.P("}")
	case array:
		w.elements(n.elem, in, out)
	case mapping:
		w.mapping(n, in, out)
	case structure:
		for _, fd := range n.fields {
			w.value(fd.node, expr.Selectable(in)+"."+fd.name, expr.Selectable(out)+"."+fd.name)
		}
	}
}

// elements copies the elements of a slice or array one by one. Those of a new slice are zero, so
// nil elements need no code.
func (w *writer) elements(elem *node, in, out string) {
	w.lists++
	i := expr.Numbered("i", w.lists)
	w.f.Pf("for %s := range %s {", i, in)
	w.value(elem, expr.Operand(in)+"["+i+"]", expr.Operand(out)+"["+i+"]")
	w.f.P("}")
	w.lists--
}

// startsFromCopy reports whether a value is copied by replacing parts of an assigned value, so that
// it must be assigned first.
func startsFromCopy(n *node) bool {
	switch n.op {
	case flat, structure:
		return true
	case array:
		return startsFromCopy(n.elem)
	}
	return false
}

func (w *writer) mapping(n *node, in, out string) {
	f := w.f
	if n.elem.op == flat {
		f.Pf("%s = %s(%s)", out, emit.Ident{Path: "maps", Name: "Clone"}, in)
		return
	}
	f.Pf("if %s != nil {", in)
	f.Pf("%s = make(%s, len(%s))", out, n.typ, in)
	w.maps++
	k, v, c := expr.Numbered("k", w.maps), expr.Numbered("v", w.maps), expr.Numbered("c", w.maps)
	f.Pf("for %s, %s := range %s {", k, v, in)
	entry := expr.Operand(out) + "[" + k + "]"
	switch n.elem.op {
	case untyped, methodVal:
		w.value(n.elem, v, entry)
	case call, method:
		f.Pf("var %s %s", c, n.elem.typ)
		w.value(n.elem, v, c)
		f.Pf("%s = %s", entry, c)
	default:
		f.Pf("%s := %s", c, v)
		w.value(n.elem, v, c)
		f.Pf("%s = %s", entry, c)
	}
	f.P("}")
	w.maps--
	f.P("}")
}
