// Package schema generates the compressed OpenAPI schemas of a package's types and a table of merge
// strategies.
//
// It writes one variable for the package, OpenAPISchemas, which is initialized statically: it costs
// nothing at start-up. It has schemas for the kinds and for all structs of the package that take
// part in generation; types of other packages are included unless those packages have their own
// schemas. The marker +k8s:openapi-gen=false on a package disables the schemas.
package schema

import (
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/deflate"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
)

// Variable is the name of the variable with the schemas of a package.
const Variable = "OpenAPISchemas"

// Prefix is the prefix of references in the generated schemas: the location of schemas in an
// OpenAPI document.
const Prefix = "#/components/schemas/"

// Plan plans the schemas of a package.
func Plan(c *feature.Context) feature.Plan {
	if !switchedOn(c.Package) {
		return nil
	}
	p := &plan{c: c, imports: map[string]*model.Package{}}
	b := &schemas.Builder{Universe: c.Universe, Elsewhere: p.elsewhere}
	for _, t := range c.Package.Types {
		if t.Struct != nil && t.Named.TypeParams().Len() == 0 && !schemas.IsLeaf(t.Named) {
			b.Add(t.Named)
		}
	}
	if c.Package.Path == emit.MetaV1 {
		for _, name := range []string{"Duration", "FieldsV1", "MicroTime", "Time"} {
			if t := c.Package.Find(name); t != nil {
				b.Add(t.Named)
			}
		}
	}
	p.definitions = b.Definitions()
	if len(p.definitions) == 0 {
		return nil
	}
	for _, k := range c.Package.Kinds {
		name := schemas.Name(c.Universe, k.Named)
		if b.Definition(name) == nil {
			continue
		}
		c.Registrations.KindField(k, "SchemaName", func(*emit.File) string { return strconv.Quote(name) })
		c.Registrations.KindField(k, "Schemas", func(*emit.File) string { return "&" + Variable })
	}
	return p
}

// switchedOn reports whether a package has schemas.
func switchedOn(p *model.Package) bool {
	m := p.Markers.Get("k8s:openapi-gen")
	return m == nil || strings.TrimSpace(m.Raw) != "=false"
}

type plan struct {
	c           *feature.Context
	definitions []*schemas.Definition
	imports     map[string]*model.Package
}

// elsewhere reports whether the schema of a struct is generated in another package, and records
// that package.
func (p *plan) elsewhere(n *types.Named) bool {
	if n.Obj().Pkg() == nil || n.TypeArgs().Len() > 0 || schemas.IsLeaf(n) && n.Obj().Pkg().Path() != emit.MetaV1 {
		return false
	}
	home := p.c.Universe.Home(n)
	if home == nil || home == p.c.Package || !n.Obj().Exported() {
		return false
	}
	has := home.Path == emit.MetaV1
	if !has && home.Output && switchedOn(home) {
		has = slices.ContainsFunc(home.Types, func(t *model.Type) bool {
			return t.Named.Obj() == n.Obj() && t.Struct != nil
		})
	}
	if has {
		p.imports[home.Path] = home
	}
	return has
}

func rt(name string) emit.Ident { return emit.Ident{Path: emit.Runtime, Name: name} }

// Emit implements [feature.Plan].
func (p *plan) Emit(f *emit.File) {
	var text []byte
	for _, d := range p.definitions {
		text = append(append(text, d.Name...), ' ')
		text = append(d.Schema.Append(text, schemas.OpenAPI30, Prefix), '\n')
	}
	f.P(
		"// ", Variable, " describes the JSON form of the objects of this package, for API documents, and how their "+
			"fields merge.",
	)
	f.P("var ", Variable, " = ", rt("Schemas"), "{")
	f.P("Text: ", literal(deflate.Compress(text)), ",")
	f.P("Size: ", len(text), ",")
	p.merge(f)
	if len(p.imports) > 0 {
		var list []string
		for _, path := range slices.Sorted(maps.Keys(p.imports)) {
			list = append(list, "&"+f.Qualified(p.imports[path].Go, Variable))
		}
		f.P("Imports: []*", rt("Schemas"), "{", strings.Join(list, ", "), "},")
	}
	f.P("}")
}

// literal returns data as a Go string literal that spans several lines.
func literal(data []byte) string {
	const width = 96
	var b strings.Builder
	line := 0
	for i, c := range data {
		if line == 0 {
			if i > 0 {
				b.WriteString("\" +\n")
			}
			b.WriteByte('"')
		}
		from := b.Len()
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c <= '~':
			b.WriteByte(c)
		default:
			const hex = "0123456789abcdef"
			b.WriteString(`\x`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
		if line += b.Len() - from; line >= width {
			line = 0
		}
	}
	b.WriteByte('"')
	return b.String()
}
