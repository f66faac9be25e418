package model

import (
	"go/types"
	"slices"
)

const (
	// maxNested bounds how deep type arguments nest in each other.
	maxNested = 16
	// maxEmbedded bounds in how many places embedded structs may stand below a struct. Structs that
	// each embed the next one by two ways double their number at every level.
	maxEmbedded = 1000
)

// endless reports generic types of a package whose fields need ever larger instances, such as
//
//	type Tree[T any] struct{ Left *Tree[Tree[T]] }
//
// The compiler refuses them, but the type checker looks for them only in packages without other
// errors, and a package has others as long as its generated code is missing. endless also reports
// structs with too many embedded ones.
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
			if st, ok := n.Underlying().(*types.Struct); ok && !found && embeds(st, maxEmbedded, nil) > maxEmbedded {
				found = true
				e.Errorf(n.Obj().Pos(), "type-embeds",
					"structs are embedded in %s, directly and in each other, in more than %d places", n.Obj().Name(), maxEmbedded).
					Suggest("embed a struct once, or use fields with names")
			}
			walk(n.Underlying())
		}
	}
	for _, t := range p.Declared() {
		if t.Named.TypeParams().Len() == 0 {
			walk(t.Named)
		}
	}
	return found
}

// embeds returns the number of places of embedded structs below a struct, or a number above most.
// above has the structs around it, which pointers can embed again.
func embeds(st *types.Struct, most int, above []*types.Struct) (n int) {
	above = append(above, st)
	for f := range st.Fields() {
		if _, inner := StructOf(f.Type()); f.Embedded() && inner != nil && n <= most && !slices.Contains(above, inner) {
			n += 1 + embeds(inner, most-n, above)
		}
	}
	return n
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
