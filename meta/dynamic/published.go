package dynamic

import (
	"bytes"
	"math"
	"reflect"
	"slices"

	"github.com/askind/askind/wire/jsonwire"
)

// The keywords that are spelled out in published schemas, because clients do not know them.
const (
	embeddedKeyword    = "x-kubernetes-embedded-resource"
	intOrStringKeyword = "x-kubernetes-int-or-string"
)

// spellOut returns a schema for clients: embedded objects have the members that all objects have,
// and values that are an integer or a string have these two types. API servers publish the same.
func spellOut(text []byte) ([]byte, error) {
	if !bytes.Contains(text, []byte(embeddedKeyword)) && !bytes.Contains(text, []byte(intOrStringKeyword)) {
		return text, nil
	}
	r := jsonwire.NewReader(text, jsonwire.Options{Room: math.MaxInt})
	v := r.Any()
	if err := r.Err(); err != nil {
		return nil, err
	}
	spellOutIn(v)
	return jsonwire.AppendAny(make([]byte, 0, len(text)+1024), v)
}

// spellOutIn is spellOut in place.
func spellOutIn(v any) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	properties, _ := s["properties"].(map[string]any)
	for _, p := range properties {
		spellOutIn(p)
	}
	spellOutIn(s["items"])
	spellOutIn(s["additionalProperties"])
	if s[intOrStringKeyword] == true {
		eitherType(s)
	}
	if s[embeddedKeyword] != true {
		return
	}
	if properties == nil {
		properties = map[string]any{}
		s["properties"] = properties
	}
	for name, text := range headerOf("ObjectMeta") {
		properties[name] = jsonwire.NewReader(text, jsonwire.Options{}).Any()
	}
	required, _ := s["required"].([]any)
	for _, name := range []any{"kind", "apiVersion"} {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	s["required"] = required
}

// eitherType adds the two types of x-kubernetes-int-or-string, unless the schema states them.
func eitherType(s map[string]any) {
	types := []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}
	all, _ := s["allOf"].([]any)
	if len(all) > 0 {
		if first, ok := all[0].(map[string]any); ok && reflect.DeepEqual(first["anyOf"], types) {
			return
		}
	}
	if stated, _ := s["anyOf"].([]any); len(stated) == 0 {
		s["anyOf"] = types
	} else if !reflect.DeepEqual(stated, types) {
		s["allOf"] = append([]any{map[string]any{"anyOf": types}}, all...)
	}
}

// headerOf returns the schemas of the members that all objects have. Metadata is the name of the
// type of their metadata.
func headerOf(metadata string) map[string][]byte {
	described := `"The name, the labels and the other metadata of the object."`
	if metadata == "ListMeta" {
		described = `"The metadata of the list."`
	}
	return map[string][]byte{
		"apiVersion": []byte(`{"description":"APIVersion is the group and the version.","type":"string"}`),
		"kind":       []byte(`{"description":"Kind is the name of the kind.","type":"string"}`),
		"metadata": []byte(`{"allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.` +
			metadata + `"}],"default":{},"description":` + described + `}`),
	}
}
