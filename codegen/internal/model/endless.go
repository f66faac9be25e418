package model

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/load"
)

// maxNested bounds how deep type arguments nest in each other.
const maxNested = 16

// endless reports generic types of a package whose fields need ever larger instances, such as
//
//	type Tree[T any] struct{ Left *Tree[Tree[T]] }
//
// The compiler refuses them, but the type checker looks for them only in packages without other
// errors, and a package has others as long as its generated code is missing.
func (p *Package) endless(e Errors) (found bool) {
	reported := map[*types.TypeName]bool{}
	seen := map[string]bool{}
	var walk func(t types.Type)
	walk = func(t types.Type) {
		switch t := types.Unalias(t).(type) {
		case *types.Pointer, *types.Slice, *types.Array:
			walk(Elem(t))
		case *types.Map:
			walk(t.Key())
			walk(t.Elem())
		case *types.Struct:
			for f := range t.Fields() {
				walk(f.Type())
			}
		case *types.Named:
			name := types.TypeString(t, nil)
			switch {
			case t.TypeArgs().Len() == 0 && !p.Owns(t.Obj()), seen[name], reported[t.Obj()]:
				return
			case nested(t) > maxNested:
				reported[t.Obj()], found = true, true
				e.Errorf(t.Obj().Pos(), "type-endless",
					"the fields of %s need ever larger instances of it, which no program can have", t.Obj().Name()).
					Suggest("use the type parameter of %s as it is in its fields", t.Obj().Name())
				return
			}
			seen[name] = true
			walk(t.Underlying())
		}
	}
	for _, t := range p.declared() {
		if t.Named.TypeParams().Len() == 0 {
			walk(t.Named)
		}
	}
	return found
}

// nested returns how deep type arguments nest in a type.
func nested(t types.Type) int {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer, *types.Slice, *types.Array:
		return nested(Elem(t))
	case *types.Map:
		return max(nested(t.Key()), nested(t.Elem()))
	case *types.Named:
		most := 0
		for arg := range t.TypeArgs().Types() {
			most = max(most, 1+nested(arg))
		}
		return most
	}
	return 0
}

// needed are the predeclared names that generated code may use.
var needed = []string{
	"any", "append", "bool", "byte", "clear", "copy", "delete", "error", "false", "float32", "float64", "int", "int16",
	"int32", "int64", "int8", "len", "make", "new", "nil", "rune", "string", "true", "uint", "uint16", "uint32",
	"uint64", "uint8",
}

// checkNames reports declarations of a package that hide predeclared names from generated code.
func (u *Universe) checkNames(lp *load.Package, e Errors) {
	if lp.Types == nil {
		return
	}
	var hidden []types.Object
	for _, name := range needed {
		if obj := lp.Types.Scope().Lookup(name); obj != nil && obj.Pos() != token.NoPos {
			hidden = append(hidden, obj)
		}
	}
	slices.SortFunc(hidden, func(a, b types.Object) int { return int(a.Pos() - b.Pos()) })
	for _, obj := range hidden {
		e.Errorf(obj.Pos(), "name-hidden", "this declaration hides the predeclared %s, which generated code uses",
			obj.Name()).Suggest("give it another name")
	}
}
