package codegen_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/codegen"
)

// fleet is the example as input.
var fleet = codegen.Config{Dir: "..", Patterns: []string{"./examples/fleet/api/..."}}

func TestJSONSchemas(t *testing.T) {
	t.Parallel()
	docs, err := codegen.JSONSchemas(fleet, "https://example.com/s/")
	if err != nil || len(docs.Diagnostics) > 0 {
		t.Fatal(err, docs.Diagnostics)
	}
	var machine struct {
		Schema     string `json:"$schema"`
		ID         string `json:"$id"`
		Properties map[string]struct{ Enum []string }
		Required   []string
		Defs       map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(docs.Files["fleet.example.com/machine_v1.json"], &machine); err != nil {
		t.Fatal(err)
	}
	if machine.Schema != "https://json-schema.org/draft/2020-12/schema" ||
		machine.ID != "https://example.com/s/fleet.example.com/machine_v1.json" {
		t.Errorf("the schema is %s, its ID %s", machine.Schema, machine.ID)
	}
	if got := machine.Properties["kind"].Enum; len(got) != 1 || got[0] != "Machine" {
		t.Errorf("the kind is one of %v", got)
	}
	if got := strings.Join(machine.Required, " "); got != "apiVersion kind spec" {
		t.Errorf("required are %s", got)
	}
	for name, text := range docs.Files {
		for _, rest := range strings.Split(string(text), `"$ref": "`)[1:] {
			ref, _, _ := strings.Cut(rest, `"`)
			if def, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
				if !strings.Contains(string(text), `"`+def+`": {`) {
					t.Errorf("%s has no definition %s", name, def)
				}
			} else if docs.Files[ref] == nil && ref != "#" {
				t.Errorf("%s refers to %s", name, ref)
			}
		}
	}
	// One reference of all.json is that of the items of a List.
	if n := strings.Count(string(docs.Files["all.json"]), "$ref") - 1; n != len(docs.Files)-1 {
		t.Errorf("all.json refers to %d of %d files", n, len(docs.Files)-1)
	}
}

