package codegen_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/codegen"
)

var updateDefinitions = flag.Bool("update-definitions", false, "rewrite what TestImportDefinitions compares with")

// TestImportDefinitions compares the types and the warnings for a definition that has everything.
// What the generator makes of them is tested by the command, and that they say the same as the
// definition in openapi/conformance.
func TestImportDefinitions(t *testing.T) {
	t.Parallel()
	const dir = "testdata/definitions/"
	data, err := os.ReadFile(dir + "everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	made, err := codegen.ImportDefinitions(codegen.ImportSpec{
		File: "everything.yaml", Data: data, Module: "example.com/garden", Require: "v0.0.0",
	})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, d := range made.Diagnostics {
		fmt.Fprintln(&got, d)
	}
	for _, name := range slices.Sorted(maps.Keys(made.Files)) {
		fmt.Fprintf(&got, "-- %s --\n%s", name, made.Files[name])
	}
	if *updateDefinitions {
		if err := os.WriteFile(dir+"everything.txt", []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(dir + "everything.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestImportNamesModule checks what a project is called: after its group or, among several, after
// its directory.
func TestImportNamesModule(t *testing.T) {
	t.Parallel()
	const version = "  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n"
	tree := definitionHead + version
	vendor := strings.Replace(tree, "garden.example.com", "vendor.example.com", 1)
	made, err := codegen.ImportDefinitions(codegen.ImportSpec{File: "f.yaml", Data: []byte(vendor), Require: "v0.0.0"})
	if err != nil || !strings.HasPrefix(string(made.Files["go.mod"]), "module vendor.example.com\n") {
		t.Errorf("%v: %s", err, made.Files["go.mod"])
	}
	for _, tt := range []struct{ name, group, project, module, command string }{
		{"one group", "garden.example.com", "home", "example.com/garden", "garden"},
		{"two groups", "barn.example.com", "home", "example.com/home", "home"},
		{"a group below the other", "barn.garden.example.com", "home", "garden.example.com/home", "home"},
		{"nothing in common", "barn.example.org", "home", "example.com/home", "home"},
		{"without a name", "barn.example.com", "", "example.com/barn", "barn"},
		{"a name that is no path", "barn.example.com", "My Home", "example.com/barn", "barn"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			other := strings.NewReplacer("garden.example.com", tt.group, "Tree", "Cow", "trees", "cows").Replace(tree)
			made, err := codegen.ImportDefinitions(codegen.ImportSpec{
				File: "f.yaml", Data: []byte(tree + "---\n" + other), Project: tt.project, Require: "v0.0.0",
			})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(made.Files["go.mod"]), "module "+tt.module+"\n") {
				t.Errorf("%v\n%s", made.Diagnostics, made.Files["go.mod"])
			}
			if !strings.HasPrefix(string(made.Files["main.go"]), "// Command "+tt.command+" serves ") {
				t.Errorf("%s", made.Files["main.go"])
			}
		})
	}
}

// TestImportGroupsApart checks that the packages of groups whose names are alike are not the same.
func TestImportGroupsApart(t *testing.T) {
	t.Parallel()
	const version = "  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n"
	var definitions strings.Builder
	for _, group := range []string{
		"garden.a.com", "garden.e-x.com", "garden.ex.com", "garden.home.example.com", "garden.home.example.net",
		"garden.home.example.org",
	} {
		definitions.WriteString("---\n" + strings.Replace(definitionHead+version, "garden.example.com", group, 1))
	}
	made, err := codegen.ImportDefinitions(codegen.ImportSpec{
		File: "f.yaml", Data: []byte(definitions.String()), Path: "example.com/t/api",
	})
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for name := range made.Files {
		if dir, ok := strings.CutSuffix(name, "/v1/tree_types.go"); ok {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	want := "garden gardenexcom gardenexcom2 gardenhomeexample gardenhomeexamplenet gardenhomeexampleorg"
	if got := strings.Join(dirs, " "); got != want {
		t.Errorf("the groups are in %s, want %s\n%v", got, want, made.Diagnostics)
	}
}

const definitionHead = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: garden.example.com
  names: {kind: Tree, plural: trees}
`

// TestImportRefuses checks what is said about files that no types can be made of.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, want string }{
		{"nothing", "", "f.yaml: crd-none the file contains no CustomResourceDefinition"},
		{"not YAML", "a: [", "f.yaml: crd-yaml"},
		{
			"documents without a separator", "kind: List\nitems: []\nkind: List\nitems: []\n",
			"f.yaml:3:1: crd-invalid kind stands twice; a line --- separates documents",
		},
		{"not a mapping", "- a", "f.yaml:1:1: crd-invalid  is not a mapping"},
		{
			"an old version", "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n",
			`f.yaml:1:13: crd-invalid the definition is in "apiextensions.k8s.io/v1beta1"; only apiextensions.k8s.io/v1 is read`,
		},
		{
			"no names", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {}\n",
			"f.yaml:1:1: crd-invalid the definition has no spec.group",
		},
		{
			"a kind without a Go name", strings.Replace(definitionHead, "Tree", "a-b", 1),
			`f.yaml:5:10: crd-invalid kind "a-b" is not the name of a Go type`,
		},
		{
			"a kind that Kubernetes refuses", strings.Replace(definitionHead, "Tree", "Ünit", 1),
			`crd-invalid kind "Ünit" is not the name of a Go type`,
		},
		{
			"a list with the name of its kind", strings.Replace(oneVersion("{}"), "plural", "listKind: Tree, plural", 1),
			"f.yaml:1:1: crd-invalid the kind Tree of garden.example.com is defined already, in line 1",
		},
		{
			"a definition twice", oneVersion("{}") + "---\n" + oneVersion("{}"),
			"f.yaml:8:1: crd-invalid the kind Tree of garden.example.com is defined already, in line 1",
		},
		{
			"a version twice", definitionHead + "  versions:\n  - {name: v1, served: true, storage: true}\n  - {name: v1}\n",
			"f.yaml:8:5: crd-invalid version v1 of Tree stands twice",
		},
		{
			"a version without a name", definitionHead + "  versions: [{name: _, served: true, storage: true}]\n",
			`crd-invalid version "_" is not the name of a Go package`,
		},
		{
			"a version that the go command ignores", definitionHead + "  versions: [{name: testdata, storage: true}]\n",
			`crd-invalid version "testdata" is not the name of a Go package`,
		},
		{
			"a schema in itself", oneVersion("&a {type: object, properties: {a: *a}}"),
			"f.yaml:6:80: crd-invalid schemas are nested too deep",
		},
		{
			"a length that is no number", oneVersion(`{type: object, properties: {a: {maxLength: "1\n+optional"}}}`),
			"f.yaml:6:123: crd-invalid v1.a.maxLength is not a valid number",
		},
		{
			"a length that is no integer", oneVersion(`{type: object, properties: {a: {maxLength: 1.5}}}`),
			"f.yaml:6:123: crd-invalid v1.a.maxLength is not a valid number",
		},
		{
			"a bound that is no number", oneVersion(`{type: object, properties: {a: {maximum: [1]}}}`),
			"f.yaml:6:121: crd-invalid v1.a.maximum is not a valid number",
		},
		{
			"a merge key", oneVersion(`{type: object, properties: {a: &x {type: string}, b: {<<: *x}}}`),
			"f.yaml:6:134: crd-invalid merge keys are not read",
		},
		{
			"a resource without a name", strings.Replace(definitionHead, "trees", `"a\nb"`, 1),
			`f.yaml:5:10: crd-invalid "a\nb" is not a valid group or resource name`,
		},
		{
			"no version is stored", definitionHead + "  versions: [{name: v1, served: true}]\n",
			"crd-invalid 0 versions of Tree are marked as the storage version",
		},
		{
			"a version without a Go name", definitionHead + "  versions: [{name: v1-a, served: true, storage: true}]\n",
			`f.yaml:6:14: crd-invalid version "v1-a" is not the name of a Go package`,
		},
		{
			"a flag", definitionHead + "  versions: [{name: v1, served: perhaps, storage: true}]\n",
			"f.yaml:6:33: crd-invalid spec.versions[0].served is not a boolean",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			made, err := codegen.ImportDefinitions(codegen.ImportSpec{
				File: "f.yaml", Data: []byte(tt.data),
				Require: "v0.0.0",
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(made.Files) > 0 {
				t.Errorf("%d files", len(made.Files))
			}
			if len(made.Diagnostics) == 0 || !strings.Contains(made.Diagnostics[0].String(), tt.want) {
				t.Errorf("got %v, want %s", made.Diagnostics, tt.want)
			}
		})
	}
}

// TestImportReportsLosses checks the warning about notes of elements, which have no place in Go.
func TestImportReportsLosses(t *testing.T) {
	t.Parallel()
	made, err := codegen.ImportDefinitions(codegen.ImportSpec{
		File: "f.yaml", Require: "v0.0.0",
		Data: []byte(oneVersion("{type: object, properties: {a: {type: array, items: {type: string, example: b}}}}")),
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "crd-lost v1.a[]: the title, example and link of an element are not carried over"
	if len(made.Diagnostics) != 1 || !strings.Contains(made.Diagnostics[0].String(), want) {
		t.Errorf("got %v, want %s", made.Diagnostics, want)
	}
}

// TestImportColumns checks that only the columns that the generator can show become markers.
func TestImportColumns(t *testing.T) {
	t.Parallel()
	var columns []string
	var want strings.Builder
	for i, c := range []struct{ column, lost string }{
		{"type: integer, jsonPath: '.a[*].n'", "it shows several values, which only a column of type string can"},
		{"type: string, jsonPath: '.a[*].n'", ""},
		{`type: integer, jsonPath: '.a[?(@.name=="b")].n'`, ""},
		{`type: string, jsonPath: '.a[?(@.nmae=="b")].name'`, "no field"},
		{"type: string, jsonPath: '.a[?(@.name==3)].name'", "no field"},
		{"type: string, jsonPath: '.a[?(@.n>3)].name'", ""},
		{"type: string, jsonPath: .metadata.labels", "it shows a map"},
		{`type: string, jsonPath: '.metadata.labels.b\.c/d'`, ""},
		{"type: string, jsonPath: .metadata.lables", "no field"},
		{"type: string, jsonPath: .metadata.finalizers", "shows the elements of a list, joined"},
		{"type: integer, jsonPath: .metadata.generation", ""},
		{"type: string, jsonPath: '.metadata.ownerReferences[0].name'", ""},
	} {
		columns = append(columns, fmt.Sprintf("{name: C%d, %s}", i, c.column))
		if c.lost != "" {
			fmt.Fprintln(&want, c.lost)
		}
	}
	const schema = "{type: object, properties: {a: {type: array, items: {type: object, " +
		"properties: {name: {type: string}, n: {type: integer}}}}}}"
	made, err := codegen.ImportDefinitions(codegen.ImportSpec{
		File: "f.yaml", Path: "example.com/t/api",
		Data: []byte(strings.Replace(oneVersion(schema), "storage: true",
			"storage: true, additionalPrinterColumns: ["+strings.Join(columns, ", ")+"]", 1)),
	})
	if err != nil {
		t.Fatal(err)
	}
	lost := strings.Split(strings.TrimSpace(want.String()), "\n")
	for i, d := range made.Diagnostics {
		if i >= len(lost) || !strings.Contains(d.Message, lost[i]) {
			t.Errorf("unexpected: %s", d)
		}
	}
	if len(made.Diagnostics) != len(lost) {
		t.Errorf("%d warnings, want %d", len(made.Diagnostics), len(lost))
	}
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	for name, text := range made.Files {
		write(t, filepath.Join(dir, "api", name), text)
	}
	mustRun(t, codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
}

// oneVersion is a definition of v1 with a schema.
func oneVersion(schema string) string {
	return definitionHead + "  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: " + schema + "}}]\n"
}

// twoVersions is a definition of v1, which is stored, and v2.
func twoVersions(v1, v2 string) string {
	return definitionHead + "  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: " + v1 + "}}\n" +
		"  - {name: v2, served: true, schema: {openAPIV3Schema: " + v2 + "}}\n"
}

// TestImportOddNames imports definitions whose names are legal and get in each other's way, and
// type-checks the result.
func TestImportOddNames(t *testing.T) {
	t.Parallel()
	const object = "{type: object}"
	tree := oneVersion(object)
	for _, tt := range []struct {
		name, data, file string
		want             []string
	}{
		{
			"kinds that differ in case", tree + "---\n" + strings.NewReplacer("Tree", "TREE", "trees", "treex").Replace(tree),
			"v1/tree2_types.go",
			[]string{"type TREE struct", "type TREEList struct"},
		},
		{
			"fields named as what is embedded", oneVersion("{type: object, properties: {typeMeta: {type: string}, " +
				"objectMeta: {type: string}}}"),
			"v1/tree_types.go",
			[]string{"TypeMeta2 string `json:\"typeMeta,omitempty\"`", "ObjectMeta2 string `json:\"objectMeta"},
		},
		{
			"an enum whose constant has the name of a type, twice", oneVersion("{type: object, properties: {spec: {type: object, " +
				"properties: {fooBar: {type: object}, foo: {type: string, enum: [Bar]}, " +
				"inner: {type: object, properties: {foo: {type: string, enum: [Bar]}}}}}}}"),
			"v1/tree_types.go",
			[]string{"Foo TreeSpecXFoo `json:\"foo,omitempty\"`\n\n", "struct {\n\t// +optional\n\tFoo TreeSpecXFoo"},
		},
		{
			"functions with the same name", twoVersions(
				"{type: object, properties: {specFoo: {type: string}, spec: {type: object, properties: {foo: {type: string}}}}}",
				"{type: object, properties: {specFoo: {type: integer}, spec: {type: object, properties: {foo: {type: integer}}}}}"),
			"v2/conversion.go",
			[]string{"func treeSpecFooToV1(", "func treeSpecFooXToV1("},
		},
		{
			"functions for types of their own", twoVersions("{type: object, properties: {a: {type: number, format: float}, "+
				"b: {type: array, items: {type: string, nullable: true}}, c: {type: array, items: {type: array, items: {type: string}}}}}",
				"{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}}}"),
			"v2/conversion.go",
			[]string{"func treeAToV1(in *string, _ *float32,", "func treeBToV1(in *string, _ *[]*string,"},
		},
		{
			"a type of the hub, which only the generator can name", twoVersions(
				"{type: object, properties: {a: {type: array, items: {type: array, items: {type: string}}}}}",
				"{type: object, properties: {a: {type: string}}}"),
			"v2/tree_types.go",
			[]string{"\n\n\t// +optional\n\tA string `json:\"a,omitempty\"`\n"},
		},
		{
			"a version with the name of a package", strings.Replace(tree, "name: v1", "name: server", 1), "main.go",
			[]string{"\tgardenserver \"example.com/garden/server\"\n", "gardenserver.AddTo, "},
		},
		{
			"dates", oneVersion("{type: object, properties: {a: {type: string, enum: [2020-01-01], default: 2020-01-01}}}"),
			"v1/tree_types.go",
			[]string{`TreeA20200101 TreeA = "2020-01-01"`, `// +default="2020-01-01"` + "\n"},
		},
		{
			"properties whose names are those of a selector", oneVersion(
				`{type: object, properties: {a: {type: object, properties: {"matchExpressions array ,matchLabels": {type: object}}}}}`),
			"v1/tree_types.go",
			[]string{"type TreeA struct{}"},
		},
		{
			"a number of a format that no type has", oneVersion(
				"{type: object, properties: {a: {type: integer, format: uint64}, b: {type: number, format: double}, " +
					"c: {type: array, items: {type: integer, format: uint64}}}}"),
			"v1/tree_types.go",
			[]string{
				"// +kubebuilder:validation:Format=uint64\n\tA *int64", "\n\n\t// +optional\n\tB *float64",
				"// +kubebuilder:validation:Format=uint64\ntype TreeC int64",
			},
		},
		{
			"limits of the length of base64", oneVersion("{type: object, properties: {" +
				"a: {type: string, format: byte, minLength: 4, maxLength: 8}, " +
				"b: {type: string, format: byte, minLength: 5, maxLength: 11}}}"),
			"v1/tree_types.go",
			[]string{
				"// +kubebuilder:validation:MinLength=1\n\t// +kubebuilder:validation:MaxLength=6\n\tA []byte",
				"// +kubebuilder:validation:MinLength=4\n\t// +kubebuilder:validation:MaxLength=6\n\tB []byte",
			},
		},
		{
			"numbers and booleans in markers, which controller-gen takes without quotes",
			strings.Replace(oneVersion(`{type: object, x-kubernetes-validations: [{rule: "a", optionalOldSelf: true}, `+
				`{rule: "b", optionalOldSelf: false}]}`), "schema:",
				"additionalPrinterColumns: [{name: Age, type: date, jsonPath: .metadata.creationTimestamp, priority: 1}], schema:", 1),
			"v1/tree_types.go",
			[]string{
				"JSONPath=`.metadata.creationTimestamp`,priority=1\n", `rule="a",optionalOldSelf=true` + "\n", `rule="b"` + "\n",
			},
		},
		{
			"a title and a link of a kind", oneVersion(
				`{type: object, title: A tree, externalDocs: {url: "https://example.com", description: more}}`),
			"v1/tree_types.go",
			[]string{
				"// +kubebuilder:title=\"A tree\"\n", `// +kubebuilder:externalDocs:url="https://example.com",description="more"`,
			},
		},
		{
			"a list that must be long", oneVersion("{type: object, required: [a], properties: {a: {type: array, " +
				"minItems: 9000000000000000000, items: {type: array, minItems: 10000000, items: {type: string}}}}}"),
			"v1/tree_types.go",
			[]string{"MinItems=9000000000000000000\n"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			made, err := codegen.ImportDefinitions(codegen.ImportSpec{
				File: "f.yaml", Data: []byte(tt.data), Require: "v0.0.0",
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if text := string(made.Files[tt.file]); !strings.Contains(text, want) {
					t.Errorf("%s has no %q:\n%s%v", tt.file, want, text, made.Diagnostics)
				}
			}
			checkImported(t, made.Files)
		})
	}
}

