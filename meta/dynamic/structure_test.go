package dynamic_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// harborSchema is a schema with every part that objects are held to.
const harborSchema = `{
	"type": "object",
	"properties": {
		"metadata": {"type": "object", "properties": {"name": {"type": "string", "pattern": "^b"}}},
		"spec": {
			"type": "object",
			"required": ["color"],
			"properties": {
				"color": {"type": "string", "enum": ["red", "blue"]},
				"crew": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
				"length": {"type": "number", "multipleOf": 0.5, "exclusiveMinimum": true, "minimum": 0},
				"weight": {"type": "number", "multipleOf": 0.01},
				"name": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]*$"},
				"built": {"type": "string", "format": "date"},
				"berth": {"x-kubernetes-int-or-string": true},
				"flags": {"type": "array", "maxItems": 2, "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
				"sails": {
					"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
					"items": {
						"type": "object", "required": ["name"],
						"properties": {"name": {"type": "string"}, "area": {"type": "integer", "minimum": 1, "default": 5}}
					}
				},
				"notes": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "string", "nullable": true}},
				"extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
				"pod": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
				"either": {
					"type": "object",
					"properties": {"a": {"type": "string"}, "b": {"type": "string"}},
					"oneOf": [{"required": ["a"]}, {"required": ["b"]}]
				}
			}
		}
	}
}`

