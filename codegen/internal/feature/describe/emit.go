package describe

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/askind/askind/codegen/internal/emit"
)

func metav1(name string) emit.Ident { return emit.Ident{Path: emit.MetaV1, Name: name} }

// Emit implements [github.com/askind/askind/codegen/internal/feature.Plan].
func (p *plan) Emit(f *emit.File) {
	builder, addAs := emit.Ident{Path: emit.Runtime, Name: "Builder"}, emit.Ident{Path: emit.Runtime, Name: "AddAs"}
	f.P(
		"// AddDescriptionsTo registers that the objects of this package can be shown as a Description. It is " +
			"separate from AddTo because the",
	)
	f.P("// texts below make a program larger.")
	f.Pf("func AddDescriptionsTo(b *%s) {", builder)
	f.Pf("%s(b)", metav1("AddDescriptionTo"))
	for _, k := range p.kinds {
		f.Pf("%s(b, %s)", addAs, functionName(k.kind))
	}
	f.P("}")
	f.P()
	for _, k := range p.kinds {
		if !k.write {
			continue
		}
		name := k.kind.Name
		f.P("// ", functionName(k.kind), " describes one ", name, " for people.")
		f.P("func ", functionName(k.kind), "(in *", k.kind.Named, ", out *", metav1("Description"), ", s *",
			emit.Ident{Path: emit.Conversion, Name: "Scope"}, ") error {")
		f.P("return ", metav1("Describe"), "(out, &kind", name, ", in, ", p.c.Universe.MetadataOf(k.kind, "in", f),
			", described, s)")
		f.P("}")
		f.P()
	}
	f.P("// described documents the types that the kinds of this package reach, in order of name.")
	f.P("var described = []", metav1("DescribedType"), "{")
	types := slices.SortedFunc(maps.Values(p.byName), func(a, b *described) int { return cmp.Compare(a.name, b.name) })
	for _, d := range types {
		f.P("{Name: ", strconv.Quote(d.name), ", Fields: []", metav1("DescribedField"), "{")
		for _, field := range d.fields {
			field.emit(f)
		}
		f.P("}},")
	}
	f.P("}")
}

func (fd *field) emit(f *emit.File) {
	line := "{Name: " + strconv.Quote(fd.name)
	quoted := func(name, value string) {
		if value != "" {
			line += ", " + name + ": " + strconv.Quote(value)
		}
	}
	quoted("Label", fd.label)
	quoted("Help", fd.help)
	quoted("Type", fd.typ)
	quoted("Key", fd.key)
	quoted("Object", fd.object)
	if fd.as != "" {
		line += ", As: " + f.S(metav1("Description"+fd.as))
	}
	if fd.unit != "" {
		line += ", Unit: " + f.Ident("time", fd.unit)
	}
	flag := func(name string, set bool) {
		if set {
			line += ", " + name + ": true"
		}
	}
	flag("Map", fd.isMap)
	if fd.maps > 0 {
		line += ", Maps: " + strconv.Itoa(fd.maps)
	}
	flag("Table", fd.table)
	flag("Omit", fd.omit)
	f.P(line, "},")
}
