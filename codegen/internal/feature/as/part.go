package as

import (
	"slices"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/feature/conversion"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/reads"
)

// part is a conversion that need only convert the fields that the columns of a table read.
type part struct {
	conversion.Part
	shown *kindPlan   // of the converted object
	reads *reads.Tree // of the object before
}

// parts returns the conversions from and to a kind for which the fields read by a table of the
// result are known. It must be called after all packages have been planned.
func (p *kindPlan) parts() []part {
	var out []part
	for _, x := range conversion.Parts(p.c, p.kind) {
		shown := planOf(p.c, x.Out)
		if shown == nil || shown.columnReads == nil {
			continue
		}
		in, ok := x.Reads(shown.columnReads)
		if ok && p.reaches(x.In) && readable(p.c.Universe, x.In, in) {
			out = append(out, part{x, shown, in})
		}
	}
	return out
}

// reaches reports whether the package of the plan can refer to everything that the decoders of a
// kind refer to.
func (p *kindPlan) reaches(k *model.Kind) bool {
	return k.Package == p.kind.Package ||
		!slices.ContainsFunc(k.Package.Types, func(t *model.Type) bool { return !t.Exported() })
}

// planOf returns the plan of a kind of any package of the main modules, or nil. A package that is
// not part of the run is planned here, so that the output does not depend on what else is
// generated.
func planOf(c *feature.Context, k *model.Kind) *kindPlan {
	all, ok := c.Shared[sharedKey(k.Package.Path)].(plan)
	if !ok && k.Package.Output {
		all = planAll(c.Scratch(k.Package))
		c.Shared[sharedKey(k.Package.Path)] = all
	}
	i := slices.IndexFunc(all, func(p *kindPlan) bool { return p.kind == k })
	if i < 0 {
		return nil
	}
	return all[i]
}

// sharedKey returns the key under which the plan of a package is shared.
func sharedKey(path string) string { return "as " + path }

// variable returns the name of the record of a part.
func (x *part) variable(p *kindPlan) string { return "partial" + p.kind.Name + "Table" + x.Suffix }

// emitParts writes the decoders and the records that declare them.
func (p *kindPlan) emitParts(f *emit.File) {
	for _, x := range p.parts() {
		name := x.variable(p)
		f.P("// ", name, " says what the columns of the result of ", x.Func,
			" read of its source, so that encoded objects need not be decoded for a table.")
		f.P("var ", name, " = ", emit.Ident{Path: emit.Runtime, Name: "ConversionPart"}, "[", x.In.Named, ", ",
			x.Out.Named, ", ", metav1("Table"), "]{")
		f.P("Of: ", x.Func, ",")
		f.P("As: ", f.Qualified(x.shown.c.Package.Go, x.Out.Name+"AsTable"), ",")
		f.P("Convert: ", x.Func, ", // what is not decoded is the zero value, and makes none")
		emitDecoders(f, p.c, x.In, x.reads, p.kind.Name+"Columns"+x.Suffix)
	}
}
