package codegen_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/codegen"
)

// What another package hides cannot be compared by name and tag, so it is its layout that stops
// stale code from compiling.
func TestHiddenFieldsAreGuarded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs the compiler")
	}
	dir := readScenario(t, "testdata/foreign_hidden.txtar").unpack(t)
	result, err := codegen.Run(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
	if err != nil || result.HasErrors() {
		t.Fatalf("%v, %v", result.Diagnostics, err)
	}
	if _, err := codegen.Write(result); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "api/lib/lib.go")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, old, new string
		compiles       bool
	}{
		{name: "nothing", compiles: true},
		{name: "a name that nobody else can see", old: "cached bool", new: "kept   bool", compiles: true},
		{name: "a hidden field that grows", old: "mode mode\n", new: "mode mode\n\tmore []string\n"},
		{name: "a hidden field that is gone", old: "\tsince  time.Duration\n", new: "\tsince  struct{}\n"},
		{name: "the type of a field", old: "From   string ", new: "From   Name "},
		{
			name: "the place of a field",
			old:  "\tFrom   string   `json:\"from\" protobuf:\"bytes,1,opt,name=from\"`\n\tLabels",
			new:  "\tcould  bool\n\tFrom   string   `json:\"from\" protobuf:\"bytes,1,opt,name=from\"`\n\tLabels",
		},
		{name: "what only the copy has", old: "\tsum  int64\n", new: "\tsum  []int64\n"},
	} {
		changed := bytes.Replace(src, []byte(tt.old), []byte(tt.new), 1)
		if tt.old != "" && bytes.Equal(changed, src) {
			t.Fatalf("%s: there is no %q", tt.name, tt.old)
		}
		write(t, path, append(changed, "\ntype Name string\n\nvar _ time.Duration\n"...))
		cmd := exec.Command("go", "build", "./codec")
		cmd.Dir, cmd.Env = dir, env()
		out, err := cmd.CombinedOutput()
		if tt.compiles != (err == nil) {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
		}
		if err != nil && !bytes.Contains(out, []byte("codec/zz_generated.")) {
			t.Errorf("%s: the error is not in a generated file:\n%s", tt.name, out)
		}
	}
}

