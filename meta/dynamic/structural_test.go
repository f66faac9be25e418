package dynamic_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// withSpec returns a schema of objects whose spec has a schema.
func withSpec(spec string) string {
	return `{"type":"object","properties":{"spec":` + spec + `}}`
}

// listOf returns the schema of a list of objects with the members a, a string, and b, a list.
func listOf(keywords string) string {
	return withSpec(`{"type":"array","items":{"type":"object","required":["a"],"properties":{"a":{"type":"string"},
		"b":{"type":"array","items":{"type":"string"}}}}` + keywords + `}`)
}

// TestStructuralSchemas checks which schemas are refused because they are not structural, and where
// the mistake is said to be.
func TestStructuralSchemas(t *testing.T) {
	t.Parallel()
	const spec = "properties[spec]."
	for _, tt := range []struct{ name, schema, want string }{
		{"no type at the root", `{"properties":{"a":{"type":"string"}}}`, "type: Required"},
		{"a list at the root", `{"type":"array","items":{"type":"string"}}`, `type: Invalid value: "array"`},
		{"null at the root", `{"type":"object","nullable":true}`, "nullable: Forbidden"},
		{"a map at the root", `{"type":"object","additionalProperties":{"type":"string"}}`, "additionalProperties: Forbidden"},
		{"no type", withSpec(`{"description":"x"}`), spec + "type: Required"},
		{"no type of elements", withSpec(`{"type":"array","items":{}}`), spec + "items.type: Required"},
		{"no type of values", withSpec(`{"type":"object","additionalProperties":{}}`), spec + "additionalProperties.type: Required"},
		{"no elements", withSpec(`{"type":"array"}`), spec + "items: Required"},
		{"a list of schemas", withSpec(`{"type":"array","items":[{"type":"string"}]}`), "cannot be"},
		{"a reference", withSpec(`{"type":"object","$ref":"#/x"}`), spec + "$ref: Forbidden"},
		{"patterns of names", withSpec(`{"type":"object","patternProperties":{"a":{}}}`), spec + "patternProperties: Forbidden"},
		{"unique items", withSpec(`{"type":"array","items":{"type":"string"},"uniqueItems":true}`), spec + "uniqueItems: Forbidden"},
		{"a false extension", withSpec(`{"type":"object","x-kubernetes-preserve-unknown-fields":false}`), "must be true or omitted"},
		{"text as a number", withSpec(`{"type":"integer","minimum":"1"}`), `"1" is not a number`},
		{"text as a map", withSpec(`{"type":"object","additionalProperties":"x"}`), "must be a schema or a boolean"},
		{
			"members and values", withSpec(`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`),
			spec + "additionalProperties: Forbidden",
		},
		{"a default of the kind", `{"type":"object","properties":{"kind":{"type":"string","default":"x"}}}`, "properties[kind].default: Forbidden"},
		{"metadata", `{"type":"object","properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object"}}}}}`, "properties[metadata]: Forbidden"},
		{"a map as metadata", `{"type":"object","properties":{"metadata":{"type":"object","additionalProperties":{"type":"string"}}}}`, "properties[metadata]: Forbidden"},
		{"combined metadata", `{"type":"object","properties":{"metadata":{"type":"object","not":{"required":["name"]}}}}`, "properties[metadata]: Forbidden"},
		{"the type of the kind", `{"type":"object","properties":{"kind":{"type":"integer"}}}`, `properties[kind].type: Invalid value: "integer"`},
		{"an embedded list", withSpec(`{"type":"array","items":{"type":"string"},"x-kubernetes-embedded-resource":true}`), spec + "type: Invalid"},
		{"an empty embedded object", withSpec(`{"type":"object","x-kubernetes-embedded-resource":true}`), spec + "properties: Required"},
		{"two kinds of values", withSpec(`{"x-kubernetes-int-or-string":true,"x-kubernetes-preserve-unknown-fields":true}`), spec + "x-kubernetes-preserve-unknown-fields: Forbidden"},
		{"a type in allOf", withSpec(`{"type":"string","allOf":[{"type":"string"}]}`), spec + "allOf[0].type: Forbidden"},
		{"a type deep in not", withSpec(`{"type":"object","not":{"properties":{"a":{"type":"string"}}}}`), spec + "not.properties[a].type: Forbidden"},
		{
			"types in anyOf with members", withSpec(`{"x-kubernetes-int-or-string":true,
			"anyOf":[{"type":"integer","properties":{"a":{"minLength":1}}},{"type":"string"}]}`),
			spec + "anyOf[0].type: Forbidden",
		},
		{"a rule in anyOf", withSpec(`{"type":"string","anyOf":[{"x-kubernetes-validations":[{"rule":"true"}]}]}`), spec + "anyOf[0].x-kubernetes-validations: Forbidden"},
		{"a restricted member that is missing", `{"type":"object","anyOf":[{"properties":{"a":{"minLength":1}}}]}`, "properties[a]: Required"},
		{"a set of objects", listOf(`,"x-kubernetes-list-type":"set"`), spec + "items.x-kubernetes-map-type: Invalid"},
		{"keys of a set", listOf(`,"x-kubernetes-list-type":"atomic","x-kubernetes-list-map-keys":["a"]`), spec + "x-kubernetes-list-type: Invalid"},
		{"a key that is no member", listOf(`,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","c"]`), spec + `x-kubernetes-list-map-keys[1]: Invalid value: "c"`},
		{"a key that is a list", listOf(`,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["b"]`), spec + `items.properties[b].type: Invalid value: "array"`},
		{"a key twice", listOf(`,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","a"]`), spec + `x-kubernetes-list-map-keys[1]: Duplicate`},
		{
			"a key that may be missing",
			strings.Replace(listOf(`,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"]`), `"required":["a"],`, "", 1),
			spec + "items.properties[a].default: Required",
		},
		{
			"elements that may be null",
			withSpec(`{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","nullable":true}}`),
			spec + "items.nullable: Forbidden",
		},
	} {
		_, err := dynamic.New(dynamic.Definition{
			Group: "a.b", Kind: "Thing", Resource: "things",
			Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(tt.schema)}},
		})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestStructuralSchemasWithStatus checks that the root of a schema with the subresource status does