func TestCustomResourceDefinitions(t *testing.T) {
	t.Parallel()
	docs, err := codegen.CustomResourceDefinitions(fleet)
	if err != nil || len(docs.Diagnostics) > 0 {
		t.Fatal(err, docs.Diagnostics)
	}
	text := docs.Files["fleet.example.com_machinepools.yaml"]
	if strings.Contains(string(text), "$ref") {
		t.Error("a definition has references")
	}
	var def struct {
		Metadata struct{ Name string }
		Spec     struct {
			Scope    string
			Names    struct{ Plural, ListKind string }
			Versions []struct {
				Name            string
				Served, Storage bool
				Subresources    struct {
					Status *struct{}
					Scale  struct {
						SpecReplicasPath string `yaml:"specReplicasPath"`
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &def); err != nil {
		t.Fatal(err)
	}
	if def.Metadata.Name != "machinepools.fleet.example.com" || def.Spec.Scope != "Namespaced" ||
		def.Spec.Names.Plural != "machinepools" {
		t.Errorf("the names are %+v", def)
	}
	var versions []string
	for _, v := range def.Spec.Versions {
		versions = append(versions, v.Name)
		if !v.Served || v.Storage != (v.Name == "v1") || (v.Subresources.Status == nil) != (v.Name == "v1alpha1") {
			t.Errorf("the version %s is %+v", v.Name, v)
		}
	}
	if got := strings.Join(versions, " "); got != "v1 v1alpha1 v1beta1" {
		t.Errorf("the versions are %s", got)
	}
	// Old parsers read On without quotes as true.
	if machines := string(docs.Files["fleet.example.com_machines.yaml"]); !strings.Contains(machines, `default: "On"`) {
		t.Error("a text that could be a boolean has no quotes")
	}
}

// TestDefinitionsWithEmbeddedStructs generates for one package only. The markers of another one
// count all the same.
func TestDefinitionsWithEmbeddedStructs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	write(t, filepath.Join(dir, "common", "common.go"), []byte(`package common

type Limits struct {
	// Most is a limit.
	// +kubebuilder:validation:Maximum=9
	// +optional
	Most int32 `+"`json:\"most\"`"+`
}
`))
	write(t, filepath.Join(dir, "v1", "types.go"), []byte(`// +groupName=example.com
package v1

import (
	"example.com/t/common"
	metav1 "github.com/askind/askind/meta/v1"
)

// +askind:kind
type Car struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`
	common.Limits
}
`))
	docs, err := codegen.CustomResourceDefinitions(codegen.Config{Dir: dir, Patterns: []string{"./v1"}, Env: env()})
	if err != nil || len(docs.Diagnostics) > 0 {
		t.Fatal(err, docs.Diagnostics)
	}
	text := string(docs.Files["example.com_cars.yaml"])
	for _, want := range []string{"Most is a limit.", "maximum: 9", "Kind is the name of the kind"} {
		if !strings.Contains(text, want) {
			t.Errorf("the definition lacks %q", want)
		}
	}
	if strings.Contains(text, "required:") {
		t.Error("an optional field is required")
	}
}

func TestDocumentsWithoutKinds(t *testing.T) {
	t.Parallel()
	docs, err := codegen.CustomResourceDefinitions(codegen.Config{Dir: "..", Patterns: []string{"./meta/resource"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(docs.Files) > 0 || len(docs.Diagnostics) != 1 || docs.Diagnostics[0].Code != "nothing-selected" {
		t.Errorf("got %v, %v", docs.Files, docs.Diagnostics)
	}
}

// TestDefinitionsThatServersRefuse checks the errors for kinds that no API server could define.
func TestDefinitionsThatServersRefuse(t *testing.T) {
	t.Parallel()
	const types = `// +groupName=garage.example.com
package v1

import metav1 "github.com/askind/askind/meta/v1"

//ROOT
//MARKER
type Car struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// +listType=map
	// +listMapKey=name
	Wheels []Wheel ` + "`json:\"wheels,omitempty\"`" + `
}

type Wheel struct {
	//KEY
	Name string ` + "`json:\"name,omitempty\"`" + `
}
`
	doubled := "// +required\n\tName string `json:\"name\"`\n\tMore *Level0 `json:\"more,omitempty\"`\n}\n\n"
	for i := range 17 {
		doubled += fmt.Sprintf("type Level%d struct {\n\tA, B *Level%d\n}\n\n", i, i+1)
	}
	doubled += "type Level17 struct {"
	for _, tt := range []struct{ name, group, marker, key, want string }{
		{"a required key", "garage.example.com", "", "// +required", ""},
		{"a key with a default", "garage.example.com", "", "// +default=\"front\"", ""},
		{
			"a key that may be missing", "garage.example.com", "", "",
			"types.go:13:5: crd-key elements of Car.wheels may lack the key name, so an API server would refuse the " +
				"definition\n\ttry: mark name with +required or give it a +default; if its type cannot be changed, mark " +
				"the list with +listType=atomic",
		},
		{
			"a priority that is not a number", "garage.example.com",
			"// +kubebuilder:printcolumn:name=A,type=string,JSONPath=.metadata.name,priority={", "// +required",
			"types.go:7:81: column-priority priority \"{\" is not a non-negative integer",
		},
		{
			"a malformed default", "garage.example.com", "", "// +required\n\t// +kubebuilder:default=[",
			"types.go:19:26: default-value the default [ cannot be read, so the definition would have none",
		},
		{
			"a version to skip", "garage.example.com", "// +kubebuilder:skipversion", "",
			"types.go:8:6: crd-none no definition would be written: Car is marked with +kubebuilder:skipversion",
		},
		{
			"the core group", `""`, "", "",
			"types.go:8:6: crd-none no definition would be written: Car is in the core group, to which API servers add " +
				"no kinds",
		},
		{
			"more than 2^17 schemas without references", "garage.example.com", "", doubled,
			"types.go:8:6: crd-size the definition of Car would have more than 100000 schemas, and API servers store none " +
				"of this size\n\ttry: +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields at " +
				"fields that lead to the same types many times",
		},
		{
			"an unmarked kind", "garage.example.com", "", "unmarked",
			"types.go:8:6: nothing-selected the packages have no kinds; Car embeds TypeMeta, but is not marked as a kind" +
				"\n\ttry: +kubebuilder:object:root=true",
		},
	} {
		dir := t.TempDir()
		writeModule(t, dir, "example.com/t")
		root := "// +kubebuilder:object:root=true"
		if tt.key == "unmarked" {
			root, tt.key = "//", ""
		}
		set := strings.NewReplacer("garage.example.com", tt.group, "//ROOT", root, "//MARKER", tt.marker, "//KEY",
			tt.key)
		write(t, filepath.Join(dir, "v1", "types.go"), []byte(set.Replace(types)))
		docs, err := codegen.CustomResourceDefinitions(codegen.Config{Dir: dir, Patterns: []string{"./..."}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range docs.Diagnostics {
			got += strings.TrimPrefix(d.String(), d.Pos.Filename[:len(d.Pos.Filename)-len("types.go")])
		}
		if got != tt.want || (len(docs.Files) == 0) != (tt.want != "") {
			t.Errorf("%s: %d files, diagnostics %q, want %q", tt.name, len(docs.Files), got, tt.want)
		}
	}
}

// TestVersionsWithTwoNames expects no definition of a kind whose versions have different resources:
// there would be two, and a cluster accepts the names of one.
func TestVersionsWithTwoNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	for version, path := range map[string]string{"v1": "// +kubebuilder:resource:path=fish", "v2": "//"} {
		write(t, filepath.Join(dir, version, "types.go"), []byte("// +groupName=sea.example.com\npackage "+version+
			"\n\nimport metav1 \"github.com/askind/askind/meta/v1\"\n\n// +kubebuilder:object:root=true\n"+path+
			"\ntype Fish struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n"))
	}
	docs, err := codegen.CustomResourceDefinitions(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	if len(docs.Files) > 0 || len(docs.Diagnostics) != 1 || docs.Diagnostics[0].Code != "crd-names" ||
		!strings.Contains(docs.Diagnostics[0].Suggestion, "path=fish") {
		t.Errorf("%d files, %v", len(docs.Files), docs.Diagnostics)
	}
}

// TestJSONSchemasApart writes the schemas of two kinds whose names differ in their capitals only.
func TestJSONSchemasApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	text := "// +groupName=garden.example.com\npackage v1\n\nimport metav1 \"github.com/askind/askind/meta/v1\"\n"
	for _, kind := range []string{"TREE", "Tree"} {
		text += "\n// +kubebuilder:object:root=true\n// +kubebuilder:resource:path=" + kind[2:] + "s\ntype " + kind +
			" struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n"
	}
	write(t, filepath.Join(dir, "v1", "types.go"), []byte(strings.Replace(text, "path=EEs", "path=others", 1)))
	docs, err := codegen.JSONSchemas(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()}, "")
	if err != nil || len(docs.Diagnostics) > 0 {
		t.Fatal(err, docs)
	}
	for kind, name := range map[string]string{"TREE": "tree_v1.json", "Tree": "tree2_v1.json"} {
		if text := string(docs.Files["garden.example.com/"+name]); !strings.Contains(text, `"`+kind+`"`) {
			t.Errorf("%s is not in %s:\n%s", kind, name, text)
		}
	}
}

// TestRulesThatSchemasCombine writes the schemas of fields whose schemas allow what the generated
// functions allow: several divisors and refused values, and numbers of bytes.
func TestRulesThatSchemasCombine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	write(t, filepath.Join(dir, "v1", "types.go"), []byte(`// +groupName=garden.example.com
package v1

import metav1 "github.com/askind/askind/meta/v1"

// +kubebuilder:object:root=true
type Tree struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`

	// +kubebuilder:validation:MultipleOf=2
	Leaves Leaves `+"`json:\"leaves,omitempty\"`"+`
	// +k8s:neq="a"
	// +k8s:neq="b"
	Name string `+"`json:\"name,omitempty\"`"+`
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=4
	Seed []byte `+"`json:\"seed,omitempty\"`"+`
	Choice struct {
		// +unionDiscriminator
		Type string `+"`json:\"type,omitempty\"`"+`
		// +unionMember,optional
		A *string `+"`json:\"a,omitempty\"`"+`
	} `+"`json:\"choice,omitzero\"`"+`
}

// +kubebuilder:validation:MultipleOf=3
type Leaves int32
`))
	docs, err := codegen.JSONSchemas(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()}, "")
	if err != nil || len(docs.Diagnostics) > 0 {
		t.Fatal(err, docs)
	}
	var schema struct {
		Properties map[string]any
	}
	if err := json.Unmarshal(docs.Files["garden.example.com/tree_v1.json"], &schema); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"leaves": `{"allOf":[{"multipleOf":2}],"format":"int32","multipleOf":3,"type":"integer"}`,
		"name":   `{"allOf":[{"not":{"enum":["a","b"]}}],"type":"string"}`,
		"choice": `{"additionalProperties":false,"allOf":[{"anyOf":[{"properties":{"type":{"enum":["A"]}},"required":` +
			`["type"]},{"not":{"required":["a"]}}]}],"properties":{"a":{"type":"string"},"type":{"type":"string"}},` +
			`"type":"object"}`,
		"seed": `{"format":"byte","maxLength":8,"minLength":4,"type":"string"}`,
	} {
		if got, err := json.Marshal(schema.Properties[name]); string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
}

// TestQuotedValues checks that schemas describe the JSON of fields with the option string, and not
// the values inside.
func TestQuotedValues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	write(t, filepath.Join(dir, "v1", "types.go"), []byte(strings.ReplaceAll(`// +groupName=garden.example.com
package v1

import metav1 "github.com/askind/askind/meta/v1"

// +kubebuilder:object:root=true
type Tree struct {
	metav1.TypeMeta   'json:",inline"'
	metav1.ObjectMeta 'json:"metadata,omitempty"'

	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:validation:Pattern=^a
	Name string 'json:"name,string"'
	// +kubebuilder:default=oak
	Sort Sort 'json:"sort,string"'
	// +kubebuilder:validation:Minimum=3
	// +kubebuilder:validation:Enum=3;5
	// +kubebuilder:example=3
	Leaves *int 'json:"leaves,string,omitempty"'
	// +k8s:required
	Rings int 'json:"rings,string"'
}

// +kubebuilder:validation:Enum=oak;elm
type Sort string
`, "'", "`")))
	docs, err := codegen.CustomResourceDefinitions(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
	if err != nil || len(docs.Diagnostics) > 0 {
		t.Fatal(err, docs.Diagnostics)
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema struct{ Properties map[string]map[string]any } `yaml:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(docs.Files["garden.example.com_trees.yaml"], &crd); err != nil {
		t.Fatal(err)
	}
	got := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties
	for name, want := range map[string]map[string]any{
		"name":   {"type": "string", "minLength": 4},
		"sort":   {"type": "string", "default": `"oak"`, "enum": []any{`"oak"`, `"elm"`}},
		"leaves": {"type": "string", "enum": []any{"3", "5"}, "example": "3"},
		"rings":  {"type": "string", "allOf": []any{map[string]any{"not": map[string]any{"enum": []any{"0"}}}}},
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestJSONSchemasOfInstances writes the schemas of instances of a generic type with types of two
// packages of one name.
func TestJSONSchemasOfInstances(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	for _, name := range []string{"left", "right"} {
		write(t, filepath.Join(dir, name, "v1", "types.go"), []byte("// +askind:generate\npackage v1\n\n"+
			"type Part struct {\n\tName string `json:\""+name+"\"`\n}\n"))
	}
	write(t, filepath.Join(dir, "box", "box.go"), []byte("package box\n\n"+
		"type Box[T any] struct {\n\tValue T `json:\"value\"`\n}\n"))
	write(t, filepath.Join(dir, "api", "types.go"), []byte(`// +groupName=garden.example.com
// +versionName=v1
package api

import (
	"example.com/t/box"
	left "example.com/t/left/v1"
	right "example.com/t/right/v1"

	metav1 "github.com/askind/askind/meta/v1"
)

// +kubebuilder:object:root=true
type Tree struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`

	A box.Box[left.Part]  `+"`json:\"a\"`"+`
	B box.Box[right.Part] `+"`json:\"b\"`"+`
}
`))
	docs, err := codegen.JSONSchemas(codegen.Config{Dir: dir, Patterns: []string{"./api"}, Env: env()}, "")
	if err != nil || len(docs.Diagnostics) > 0 {
		t.Fatal(err, docs)
	}
	type schema struct {
		Ref        string `json:"$ref"`
		Properties map[string]schema
		Defs       map[string]schema `json:"$defs"`
	}
	var root schema
	if err := json.Unmarshal(docs.Files["garden.example.com/tree_v1.json"], &root); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{"a": "left", "b": "right"} {
		box := root.Defs[strings.TrimPrefix(root.Properties[field].Ref, "#/$defs/")]
		part := root.Defs[strings.TrimPrefix(box.Properties["value"].Ref, "#/$defs/")]
		if _, ok := part.Properties[want]; !ok {
			t.Errorf("%s holds %v", field, part.Properties)
		}
	}
}
