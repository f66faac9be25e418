package schemas

import (
	"cmp"
	"slices"
)

// Inlined returns a schema without references, in the structural form of a
// CustomResourceDefinition. A recursive type allows any value where it refers to itself. In a list
// with keys only the keys of such a value are described, because API servers require them. ok is
// false if the schema would have more than [MaxParts] parts.
func (b *Builder) Inlined(s *Schema) (out *Schema, ok bool) {
	b.parts = 0
	out = b.inlined(s, nil)
	out.transitions()
	return out, b.parts <= MaxParts
}

// MaxParts is the largest number of schemas in one without references. Types that each use the next
// one twice double their number at every level. The shortest text of so many is larger than the
// 1.5 MiB that etcd stores as one object.
const MaxParts = 100_000

func (b *Builder) inlined(s *Schema, open []string) *Schema {
	if s == nil {
		return nil
	}
	if b.parts++; b.parts > MaxParts {
		return &Schema{}
	}
	out := *s
	if s.Ref != "" {
		target := b.byName[s.Ref]
		if target == nil || slices.Contains(open, s.Ref) {
			return &Schema{Type: "object", PreserveUnknown: true, Description: s.Description, Nullable: s.Nullable}
		}
		open = append(open[:len(open):len(open)], s.Ref)
		out = *target.Schema
		overlay(&out, s)
	}
	out.Items, out.Values, out.Keys = b.inlined(out.Items, open), b.inlined(out.Values, open), nil
	if out.Items != nil {
		b.describeKeys(&out, s.Items, open)
		for _, p := range out.Items.Properties {
			if p.Schema.Default == "" && slices.Contains(out.ListMapKeys, p.Name) &&
				!slices.Contains(out.Items.Required, p.Name) {
				p.Schema.Default = p.Schema.keyDefault
			}
		}
	}
	properties := make([]Property, len(out.Properties))
	for i, p := range out.Properties {
		properties[i] = Property{Name: p.Name, Schema: b.inlined(p.Schema, open)}
	}
	out.Properties = properties
	return &out
}

// describeKeys describes the keys of a list whose elements are of a type that is being described.
func (b *Builder) describeKeys(list, items *Schema, open []string) {
	if items.Ref == "" || !slices.Contains(open, items.Ref) {
		return
	}
	target := b.byName[items.Ref].Schema
	for _, key := range list.ListMapKeys {
		if s := target.Property(key); s != nil {
			list.Items.Properties = append(list.Items.Properties, Property{Name: key, Schema: b.inlined(s, open)})
		}
		if slices.Contains(target.Required, key) {
			list.Items.Required = append(list.Items.Required, key)
		}
	}
}

// overlay adds the members beside a reference to the referenced schema.
func overlay(out, s *Schema) {
	out.Description, out.Title = cmp.Or(s.Description, out.Description), cmp.Or(s.Title, out.Title)
	if s.DocsURL != "" {
		out.DocsURL, out.Docs = s.DocsURL, s.Docs
	}
	out.Deprecated = s.Deprecated
	out.Nullable = s.Nullable
	out.Default, out.keyDefault = s.Default, s.keyDefault
	out.Example, out.MapType = cmp.Or(s.Example, out.Example), cmp.Or(s.MapType, out.MapType)
	out.Patterns = append(slices.Clip(out.Patterns), s.Patterns...)
	out.Groups = append(slices.Clip(out.Groups), s.Groups...)
	out.CEL = append(slices.Clip(out.CEL), s.CEL...)
	out.Immutable = out.Immutable || s.Immutable
	if s.MinProperties != nil {
		most(&out.MinProperties, *s.MinProperties, false)
	}
	if s.MaxProperties != nil {
		most(&out.MaxProperties, *s.MaxProperties, true)
	}
	out.PreserveUnknown = out.PreserveUnknown || s.PreserveUnknown
	out.EmbeddedResource = out.EmbeddedResource || s.EmbeddedResource
}
