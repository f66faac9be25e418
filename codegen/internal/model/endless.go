package model

import (
	"go/types"
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
