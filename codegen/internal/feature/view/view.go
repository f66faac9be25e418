// Package view generates functions that view foreign metadata as that of meta/v1.
//
// The metadata types of other API libraries often have the layout of ours, because both follow the
// Kubernetes wire format. For a codec package that serves such a type, this feature writes
// ViewObjectMeta or ViewListMeta: a pointer conversion that shares the memory. Planning verifies
// recursively that the names and types of all fields are equal. Guards below the function stop
// compiling when either side changes. If the layouts differ, no function is generated, and kinds
// with such metadata are registered without accessors for it.
package view

import (
	"go/types"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
)

// Plan plans the views of the foreign metadata that a package serves.
func Plan(c *feature.Context) feature.Plan {
	var p plan
	for _, t := range c.Package.Types {
		fn := c.Universe.Func(model.MetadataView, t.Named)
		switch {
		case !c.Package.IsForeign(t):
		case fn.State == model.Generated:
			p.views = append(p.views, &one{name: fn.Name, from: t.Named, to: c.Universe.Twin(t.Named)})
		case fn.State == model.Declared:
			c.Log("view: hand-written " + fn.Path + "." + fn.Name)
		}
	}
	for _, k := range c.Package.Kinds {
		if k.Metadata == nil || !c.Package.IsForeign(k.Type) || model.IsNamed(k.Metadata.Type, emit.MetaV1,
			k.Metadata.Name) || c.Universe.HasView(k) {
			continue
		}
		c.Warnf(c.Package.Pos, "foreign-metadata",
			"%s: the metadata of type %s cannot be shown as that of meta/v1: no package of the module has +askind:foreign=%s, or the layouts differ", k.Name, k.Metadata.Type, path(k.Metadata.Type))
		break // the others have the same type
	}
	if len(p.views) == 0 {
		return nil
	}
	return &p
}

func path(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Path()
	}
	return ""
}

type plan struct{ views []*one }

type one struct {
	name     string
	from, to *types.Named
}

// Emit implements [feature.Plan].
func (p *plan) Emit(f *emit.File) {
	pointer := emit.Ident{Path: "unsafe", Name: "Pointer"}
	for _, v := range p.views {
		f.Pf("// %s shows in as the %s of meta/v1, in the same memory: a change of one is a change of the other.",
			v.name, v.to.Obj().Name())
		f.Pf("func %s(in *%s) *%s {", v.name, v.from, v.to)
		f.Pf("return (*%s)(%s(in))", v.to, pointer)
		f.P("}\n")
	}
	f.P(
		"// If a line below does not compile, a type has changed after this file was written, and the functions above would misread it.",
	)
	f.P("// Run in this directory: go tool askind")
	done := map[[2]types.Type]bool{}
	f.P("var (")
	for _, v := range p.views {
		model.SameLayout(v.from, v.to, func(a, b types.Type) {
			if !done[[2]types.Type{a, b}] {
				done[[2]types.Type{a, b}] = true
				guard(f, a, b)
			}
		})
	}
	f.P(")")
}

// guard writes declarations that stop compiling when two types no longer have the same layout. For
// types with the same structure that is a conversion. Structs whose fields have differently named
// types are compared field by field, and the types of these fields have their own guards.
func guard(f *emit.File, a, b types.Type) {
	if types.ConvertibleTo(types.NewPointer(a), types.NewPointer(b)) {
		f.Pf("_ = (*%s)((*%s)(nil))", b, a)
		return
	}
	st := a.Underlying().(*types.Struct)
	for _, t := range []types.Type{a, b} {
		f.P("_ = struct {")
		for field := range t.Underlying().(*types.Struct).Fields() {
			if field.Embedded() {
				f.P(field.Type())
			} else {
				f.P(field.Name(), " ", field.Type())
			}
		}
		f.Pf("}(%s{})", t)
	}
	size, offset := emit.Ident{Path: "unsafe", Name: "Sizeof"}, emit.Ident{Path: "unsafe", Name: "Offsetof"}
	f.Pf("_ [%s(%s{})]struct{} = [%s(%s{})]struct{}{}", size, a, size, b)
	for field := range st.Fields() {
		f.Pf("_ [%s(%s{}.%s)]struct{} = [%s(%s{}.%s)]struct{}{}", offset, a, field.Name(), offset, b, field.Name())
	}
}
