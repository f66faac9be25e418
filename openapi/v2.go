package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/wire/jsonwire"
)

// v2 writes the document of some paths as OpenAPI 2.0.
func (s *source) v2(c *Config, paths []*path) ([]byte, error) {
	w := &writer{out: append(make([]byte, 0, 1<<16), '{')}
	w.text("swagger", "2.0")
	c.info(w)
	w.open("paths", '{')
	for _, p := range paths {
		w.open(p.path, '{')
		for _, o := range p.operations {
			o.v2(w)
		}
		w.parameters(p.parameters, (*parameter).v2)
		w.close('}')
	}
	w.close('}')
	w.open("definitions", '{')
	for _, name := range s.closure(paths) {
		def, err := schemaV2(s.withKinds(name))
		if err != nil {
			return nil, fmt.Errorf("openapi: the schema of %s: %w", name, err)
		}
		w.raw(name, def)
	}
	w.close('}', '}')
	return w.out, nil
}

func (p *parameter) v2(w *writer) {
	w.element()
	w.text("type", p.typ)
	w.text("description", p.description)
	w.text("name", p.name)
	w.text("in", p.in)
	if p.in == "path" {
		w.flag("required")
	}
	w.close('}')
}

func (o *operation) v2(w *writer) {
	w.open(o.method, '{')
	w.text("description", o.description)
	if o.body != nil {
		w.texts("consumes", o.body.mediaType)
	}
	var produces []string
	for _, r := range o.responses {
		for _, c := range r.content {
			if !slices.Contains(produces, c.mediaType) {
				produces = append(produces, c.mediaType)
			}
		}
	}
	w.texts("produces", produces)
	w.texts("schemes", []string{"https"})
	w.texts("tags", []string{o.tag})
	w.text("operationId", o.id)
	if o.deprecated {
		w.flag("deprecated")
	}
	if len(o.parameters) > 0 || o.body != nil {
		w.open("parameters", '[')
		if o.body != nil {
			w.element()
			w.text("name", "body")
			w.text("in", "body")
			if !o.body.optional {
				w.flag("required")
			}
			w.open("schema", '{')
			w.text("$ref", "#/definitions/"+o.body.ref)
			w.close('}', '}')
		}
		for _, p := range o.parameters {
			p.v2(w)
		}
		w.close(']')
	}
	w.open("responses", '{')
	for _, r := range o.responses {
		w.open(r.code, '{')
		w.text("description", r.description)
		if len(r.content) > 0 && r.content[0].ref != schemaAnyDocument {
			w.open("schema", '{')
			w.text("$ref", "#/definitions/"+r.content[0].ref)
			w.close('}')
		}
		w.close('}')
	}
	w.close('}')
	o.extensions(w)
	w.close('}')
}

// schemaV2 converts a schema of OpenAPI 3.0 to 2.0. It omits what 2.0 cannot express, so that the
// result allows more.
func schemaV2(def []byte) ([]byte, error) {
	r := jsonwire.NewReader(def, jsonwire.Options{})
	v := r.Any()
	if err := r.Err(); err != nil {
		return nil, err
	}
	typ := v.(map[string]any)["type"]
	if older(v); typ == "object" {
		v.(map[string]any)["type"] = typ // an object of a kind is never null
	}
	return jsonwire.AppendAny(nil, v)
}

// older converts a schema and its nested schemas to OpenAPI 2.0 in place.
func older(v any) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		s["$ref"] = "#/definitions/" + strings.TrimPrefix(ref, "#/components/schemas/")
	}
	if all, ok := s["allOf"].([]any); ok {
		delete(s, "allOf")
		for _, part := range all {
			older(part)
			if p, ok := part.(map[string]any); ok && p["$ref"] != nil {
				s["$ref"] = p["$ref"]
			}
		}
	}
	if _, ok := s["oneOf"]; ok && s["x-kubernetes-int-or-string"] == true {
		s["type"] = "string"
		delete(s, "pattern")
	}
	optional(s)
	if s["nullable"] == true || s["x-kubernetes-preserve-unknown-fields"] == true {
		for _, name := range []string{"type", "items", "properties"} { // clients would refuse other values
			delete(s, name)
		}
	}
	for _, name := range []string{"nullable", "deprecated", "oneOf", "anyOf", "not"} {
		delete(s, name)
	}
	for _, name := range []string{"items", "additionalProperties"} {
		older(s[name])
	}
	properties, _ := s["properties"].(map[string]any)
	for _, p := range properties {
		older(p)
	}
}

// optional makes members optional that may be null: clients take null for a missing value.
func optional(s map[string]any) {
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	required = sorted.Delete(required, func(name any) bool {
		text, _ := name.(string)
		p, _ := properties[text].(map[string]any)
		return p["nullable"] == true
	})
	if s["required"] = required; len(required) == 0 {
		delete(s, "required")
	}
}