// harbor returns a factory for boats in a version with harborSchema and one that has only the
// color.
func harbor(t testing.TB) (*serializer.Factory, *runtime.Kind) {
	t.Helper()
	boats, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{
			{Name: "v1", Storage: true, Schema: []byte(harborSchema)},
			{Name: "v1beta1", Schema: []byte(`{"type":"object","properties":{"spec":{"type":"object",
				"properties":{"color":{"type":"string"}}}}}`)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := runtime.NewScheme(metav1.AddTo, boats.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	k, err := scheme.Kind(schema.GroupVersionKind{Group: "harbor.example.com", Version: "v1", Kind: "Boat"})
	if err != nil {
		t.Fatal(err)
	}
	return f, k
}

// boat reads an object with a spec, with its defaults.
func boat(t testing.TB, f *serializer.Factory, spec string) runtime.Object {
	t.Helper()
	obj, err := f.Decode([]byte(`{"apiVersion":"harbor.example.com/v1","kind":"Boat","metadata":{"name":"b"},"spec":`+spec+`}`),
		serializer.DecodeOptions{Default: true})
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// specOf returns the spec of an object as JSON.
func specOf(t testing.TB, obj runtime.Object) string {
	t.Helper()
	spec, _, err := obj.(*dynamic.Object).Content.Get("spec")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(spec)
}

func TestSchemaPrunesAndDefaults(t *testing.T) {
	t.Parallel()
	f, _ := harbor(t)
	for _, tt := range []struct{ name, in, want string }{
		{"a missing member with a default", `{}`, `{"crew":2}`},
		{"a value stays", `{"crew":3}`, `{"crew":3}`},
		{"null that is not allowed", `{"crew":null,"color":null}`, `{"crew":2}`},
		{"null that is allowed", `{"crew":1,"notes":{"a":null}}`, `{"crew":1,"notes":{"a":null}}`},
		{"an unknown member", `{"crew":1,"colour":"red","x":{"y":[1]}}`, `{"crew":1}`},
		{"members of an open object", `{"crew":1,"extra":{"x":{"y":[1]}}}`, `{"crew":1,"extra":{"x":{"y":[1]}}}`},
		{
			"inside of lists", `{"crew":1,"sails":[{"name":"jib","x":1},{"name":"main","area":7}]}`,
			`{"crew":1,"sails":[{"area":5,"name":"jib"},{"area":7,"name":"main"}]}`,
		},
		{
			"metadata inside", `{"crew":1,"pod":{"metadata":{"x":1,"labels":{"a":"b"},"ownerReferences":[{"name":"y","x":1}]}}}`,
			`{"crew":1,"pod":{"metadata":{"labels":{"a":"b"},"ownerReferences":[{"name":"y"}]}}}`,
		},
		{
			"an embedded object", `{"crew":1,"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{}}}`,
			`{"crew":1,"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{}}}`,
		},
		{"metadata inside that is null", `{"crew":1,"pod":{"metadata":null}}`, `{"crew":1,"pod":{"metadata":{}}}`},
	} {
		if got := specOf(t, boat(t, f, tt.in)); got != tt.want {
			t.Errorf("%s: %s becomes %s, want %s", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestSchemaReportsUnknownMembers(t *testing.T) {
	t.Parallel()
	f, _ := harbor(t)
	_, err := f.Decode([]byte("apiVersion: harbor.example.com/v1\nkind: Boat\nmetadata: {name: b}\nspec:\n  colour: red\n"),
		serializer.DecodeOptions{Strictness: serializer.FailOnProblems, File: "boat.yaml"})
	if want := `boat.yaml:5:3: spec.colour: unknown field "colour" (did you mean "color"?)`; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestSchemaReadsText checks that the schema makes plain YAML scalars strings.
func TestSchemaReadsText(t *testing.T) {
	t.Parallel()
	f, _ := harbor(t)
	obj, err := f.Decode([]byte("apiVersion: harbor.example.com/v1\nkind: Boat\nspec: {built: 2024-05-06, name: 1.10, berth: 7}\n"),
		serializer.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := specOf(t, obj), `{"berth":7,"built":"2024-05-06","name":"1.10"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSchemaValidates(t *testing.T) {
	t.Parallel()
	f, k := harbor(t)
	for _, tt := range []struct{ spec, want string }{
		{`{"color":"red"}`, ``},
		{
			`{"color":"red","crew":9,"length":1.5,"weight":4.35,"name":"ada","built":"2024-05-06","berth":"b","flags":["a","b"],` +
				`"notes":{"x":"y"},"either":{"a":"x"},"pod":{"apiVersion":"v1","kind":"Pod"}}`, ``,
		},
		{`7`, `spec: Invalid value: must be an object, not a number`},
		{`{}`, `spec.color: Required value`},
		{`{"color":"green"}`, `spec.color: Unsupported value: "green": supported values: "red", "blue"`},
		{`{"color":"red","crew":"3"}`, `spec.crew: Invalid value: must be an integer, not a string`},
		{`{"color":"red","crew":0}`, `spec.crew: Invalid value: 0: must be greater than or equal to 1`},
		{`{"color":"red","crew":10}`, `spec.crew: Invalid value: 10: must be less than or equal to 9`},
		{`{"color":"red","length":0}`, `spec.length: Invalid value: 0: must be greater than 0`},
		{`{"color":"red","length":0.3}`, `spec.length: Invalid value: 0.3: must be a multiple of 0.5`},
		{`{"color":"red","weight":0.005}`, `spec.weight: Invalid value: 0.005: must be a multiple of 0.01`},
		{`{"color":"red","name":"a"}`, `spec.name: Invalid value: "a": must be at least 2 characters`},
		{`{"color":"red","name":"abcde"}`, `spec.name: Too long: may not be more than 4 characters`},
		{`{"color":"red","name":"AB"}`, `spec.name: Invalid value: "AB": must match ^[a-z]*$`},
		{`{"color":"red","built":"yesterday"}`, `spec.built: Invalid value: "yesterday": must be a date such as 2006-01-02`},
		{`{"color":"red","berth":1.5}`, `spec.berth: Invalid value: must be an integer or a string, not a number`},
		{`{"color":"red","flags":["a","b","c"]}`, `spec.flags: Too many: 3: must have at most 2 items`},
		{`{"color":"red","flags":["a","a"]}`, `spec.flags[1]: Duplicate value: "a"`},
		{`{"color":"red","sails":[{"name":"a"},{"name":"a"}]}`, `spec.sails[1]: Duplicate value: "a"`},
		{`{"color":"red","notes":{"a":"x","b":"y"}}`, `spec.notes: Too many: 2: must have at most 1 item`},
		{`{"color":"red","notes":{"a":1}}`, `spec.notes[a]: Invalid value: must be a string, not a number`},
		{`{"color":"red","either":{}}`, `spec.either: Invalid value: must match exactly one of the 2 schemas of oneOf, and matches 0`},
		{
			`{"color":"red","pod":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":1}}}}`,
			`spec.pod.metadata.labels.a: Invalid value: expected string, found number`,
		},
		{
			`{"color":"red","pod":{"apiVersion":"a/b/c","kind":"A Pod"}}`,
			`spec.pod.apiVersion: Invalid value: "a/b/c": no object has it` + "\n" +
				`spec.pod.kind: Invalid value: "A Pod": no object has it`,
		},
		{
			`{"color":"red","pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a/b","generation":-1}}}`,
			`spec.pod.metadata.name: Invalid value: "a/b": may not contain '/'` + "\n" +
				`spec.pod.metadata.generation: Invalid value: -1: must be greater than or equal to 0`,
		},
		{`{"color":"red","pod":{"kind":"Pod"}}`, `spec.pod.apiVersion: Required value: it is an object of some kind`},
	} {
		errs := k.Validate(t.Context(), boat(t, f, tt.spec))
		got := ""
		if len(errs) > 0 {
			got = errs.Error()
		}
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.spec, got, tt.want)
		}
	}
}

func TestSchemaValidatesTheName(t *testing.T) {
	t.Parallel()
	f, k := harbor(t)
	obj := boat(t, f, `{"color":"red"}`)
	obj.(*dynamic.Object).Name = "ada"
	if got, want := k.Validate(t.Context(), obj).Error(), `metadata.name: Invalid value: "ada": must match ^b`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSchemaAppliesToTheWholeObject checks that the schema of an object takes its apiVersion, kind
// and metadata as members, and that of a value in it does not.
func TestSchemaAppliesToTheWholeObject(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rules, want string }{
		{`"anyOf":[{"required":["kind"]}],"allOf":[{"oneOf":[{"required":["metadata"]}]}]`, ``},
		{`"not":{"required":["apiVersion"]}`, `Invalid value: matches the schema of not`},
		{`"minProperties":4`, ``},
		{`"maxProperties":3`, `Too many: 4: must have at most 3 items`},
		{
			`"allOf":[{"properties":{"spec":{"required":["kind"],"minProperties":2}}}]`,
			"spec: Invalid value: 1: must have at least 2 items\nspec.kind: Required value",
		},
	} {
		boats, err := dynamic.New(dynamic.Definition{
			Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
			Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(`{"type":"object","properties":{
				"spec":{"type":"object","properties":{"color":{"type":"string"}}}},` + tt.rules + `}`)}},
		})
		if err != nil {
			t.Errorf("%s: %v", tt.rules, err)
			continue
		}
		scheme, err := runtime.NewScheme(boats.AddTo)
		if err != nil {
			t.Fatal(err)
		}
		o := new(dynamic.Object)
		o.SetType("harbor.example.com/v1", "Boat")
		if err := o.Content.Set("red", "spec", "color"); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := scheme.Validate(t.Context(), o); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.rules, got, tt.want)
		}
	}
}

// TestSchemaValidatesChanges checks that values that did not change are not checked again.
func TestSchemaValidatesChanges(t *testing.T) {
	t.Parallel()
	f, k := harbor(t)
	old := `{"color":"green","crew":0,"sails":[{"name":"jib","area":0},{"name":"main","area":1}]}`
	for _, tt := range []struct{ spec, want string }{
		{old, ``},
		{`{"color":"green","crew":3,"sails":[{"name":"main","area":1},{"name":"jib","area":0}]}`, ``},
		{`{"color":"green","crew":10}`, `spec.crew: Invalid value: 10: must be less than or equal to 9`},
		{
			`{"color":"green","crew":3,"sails":[{"name":"jib","area":-1}]}`,
			`spec.sails[0].area: Invalid value: -1: must be greater than or equal to 1`,
		},
	} {
		errs := k.ValidateChange(t.Context(), boat(t, f, tt.spec), boat(t, f, old))
		got := ""
		if len(errs) > 0 {
			got = errs.Error()
		}
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.spec, got, tt.want)
		}
	}
	// Elements that occur twice are not reported if some did so before, as in Kubernetes.
	const once, twice = `{"color":"red","crew":3,"sails":[{"name":"jib","area":1}]}`,
		`{"color":"red","crew":3,"sails":[{"name":"jib","area":1},{"name":"jib","area":2}]}`
	for was, want := range map[string]int{once: 1, strings.Replace(twice, "2", "4", 1): 0} {
		if errs := k.ValidateChange(t.Context(), boat(t, f, twice), boat(t, f, was)); len(errs) != want {
			t.Errorf("after %s: %v, want %d errors", was, errs, want)
		}
	}
}

func TestSchemaPrunesConversions(t *testing.T) {
	t.Parallel()
	f, _ := harbor(t)
	out, err := f.Scheme().ConvertTo(boat(t, f, `{"color":"red","crew":3}`),
		schema.GroupVersion{Group: "harbor.example.com", Version: "v1beta1"})
	if err != nil {
		t.Fatal(err)
	}
	if got := specOf(t, out); got != `{"color":"red"}` {
		t.Errorf("the other version has %s", got)
	}
}

// TestSchemaBoundsErrors checks that a large object does not result in as many errors.
func TestSchemaBoundsErrors(t *testing.T) {
	t.Parallel()
	f, k := harbor(t)
	obj := boat(t, f, `{"color":"red","flags":[`+strings.Repeat(`1,`, 100_000)+`1]}`)
	if got := len(k.Validate(context.Background(), obj)); got < 100 || got > 1000 {
		t.Errorf("%d errors", got)
	}
}

func TestSchemaMistakes(t *testing.T) {
	t.Parallel()
	const at = "spec.versions[0].schema.openAPIV3Schema"
	for _, tt := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"a":{"type":"text"}}}`, at + `.properties[a].type: Unsupported value: "text"`},
		{`{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`, at + `.properties[a].pattern: Invalid value: "(": error parsing regexp`},
		{`{"type":"object","properties":{"a":{"type":"integer","multipleOf":0}}}`, at + `.properties[a].multipleOf: Invalid value: "0": must be greater than 0`},
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":1e999}}}`, at + `.properties[a].minimum: Invalid value: "1e999"`},
		{
			`{"type":"object","properties":{"a":{"type":"integer","default":"x"}}}`,
			at + `.properties[a].default: Invalid value: the schema does not allow it: default: Invalid value: must be an integer, not a string`,
		},
		{
			`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"default":{"c":1}}}}`,
			at + `.properties[a].default: Invalid value: it has members that the schema does not have`,
		},
		{`{"minLength":"x"}`, at + `: Invalid value: the schema cannot be read: minLength cannot be a string`},
		{
			`{"properties":{"a":{"allOf":[{},{"minLength":"x"}]}}}`,
			at + `: Invalid value: the schema cannot be read: properties[a].allOf[1].minLength cannot be a string`,
		},
		{`{"items":[]}`, at + `: Invalid value: the schema cannot be read: items cannot be an array`},
		{`{"items":{"$ref":1}}`, at + `: Invalid value: the schema cannot be read: items.$ref cannot be a number`},
		{`{"items":{"required":["a",{}]}}`, at + `: Invalid value: the schema cannot be read: items.required cannot be an object`},
		{`{"not":{"description":[]}}`, at + `: Invalid value: the schema cannot be read: not.description cannot be an array`},
		{`{"anyOf":{}}`, at + `: Invalid value: the schema cannot be read: anyOf cannot be an object`},
		{`{"properties":true}`, at + `: Invalid value: the schema cannot be read: properties cannot be a bool`},
		{`{"type":"object"`, at + `: Invalid value: the schema cannot be read: `},
		{`{"type":"object"} 1`, at + `: Invalid value: the schema cannot be read: `},
		{
			`{"type":"object","properties":{"a":{"type":"object","additionalProperties":1}}}`,
			at + `.properties[a].additionalProperties: Invalid value: must be a schema or a boolean`,
		},
	} {
		d := dynamic.Definition{
			Group: "a.b", Kind: "Thing", Resource: "things",
			Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(tt.schema)}},
		}
		_, err := dynamic.New(d)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\ngot  %v\nwant %s", tt.schema, err, tt.want)
		}
		if other := dynamic.Check(d); other == nil || err != nil && other.Error() != err.Error() {
			t.Errorf("%s\nCheck %v\nNew   %v", tt.schema, other, err)
		}
	}
}

