package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/schema"
)

// Explanation describes a kind or one of its fields.
type Explanation struct {
	// Type is the JSON Schema type, "[]string" for a list, "integer or string" for either, and
	// "any" if the document does not restrict it.
	Type string
	// Description is the comment of the type or the field.
	Description string
	// Fields are the fields of an object, sorted by name.
	Fields []FieldExplanation
}

// FieldExplanation describes one field.
type FieldExplanation struct {
	Name, Type, Description string
	Required                bool
}

// Explain returns the description of the kind of a resource or, with a path, of one of its fields,
// from the server's OpenAPI document.
func (c *Client) Explain(ctx context.Context, m restmapper.Mapping, path ...string) (*Explanation, error) {
	prefix := cmp.Or(m.Prefix, discovery.PrefixOf(m.Resource.Group))
	where := "/openapi/v3/" + prefix + "/" + m.Resource.GroupVersion().String()
	found, err := c.backend.Document(ctx, &DocumentRequest{Path: where})
	if err != nil {
		return nil, err
	}
	if bytes.Count(found.Bytes, []byte{'{'}) > maxSchemas {
		return nil, fmt.Errorf("client: GET %s: the document has more than %d objects", where, maxSchemas)
	}
	doc := &openAPIDocument{types: map[*fieldSchema]string{}}
	if err := json.Unmarshal(found.Bytes, doc); err != nil {
		return nil, fmt.Errorf("client: GET %s: %w", where, err)
	}
	s := doc.schemaOf(m.Kind)
	if s == nil {
		return nil, fmt.Errorf("client: %s does not describe the kind %s", where, m.Kind)
	}
	out := &Explanation{Type: doc.typeOf(s), Description: s.Description}
	for i, name := range path {
		field := doc.resolve(s).Properties[name]
		if field == nil {
			return nil, fmt.Errorf("client: %s has no field %q", m.Kind, strings.Join(path[:i+1], "."))
		}
		out.Type, out.Description = doc.typeOf(field), doc.describe(field)
		s = field
	}
	s = doc.resolve(s)
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field := s.Properties[name]
		out.Fields = append(out.Fields, FieldExplanation{
			Name: name, Type: doc.typeOf(field), Description: doc.describe(field), Required: required[name],
		})
	}
	return out, nil
}

// openAPIDocument is the part of a document that Explain needs.
type openAPIDocument struct {
	Components struct {
		Schemas map[string]*fieldSchema `json:"schemas"`
	} `json:"components"`

	types map[*fieldSchema]string // see typeOf
}

// maxSchemas bounds the objects of a document, whose schemas take 200 bytes each. That of core/v1
// of Kubernetes has 10,000.
const maxSchemas = 1 << 19

type fieldSchema struct {
	Ref         string                    `json:"$ref"`
	Type        string                    `json:"type"`
	Description string                    `json:"description"`
	AllOf       []*fieldSchema            `json:"allOf"`
	AnyOf       []*fieldSchema            `json:"anyOf"`
	OneOf       []*fieldSchema            `json:"oneOf"`
	Items       *fieldSchema              `json:"items"`
	Properties  map[string]*fieldSchema   `json:"properties"`
	Required    []string                  `json:"required"`
	Kinds       []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
}

// schemaOf finds the schema of a kind, or nil.
func (d *openAPIDocument) schemaOf(kind schema.GroupVersionKind) *fieldSchema {
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		if s := d.Components.Schemas[name]; s != nil && slices.Contains(s.Kinds, kind) {
			return s
		}
	}
	return nil
}

// maxReferences bounds the length of a chain of references between schemas.
const maxReferences = 20

// follow resolves the references of a schema.
func (d *openAPIDocument) follow(s *fieldSchema) *fieldSchema {
	for range maxReferences {
		switch {
		case s == nil:
			return &fieldSchema{}
		case s.Ref != "":
			s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
		case len(s.AllOf) == 1:
			s = s.AllOf[0]
		default:
			return s
		}
	}
	return &fieldSchema{}
}

// resolve follows references and descends from lists to their elements.
func (d *openAPIDocument) resolve(s *fieldSchema) *fieldSchema {
	for range maxReferences {
		if s = d.follow(s); s.Items == nil {
			return s
		}
		s = s.Items
	}
	return &fieldSchema{}
}

// describe returns the description of a field, or that of its type if it has none.
func (d *openAPIDocument) describe(s *fieldSchema) string {
	if s != nil && s.Description != "" {
		return s.Description
	}
	return d.follow(s).Description
}

// typeOf returns the type of a schema. It is computed once, because many fields may refer to one
// schema with many alternatives.
func (d *openAPIDocument) typeOf(s *fieldSchema) string {
	s = d.follow(s)
	if _, ok := d.types[s]; !ok {
		d.types[s] = d.nestedType(s, 0, true)
	}
	return d.types[s]
}

// maxType bounds the bytes of the name of a type, such as "integer".
const maxType = 64

// nestedType returns the type of a schema below some lists. Of alternatives, further alternatives
// are not followed, because their number would grow with a power of the depth.
func (d *openAPIDocument) nestedType(s *fieldSchema, depth int, alternatives bool) string {
	s = d.follow(s)
	if s.Items != nil && depth < maxReferences {
		return "[]" + d.nestedType(s.Items, depth+1, alternatives)
	}
	if s.Type != "" {
		return schema.Shorten(s.Type, maxType)
	}
	// Alternatives that only state requirements have no type.
	var types []string
	if alternatives {
		for _, alternative := range slices.Concat(s.AnyOf, s.OneOf) {
			if d.follow(alternative).Type != "" {
				types = append(types, d.nestedType(alternative, depth+1, false))
			}
		}
	}
	return cmp.Or(strings.Join(types, " or "), "any")
}
