package codegen_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/askind/askind/codegen"
	"github.com/askind/askind/codegen/internal/lint"
)

var update = flag.Bool("update", false, "rewrite what the archives in testdata expect")

// A scenario is an archive of an input module and what the generator makes of it. Lines "only: a,b"
// in its comment limit the comparison of files to some concerns, "only: -" to none; "losses" stands
// for the record of losses. Files below want/ are the expected output, want.txt the expected
// diagnostics. Schemas are compared only where they are named. Output without errors is compiled,
// and tests among the input are run, see jointModule.
type scenario struct {
	path    string
	archive *txtar.Archive
	only    []string
}

func readScenario(t *testing.T, path string) *scenario {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{path: path, archive: archive}
	for line := range strings.Lines(string(archive.Comment)) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), "only:"); ok {
			s.only = strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	return s
}

func isExpectation(name string) bool { return name == "want.txt" || strings.HasPrefix(name, "want/") }

// compares reports whether the exact bytes of a generated file belong to the scenario.
func (s *scenario) compares(path string) bool {
	if s.only == nil {
		// Nobody reads an expected compressed text.
		return filepath.Base(path) != codegen.FileName("schema")
	}
	return slices.ContainsFunc(s.only, func(concern string) bool {
		return filepath.Base(path) == codegen.FileName(concern) || concern == "protobuf" &&
			filepath.Base(path) == codegen.LedgerName ||
			concern == "losses" && filepath.Base(path) == codegen.LossesName
	})
}

// unpack writes the input as a module of its own that uses this checkout. An archive may have a
// go.mod, with ROOT for the checkout.
func (s *scenario) unpack(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	writeModule(t, dir, "example.com/t")
	for _, f := range s.archive.Files {
		if !isExpectation(f.Name) {
			data := f.Data
			if filepath.Base(f.Name) == "go.mod" {
				data = bytes.ReplaceAll(data, []byte("ROOT"), []byte(repoRoot(t)))
			}
			write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), data)
		}
	}
	return dir
}

