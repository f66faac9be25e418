package k8s_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// groupNames are the groups of packages that do not state them.
var groupNames = map[string]string{
	"admission": "admission.k8s.io", "apps": "apps", "autoscaling": "autoscaling", "batch": "batch",
	"extensions": "extensions", "policy": "policy",
}

// TestAllPackages generates for every package of k8s.io/api, in a module of its own, and tests all
// golden objects there. Generating and compiling take a while, so it is left out of short runs.
func TestAllPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("generates and compiles a hundred thousand lines")
	}
	t.Parallel()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	askind := filepath.Join(dir, "bin", "askind")
	run(t, root, "go", "build", "-o", askind, "./codegen/askind")

	// The module takes the place of this one, so that the tests find the packages under the same
	// paths.
	copyFile(t, "../go.sum", filepath.Join(dir, "go.sum"), nil)
	copyFile(t, "../go.mod", filepath.Join(dir, "go.mod"), strings.NewReplacer("=> ../..", "=> "+root))
	files := []string{"doc.go", "goldens_test.go", "scheme_test.go", "shared_test.go"}
	compare, err := filepath.Glob("../internal/compare/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, compare...) {
		copyFile(t, name, filepath.Join(dir, "k8s", name), nil)
	}
	packages := apiPackages(t)
	var imports, adds, peers strings.Builder
	for _, p := range packages {
		name := strings.ReplaceAll(p, "/", "")
		doc := "// Package " + name + " is generated for k8s.io/api/" + p + ".\n//\n// +askind:foreign=k8s.io/api/" +
			p + "\n// +askind:codecs=github.com/askind/askind/k8s/metav1\n"
		if g, ok := groupNames[strings.Split(p, "/")[0]]; ok {
			doc += "// +groupName=" + g + "\n"
		}
		write(t, filepath.Join(dir, "k8s", name, "doc.go"), doc+"package "+name+"\n")
		fmt.Fprintf(&imports, "\t%q\n\tk%s %q\n", "github.com/askind/askind/bench/peers/k8s/"+name, name,
			"k8s.io/api/"+p)
		fmt.Fprintf(&adds, "%s.AddTo, ", name)
		fmt.Fprintf(&peers, "k%s.AddToScheme, ", name)
	}
	write(t, filepath.Join(dir, "k8s", "groups_test.go"), "package k8s_test\n\nimport (\n"+imports.String()+
		"\tkruntime \"k8s.io/apimachinery/pkg/runtime\"\n\n\t\"github.com/askind/askind/runtime\"\n)\n\n"+
		"func groups() []func(*runtime.Builder) {\n\treturn []func(*runtime.Builder){"+adds.String()+"}\n}\n\n"+
		"func peerGroups() []func(*kruntime.Scheme) error {\n\treturn []func(*kruntime.Scheme) error{"+peers.String()+
		"}\n}\n\nconst wantGoldens = 193\n")

	for line := range strings.Lines(run(t, dir, askind, "-v", "./k8s/...")) {
		if strings.Contains(line, "s  ") { // the times of the phases
			t.Log(strings.TrimSpace(line))
		}
	}
	run(t, dir, askind, "-check", "./k8s/...")
	for line := range strings.Lines(run(t, dir, "go", "test", "-vet=off", "-v", "./k8s")) {
		if strings.Contains(line, "scheme_test.go") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// apiPackages returns the packages of k8s.io/api that have kinds, relative to the module.
func apiPackages(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(moduleDir(t, "k8s.io/api"), "*", "*", "types.go"))
	if err != nil {
		t.Fatal(err)
	}
	registered := regexp.MustCompile(`k8s:deepcopy-gen:interfaces=.*runtime\.Object`)
	var out []string
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if registered.Match(src) {
			dir := filepath.Dir(file)
			out = append(out, filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir))
		}
	}
	slices.Sort(out)
	return out
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func copyFile(t *testing.T, from, to string, change *strings.Replacer) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if change != nil {
		text = change.Replace(text)
	}
	write(t, to, text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
