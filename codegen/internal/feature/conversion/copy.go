package conversion

import (
	"go/types"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
)

// copyable reports whether generated code can copy a value of the type without sharing memory with
// it.
func (p *planner) copyable(t types.Type) bool { return p.copyableBelow(t, map[types.Type]bool{}) }

func (p *planner) copyableBelow(t types.Type, above map[types.Type]bool) bool {
	t = types.Unalias(t)
	if flat(t) {
		return true
	}
	if n, ok := t.(*types.Named); ok && (p.u.Func(model.DeepCopyInto, n).Exists() || model.CopiesInto(n)) {
		return true
	}
	if above[t] {
		return false // without a function, a recursive type would need endless code
	}
	above[t] = true
	defer delete(above, t)
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Array:
		return p.copyableBelow(model.Elem(u), above)
	case *types.Map:
		return flat(u.Key()) && p.copyableBelow(u.Elem(), above)
	case *types.Interface:
		return u.Empty()
	case *types.Struct:
		for f := range u.Fields() {
			if !flat(f.Type()) && (!f.Exported() && f.Pkg() != p.pkg.Go || !p.copyableBelow(f.Type(), above)) {
				return false
			}
		}
		return true
	}
	return false
}

// copyExpr returns an expression that copies src, if one suffices. The two types differ only in
// their names.
func (w *writer) copyExpr(src string, in, out types.Type) (string, bool) {
	if flat(in) {
		return w.cast(src, in, out), true
	}
	if n, ok := types.Unalias(in).(*types.Named); ok && types.Identical(in, out) &&
		(w.p.u.Func(model.DeepCopyInto, n).Exists() || model.CopiesInto(n)) {
		return "", false
	}
	switch a := in.Underlying().(type) {
	case *types.Slice:
		if flat(a.Elem()) {
			return w.cast(w.f.Sf("%s(%s)", emit.Ident{Path: "slices", Name: "Clone"}, src), in, out), true
		}
	case *types.Map:
		if flat(a.Elem()) {
			return w.cast(w.f.Sf("%s(%s)", emit.Ident{Path: "maps", Name: "Clone"}, src), in, out), true
		}
	case *types.Interface:
		return w.f.Sf("%s(%s)", emit.Ident{Path: emit.Runtime, Name: "DeepCopyAny"}, src), true
	}
	return "", false
}

// copyValue writes dst = a copy of src that shares no memory with it. The two types differ only in
// their names.
func (w *writer) copyValue(src string, dst target, in, out types.Type, depth int) {
	f := w.f
	if x, ok := w.copyExpr(src, in, out); ok {
		f.Pf("%s = %s", dst.expr, x)
		return
	}
	if n, ok := types.Unalias(in).(*types.Named); ok && types.Identical(in, out) {
		if fn := w.p.u.Func(model.DeepCopyInto, n); fn.Exists() {
			f.Pf("%s(%s, %s)", fn.Ident, expr.AddressOf(src), expr.AddressOf(dst.expr))
			return
		}
		if model.CopiesInto(n) {
			f.Pf("%s.DeepCopyInto(%s)", expr.Operand(src), expr.AddressOf(dst.expr))
			return
		}
	}
	b := out.Underlying()
	switch a := in.Underlying().(type) {
	case *types.Pointer:
		elem := b.(*types.Pointer).Elem()
		defer w.unlessNil(src, &dst, out)()
		if flat(a.Elem()) && types.Identical(a.Elem(), elem) {
			f.Pf("%s = new(*%s)", dst.expr, src)
		} else {
			f.Pf("%s = new(%s)", dst.expr, elem)
			w.copyValue("*"+src, target{"*" + dst.expr, true}, a.Elem(), elem, depth)
		}
	case *types.Slice:
		i := expr.Variable("i", depth)
		defer w.unlessNil(src, &dst, out)()
		f.Pf("%s = make(%s, len(%s))", dst.expr, out, src)
		f.Pf("for %s := range %s {", i, src)
		w.copyValue(expr.Operand(src)+"["+i+"]", target{dst.index(i).expr, true}, a.Elem(),
			b.(*types.Slice).Elem(), depth+1)
		f.P("}")
	case *types.Map:
		k, v, val := expr.Variable("k", depth), expr.Variable("v", depth), expr.Variable("val", depth)
		elem := b.(*types.Map).Elem()
		defer w.unlessNil(src, &dst, out)()
		f.Pf("%s = make(%s, len(%s))", dst.expr, out, src)
		f.Pf("for %s, %s := range %s {", k, v, src)
		if x, ok := w.copyExpr(v, a.Elem(), elem); ok {
			f.Pf("%s = %s", dst.index(k).expr, x)
		} else {
			f.Pf("var %s %s", val, elem)
			w.copyValue(v, target{val, true}, a.Elem(), elem, depth+1)
			f.Pf("%s = %s", dst.index(k).expr, val)
		}
		f.P("}")
	case *types.Array:
		i := expr.Variable("i", depth)
		f.Pf("for %s := range %s {", i, src)
		w.copyValue(expr.Operand(src)+"["+i+"]", dst.index(i), a.Elem(), b.(*types.Array).Elem(), depth+1)
		f.P("}")
	case *types.Struct:
		f.Pf("%s = %s", dst.expr, w.cast(src, in, out))
		for i := range a.NumFields() {
			if af, bf := a.Field(i), b.(*types.Struct).Field(i); !flat(af.Type()) {
				// The field currently holds the reference of the source, so it is not fresh.
				w.copyValue(expr.Operand(src)+"."+af.Name(), target{expr: expr.Operand(dst.expr) + "." + bf.Name()},
					af.Type(), bf.Type(), depth)
			}
		}
	}
}
