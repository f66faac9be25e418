package defaults

import (
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
)

// Emit implements feature.Plan.
func (p *planner) Emit(f *emit.File) {
	w := &writer{f: f, pkg: p.pkg.Go}
	for _, fn := range p.funcs {
		w.function(fn)
	}
}

type writer struct {
	f   *emit.File
	pkg *types.Package
}

func (w *writer) function(fn *function) {
	f := w.f
	name := model.Default.Name(fn.t.Name)
	switch {
	case fn.setter != nil && len(fn.fields)+len(fn.visits) == 0:
		f.Pf("// %s sets unset fields in %s to its default by calling %s, which is hand-written.", name, fn.t.Name,
			fn.setter.Name())
	case fn.setter != nil:
		f.Pf("// %s sets unset fields in %s to its default: first by %s, which is hand-written, then the rest.",
			name, fn.t.Name, fn.setter.Name())
	default:
		f.Pf("// %s sets unset fields in %s to its default.", name, fn.t.Name)
	}
	if len(fn.fields) > 0 {
		f.P("//")
		for _, d := range fn.fields {
			f.Pf("//   - %s: %s", d.field.JSONName(), shorten(d.text))
		}
	}
	f.Pf("func %s(in *%s) error {", name, fn.t.Named)
	if fn.setter != nil {
		w.call(fn.setter, returnsError(fn.setter.Signature()), "in", nil)
	}
	w.body(fn, "in", nil, 0)
	f.P("return nil")
	f.P("}")
	f.P()
}

// body writes the defaults of the fields below x, then those of nested values.
func (w *writer) body(fn *function, x string, at expr.ErrorPath, depth int) {
	for _, d := range fn.fields {
		w.field(d, x, at)
	}
	for _, v := range fn.visits {
		inner := at
		if !inlined(v.field) {
			inner = at.Field(v.field.JSONName())
		}
		selector := x + "." + v.field.Name
		if fn.sets(v.field) && v.elem != nil && isPointer(v.typ) {
			w.visit(v.elem, "*"+selector, inner, depth) // it has just been set if it was nil
			continue
		}
		w.visit(v, selector, inner, depth)
	}
}

// sets reports whether a function sets unset fields.
func (fn *function) sets(f *model.Field) bool {
	return slices.ContainsFunc(fn.fields, func(d *fieldDefault) bool { return d.field.Var == f.Var })
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func inlined(f *model.Field) bool {
	return f.Embedded && f.JSON.Name == "" && !f.JSON.Skip
}

func (w *writer) field(d *fieldDefault, x string, at expr.ErrorPath) {
	f := w.f
	x += "." + d.field.Name
	unset, _ := expr.IsZero(x, d.field.Type, w.pkg)
	f.P(slices.Concat(expr.Source{"if "}, unset, expr.Source{" {"})...)
	if d.parse != nil {
		f.P(slices.Concat(expr.Source{"val, err := ", d.parse, "("}, d.src, expr.Source{")"})...)
		f.P("if err != nil {")
		f.Pf("return %s", at.Field(d.field.JSONName()).At(f, "err"))
		f.P("}")
		if d.pointer {
			f.Pf("%s = &val", x)
		} else {
			f.Pf("%s = val", x)
		}
	} else {
		f.P(slices.Concat(expr.Source{x + " = "}, d.src)...)
	}
	f.P("}")
}

// call writes the call of a function with a pointer.
func (w *writer) call(fn any, fails bool, ptr string, at expr.ErrorPath) {
	if !fails {
		w.f.Pf("%s(%s)", fn, ptr)
		return
	}
	w.f.Pf("if err := %s(%s); err != nil {", fn, ptr)
	w.f.Pf("return %s", at.At(w.f, "err"))
	w.f.P("}")
}

func (w *writer) visit(v *visit, x string, at expr.ErrorPath, depth int) {
	leaf := func(v *visit, x string, at expr.ErrorPath, depth int) {
		switch {
		case v.call != nil:
			w.call(v.call.Ident, true, expr.AddressOf(x), at)
		case v.set != nil:
			w.call(v.set, returnsError(v.set.Signature()), expr.AddressOf(x), at)
		default:
			w.body(v.body, expr.Operand(x), at, depth)
		}
	}
	walk{w.f, leaf, (*visit).fails}.visit(v, x, at, depth)
}

// walk writes the loops and conditions that lead to structs, and calls leaf for each struct, with
// the number of loops around it.
type walk struct {
	f    *emit.File
	leaf func(v *visit, x string, at expr.ErrorPath, depth int)
	// fails reports whether the code of the leaves in a value may return an error, which has the
	// path of the value.
	fails func(v *visit) bool
}

func (w walk) visit(v *visit, x string, at expr.ErrorPath, depth int) {
	if v.elem == nil {
		w.leaf(v, x, at, depth)
		return
	}
	f := w.f
	switch u := v.typ.Underlying().(type) {
	case *types.Pointer:
		f.Pf("if %s != nil {", x)
		w.visit(v.elem, "*"+x, at, depth)
	case *types.Slice, *types.Array:
		i := expr.Variable("i", depth)
		f.Pf("for %s := range %s {", i, x)
		w.visit(v.elem, expr.Operand(x)+"["+i+"]", at.Index(i), depth+1)
	case *types.Map:
		k, val := expr.Variable("k", depth), expr.Variable("v", depth)
		path := at.Key(k, u.Key())
		copied := isCopied(u.Elem())
		if !copied && !w.fails(v.elem) {
			k = "_"
		}
		f.Pf("for %s, %s := range %s {", k, val, x)
		w.visit(v.elem, val, path, depth+1)
		if copied {
			f.Pf("%s[%s] = %s", expr.Operand(x), k, val)
		}
	}
	f.P("}")
}

// isCopied reports whether a value of a map has to be written back after a change, because a
// variable has a copy of it. What a reference leads to is changed in place.
func isCopied(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	default:
		return false
	}
}

// fails reports whether code that sets the defaults of a value can return an error.
func (v *visit) fails() bool {
	switch {
	case v.call != nil:
		return true
	case v.set != nil:
		return returnsError(v.set.Signature())
	case v.body != nil:
		return slices.ContainsFunc(v.body.fields, func(d *fieldDefault) bool { return d.parse != nil }) ||
			slices.ContainsFunc(v.body.visits, (*visit).fails)
	default:
		return v.elem.fails()
	}
}