// TestEqualSchemas checks that what is wrong with equal schemas is reported wherever they are, and
// that one of them is not taken for right because it is right elsewhere.
func TestEqualSchemas(t *testing.T) {
	t.Parallel()
	const (
		good  = `{"type":"object","properties":{"b":{"type":"string","default":"x"}}}`
		wrong = `{"type":"object","properties":{"b":{"type":"text","pattern":"(","default":[]}}}`
		ruled = `{"type":"object","properties":{"b":{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}}}`
	)
	long := `{"type":"string","default":"` + strings.Repeat("x", 100<<10) + `"}`
	compile := func(versions ...string) (*dynamic.Resource, error) {
		d := dynamic.Definition{Group: "a.b", Kind: "Thing", Resource: "things"}
		for i, s := range versions {
			d.Versions = append(d.Versions, dynamic.Version{
				Name: fmt.Sprint("v", i), Storage: i == 0, Schema: []byte(`{"type":"object","properties":` + s + `}`),
			})
		}
		return dynamic.New(d)
	}
	for _, tt := range []struct {
		first, second string
		count         int
		want          []string
	}{
		{`{"c":` + wrong + `,"d":` + wrong + `}`, `{"e":` + wrong + `}`, 9, []string{
			`[0].schema.openAPIV3Schema.properties[c].properties[b].type: `,
			`[0].schema.openAPIV3Schema.properties[d].properties[b].type: `,
			`[1].schema.openAPIV3Schema.properties[e].properties[b].type: `,
			`[0].schema.openAPIV3Schema.properties[d].properties[b].pattern: `,
			`[0].schema.openAPIV3Schema.properties[d].properties[b].default: `,
			`[1].schema.openAPIV3Schema.properties[e].properties[b].default: `,
		}},
		{`{"c":` + good + `}`, `{"c":` + good + `,"metadata":` + good + `,"d":{"type":"object","not":` + good + `}}`, 5, []string{
			`[1].schema.openAPIV3Schema.properties[metadata].properties[b].default: Forbidden: the server sets it`,
			`[1].schema.openAPIV3Schema.properties[d].not.type: Forbidden: `,
		}},
		{`{"c":` + long + `,"d":` + long + `}`, `{"e":` + long + `,"f":` + long + `,"g":` + long + `}`, 1, []string{
			`[1].schema.openAPIV3Schema.properties[g].default: Invalid value: the defaults of the schema have more than`,
		}},
		{`{"c":` + good + `}`, `{"c":` + strings.Replace(good, `"x"`, "1", 1) + `}`, 1, []string{
			`[1].schema.openAPIV3Schema.properties[c].properties[b].default: `,
		}},
		{`{"c":{"minLength":"x","pattern":"("}}`, `{"c":{"type":"string"}}`, 1, []string{`cannot be a string`}},
	} {
		_, err := compile(tt.first, tt.second)
		all, _ := errors.AsType[runtime.FieldErrors](err)
		for _, want := range tt.want {
			has := func(e *runtime.FieldError) bool { return strings.Contains(e.Error(), want) }
			if !slices.ContainsFunc(all, has) {
				t.Errorf("no error has %s: %v", want, err)
			}
		}
		if len(all) != tt.count {
			t.Errorf("%d errors, want %d: %v", len(all), tt.count, err)
		}
	}
	r, err := compile(`{"c":`+ruled+`,"d":`+ruled+`}`, `{"c":`+ruled+`}`)
	if err != nil || len(r.Ignored()) != 3 {
		t.Errorf("got %v and %v, want 3 rules", r.Ignored(), err)
	}
}