// writeModule writes the go.mod and go.sum of a module that uses this checkout and needs what it
// needs.
func writeModule(t *testing.T, dir, name string) {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(repoRoot(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, needed, _ := strings.Cut(string(mod), "\nrequire (")
	needed, _, _ = strings.Cut(needed, "\ntool ")
	write(t, filepath.Join(dir, "go.mod"),
		[]byte(
			"module "+name+"\n\ngo 1.26.0\n\nrequire github.com/askind/askind v0.0.0\n\nreplace github.com/askind/askind => "+repoRoot(t)+"\n\nrequire ("+needed,
		))
	sum, err := os.ReadFile(filepath.Join(repoRoot(t), "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), sum)
}

func repoRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// env returns the environment for the go command, without flags that concern this module only.
func env() []string { return append(os.Environ(), "GOWORK=off") }

// compiling returns the environment for a go command that compiles much: a fifth of that would be
// for the collection of garbage.
func compiling() []string { return append(env(), "GOGC=400") }

// TestScenarios generates each scenario in a module of its own. The scenarios without errors then
// become the packages of one module, so that the go command lists, compiles, vets, and links once.
func TestScenarios(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	var all *jointModule
	if !testing.Short() {
		all = newJointModule(t)
	}
	t.Run("generate", func(t *testing.T) {
		for _, path := range paths {
			name := strings.TrimSuffix(filepath.Base(path), ".txtar")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				readScenario(t, path).run(t, name, all)
			})
		}
	})
	t.Run("compile", func(t *testing.T) {
		if all == nil {
			t.Skip("compiles the packages of all scenarios")
		}
		all.test(t)
	})
}

func (s *scenario) run(t *testing.T, name string, all *jointModule) {
	dir := s.unpack(t)
	result, err := codegen.Run(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	var diagnostics strings.Builder
	for _, d := range result.Diagnostics {
		diagnostics.WriteString(d.String() + "\n")
		for _, bad := range []string{"invalid type", "DeepCopyerror"} {
			if strings.Contains(d.Message+d.Suggestion, bad) {
				t.Errorf("%s: there is no Go that has %q", d, bad)
			}
		}
	}
	got := map[string]string{}
	if diagnostics.Len() > 0 {
		got["want.txt"] = diagnostics.String()
	}
	for path, data := range result.All() {
		if s.compares(path) {
			got["want/"+path] = string(data)
		}
	}
	want := map[string]string{}
	for _, f := range s.archive.Files {
		if isExpectation(f.Name) {
			want[f.Name] = string(f.Data)
		}
	}
	if *update {
		s.rewrite(t, got)
	} else if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs; rerun with -update if the change is right (-want +got):\n%s", s.path, diff)
	}
	if result.HasErrors() {
		if len(result.Files) > 0 {
			t.Errorf("%d files in spite of errors", len(result.Files))
		}
		return
	}
	if all == nil {
		return
	}
	if _, err := codegen.Write(result); err != nil {
		t.Fatal(err)
	}
	all.add(t, name, dir)
}

func (s *scenario) rewrite(t *testing.T, got map[string]string) {
	t.Helper()
	files := slices.DeleteFunc(slices.Clone(s.archive.Files), func(f txtar.File) bool { return isExpectation(f.Name) })
	for _, name := range slices.Sorted(maps.Keys(got)) {
		files = append(files, txtar.File{Name: name, Data: []byte(got[name])})
	}
	data := txtar.Format(&txtar.Archive{Comment: s.archive.Comment, Files: files})
	if old, err := os.ReadFile(s.path); err == nil && bytes.Equal(old, data) {
		return
	}
	write(t, s.path, data)
}

// finding is the first line of a finding: its file, whether it is a warning, and its code.
var finding = regexp.MustCompile(`(?m)^(\S+\.go):\d+:\d+: (warning: )?(\S+) `)

// TestSuppress adds the marker that suppresses all rules with findings to each package with
// findings: the warnings of the generator in the archives in testdata, and what the rules report in
// those in testdata/lint.
func TestSuppress(t *testing.T) {
	t.Parallel()
	var rules []string
	for _, r := range codegen.Rules() {
		rules = append(rules, r.Name)
	}
	for _, kind := range []struct {
		pattern string
		find    func(codegen.Config) (*codegen.Result, error)
		codes   []string
		// all is set if errors are suppressed, too.
		all bool
	}{
		{"testdata/*.txtar", codegen.Run, lint.Warnings, false},
		{"testdata/lint/*.txtar", codegen.Lint, rules, true},
	} {
		paths, err := filepath.Glob(kind.pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no scenarios: %v", err)
		}
		seen := map[string]bool{}
		for _, path := range paths {
			s := readScenario(t, path)
			// found has the codes of the findings that can be suppressed, by directory.
			found := func(text []byte) map[string][]string {
				out := map[string][]string{}
				for _, m := range finding.FindAllSubmatch(text, -1) {
					dir, warning, code := filepath.Dir(string(m[1])), len(m[2]) > 0, string(m[3])
					if known := slices.Contains(kind.codes, code); known && (kind.all || warning) {
						out[dir] = append(out[dir], code)
					} else if warning && !known {
						t.Errorf("%s: the code is not listed: %s", path, m[0])
					}
				}
				return out
			}
			var before map[string][]string
			for _, f := range s.archive.Files {
				if f.Name == "want.txt" {
					before = found(f.Data)
				}
			}
			if len(before) == 0 {
				continue
			}
			cfg := codegen.Config{Dir: s.unpack(t), Patterns: []string{"./..."}, Env: env()}
			for dir, codes := range before {
				for _, code := range codes {
					seen[code] = true
				}
				files, err := filepath.Glob(filepath.Join(cfg.Dir, dir, "*.go"))
				files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
				if err != nil || len(files) == 0 {
					t.Fatalf("%s: %s has no files: %v", path, dir, err)
				}
				file, err := parser.ParseFile(token.NewFileSet(), files[0], nil, parser.PackageClauseOnly)
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(cfg.Dir, dir, "suppress.go"), []byte("// +askind:nolint:rule="+
					strings.Join(codes, ";")+",reason=\"a test\"\npackage "+file.Name.Name+"\n"))
			}
			result, err := kind.find(cfg)
			if err != nil {
				t.Fatal(err)
			}
			var text []byte
			for _, d := range result.Diagnostics {
				text = fmt.Appendln(text, d)
			}
			if left := found(text); len(left) > 0 {
				t.Errorf("%s: not suppressed: %v", path, left)
			}
		}
		for _, code := range kind.codes {
			if !seen[code] {
				t.Errorf("%s: no scenario has a finding of %s", kind.pattern, code)
			}
		}
	}
	docs, err := os.ReadFile("../docs/generator.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range lint.Warnings {
		if !strings.Contains(string(docs), "`"+code+"`") {
			t.Errorf("the warning %s is not documented", code)
		}
	}
}