// not combine schemas, which would be ignored when the status is written.
func TestStructuralSchemasWithStatus(t *testing.T) {
	t.Parallel()
	text := []byte(`{"type":"object","maxProperties":9,"anyOf":[{"required":["spec"]}],"properties":{"spec":{"type":"object"}}}`)
	d := dynamic.Definition{
		Group: "a.b", Kind: "Thing", Resource: "things",
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: text}},
	}
	if _, err := dynamic.New(d); err != nil {
		t.Error(err)
	}
	d.Versions[0].Status = true
	_, err := dynamic.New(d)
	for _, want := range []string{"openAPIV3Schema.anyOf: Forbidden", "openAPIV3Schema.maxProperties: Forbidden"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestMembersWithNamesOfKeywords checks that members may have the names of keywords, as those of
// objects that hold schemas do, and that a schema without properties has no members.
func TestMembersWithNamesOfKeywords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, in, want string }{
		{
			withSpec(`{"type":"object","properties":{"$ref":{"type":"string"},"type":{"type":"string"},"properties":{"type":"object",
				"additionalProperties":{"type":"string"}}}}`),
			`{"$ref":"x","type":"y","properties":{"z":"w"}}`, `{"$ref":"x","properties":{"z":"w"},"type":"y"}`,
		},
		{`{"type":"object"}`, `{"a":1}`, "null"},
		{`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, `{"a":1}`, `{"a":1}`},
	} {
		r, err := dynamic.New(dynamic.Definition{
			Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
			Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(tt.schema)}},
		})
		if err != nil {
			t.Error(err)
			continue
		}
		scheme, err := runtime.NewScheme(metav1.AddTo, r.AddTo)
		if err != nil {
			t.Fatal(err)
		}
		f, err := serializer.NewFactory(scheme, json.Format())
		if err != nil {
			t.Fatal(err)
		}
		if got := specOf(t, boat(t, f, tt.in)); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.schema, got, tt.want)
		}
	}
}

func TestSelectableFields(t *testing.T) {
	t.Parallel()
	text := withSpec(`{"type":"object","properties":{"color":{"type":"string"},"size":{"type":"number"},
		"crew":{"type":"integer"},"big":{"type":"boolean"},"parts":{"type":"array","items":{"type":"string"}}}}`)
	for _, tt := range []struct{ paths, want string }{
		{".spec.color .spec.crew .spec.big", ""},
		{".spec.size", "selectableFields[0].jsonPath: Invalid"},
		{".spec.colour", "selectableFields[0].jsonPath: Invalid"},
		{".spec.color .spec.parts", "selectableFields[1].jsonPath: Invalid"},
		{".spec.color .spec.color", "selectableFields[1].jsonPath: Duplicate"},
	} {
		_, err := dynamic.New(dynamic.Definition{
			Group: "a.b", Kind: "Thing", Resource: "things",
			Versions: []dynamic.Version{{
				Name: "v1", Storage: true, Schema: []byte(text), SelectableFields: strings.Fields(tt.paths),
			}},
		})
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.paths, err, tt.want)
		}
	}
}
