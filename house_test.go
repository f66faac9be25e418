package askind_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/askind/askind/"

// house says which packages of this module each package may import. An arrow that is missing here is a decision to be made, not a line to be
// added in passing: write down in docs/architecture.md why it is needed.
var house = map[string][]string{
	"schema":                           nil,
	"conversion":                       {"schema"},
	"internal/fieldset":                nil,
	"serializer/internal/chunk":        nil,
	"serializer/internal/input":        nil,
	"serializer/internal/batch":        {"schema"},
	"serializer/internal/problem":      nil,
	"serializer/internal/shape":        nil,
	"serializer/jsonwire":              {"schema", "serializer/internal/batch", "serializer/internal/chunk", "serializer/internal/problem"},
	"serializer/pbwire":                {"schema", "serializer/internal/batch", "serializer/internal/chunk", "serializer/internal/problem"},
	"conversion/carry":                 {"schema", "conversion", "serializer/jsonwire"},
	"runtime":                          {"schema", "conversion", "serializer/jsonwire", "serializer/pbwire"},
	"meta/internal/leaf":               {"serializer/jsonwire"},
	"meta/resource":                    {"meta/internal/leaf", "serializer/jsonwire", "serializer/pbwire"},
	"meta/intstr":                      {"meta/internal/leaf", "serializer/jsonwire", "serializer/pbwire"},
	"meta/v1":                          {"schema", "conversion", "runtime", "serializer/jsonwire", "serializer/pbwire", "meta/internal/leaf", "internal/fieldset"},
	"meta":                             {"schema", "runtime", "meta/v1"},
	"meta/unstructured":                {"schema", "runtime", "serializer/jsonwire", "meta/v1"},
	"serializer/internal/located":      {"schema", "runtime", "serializer/jsonwire"},
	"serializer/internal/members":      {"serializer/jsonwire"},
	"serializer/json":                  {"schema", "runtime", "serializer/jsonwire", "serializer/internal/located", "serializer/internal/input", "serializer/internal/members"},
	"serializer/json/reflectjson":      {"schema", "runtime", "serializer/jsonwire"},
	"serializer/yaml":                  {"schema", "runtime", "serializer/jsonwire", "serializer/internal/located", "serializer/internal/input", "serializer/internal/shape", "serializer/internal/members"},
	"serializer/cbor":                  {"schema", "runtime", "serializer/jsonwire", "serializer/internal/located", "serializer/internal/input", "serializer/internal/shape", "serializer/internal/members"},
	"serializer/protobuf":              {"schema", "runtime", "serializer/pbwire", "serializer/internal/input"},
	"serializer/protobuf/protomessage": {"schema", "runtime", "serializer/jsonwire", "serializer/pbwire"},
	"serializer/internal/tabular":      {"runtime", "meta/v1"},
	"serializer/csv":                   {"runtime", "serializer/jsonwire", "serializer/internal/tabular"},
	"serializer/text":                  {"runtime", "meta/v1", "serializer/jsonwire", "serializer/internal/tabular"},
	"serializer/query":                 {"schema", "runtime", "serializer/jsonwire"},
	"serializer/internal/rawmeta":      {"serializer/jsonwire", "internal/fieldset"},
	"serializer":                       {"schema", "conversion", "runtime", "serializer/jsonwire", "serializer/pbwire", "meta", "meta/v1", "serializer/internal/rawmeta"},
	"httpapi":                          {"schema", "conversion", "runtime", "meta", "meta/v1", "serializer", "serializer/query"},
}

// light are the packages that a program links to use objects and formats. Nothing in their closure may be one of heavy.
var (
	light = []string{"schema", "conversion", "conversion/carry", "serializer/jsonwire", "serializer/pbwire", "runtime", "meta/v1", "meta", "meta/unstructured", "serializer/json", "serializer/json/reflectjson", "serializer/yaml", "serializer/protobuf", "serializer/cbor", "serializer/csv", "serializer/text", "serializer/query", "serializer"}
	heavy = []string{"net/http", "log", "os/exec", "go/ast", "golang.org/x/tools/"}
)

// untyped are the packages that import unsafe.
var untyped = []string{
	"serializer/internal/chunk", "serializer/internal/batch", "serializer/jsonwire", "serializer/pbwire", "runtime", "meta/unstructured",
	"serializer/json/reflectjson", "serializer/cbor", "serializer/internal/rawmeta",
}

type listed struct {
	ImportPath    string
	Imports, Deps []string
}

func list(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// TestImportDirections fails on an arrow between two packages that the house does not have.
func TestImportDirections(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		allowed, ok := house[name]
		switch {
		case name == strings.TrimSuffix(module, "/"), strings.HasPrefix(name, "codegen"), strings.HasPrefix(name, "examples/"), strings.HasPrefix(name, "bench"), strings.HasPrefix(name, "fuzz"), strings.HasPrefix(name, "internal/"):
			continue
		case !ok:
			t.Errorf("%s has no place in the house: say in this test what it may import", name)
			continue
		}
		for _, imported := range p.Imports {
			if rest, ours := strings.CutPrefix(imported, module); ours && !slices.Contains(allowed, rest) {
				t.Errorf("%s imports %s: that arrow is not in the house", name, rest)
			}
		}
	}
}

// TestGeneratorStandsApart holds that the generator knows the packages it writes code for by their import paths only.
func TestGeneratorStandsApart(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./codegen/...") {
		for _, imported := range p.Imports {
			rest, ours := strings.CutPrefix(imported, module)
			if ours && rest != "schema" && !strings.HasPrefix(rest, "codegen") {
				t.Errorf("%s imports %s", p.ImportPath, rest)
			}
		}
	}
}

// TestLightPackages fails if a program that only handles objects would link a server, a logger, or the generator's libraries.
func TestLightPackages(t *testing.T) {
	t.Parallel()
	paths := make([]string, len(light))
	for i, name := range light {
		paths[i] = "./" + name
	}
	for _, p := range list(t, paths...) {
		for _, dep := range p.Deps {
			for _, h := range heavy {
				if dep == h || strings.HasSuffix(h, "/") && strings.HasPrefix(dep, h) {
					t.Errorf("%s depends on %s", p.ImportPath, dep)
				}
			}
		}
	}
}

// TestUnsafeIsExplained fails if a package handles memory without types, and if docs/architecture.md does not say what for.
func TestUnsafeIsExplained(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("\n## Memory without types\n"))
	text, _, _ = bytes.Cut(text, []byte("\n## "))
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		if _, ok := house[name]; !ok {
			continue
		}
		uses, named := slices.Contains(p.Imports, "unsafe"), slices.Contains(untyped, name)
		switch {
		case uses != named:
			t.Errorf("%s imports unsafe: %t, and is among those that may: %t", name, uses, named)
		case uses && !bytes.Contains(text, []byte("`"+name+"`")):
			t.Errorf("docs/architecture.md does not say what %s needs unsafe for", name)
		}
	}
}
