package codegen_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/askind/askind/codegen"
)

// What another package hides cannot be compared by name and tag, so it is its layout that stops stale code from compiling.
func TestHiddenFieldsAreGuarded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs the compiler")
	}
	dir, _ := readScenario(t, "testdata/foreign_hidden.txtar").unpack(t)
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
		{name: "the place of a field", old: "\tFrom   string   `json:\"from\" protobuf:\"bytes,1,opt,name=from\"`\n\tLabels", new: "\tcould  bool\n\tFrom   string   `json:\"from\" protobuf:\"bytes,1,opt,name=from\"`\n\tLabels"},
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
