package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askind/askind/codegen"
)

// TestMain keeps what runs remember away from the cache of the person who runs the tests.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "askind-test-")
	if err != nil {
		panic(err)
	}
	userCacheDir = func() (string, error) { return dir, nil }
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// module writes a module with one API package and returns its directory.
func module(t *testing.T, types string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/t\n\ngo 1.26.0\n", "v1/types.go": types} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const good = "// +askind:generate\npackage v1\n\ntype T struct {\n\tA []string `json:\"a\"`\n}\n"

func TestRun(t *testing.T) {
	t.Parallel()
	dir := module(t, good)
	bad := module(t, strings.Replace(good, "[]string", "chan int", 1))
	empty := module(t, "package v1\n")
	mistaken := module(t, strings.Replace(good, `json:"a"`, `json:"b"`, 1))
	near := module(t, strings.Replace(good, "// +askind:generate\n",
		"// +kubebuilder:objct:root\n// +askind:generate\n", 1))
	for _, tt := range []struct {
		name           string
		args           string
		status         int
		stdout, stderr string
	}{
		{
			"check before", "-check -C " + dir + " ./...", 1,
			"v1/zz_generated.deepcopy.go: missing\nv1/zz_generated.json.go: missing\n", "go tool askind",
		},
		{"diff before", "-diff -only deepcopy -C " + dir + " ./...", 1, "+++ b/v1/zz_generated.deepcopy.go\n", ""},
		{"write", "-v -C " + dir + " ./...", 0, "", "wrote v1/zz_generated.json.go"},
		{"write again", "-a -C " + dir + " ./...", 0, "", "askind: 0 written, 0 deleted, 3 unchanged\n"},
		{"check after", "-check -C " + dir + " ./...", 0, "", ""},
		{"diff after", "-diff -C " + dir + " ./...", 0, "", ""},
		{"findings", "-C " + bad + " ./...", 1, "", "v1/types.go:5:2: deepcopy-chan"},
		{"findings while checking", "-check -C " + bad + " ./...", 1, "", "v1/types.go:5:2: deepcopy-chan"},
		{
			"findings as JSON", "-json -C " + bad + " ./...", 1,
			`{"file":"v1/types.go","line":5,"column":2,"severity":"error","code":"deepcopy-chan"`, "",
		},
		{"nothing selected", "-C " + empty + " ./...", 1, "", "nothing-selected"},
		{
			"warning", "-C " + near + " ./...", 0, "",
			"v1/types.go:1:4: warning: marker-near-miss unknown marker +kubebuilder:objct:root\n\ttry: +kubebuilder:object:root\n",
		},
		{"warning as JSON", "-json -C " + near + " ./...", 0, `"severity":"warning","code":"marker-near-miss"`, ""},
		{
			"warning when strict", "-strict -C " + near + " ./...", 1, "",
			"v1/types.go:1:4: marker-near-miss unknown marker +kubebuilder:objct:root\n",
		},
		{"lint", "lint -C " + dir + " ./...", 0, "", ""},
		{
			"lint findings", "lint -C " + mistaken + " ./...", 1, "",
			"v1/types.go:5:2: tag-name T.A is \"b\" in JSON\n\ttry: `json:\"a\"`\n",
		},
		{"directory before a command", "-C " + mistaken + " lint ./...", 1, "", "v1/types.go:5:2: tag-name T.A"},
		{"directory before, with =", "-C=" + dir + " explain v1.T.a", 0, "T.a", ""},
		{"directory before the first command", "-C " + dir + " generate -check ./...", 0, "", ""},
		{"directory before what is nearly a command", "-C " + dir + " mrakers", 2, "", `did you mean "markers"?`},
		{"directory that no command needs", "-C " + dir + " markers", 0, "+groupName=value", ""},
		{"directory without a value", "-C", 2, "", "flag needs an argument: -C"},
		{"lint findings as JSON", "lint -json -C " + mistaken + " ./...", 1, `"code":"tag-name"`, ""},
		{"lint rules", "lint -rules", 0, "tag-name\n\tThe name in a json tag", ""},
		{"lint rules as JSON", "lint -rules -json", 0, `{"name":"tag-name","doc":"The name`, ""},
		{
			"unknown flag", "-chekc", 2, "",
			"not defined: -chekc\nusage: askind [flags] [packages]\nRun 'askind help' for more.\n",
		},
		{
			"a base that is not a URL", "schema -base :: -C " + dir + " ./...", 1, "",
			`-base "::" is not the beginning of a URL`,
		},
		{"unknown concern", "-only nothing ./...", 2, "", "unknown concern"},
		{"flags", "-h", 0, "  -strict\n", ""},
		{"help", "help", 0, "askind markers [-json]", ""},
		{"help names the exit status", "help", 0, "  2  if the command was not understood.\n", ""},
		{"help for the first command", "help generate", 0, "usage: askind [flags] [packages]\n", ""},
		{"help for another", "help markers", 0, "usage: askind markers [-json]\n", ""},
		{"the first command by its name", "generate -h", 0, "usage: askind [flags] [packages]\n", ""},
		{
			"nearly a command", "exlpain a b", 2, "",
			`there is no command "exlpain" (did you mean "explain"?); a package of this name is ./exlpain`,
		},
		{"help for nothing", "help nothing", 2, "", `there is no command "nothing"`},
		{"markers", "markers", 0, "+groupName=value  (a package comment)\n", ""},
		{"markers with arguments", "markers all", 2, "", ""},
	} {
		// The rows build on each other.
		var stdout, stderr bytes.Buffer
		status := run(strings.Fields(tt.args), &stdout, &stderr)
		if status != tt.status || !strings.Contains(stdout.String(), tt.stdout) ||
			!strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%s: status %d, want %d\nstdout: %s\nstderr: %s", tt.name, status, tt.status, &stdout, &stderr)
		}
		if tt.stdout == "" && stdout.Len() > 0 {
			t.Errorf("%s: unexpected output %s", tt.name, &stdout)
		}
	}
}

