package codegen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/codegen"
)

// TestLint runs the archives in testdata/lint: modules, and what the rules report about them.
func TestLint(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/lint/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	reported := map[string]bool{}
	for _, path := range paths {
		s := readScenario(t, path)
		dir := s.unpack(t)
		result, err := codegen.Lint(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, d := range result.Diagnostics {
			reported[d.Code] = true
			got.WriteString(d.String() + "\n")
		}
		want := ""
		for _, f := range s.archive.Files {
			if f.Name == "want.txt" {
				want = string(f.Data)
			}
		}
		if *update {
			s.rewrite(t, map[string]string{"want.txt": got.String()})
		} else if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s differs; rerun with -update if the change is right (-want +got):\n%s", path, diff)
		}
		if len(result.Files) > 0 {
			t.Errorf("%s: %d files", path, len(result.Files))
		}
	}
	docs, err := os.ReadFile("../docs/generator.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range codegen.Rules() {
		if !reported[r.Name] {
			t.Errorf("no scenario has a finding of %s", r.Name)
		}
		if r.Doc == "" || r.Why == "" || !strings.Contains(string(docs), "`"+r.Name+"`") {
			t.Errorf("rule %s is not documented", r.Name)
		}
	}
}

// TestOwnTypesAreClean runs the rules over the API packages of this module that people import or
// copy.
func TestOwnTypesAreClean(t *testing.T) {
	t.Parallel()
	result, err := codegen.Lint(codegen.Config{Dir: "..", Patterns: []string{
		"./meta/...", "./runtime/...",
		"./examples/...",
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Diagnostics {
		if d.Severity == 0 {
			t.Error(d)
		}
	}
}
