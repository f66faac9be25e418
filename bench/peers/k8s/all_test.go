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
	weighAll(t, dir, imports.String(), adds.String(), peers.String())
	for line := range strings.Lines(run(t, dir, "go", "test", "-vet=off", "-v", "./k8s")) {
		if strings.Contains(line, "scheme_test.go") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// weighAll links a program that reads and writes all these kinds as JSON, YAML and protobuf, and
// one with apimachinery, and compares their sizes with and without symbols.
func weighAll(t *testing.T, dir, imports, adds, peers string) {
	t.Helper()
	// most bounds ours in relation to the peer's: 1.22 measured with symbols, 1.21 without.
	const most = 1.25
	write(t, filepath.Join(dir, "ours", "main.go"), `package main

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
	"io"
	"os"
`+ours(imports)+`)

func main() {
	scheme, err := runtime.NewScheme(`+adds+`)
	if err != nil {
		panic(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), protobuf.Format())
	if err != nil {
		panic(err)
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	obj, err := f.Decode(data, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	if err != nil {
		panic(err)
	}
	if err := f.Encode(os.Stdout, obj, serializer.EncodeOptions{}); err != nil {
		panic(err)
	}
}
`)
	write(t, filepath.Join(dir, "peer", "main.go"), `package main

import (
	"io"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"os"
`+theirs(imports)+`)

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{`+peers+`} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	media := serializer.NewCodecFactory(scheme).SupportedMediaTypes()
	info, ok := runtime.SerializerInfoForMediaType(media, runtime.ContentTypeJSON)
	if !ok {
		panic("no JSON")
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	obj, _, err := info.StrictSerializer.Decode(data, nil, nil)
	if err != nil {
		panic(err)
	}
	if err := info.Serializer.Encode(obj, os.Stdout); err != nil {
		panic(err)
	}
}
`)
	for _, flags := range []string{"-ldflags=", "-ldflags=-s -w"} {
		var sizes [2]int64
		for i, name := range []string{"ours", "peer"} {
			path := filepath.Join(dir, "bin", name)
			run(t, dir, "env", "CGO_ENABLED=0", "go", "build", flags, "-o", path, "./"+name)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			sizes[i] = info.Size()
		}
		ratio := float64(sizes[0]) / float64(sizes[1])
		t.Logf("%s: %.1f MB, apimachinery %.1f MB: %.3f", flags, float64(sizes[0])/1e6, float64(sizes[1])/1e6, ratio)
		if ratio > most {
			t.Errorf("a program with all kinds is %.3f times as large as the peer's, at most %.2f is allowed", ratio, most)
		}
	}
}

// ours returns the imports of generated packages, and theirs those of the types.
func ours(imports string) string { return importsOf(imports, "askind/bench") }

func theirs(imports string) string { return importsOf(imports, "k8s.io/api") }

func importsOf(imports, part string) string {
	var b strings.Builder
	for line := range strings.Lines(imports) {
		if strings.Contains(line, part) {
			b.WriteString(line)
		}
	}
	return b.String()
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