// A schema holds objects to what it states.
func ExampleVersion() {
	boats, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(`{"type": "object", "properties": {
			"spec": {"type": "object", "properties": {
				"crew": {"type": "integer", "minimum": 1},
				"color": {"type": "string", "default": "white"}
			}}}}`)}},
	})
	if err != nil {
		panic(err)
	}
	scheme, err := runtime.NewScheme(boats.AddTo)
	if err != nil {
		panic(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		panic(err)
	}
	obj, err := f.Decode([]byte("apiVersion: harbor.example.com/v1\nkind: Boat\nspec: {crew: 0}\n"),
		serializer.DecodeOptions{Default: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(obj.(*dynamic.Object).Text("spec", "color"))
	fmt.Println(scheme.Validate(context.Background(), obj))
	// Output:
	// white
	// spec.crew: Invalid value: 0: must be greater than or equal to 1
}

func ExampleResource_Ignored() {
	boats, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(`{"type": "object", "properties": {
			"spec": {"type": "object", "x-kubernetes-validations": [{"rule": "self.crew > 0"}]}}}`)}},
	})
	if err != nil {
		panic(err)
	}
	for _, path := range boats.Ignored() {
		fmt.Println(path)
	}
	// Output:
	// spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations
}

// TestSchemaListsFewValues checks that an error about a value that is not in a long enum is short.
func TestSchemaListsFewValues(t *testing.T) {
	t.Parallel()
	var values strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&values, `"value-%d",%d,`, i, i)
	}
	for typ, element := range map[string]string{"string": `"value"`, "integer": "-1"} {
		k, obj := thing(t, `{"type":"array","items":{"type":"`+typ+`","enum":[`+values.String()+`"last"]}}`,
			"["+strings.Repeat(element+",", 1999)+element+"]")
		errs := k.Validate(t.Context(), obj)
		size := 0
		for _, e := range errs {
			size += len(e.Error())
		}
		if len(errs) != 1000 || size > 3_000_000 || !strings.Contains(errs[0].Error(), `supported values: "value-0", "0"`) ||
			!strings.Contains(errs[0].Error(), "; and 19") {
			t.Errorf("%s: %d errors of %d bytes: %.2000s", typ, len(errs), size, errs[0].Error())
		}
	}
}

