package model

import (
	"go/types"
	"iter"
	"strconv"
)

// TypeName formats a type as seen from the package.
func (p *Package) TypeName(t types.Type) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == p.Go {
			return ""
		}
		return other.Name()
	})
}

// ImportNames returns the names by which the hand-written files of the package refer to others, by
// import path. Each name stands for one package; if files differ, the first one counts.
func (p *Package) ImportNames() map[string]string {
	names, taken := map[string]string{}, map[string]bool{"_": true, ".": true}
	for _, file := range p.loaded.Files {
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			name := ""
			if spec.Name != nil {
				name = spec.Name.Name
			} else if other := p.universe.Package(path); other != nil {
				name = other.Name
			}
			if name != "" && names[path] == "" && !taken[name] {
				names[path], taken[name] = name, true
			}
		}
	}
	return names
}

// IsStruct reports whether the underlying type of t is a struct.
func IsStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// StructOf returns the struct that t is or points to, with its name if it has one.
func StructOf(t types.Type) (*types.Named, *types.Struct) {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	st, _ := t.Underlying().(*types.Struct)
	return n, st
}

// PointedStruct returns the named struct that t points to, or nil.
func PointedStruct(t types.Type) *types.Named {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return nil
	}
	if n, _ := types.Unalias(ptr.Elem()).(*types.Named); n != nil && IsStruct(n) {
		return n
	}
	return nil
}

// Bits returns the size of values of a basic type on an architecture, such as 386 or amd64.
func Bits(b *types.Basic, arch string) int { return int(8 * types.SizesFor("gc", arch).Sizeof(b)) }

// IsError reports whether t is the predeclared type error.
func IsError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// Elem returns the element type of a pointer, slice, array or map.
func Elem(t types.Type) types.Type { return t.(interface{ Elem() types.Type }).Elem() }

// Parts yields the types in a type expression: the elements of a pointer, list or channel, the keys
// and elements of a map, the fields of an unnamed struct, and the arguments of a named type.
func Parts(t types.Type) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		switch t := types.Unalias(t).(type) {
		case *types.Map:
			_ = yield(t.Key()) && yield(t.Elem())
		case interface{ Elem() types.Type }:
			yield(t.Elem())
		case *types.Struct:
			for f := range t.Fields() {
				if !yield(f.Type()) {
					return
				}
			}
		case *types.Named:
			for arg := range t.TypeArgs().Types() {
				if !yield(arg) {
					return
				}
			}
		}
	}
}

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
