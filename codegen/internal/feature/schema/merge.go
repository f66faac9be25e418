package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/schemas"
)

// merge writes the table of merge strategies of fields.
func (p *plan) merge(f *emit.File) {
	byName := map[string]*schemas.Schema{}
	for _, d := range p.definitions {
		byName[d.Name] = d.Schema
	}
	var lines []string
	for _, d := range p.definitions {
		var fields []string
		properties := slices.SortedFunc(slices.Values(d.Schema.Properties),
			func(a, b schemas.Property) int { return cmp.Compare(a.Name, b.Name) })
		for _, prop := range properties {
			if line := p.field(f, byName, prop); line != "" {
				fields = append(fields, line)
			}
		}
		line := "{Name: " + strconv.Quote(d.Name)
		atomic := d.Schema.MapType == "atomic"
		if atomic {
			line += ", Atomic: true"
		}
		if len(fields) > 0 {
			line += ", Fields: []" + f.S(rt("MergeField")) + "{\n" + strings.Join(fields, "\n") + "\n}"
		}
		if atomic || len(fields) > 0 {
			lines = append(lines, line+"},")
		}
	}
	if len(lines) > 0 {
		f.P("Types: []", rt("MergeType"), "{\n", strings.Join(lines, "\n"), "\n},")
	}
}

// resolve follows a reference to a schema that is not a struct, such as that of Quantity.
func resolve(byName map[string]*schemas.Schema, s *schemas.Schema) *schemas.Schema {
	for s.Ref != "" {
		target := byName[s.Ref]
		if target == nil || target.Type == "object" && target.Properties != nil {
			break
		}
		s = target
	}
	return s
}

// scalar reports whether a patch replaces the values of a schema that is not a struct.
func scalar(s *schemas.Schema) bool {
	return s.Type != "" && s.Type != "object" && s.Type != "array" || len(s.Union) > 0
}

// isKey reports whether a field with this name identifies the elements of a list.
func isKey(byName map[string]*schemas.Schema, name string) bool {
	for _, s := range byName {
		for _, prop := range s.Properties {
			if prop.Schema.Type == "array" && slices.Contains(prop.Schema.ListMapKeys, name) {
				return true
			}
		}
	}
	return false
}

// field returns the entry of a field, or "" for a field that a patch replaces.
func (p *plan) field(f *emit.File, byName map[string]*schemas.Schema, prop schemas.Property) string {
	own := prop.Schema
	s := resolve(byName, own)
	out := "{Name: " + strconv.Quote(prop.Name)
	text := func(name, value string) {
		if value != "" {
			out += ", " + name + ": " + strconv.Quote(value)
		}
	}
	flag := func(name string, value bool) {
		if value {
			out += ", " + name + ": true"
		}
	}
	structOf := func(s *schemas.Schema) string {
		if s = resolve(byName, s); leafElsewhere[s.Ref] {
			return ""
		}
		return s.Ref
	}
	switch {
	case scalar(s) || leafElsewhere[s.Ref]:
		if own.Default == "" || !isKey(byName, prop.Name) {
			return ""
		}
		text("Default", own.Default)
	case s.Type == "array":
		list := cmp.Or(s.ListType, own.ListType)
		name := map[string]string{"set": "ListSet", "map": "ListMap"}[list]
		text("Type", structOf(s.Items))
		out += ", List: " + f.S(rt(cmp.Or(name, "ListAtomic")))
		if len(s.ListMapKeys) > 0 {
			out += ", Keys: []string{" + expr.Quote(s.ListMapKeys...) + "}"
		}
	case s.Values != nil:
		text("Type", structOf(s.Values))
		flag("Map", true)
		flag("Atomic", s.MapType == "atomic")
	case s.Ref != "":
		text("Type", s.Ref)
		flag("Atomic", s.MapType == "atomic" || byName[s.Ref] != nil && byName[s.Ref].MapType == "atomic")
	default:
		flag("Unknown", true)
		flag("Atomic", s.MapType == "atomic")
	}
	text("Strategy", own.PatchStrategy)
	text("MergeKey", own.PatchMergeKey)
	return out + "},"
}

// leafElsewhere has the definitions of meta/v1 that are leaf values.
var leafElsewhere = map[string]bool{
	"io.k8s.apimachinery.pkg.apis.meta.v1.Time":      true,
	"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": true,
	"io.k8s.apimachinery.pkg.apis.meta.v1.Duration":  true,
	"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1":  true,
}