// TestSchemaWithLongEnum checks values against a long enum, many of them in time proportional to
// their number.
func TestSchemaWithLongEnum(t *testing.T) {
	t.Parallel()
	var values strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&values, `"value-%d",%d,`, i, i)
	}
	items := `{"x-kubernetes-preserve-unknown-fields":true,
		"enum":[` + values.String() + `1.5,9007199254740993,true,{"a":1},[2],"last"]}`
	const allowed = `"last","value-7",7,7.0,1.5,9007199254740993,true,{"a":1},[2]`
	const refused = `"7",1.25,9007199254740992,false,{"a":2},[],-1`
	k, obj := thing(t, `{"type":"array","items":`+items+`}`, "["+allowed+","+refused+"]")
	if errs := k.Validate(t.Context(), obj); len(errs) != 7 || errs[0].Path.String() != "spec[9]" {
		t.Errorf("got %.2000v", errs)
	}
	k, obj = thing(t, `{"type":"array","items":`+items+`}`, "["+strings.Repeat(`"last",`, 99_999)+`"last"]`)
	if took := cputime.Of(func() {
		if errs := k.Validate(t.Context(), obj); len(errs) > 0 {
			t.Error(errs)
		}
	}); took > 5*time.Second {
		t.Errorf("it takes %v", took)
	}
}
