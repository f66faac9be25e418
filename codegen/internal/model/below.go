package model

import (
	"go/types"
	"iter"
)

// FieldsBelow yields the fields of a type and of all nested types, through pointers, lists and the
// values of maps, each type once and each field before nested ones. It omits fields of named
// structs for which enter, if not nil, returns false.
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
