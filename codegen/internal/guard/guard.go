// Package guard writes declarations that stop compiling when a struct has changed after code was
// generated for it. The packages below feature write guards below their functions, with a comment
// that names the command to run.
package guard

import (
	"go/types"
	"strconv"

	"github.com/askind/askind/codegen/internal/emit"
)

// Write writes the guards of structs for code in a package, below a comment with instructions. It
// compares a struct with its earlier declaration, field by field, including struct tags. If the
// struct is of another package and has unexported fields, it compares the size of the struct and
// the offsets and types of its exported fields. Only the generator's -check detects changes of such
// a struct's tags, or of an unexported field to another one of the same size.
func Write(f *emit.File, structs []*types.Named, from *types.Package) {
	write(f, structs, from, true)
}

// WriteUntagged is [Write] for code that does not depend on struct tags.
func WriteUntagged(f *emit.File, structs []*types.Named, from *types.Package) {
	write(f, structs, from, false)
}

func write(f *emit.File, structs []*types.Named, from *types.Package, tags bool) {
	for i, n := range structs {
		f.P()
		if i == 0 {
			f.P(
				"// If a line below does not compile, its type has changed after this file was written, and the functions above do not know the",
			)
			f.P("// change. Run in this directory: go tool askind")
		}
		switch u := n.Underlying().(type) {
		case *types.Basic:
			f.Pf("var _ = (*%s)((*%s)(nil))", u.Name(), n)
		default:
			if hides(n, from) {
				layout(f, n, from)
			} else {
				fields(f, n, from, tags)
			}
			aliases(f, n, from)
		}
	}
}

// fields writes a constant that compiles only while the fields of a struct, their order, types and,
// if tags is set, tags are unchanged; a conversion ignores tags. The compiler checks constants
// before function bodies, so this error is among the first, and constants add no code. The error
// shows all fields. An alias with a name such as runGoToolAskind would hide them, but the compiler
// writes a type descriptor for each: core/v1 took 18 % longer to compile, and its object file was
// 33 % larger.
func fields(f *emit.File, n *types.Named, from *types.Package, tags bool) {
	before, after := "", ""
	if !tags {
		before, after = f.Sf("%s(", n), ")"
	}
	st := n.Underlying().(*types.Struct)
	if st.NumFields() == 0 {
		f.Pf("const _ = len([...]%s{%sstruct{}{}%s})", n, before, after)
		return
	}
	f.Pf("const _ = len([...]%s{%sstruct {", n, before)
	for i := range st.NumFields() {
		field, tag := st.Field(i), ""
		if tags && st.Tag(i) != "" {
			tag = " " + quoteTag(st.Tag(i))
		}
		if field.Embedded() {
			f.P(field.Type(), tag)
		} else {
			f.P(field.Name(), " ", spell(field.Type(), from), tag)
		}
	}
	f.Pf("}{}%s})", after)
}

// aliases writes guards of the embedded aliases of a struct. An embedded field has the name of its
// alias, so the comparison of the fields does not show the type behind it.
func aliases(f *emit.File, n *types.Named, from *types.Package) {
	for field := range n.Underlying().(*types.Struct).Fields() {
		t := field.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if is := spell(t, from); field.Embedded() && is != t && (field.Exported() || field.Pkg() == from) {
			f.Pf("var _ = (*%s)((*%s)(nil))", is, t)
		}
	}
}

func quoteTag(tag string) string {
	if strconv.CanBackquote(tag) {
		return "`" + tag + "`"
	}
	return strconv.Quote(tag)
}

// hides reports whether a struct has fields that code of another package cannot name.
func hides(n *types.Named, from *types.Package) bool {
	for f := range n.Underlying().(*types.Struct).Fields() {
		if !f.Exported() && n.Obj().Pkg() != from {
			return true
		}
	}
	return false
}

// layout writes a blank function, which is never linked, whose body compiles only while the size of
// a struct and the offsets and types of its exported fields are unchanged. It works on every
// platform, because it compares with a struct of the same layout instead of numbers.
func layout(f *emit.File, n *types.Named, from *types.Package) {
	st := n.Underlying().(*types.Struct)
	size, offset := emit.Ident{Path: "unsafe", Name: "Sizeof"}, emit.Ident{Path: "unsafe", Name: "Offsetof"}
	f.Pf("func _(is *%s, was *struct {", n)
	for field := range st.Fields() {
		if field.Exported() {
			f.P(field.Name(), " ", spell(field.Type(), from))
		} else {
			f.P(append([]any{"_ "}, alike(field.Type())...)...)
		}
	}
	f.P("}) {")
	f.Pf("_ = [%s(*is)]struct{}([%s(*was)]struct{}{})", size, size)
	for field := range st.Fields() {
		if name := field.Name(); field.Exported() {
			f.Pf("_, _ = &is.%s == &was.%s, [%s(is.%s)]struct{}([%s(was.%s)]struct{}{})", name, name,
				offset, name, offset, name)
		}
	}
	f.P("}")
}

// alike returns the source of a type with the size and alignment of t, without names that other
// packages cannot use.
func alike(t types.Type) []any {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() != types.UnsafePointer {
			return []any{u.Name()}
		}
	case *types.Slice:
		return []any{"[]struct{}"}
	case *types.Interface:
		return []any{"any"}
	case *types.Array:
		return append([]any{"[" + strconv.FormatInt(u.Len(), 10) + "]"}, alike(u.Elem())...)
	case *types.Struct:
		out := []any{"struct {"}
		for field := range u.Fields() {
			out = append(append(append(out, "_ "), alike(field.Type())...), "; ")
		}
		return append(out, "}")
	}
	return []any{emit.Ident{Path: "unsafe", Name: "Pointer"}}
}
