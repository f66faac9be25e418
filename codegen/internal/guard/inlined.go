package guard

import (
	"cmp"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/model"
)

// Inlined returns structs and the nested structs whose fields their code accesses directly, because
// these have no functions: structs of other packages, instances of generic structs, embedded
// structs. It also returns the named basic types that their code converts. calls reports whether
// code for a field of a type calls a function of the type instead; promoted, that the fields of the
// type are treated as those of the struct that embeds it. Types that code in a package cannot name
// are omitted.
func Inlined(structs []*types.Named, from *types.Package, calls func(n *types.Named, promoted bool) bool,
) []*types.Named {
	c := collector{from: from, calls: calls, seen: map[string]bool{}}
	for _, n := range structs {
		c.seen[key(n)] = true
	}
	for _, n := range structs {
		c.fields(n.Underlying().(*types.Struct))
	}
	slices.SortFunc(c.found, func(a, b *types.Named) int { return cmp.Compare(key(a), key(b)) })
	return append(slices.Clone(structs), c.found...)
}

type collector struct {
	from  *types.Package
	calls func(n *types.Named, promoted bool) bool
	seen  map[string]bool
	found []*types.Named
}

func key(t types.Type) string { return types.TypeString(t, (*types.Package).Path) }

func (c *collector) fields(st *types.Struct) {
	for i := range st.NumFields() {
		f := st.Field(i)
		name, _, _ := strings.Cut(reflect.StructTag(st.Tag(i)).Get("json"), ",")
		c.walk(f.Type(), f.Embedded() && name == "")
	}
}

func (c *collector) walk(t types.Type, promoted bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if c.seen[key(t)] || t.Obj().Pkg() == nil || c.calls(t, promoted) {
			return
		}
		c.seen[key(t)] = true
		if b, ok := t.Underlying().(*types.Basic); ok {
			// Code that converts or assigns the value compiles for other types too: any number for
			// any other, a string for bytes, and a slice, which copies would then share.
			if b.Info()&types.IsConstType != 0 && spellable(t, c.from) {
				c.found = append(c.found, t)
			}
			return
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			c.walk(t.Underlying(), false)
			return
		}
		if spellable(t, c.from) {
			c.found = append(c.found, t)
		}
		c.fields(st)
	case *types.Struct:
		c.fields(t)
	case *types.Pointer:
		c.walk(t.Elem(), promoted)
	case *types.Slice, *types.Array, *types.Map:
		for part := range model.Parts(t) {
			c.walk(part, false)
		}
	}
}

// spellable reports whether code in a package can name a type.
func spellable(t types.Type, from *types.Package) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if pkg := t.Obj().Pkg(); pkg != nil && pkg != from &&
			(!token.IsExported(t.Obj().Name()) || !Importable(pkg.Path(), from.Path())) {
			return false
		}
	case *types.Struct:
		return true
	}
	for part := range model.Parts(t) {
		if !spellable(part, from) {
			return false
		}
	}
	return true
}

// spell replaces aliases by the types that they stand for, as far as code in a package can name
// these: a change of an alias also changes everything declared with it.
func spell(t types.Type, from *types.Package) types.Type {
	switch t := t.(type) {
	case *types.Alias:
		switch u := types.Unalias(t).(type) {
		case *types.Named:
			if spellable(u, from) {
				return u
			}
		case *types.Basic, *types.Struct, *types.Pointer, *types.Slice, *types.Array, *types.Map:
			return spell(u, from)
		}
	case *types.Pointer:
		return types.NewPointer(spell(t.Elem(), from))
	case *types.Slice:
		return types.NewSlice(spell(t.Elem(), from))
	case *types.Array:
		return types.NewArray(spell(t.Elem(), from), t.Len())
	case *types.Map:
		return types.NewMap(spell(t.Key(), from), spell(t.Elem(), from))
	}
	return t
}

// Importable reports whether a package can import another one, which it depends on already. Both
// are import paths.
func Importable(pkg, from string) bool {
	path := "/" + pkg + "/"
	i := strings.LastIndex(path, "/internal/")
	return i < 0 || strings.HasPrefix("/"+from+"/", path[:i+1])
}