// TestPhases checks that -v says how long each phase took.
func TestPhases(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if status := run([]string{"-v", "-C", module(t, good), "./..."}, &stdout, &stderr); status != exitClean {
		t.Fatal(status, stderr.String())
	}
	for _, phase := range []string{"loaded 1 of 1 packages", "planned 1 packages", "wrote 3 files in memory"} {
		if !regexp.MustCompile(`(?m)^ *\d+\.\d\ds  ` + phase + "$").MatchString(stderr.String()) {
			t.Errorf("no phase %q in\n%s", phase, &stderr)
		}
	}
}

// TestCheckNamesEveryDifference has one file that is missing, one that is stale and one that should
// not be there.
func TestCheckNamesEveryDifference(t *testing.T) {
	t.Parallel()
	dir := module(t, good)
	const ours = "// Code generated by askind; DO NOT EDIT.\n\npackage v1\n"
	for _, name := range []string{"v1/zz_generated.json.go", "v1/zz_generated.defaults.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(ours), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	status := run([]string{"-check", "-C", dir, "./..."}, &stdout, &stderr)
	const want = "v1/zz_generated.deepcopy.go: missing\nv1/zz_generated.defaults.go: obsolete\nv1/zz_generated.json.go: stale\nv1/zz_generated.schema.go: missing\n"
	if status != exitFindings || stdout.String() != want {
		t.Errorf("status %d\ngot\n%swant\n%s", status, &stdout, want)
	}
	stdout.Reset()
	status = run([]string{"-diff", "-C", dir, "./..."}, &stdout, &stderr)
	for _, text := range []string{
		"--- /dev/null\n+++ b/v1/zz_generated.deepcopy.go\n",
		"--- a/v1/zz_generated.defaults.go\n+++ /dev/null\n",
		"--- a/v1/zz_generated.json.go\n+++ b/v1/zz_generated.json.go\n",
	} {
		if status != exitFindings || !strings.Contains(stdout.String(), text) {
			t.Errorf("status %d: no %q in\n%s", status, text, &stdout)
		}
	}
}

func TestMarkersAsJSON(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	if status := run([]string{"markers", "-json"}, &stdout, &stdout); status != 0 {
		t.Fatal(status, stdout.String())
	}
	for line := range bytes.Lines(stdout.Bytes()) {
		var m struct{ Name, Doc string }
		if err := json.Unmarshal(line, &m); err != nil || m.Name == "" || m.Doc == "" {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestPage checks that docs/generator.md names every command, and every flag of the generator.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/generator.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		row := strings.TrimSpace("| `askind " + c.name)
		if !strings.Contains(string(page), row) {
			t.Errorf("there is no row %q", row)
		}
	}
	var help bytes.Buffer
	run([]string{"help", "generate"}, &help, io.Discard)
	flags := 0
	for line := range strings.Lines(help.String()) {
		if name, ok := strings.CutPrefix(line, "  -"); ok {
			flags++
			name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
			name, _, _ = strings.Cut(name, "\t")
			if !regexp.MustCompile("(?m)^\\| `-" + name + "[ `]").Match(page) {
				t.Errorf("there is no row for -%s", name)
			}
		}
	}
	if flags < 9 {
		t.Errorf("%d flags in\n%s", flags, &help)
	}
	help.Reset()
	run([]string{"help"}, &help, io.Discard)
	for _, c := range commands() {
		if text := "  " + c.line() + "\n    \t" + c.summary + "\n"; !strings.Contains(help.String(), text) {
			t.Errorf("no %q in\n%s", text, &help)
		}
	}
	for line := range strings.Lines(help.String()) {
		if len(line) > 80 {
			t.Errorf("%q is longer than a terminal is wide", line)
		}
	}
	if list := strings.Join(codegen.Concerns(), ", "); !strings.Contains(string(page), list) {
		t.Errorf("the concerns are %s", list)
	}
}