// TestInlinedStructsAreGuarded changes structs that have no functions of their own after code that
// looks into them was generated. Each change stops that code from compiling.
func TestInlinedStructsAreGuarded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs the compiler")
	}
	dir, result := generate(t, "guards", "./...")
	if _, err := codegen.Write(result); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, file, old, new string
		// in is the package that must not compile.
		in string
	}{
		{name: "nothing"},
		{
			"a field of a struct of another package", "common/common.go", "type S struct {",
			"type S struct {\n\tN *int32 `json:\"n\"`", "./v1",
		},
		{"its tag", "common/common.go", `json:"a,omitempty"`, `json:"z,omitempty"`, "./v1"},
		{
			"an embedded struct of another package", "common/common.go", "type Base struct {",
			"type Base struct {\n\tN *int32 `json:\"n\"`", "./v1",
		},
		{
			"an element of a list", "common/common.go", "type Flat struct {",
			"type Flat struct {\n\tN *int32 `json:\"n\"`", "./v1",
		},
		{
			"a generic struct of another package", "common/common.go", "type Pair[T any] struct {",
			"type Pair[T any] struct {\n\tTwo *T `json:\"two\"`", "./v1",
		},
		{"an alias in another package", "common/common.go", `json:"x"`, `json:"y"`, "./v1"},
		{
			"a generic struct", "v1/types.go", "type Box[T any] struct {", "type Box[T any] struct {\n\tW *T `json:\"w\"`",
			"./v1",
		},
		{"its tag", "v1/types.go", `json:"v"`, `json:"w"`, "./v1"},
		{
			"an embedded struct that is not exported", "v1/types.go", "type emb struct {",
			"type emb struct {\n\tN *int32 `json:\"n\"`", "./v1",
		},
		{"an alias", "v1/types.go", "type Als = struct {", "type Als = struct {\n\tN *int32 `json:\"n\"`", "./v1"},
		{"the type of an alias", "v1/types.go", "type Now = common.Old", "type Now = common.New", "./v1"},
		{"the type of an embedded alias", "v1/types.go", "= common.OldBase", "= common.NewBase", "./v1"},
		{"a number of another package", "common/common.go", "type Count int32", "type Count uint32", "./v1"},
		{"a number", "v1/types.go", "type Level int32", "type Level uint32", "./v1"},
		{"a string of another package", "common/common.go", "type Text string", "type Text []byte", "./v1"},
		{"a string", "v1/types.go", "type Mode string", "type Mode []rune", "./v1"},
		{"a number that copies would share", "v1/types.go", "type Level int32", "type Level []int32", "./v1"},
		{
			"the hub of a conversion", "v1/types.go", "type Spec struct {", "type Spec struct {\n\tN int32 `json:\"n\"`",
			"./v1beta1",
		},
		{"a number of the hub", "v1/types.go", "type Level int32", "type Level int8", "./v1beta1"},
		{"a string of the hub", "v1/types.go", "type Mode string", "type Mode []byte", "./v1beta1"},
	} {
		path := filepath.Join(dir, tt.file)
		var src []byte
		if tt.file != "" {
			var err error
			if src, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			changed := bytes.Replace(src, []byte(tt.old), []byte(tt.new), 1)
			if bytes.Equal(changed, src) {
				t.Fatalf("%s: %s has no %q", tt.name, tt.file, tt.old)
			}
			write(t, path, changed)
		}
		if tt.in == "./v1beta1" {
			// As if the generator had run for the hub alone.
			alone := mustRun(t, codegen.Config{Dir: dir, Patterns: []string{"./v1"}, Env: env()})
			if _, err := codegen.Write(alone); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("go", "build", "./...")
		cmd.Dir, cmd.Env = dir, env()
		out, err := cmd.CombinedOutput()
		if (err == nil) != (tt.in == "") {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
		}
		if tt.in != "" && !bytes.Contains(out, []byte(strings.TrimPrefix(tt.in, "./")+"/zz_generated.")) {
			t.Errorf("%s: the error is not in the generated code of %s:\n%s", tt.name, tt.in, out)
		}
		if src != nil {
			write(t, path, src)
		}
	}
}

// TestGuardedTypes checks which types are guarded, without a compiler.
func TestGuardedTypes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	write(t, filepath.Join(dir, "common", "common.go"), []byte(`package common

type Count int32

type Ratio float64

type InArray struct {
	A string `+"`json:\"a\"`"+`
}

type InMap struct {
	A string `+"`json:\"a\"`"+`
}

type Maps map[string]InMap

type Pair[T any] struct {
	One T `+"`json:\"one\"`"+`
}

type hidden struct {
	A string `+"`json:\"a\"`"+`
}

type Hidden = Pair[hidden]

type Sealed struct {
	A   string `+"`json:\"a\"`"+`
	sum [4]int64
}

type Alias = InMap

type Tagged struct {
	A string "json:\"a\" doc:\"a `+"`"+`\""
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
	metav1.ObjectMeta `+"`json:\"metadata\"`"+`

	Counts map[common.Count]string `+"`json:\"counts,omitempty\"`"+`
	Ratio  common.Ratio            `+"`json:\"ratio\"`"+`
	Array  [2]common.InArray       `+"`json:\"array\"`"+`
	Maps   common.Maps             `+"`json:\"maps,omitempty\"`"+`
	Hidden common.Hidden           `+"`json:\"-\"`"+`
	Sealed common.Sealed           `+"`json:\"sealed\"`"+`
	Tagged common.Tagged           `+"`json:\"tagged\"`"+`
	Alias  []common.Alias          `+"`json:\"alias\"`"+`
}
`))
	result := mustRun(t, codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
	text := string(result.Files["v1/zz_generated.json.go"])
	for _, want := range []string{
		"(*int32)((*common.Count)(nil))", "(*float64)((*common.Ratio)(nil))", "[...]common.InArray{", "[...]common.InMap{",
		"_ [4]int64\n", "[]common.InMap ", "[...]common.Tagged{struct {\n\tA string \"json:\\\"a\\\" doc:\\\"a `\\\"\"\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if strings.Contains(string(result.Files["v1/zz_generated.deepcopy.go"]), "common.hidden") {
		t.Error("there is a type that the package cannot name")
	}
}
