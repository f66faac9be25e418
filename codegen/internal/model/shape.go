package model

import (
	"go/ast"
	"go/parser"
	"go/types"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
)

// Shape is the signature of a function, in which T stands for a named type.
type Shape struct {
	text            string
	params, results []ast.Expr
}

// ShapeOf returns the shape that Go source such as "func(in *T) *T" describes.
func ShapeOf(text string) *Shape {
	e, err := parser.ParseExpr(text)
	if err != nil {
		panic(err)
	}
	fn := e.(*ast.FuncType)
	return &Shape{text, typesOf(fn.Params), typesOf(fn.Results)}
}

// typesOf returns the type of each parameter in a list. One type may declare several parameters.
func typesOf(list *ast.FieldList) (out []ast.Expr) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			out = append(out, field.Type)
		}
	}
	return out
}

// String returns the source of the shape.
func (s *Shape) String() string { return s.text }

// Declaration returns the declaration of a function with the shape for the type with the name t.
func (s *Shape) Declaration(name, t string) string {
	return "func " + name + strings.ReplaceAll(strings.TrimPrefix(s.text, "func"), "*T", "*"+t)
}

// Fits reports whether a function has the shape for the type t.
func (s *Shape) Fits(fn *types.Signature, t *types.Named) bool {
	return fn.TypeParams().Len() == 0 && !fn.Variadic() && fits(fn.Params(), s.params, t) &&
		fits(fn.Results(), s.results, t)
}

func fits(got *types.Tuple, want []ast.Expr, t *types.Named) bool {
	if got.Len() != len(want) {
		return false
	}
	for i, e := range want {
		if !is(got.At(i).Type(), e, t) {
			return false
		}
	}
	return true
}

// is reports whether a type is the one that an expression in a shape for t denotes.
func is(got types.Type, want ast.Expr, t *types.Named) bool {
	switch want := want.(type) {
	case *ast.StarExpr:
		p, ok := types.Unalias(got).(*types.Pointer)
		return ok && is(p.Elem(), want.X, t)
	case *ast.ArrayType:
		s, ok := types.Unalias(got).(*types.Slice)
		return ok && is(s.Elem(), want.Elt, t)
	case *ast.SelectorExpr:
		name := want.Sel.Name
		if name == "T" {
			name = t.Obj().Name()
		}
		return IsNamed(got, shapePackages[want.X.(*ast.Ident).Name], name)
	case *ast.Ident:
		if want.Name == "T" {
			return types.Identical(got, t)
		}
		return types.Identical(got, types.Universe.Lookup(want.Name).Type())
	}
	return false
}

// shapePackages has the import paths of the packages in shapes.
var shapePackages = map[string]string{
	"context": "context", "conversion": emit.Conversion, "jsonwire": emit.JSONWire, "metav1": emit.MetaV1,
	"pbwire": emit.PBWire, "runtime": emit.Runtime,
}
