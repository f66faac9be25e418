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
		n, ok := types.Unalias(t).(*types.Named)
		if !ok {
			for part := range Parts(t) {
				walk(part)
			}
			return
		}
		name := types.TypeString(n, nil)
		switch {
		case n.TypeArgs().Len() == 0 && !p.Owns(n.Obj()), seen[name], reported[n.Obj()]:
		case nested(n) > maxNested:
			reported[n.Obj()], found = true, true
			e.Errorf(n.Obj().Pos(), "type-endless",
				"the fields of %s need ever larger instances of it, which no program can have", n.Obj().Name()).
				Suggest("use the type parameter of %s as it is in its fields", n.Obj().Name())
		default:
			seen[name] = true
			walk(n.Underlying())
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
	most := 0
	for part := range Parts(t) {
		most = max(most, nested(part))
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.TypeArgs().Len() > 0 {
		most++
	}
	return most
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
