package v1

import (
	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/wire/jsonwire"
)

// keywords are the members that a schema may have. Values of defaults, enums and examples can be
// anything.
var keywords = newKeywords()

func newKeywords() *unstructured.Filter {
	var (
		of     = new(unstructured.Filter)
		text   = &unstructured.Filter{Text: true}
		texts  = &unstructured.Filter{Elements: text}
		byName = &unstructured.Filter{Open: true, Rest: of}
	)
	of.Elements = of // of allOf, anyOf and oneOf
	of.Members = map[string]*unstructured.Filter{
		"$ref": text, "$schema": text, "id": text, "title": text, "description": text,
		"type": text, "format": text, "nullable": nil,
		"default": nil, "enum": nil, "example": nil,
		"externalDocs": {Members: map[string]*unstructured.Filter{"description": text, "url": text}},
		"minimum":      nil, "maximum": nil, "exclusiveMinimum": nil, "exclusiveMaximum": nil, "multipleOf": nil,
		"minLength": nil, "maxLength": nil, "pattern": text,
		"minItems": nil, "maxItems": nil, "uniqueItems": nil,
		"minProperties": nil, "maxProperties": nil, "required": texts,
		"items": of, "additionalItems": of,
		"properties": byName, "additionalProperties": of, "patternProperties": byName,
		"definitions": byName, "dependencies": byName,
		"allOf": of, "anyOf": of, "oneOf": of, "not": of,
		"x-kubernetes-preserve-unknown-fields": nil,
		"x-kubernetes-embedded-resource":       nil,
		"x-kubernetes-int-or-string":           nil,
		"x-kubernetes-list-map-keys":           texts,
		"x-kubernetes-list-type":               text,
		"x-kubernetes-map-type":                text,
		"x-kubernetes-validations": {Elements: &unstructured.Filter{Members: map[string]*unstructured.Filter{
			"rule": text, "message": text, "messageExpression": text, "reason": text, "fieldPath": text,
			"optionalOldSelf": nil,
		}}},
	}
	return of
}

// DecodeJSONCustomResourceValidation is written by hand, so that a misspelled keyword of a schema
// is treated like any unknown field.
func DecodeJSONCustomResourceValidation(r *jsonwire.Reader, out *CustomResourceValidation) {
	var seen uint64
	for name := r.Object(); name != nil; name = r.NextKey() {
		if string(name) != "openAPIV3Schema" {
			r.Unknown(name, []string{"openAPIV3Schema"})
			continue
		}
		if r.Seen(&seen, 0, name); r.Kind() != '{' {
			out.OpenAPIV3Schema = nil
			r.Object() // null, or recorded as a wrong type
			continue
		}
		from := r.Offset()
		var schema unstructured.Object
		unstructured.DecodeJSONMembers(r, &schema, keywords, func([]byte) bool { return false })
		if r.Err() != nil {
			return
		}
		text, err := schema.AppendJSON(make([]byte, 0, r.Offset()-from))
		if err != nil {
			r.Invalid(err)
			return
		}
		out.OpenAPIV3Schema = text
	}
}
