package model

import (
	"go/types"
	"iter"
)

// FieldsBelow goes through the fields of a type and of all that it consists of, through pointers,
// lists and the values of maps, each type once and each field before what is in it. Fields of named
// structs are left out where enter, if there is one, reports false.
func (u *Universe) FieldsBelow(t types.Type, enter func(*Type) bool) iter.Seq[*Field] {
	return func(yield func(*Field) bool) {
		seen := map[types.Type]bool{}
		var walk func(t types.Type) bool
		walk = func(t types.Type) bool {
			t = types.Unalias(t)
			if seen[t] {
				return true
			}
			seen[t] = true
			switch x := t.Underlying().(type) {
			case interface{ Elem() types.Type }: // a pointer, a list or a map
				return walk(x.Elem())
			case *types.Struct:
				if n, ok := t.(*types.Named); ok && enter != nil {
					if named := u.Type(n); named != nil && !enter(named) {
						return true
					}
				}
				for _, f := range u.Fields(x) {
					if !yield(f) || !walk(f.Type) {
						return false
					}
				}
			}
			return true
		}
		walk(t)
	}
}
