package defaults

import (
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
)

// invertible reports whether all defaults in and below a type come from markers, can be compared
// with the value of a field, and do not depend on each other. The result does not depend on the
// planned package.
func (p *exportPlan) invertible(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return true
	}
	seen[t] = true
	d := p.defaults
	switch u := t.(type) {
	case *types.Named:
		if !model.IsStruct(u) {
			return p.invertible(u.Underlying(), seen)
		}
		if u.Obj().Pkg() == nil || !d.needed(u) {
			return true
		}
		if p.c.Universe.Func(model.OmitDefaults, u).State == model.Declared {
			return true
		}
		pkg := d.u.Home(u)
		if u.TypeArgs().Len() > 0 || pkg == nil || !pkg.Output || d.setters[u.Obj()] != nil || hasSetter(pkg, u) ||
			d.u.Func(model.Default, u).State == model.Declared {
			return false
		}
		if pkg != d.pkg && !p.writesOmits(pkg) {
			return false
		}
		return p.invertible(u.Underlying(), seen)
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		return p.invertible(model.Elem(u), seen)
	case *types.Struct:
		for _, f := range d.u.Fields(u) {
			if m, from := d.u.DefaultOf(f); m != nil {
				if def := d.fieldDefault(f, m, from); def != nil {
					// Without the defaults below it, a struct with other values may look unset.
					below := model.IsStruct(f.Type) && d.reaches(f.Type, map[types.Type]bool{})
					if _, ok := equal("x", def); !ok || below {
						return false
					}
				}
			}
			if !p.invertible(f.Type, seen) {
				return false
			}
		}
	}
	return true
}

// writesOmits reports whether a package has OmitDefaults functions: if one of its kinds needs them,
// or if it has no kinds and other packages may need them.
func (p *exportPlan) writesOmits(pkg *model.Package) bool {
	if known, ok := p.omitting[pkg]; ok {
		return known
	}
	// While its kinds are examined, assume that the package has the functions, for its own types in
	// them.
	p.omitting[pkg] = true
	p.omitting[pkg] = len(pkg.Kinds) == 0 || slices.ContainsFunc(pkg.Kinds, func(k *model.Kind) bool {
		return !k.IsList && p.defaults.needed(k.Named) && p.invertible(k.Named, map[types.Type]bool{})
	})
	return p.omitting[pkg]
}

// equal returns the condition that an expression holds the default of a field. It reports false if
// that cannot be written as one comparison.
func equal(x string, d *fieldDefault) (expr.Source, bool) {
	t := d.field.Type
	if d.parse != nil {
		elem := t
		if d.pointer {
			elem = t.Underlying().(*types.Pointer).Elem()
		}
		return nil, hasString(elem) // compared in a separate block
	}
	src := slices.Clone(d.src)
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		first, _ := src[0].(string)
		switch {
		case strings.HasPrefix(first, "new("):
			last, ok := src[len(src)-1].(string)
			if !ok || !strings.HasSuffix(last, ")") {
				return nil, false
			}
			src[0], src[len(src)-1] = strings.TrimPrefix(first, "new("), strings.TrimSuffix(last, ")")
		case first == "&":
			src = src[1:]
		default:
			return nil, false
		}
		src = slices.DeleteFunc(src, func(part any) bool { return part == "" })
		cond, ok := same("*"+x, ptr.Elem(), src)
		return expr.And(expr.Source{x + " != nil"}, cond), ok
	}
	return same(x, t, src)
}

// same compares an expression with a literal.
func same(x string, t types.Type, src expr.Source) (expr.Source, bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if len(src) == 1 && src[0] == "true" {
			return expr.Source{x}, true
		}
		return append(expr.Source{x + " == "}, src...), true
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Info()&types.IsFloat == 0 {
			return slices.Concat(expr.Source{emit.Ident{Path: "slices", Name: "Equal"}, "(" + x + ", "}, src,
				expr.Source{")"}), true
		}
	case *types.Map:
		if _, ok := u.Elem().Underlying().(*types.Basic); ok {
			return slices.Concat(expr.Source{emit.Ident{Path: "maps", Name: "Equal"}, "(" + x + ", "}, src,
				expr.Source{")"}), true
		}
	case *types.Struct:
		if expr.Plain(t) {
			return slices.Concat(expr.Source{x + " == ("}, src, expr.Source{")"}), true
		}
	}
	return nil, false
}

func hasString(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "String")
	fn, ok := obj.(*types.Func)
	return ok && fn.Signature().Params().Len() == 0 && fn.Signature().Results().Len() == 1 &&
		types.Identical(fn.Signature().Results().At(0).Type(), types.Typ[types.String])
}

func (p *exportPlan) emitOmit(f *emit.File, fn *function) {
	name := model.OmitDefaults.Name(fn.t.Name)
	f.Pf("// %s unsets the fields that hold the defaults set by %s.", name, model.Default.Name(fn.t.Name))
	f.Pf("func %s(in *%s) {", name, fn.t.Named)
	p.omitBody(f, fn, "in", 0)
	f.P("}")
	f.P()
}

// omitBody works from the inside out, in the opposite order of defaulting.
func (p *exportPlan) omitBody(f *emit.File, fn *function, x string, depth int) {
	for _, v := range fn.visits {
		silent(f, v, x, depth, func(v *visit, x string, depth int) {
			if v.body != nil {
				p.omitBody(f, v.body, expr.Operand(x), depth)
				return
			}
			omit := p.defaults.u.Func(model.OmitDefaults, types.Unalias(v.typ).(*types.Named))
			f.Pf("%s(%s)", omit.Ident, expr.AddressOf(x))
		})
	}
	for _, d := range fn.fields {
		// A field that is always written keeps its default, which is more informative than a zero.
		if d.field.OmitsZero() {
			omitField(f, d, x+"."+d.field.Name)
		}
	}
}

func omitField(f *emit.File, d *fieldDefault, x string) {
	unset := append(expr.Source{x + " = "}, expr.Zero(d.field.Type)...)
	if d.parse == nil {
		cond, _ := equal(x, d)
		f.P(slices.Concat(expr.Source{"if "}, cond, expr.Source{" {"})...)
		f.P(unset...)
		f.P("}")
		return
	}
	guard := ""
	if d.pointer {
		guard = x + " != nil && "
	}
	f.P(slices.Concat(expr.Source{"if val, err := ", d.parse, "("}, d.src,
		expr.Source{"); err == nil && " + guard + x + ".String() == val.String() {"})...)
	f.P(unset...)
	f.P("}")
}