// checkImported checks the types of imported packages, against declarations of what they import.
func checkImported(t *testing.T, files map[string][]byte) {
	t.Helper()
	fset := token.NewFileSet()
	check := func(path string, of map[string]string) *types.Package {
		var parsed []*ast.File
		for name, text := range of {
			f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
			if err != nil {
				t.Errorf("%v\n%s", err, text)
				return nil
			}
			parsed = append(parsed, f)
		}
		conf := types.Config{Importer: declared{}, Error: func(err error) { t.Errorf("%v\n%s", err, of) }}
		pkg, _ := conf.Check(path, fset, parsed, nil)
		return pkg
	}
	packages := map[string]map[string]string{}
	for name, text := range files {
		if dir := path.Dir(name); path.Ext(name) == ".go" && dir != "." {
			if packages[dir] == nil {
				packages[dir] = map[string]string{}
			}
			packages[dir][name] = string(text)
		}
	}
	for dir, of := range packages {
		check(dir, of)
	}
}

// declared imports packages with the declarations that imported types need.
type declared struct{}

func (declared) Import(to string) (*types.Package, error) {
	text, ok := map[string]string{
		"github.com/askind/askind/meta/v1": "type TypeMeta struct{}; type ObjectMeta struct{}; type ListMeta struct{}; " +
			"type Time struct{}; type Condition struct{}; type LabelSelector struct{}",
		"github.com/askind/askind/meta/intstr":   "type IntOrString struct{}",
		"github.com/askind/askind/meta/resource": "type Quantity struct{}",
		"github.com/askind/askind/runtime":       "type RawExtension struct{}",
		"github.com/askind/askind/conversion":    "type Scope struct{}",
		"encoding/json":                          "type RawMessage []byte",
		"errors":                                 "func New(string) error",
		"reflect":                                "type Value struct{}; func ValueOf(any) Value; func (Value) Elem() Value; func (Value) IsZero() bool",
	}[to]
	if !ok {
		return nil, fmt.Errorf("no declarations of %s", to)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, to, "package "+path.Base(to)+"; "+text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{IgnoreFuncBodies: true}
	return conf.Check(to, fset, []*ast.File{f}, nil)
}

// FuzzImportDefinitions checks that no file makes it panic, and that what it writes is Go.
func FuzzImportDefinitions(f *testing.F) {
	data, err := os.ReadFile("testdata/definitions/everything.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	const schema = "  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: "
	for _, s := range []string{
		`{type: object, properties: {"": {type: string}, "a,b": {type: string}, "` + "`" + `": {type: object}}}`,
		`{type: object, properties: {a: {type: array, items: {type: string, enum: ["a b", "a-b", ""]}}}}`,
		`{type: object, properties: {a: {type: string, description: "a\n+optional\n\n+x\tb\u0000", pattern: "` + "`" + `("}}}`,
		`{type: array, items: {}}`, `&a {type: object, properties: {a: {type: object, additionalProperties: {type: array, items: {type: array, items: {}}}}}}`,
		`{type: object, required: [a], properties: {Tree: {type: object}, tree: {type: object}, "1": {type: integer}}}`,
	} {
		f.Add([]byte(definitionHead + schema + s + "}}]\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		made, err := codegen.ImportDefinitions(codegen.ImportSpec{File: "f.yaml", Data: data, Require: "v0.0.0"})
		if err != nil {
			t.Skip(err)
		}
		checkImported(t, made.Files)
	})
}

// TestImportAPI checks what is called of packages that look like those of an API server, and what
// is said about the rest. docs/from-apiserver.md has the whole for sample-apiserver.
func TestImportAPI(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := func(name, text string) codegen.APISource {
		if err := os.MkdirAll(dir+"/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/"+name+"/types.go", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return codegen.APISource{Path: "example.com/shop/" + name, Dir: dir + "/" + name, Files: []string{"types.go"}}
	}
	version := func(name string) string {
		return strings.ReplaceAll(`// +groupName=shop.example.com
package VERSION

import (
	"example.com/shop"
	corev1 "k8s.io/api/core/v1"
)

type Order struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Pod corev1.PodSpec
}

func SetDefaults_Order(in *Order) {}

func SetDefaults_Nothing(in *Other) {}

func Convert_VERSION_Order_To_shop_Order(in *Order, out *shop.Order, s conversion.Scope) error { return nil }

func Convert_shop_Order_To_VERSION_Order(in *shop.Order, out *Order, s conversion.Scope) error { return nil }
`, "VERSION", name)
	}
	sources := []codegen.APISource{
		source("v1", version("v1")), source("v2", version("v2")), source("fuzzer", "package fuzzer"),
		source("validation", "package validation\n\nfunc ValidateOrder(in *shop.Order, path *field.Path) field.ErrorList { return nil }\n"),
	}
	for _, path := range []string{"", "example.com/mine/api"} {
		made, err := codegen.ImportAPI(codegen.APISpec{
			Sources: sources, Path: path, Require: "v1.2.3", Provider: "example.com/shop v0.1.0",
		})
		if err != nil {
			t.Fatal(err)
		}
		name, others := "v1/doc.go", []string{"README.md", "go.mod", "main.go", "main_test.go"}
		if path != "" {
			name, others = "shop/v1/doc.go", []string{"shop/shop.go"}
		}
		for _, other := range others {
			if made.Files[other] == nil {
				t.Errorf("%s is missing among %v", other, slices.Sorted(maps.Keys(made.Files)))
			}
		}
		text := string(made.Files[name])
		for _, part := range []string{
			"// +askind:hub=example.com/shop/v2\n", "// +askind:codecs=github.com/askind/askind/k8s/corev1\n",
			"func SetDefaultsOrder(in *v1.Order) { v1.SetDefaults_Order(in) }",
			"func ConvertOrderToV2(in *v1.Order, out *v2.Order, _ *conversion.Scope) error {",
			"return errors.Join(v1.Convert_v1_Order_To_shop_Order(in, &between, nil),\n\t\tv2.Convert_shop_Order_To_v2_Order(",
		} {
			if !strings.Contains(text, part) {
				t.Errorf("%s is not in\n%s", part, text)
			}
		}
		if strings.Contains(text, "Nothing") {
			t.Errorf("a function for no type of the package is called:\n%s", text)
		}
		if len(made.Diagnostics) != 1 || !strings.Contains(made.Diagnostics[0].Message, "validation.ValidateOrder is not called") {
			t.Errorf("warnings %v", made.Diagnostics)
		}
	}
	sources[3] = source("validation", "package validation\n\nfunc ValidateOrder(in *shop.Order) field.ErrorList { return nil }\n"+
		"\nfunc ValidateOrderUpdate(in, old *shop.Order) field.ErrorList { return nil }\n")
	made, err := codegen.ImportAPI(codegen.APISpec{Sources: sources, Require: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	if len(made.Diagnostics) != 1 || !strings.Contains(made.Diagnostics[0].Message,
		"validation.ValidateOrderUpdate is not called, because it compares two objects; call it in a function "+
			"ValidateChange<Kind>") {
		t.Errorf("warnings %v", made.Diagnostics)
	}
	for _, part := range []string{"validation.ValidateOrder(&between)", "code := runtime.FieldErrorCode(e.Type)"} {
		if text := string(made.Files["v2/doc.go"]); !strings.Contains(text, part) {
			t.Errorf("%s is not in\n%s", part, text)
		}
	}
	// The package with the internal types has another name than its directory.
	for i, name := range []string{"v1", "v2"} {
		sources[i] = source(name, strings.Replace(version(name), `"example.com/shop"`, `shop "example.com/shop/internal"`, 1))
	}
	made, err = codegen.ImportAPI(codegen.APISpec{Sources: sources, Require: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`shop "example.com/shop/internal"`, "var between shop.Order"} {
		if text := string(made.Files["v1/doc.go"]); !strings.Contains(text, part) {
			t.Errorf("%s is not in\n%s", part, text)
		}
	}
	for _, s := range [][]codegen.APISource{nil, {source("v3", "package v3\n\ntype Order struct {\n\tTypeMeta\n}\n")}} {
		if _, err := codegen.ImportAPI(codegen.APISpec{Sources: s}); err == nil || !strings.Contains(err.Error(),
			"no kinds in the packages") {
			t.Errorf("error %v", err)
		}
	}
}
