package json

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
)

// The option omitzero omits a value if its method IsZero returns true or, without that method, if
// it is the zero value. A struct that cannot be compared with == is compared field by field: in
// place, or by a function isZero<T> if the struct is declared in this package.

// canBeZero reports whether the zero value of a type can be told, and notes which functions that
// takes.
func (p *planner) canBeZero(t types.Type) bool {
	return model.HasIsZero(t) || p.canCompare(t)
}

func (p *planner) canCompare(t types.Type) bool {
	if plain(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() <= 8 && p.canCompare(u.Elem())
	case *types.Struct:
		n, named := types.Unalias(t).(*types.Named)
		if named && n.Obj().Pkg() == p.c.Package.Go && n.TypeArgs().Len() == 0 {
			if p.zero[n.Obj()] {
				return true
			}
			p.zero[n.Obj()] = true
		}
		for f := range u.Fields() {
			if f.Name() == "_" {
				continue
			}
			if !f.Exported() && f.Pkg() != p.c.Package.Go || !p.canCompare(f.Type()) {
				return false
			}
		}
	}
	return true
}

// plain reports whether == compares values of the type with the zero value and cannot panic.
func plain(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return plain(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" || !plain(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// isSet returns the condition that a member with omitzero is written.
func isSet(f *emit.File, local string, t types.Type, x string) string {
	if !model.HasIsZero(t) {
		return nonZero(f, local, t, x)
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return x + " != nil && !" + x + ".IsZero()"
	}
	return "!" + x + ".IsZero()"
}

// nonZero returns the condition that a value is not the zero value. Structs of the package with the
// path local have a function for it.
func nonZero(f *emit.File, local string, t types.Type, x string) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return expr.NonEmpty(x, t)
	case *types.Array:
		if plain(t) {
			return x + " != (" + f.Type(t) + "{})"
		}
		var parts []string
		for i := range u.Len() {
			parts = append(parts, nonZero(f, local, u.Elem(), x+"["+strconv.FormatInt(i, 10)+"]"))
		}
		return "(" + strings.Join(parts, " || ") + ")"
	case *types.Struct:
		if plain(t) {
			return x + " != (" + f.Type(t) + "{})"
		}
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg().Path() == local && n.TypeArgs().Len() == 0 {
			return "!" + isZeroName(n.Obj().Name()) + "(&" + x + ")"
		}
		return "(" + strings.Join(fieldsNonZero(f, local, u, x), " || ") + ")"
	}
	return x + " != nil"
}

func fieldsNonZero(f *emit.File, local string, st *types.Struct, x string) []string {
	var parts []string
	for fd := range st.Fields() {
		if fd.Name() != "_" {
			parts = append(parts, nonZero(f, local, fd.Type(), x+"."+fd.Name()))
		}
	}
	if parts == nil {
		parts = []string{"false"}
	}
	return parts
}

func isZeroName(typeName string) string {
	return "isZero" + emit.UpperFirst(typeName)
}

// emitZero writes isZero<T>.
func emitZero(f *emit.File, local string, n *types.Named) {
	name := n.Obj().Name()
	f.Pf("// %s reports whether in is the zero value.", isZeroName(name))
	f.Pf("func %s(in *%s) bool {", isZeroName(name), name)
	var parts []string
	for _, cond := range fieldsNonZero(f, local, n.Underlying().(*types.Struct), "in") {
		parts = append(parts, negate(cond))
	}
	f.Pf("return %s\n}", strings.Join(parts, " &&\n"))
}

// negate turns one of the conditions above around.
func negate(cond string) string {
	switch {
	case strings.HasPrefix(cond, "!"):
		return cond[1:]
	case strings.HasPrefix(cond, "("):
		return "!" + cond
	case strings.Count(cond, " != ") == 1:
		return strings.Replace(cond, " != ", " == ", 1)
	}
	return "!" + cond
}
