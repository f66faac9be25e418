// Package expr has pieces of Go source that several features generate: zero values and tests for
// them, addresses, and errors with the path to a field.
//
// Expressions are strings, in which "*x" is the value that a pointer x points to. Pieces that name
// types are a [Source], whose parts [emit.File.P] takes as arguments.
//
// # Related packages
//
// Package emit writes files. The packages below feature use both.
package expr

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Source is Go source in pieces: strings, and the types, objects and identifiers that emit
// qualifies.
type Source []any

// AddressOf returns the address of an expression; for a dereferenced pointer that is the pointer.
func AddressOf(x string) string {
	if p, ok := strings.CutPrefix(x, "*"); ok {
		return p
	}
	return "&" + x
}

// Operand returns an expression in a form that a selector or an index can follow.
func Operand(x string) string {
	if strings.HasPrefix(x, "*") {
		return "(" + x + ")"
	}
	return x
}

// Selectable returns an expression for use before a selector, where no dereference is needed.
func Selectable(x string) string {
	if p, ok := strings.CutPrefix(x, "*"); ok {
		return Operand(p)
	}
	return x
}

// Variable returns the name of a variable of nested loops: i, i2, i3.
func Variable(name string, depth int) string { return Numbered(name, depth+1) }

// Numbered returns the name of the nth variable of a kind: i, i2, i3.
func Numbered(name string, n int) string {
	if n <= 1 {
		return name
	}
	return name + strconv.Itoa(n)
}

// IsBasic reports whether a type is the basic type with the name, not a type defined by one.
func IsBasic(t types.Type, name string) bool {
	return types.Identical(t, types.Universe.Lookup(name).Type())
}

// Convert returns an expression that converts one of a type to the basic type with the name.
func Convert(x string, t types.Type, basic string) string {
	if IsBasic(t, basic) {
		return x
	}
	return basic + "(" + x + ")"
}

// Quote returns texts as a list of Go literals.
func Quote(texts ...string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, ", ")
}

// And joins conditions.
func And(conds ...Source) Source {
	conds = slices.DeleteFunc(slices.Clone(conds), func(c Source) bool { return len(c) == 0 })
	if len(conds) == 1 {
		return conds[0]
	}
	var out Source
	for i, c := range conds {
		if i > 0 {
			out = append(out, " && ")
		}
		if slices.ContainsFunc(c, func(a any) bool { s, ok := a.(string); return ok && strings.Contains(s, " || ") }) {
			c = slices.Concat(Source{"("}, c, Source{")"})
		}
		out = append(out, c...)
	}
	return out
}

// Zero returns the zero value of a type.
func Zero(t types.Type) Source {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return Source{"false"}
		case u.Info()&types.IsString != 0:
			return Source{`""`}
		case u.Info()&types.IsNumeric != 0:
			return Source{"0"}
		}
	case *types.Struct, *types.Array:
		return Source{t, "{}"}
	}
	return Source{"nil"}
}

// NonEmpty returns the condition under which encoding/json writes a value with the option
// omitempty, or "" if it always does.
func NonEmpty(x string, t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return x + ` != ""`
		case u.Info()&types.IsBoolean != 0:
			return x
		}
		return x + " != 0"
	case *types.Pointer, *types.Interface:
		return x + " != nil"
	case *types.Slice, *types.Map:
		return "len(" + x + ") > 0"
	case *types.Array:
		if u.Len() == 0 {
			return "false"
		}
	}
	return ""
}

// IsZero returns the condition that an expression of a type is zero, for use in the package from.
// It fails for opaque types. If the type has a method IsZero, the condition calls it.
func IsZero(x string, t types.Type, from *types.Package) (Source, bool) {
	return test(x, t, from, "==", " && ")
}

// NonZero returns the negation of [IsZero].
func NonZero(x string, t types.Type, from *types.Package) (Source, bool) {
	return test(x, t, from, "!=", " || ")
}

// test returns a comparison with zero: op is the comparison operator, and between joins the
// conditions for the fields of a struct.
func test(x string, t types.Type, from *types.Package, op, between string) (Source, bool) {
	not := func(wanted string) string {
		if op == wanted {
			return "!"
		}
		return ""
	}
	if HasIsZero(t, from) {
		return Source{not("!=") + Operand(x) + ".IsZero()"}, true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return Source{not("==") + x}, true
		case u.Info()&types.IsString != 0:
			return Source{x + " " + op + ` ""`}, true
		case u.Info()&(types.IsInteger|types.IsFloat) != 0:
			return Source{x + " " + op + " 0"}, true
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return Source{x + " " + op + " nil"}, true
	case *types.Array:
		if Comparable(t) {
			return Source{x + " " + op + " (", t, "{})"}, true
		}
	case *types.Struct:
		if Comparable(t) {
			return Source{x + " " + op + " (", t, "{})"}, true
		}
		var all Source
		for f := range u.Fields() {
			if !f.Exported() && f.Pkg() != from {
				return nil, false
			}
			part, ok := test(Operand(x)+"."+f.Name(), f.Type(), from, op, between)
			if !ok {
				return nil, false
			}
			if all != nil {
				all = append(all, between)
			}
			all = append(all, part...)
		}
		return all, true
	}
	return nil, false
}

// Comparable reports whether all values of a type can be compared without a panic, which does not
// hold for interfaces.
func Comparable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return false
	case *types.Array:
		return Comparable(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !Comparable(f.Type()) {
				return false
			}
		}
		return true
	}
	return types.Comparable(t)
}

// Plain reports whether == compares values of a type completely, because they contain no reference.
func Plain(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Array:
		return Plain(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !Plain(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// HasIsZero reports whether a type has a usable method IsZero, declared or promoted. One that an
// embedded field promotes is usable only if the struct has no other field.
func HasIsZero(t types.Type, from *types.Package) bool {
	if _, ok := t.Underlying().(*types.Pointer); ok {
		return false
	}
	obj, path, _ := types.LookupFieldOrMethod(t, true, from, "IsZero")
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	if st, isStruct := t.Underlying().(*types.Struct); isStruct && len(path) > 1 && st.NumFields() > 1 {
		return false
	}
	s := fn.Signature()
	return s.Params().Len() == 0 && s.Results().Len() == 1 && types.Identical(s.Results().At(0).Type(),
		types.Typ[types.Bool])
}
