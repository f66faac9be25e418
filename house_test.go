package askind_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/askind/askind/"

// house says which packages of this module each package may import. An arrow that is missing here
// is a decision to be made, not a line to be added in passing: write down in docs/architecture.md
// why it is needed.
var house = map[string][]string{
	"schema":                      nil,
	"conversion":                  {"schema"},
	"internal/fieldset":           {"internal/plain"},
	"internal/plain":              nil,
	"internal/coding":             nil,
	"internal/names":              nil,
	"internal/sorted":             nil,
	"serializer/internal/arrange": nil,
	"internal/borrow":             {"internal/plain"},
	"wire/internal/chunk":         {"internal/plain"},
	"serializer/internal/input":   nil,
	"wire/internal/batch":         {"internal/plain", "schema"},
	"wire":                        nil,
	"wire/internal/problems":      {"wire"},
	"wire/jsonwire": {
		"schema", "wire", "wire/internal/batch", "wire/internal/chunk", "wire/internal/problems",
	},
	"wire/pbwire": {
		"schema", "wire", "wire/internal/batch", "wire/internal/chunk", "wire/internal/problems",
	},
	"wire/internal/sample": {"schema", "wire/jsonwire", "wire/pbwire"}, // for tests
	"conversion/carry":     {"internal/sorted", "schema", "conversion", "wire/jsonwire"},
	"runtime":              {"internal/sorted", "schema", "conversion", "wire", "wire/jsonwire", "wire/pbwire"},
	"meta/internal/leaf":   {"wire/jsonwire"},
	"meta/resource":        {"meta/internal/leaf", "wire/jsonwire", "wire/pbwire"},
	"meta/intstr":          {"meta/internal/leaf", "wire/jsonwire", "wire/pbwire"},
	"meta/v1": {
		"internal/sorted", "schema", "conversion", "runtime", "wire/jsonwire", "wire/pbwire",
		"meta/internal/leaf", "internal/borrow", "internal/fieldset",
	},
	"meta":            {"schema", "runtime", "meta/v1"},
	"restmapper":      {"internal/sorted", "schema", "runtime"},
	"meta/selector":   {"internal/names", "internal/sorted", "schema", "meta/v1"},
	"meta/validation": {"internal/names", "schema", "runtime", "meta/v1"},
	"meta/unstructured": {
		"internal/borrow", "internal/sorted", "schema", "conversion", "runtime", "wire/jsonwire", "meta/v1",
	},
	"meta/dynamic": {
		"internal/sorted",
		"schema", "conversion", "runtime", "wire/jsonwire", "meta/v1", "meta/unstructured", "meta/validation",
		"validation",
	},
	"serializer/internal/located": {"internal/sorted", "schema", "runtime", "wire/jsonwire", "serializer/format"},
	"serializer/internal/members": {"internal/sorted", "wire/jsonwire"},
	"serializer/format":           {"schema", "runtime", "wire/jsonwire", "wire/pbwire"},
	"serializer/json": {
		"schema", "runtime", "serializer/format", "wire/jsonwire", "serializer/internal/located",
		"serializer/internal/input", "serializer/internal/listing", "serializer/internal/members",
	},
	"serializer/json/reflectjson": {"schema", "runtime", "wire/jsonwire"},
	"serializer/yaml": {
		"internal/plain", "internal/sorted",
		"schema", "runtime", "serializer/format", "wire/jsonwire", "serializer/internal/located",
		"serializer/internal/input", "serializer/internal/listing", "serializer/internal/members",
		"serializer/internal/arrange",
	},
	"serializer/cbor": {
		"internal/borrow", "internal/plain", "internal/sorted",
		"schema", "runtime", "serializer/format", "wire/jsonwire", "serializer/internal/located",
		"serializer/internal/input", "serializer/internal/listing", "serializer/internal/members",
		"serializer/internal/arrange",
	},
	"serializer/protobuf": {
		"internal/sorted",
		"schema", "runtime", "serializer/format", "wire/pbwire",
		"serializer/internal/input", "serializer/internal/listing",
	},
	"serializer/protobuf/protomessage": {"schema", "runtime", "wire/jsonwire", "wire/pbwire"},
	"serializer/internal/tabular":      {"runtime", "meta/v1", "serializer/format", "wire/jsonwire"},
	"serializer/csv":                   {"runtime", "serializer/format", "serializer/internal/tabular"},
	"serializer/html": {
		"schema", "runtime", "meta/v1", "serializer/format", "serializer/internal/tabular", "serializer/yaml",
	},
	"serializer/text": {
		"runtime", "serializer/format", "meta/v1", "wire/jsonwire",
		"serializer/internal/tabular",
	},
	"serializer/query":            {"schema", "runtime", "wire", "wire/jsonwire"},
	"serializer/internal/accept":  {"schema"},
	"serializer/internal/listing": {"schema", "runtime", "serializer/format", "serializer/internal/input"},
	"serializer/internal/rawmeta": {"wire/jsonwire", "internal/borrow", "internal/fieldset", "internal/plain"},
	"internal/origin":             {"schema", "conversion", "runtime", "wire/jsonwire"},
	"serializer": {
		"internal/origin", "internal/sorted", "schema", "conversion", "runtime", "wire/jsonwire", "wire/pbwire", "meta",
		"meta/v1", "serializer/format", "serializer/internal/accept", "serializer/internal/input",
		"serializer/internal/rawmeta",
	},
	"patch/internal/tree": {"internal/borrow", "internal/sorted", "schema", "wire", "wire/jsonwire"},
	"patch": {
		"internal/borrow", "internal/sorted", "schema", "wire", "wire/jsonwire", "patch/internal/tree",
		"patch/structure",
	},
	"patch/structure": {"runtime"},
	"patch/apply": {
		"internal/sorted", "schema", "wire/jsonwire", "meta/v1", "patch/internal/tree", "patch/structure",
	},
	"discovery/v1alpha1": {
		"schema", "conversion", "runtime", "meta/v1", "wire/jsonwire", "wire/pbwire",
		"validation",
	},
	"discovery/apidiscovery/v2": {
		"schema", "conversion", "runtime", "meta/v1", "wire/jsonwire", "wire/pbwire",
		"validation",
	},
	"discovery/apidiscovery/v2beta1": {
		"schema", "conversion", "runtime", "meta/v1", "wire/jsonwire", "wire/pbwire",
		"discovery/apidiscovery/v2", "validation",
	},
	"discovery": {
		"internal/sorted",
		"schema", "conversion", "runtime", "meta/v1", "serializer", "wire/jsonwire", "wire/pbwire",
		"discovery/v1alpha1", "discovery/apidiscovery/v2", "discovery/apidiscovery/v2beta1",
	},
	"discovery/groupstore": {
		"schema", "runtime", "meta/v1", "meta/unstructured", "store", "discovery", "discovery/v1alpha1",
	},
	"client": {
		"internal/sorted",
		"schema", "runtime", "restmapper", "meta", "meta/v1", "meta/unstructured", "serializer", "serializer/json",
		"serializer/query", "discovery", "discovery/v1alpha1", "discovery/apidiscovery/v2",
		"discovery/apidiscovery/v2beta1",
	},
	"openapi":             {"internal/sorted", "schema", "runtime", "meta/v1", "wire/jsonwire"},
	"validation":          {"internal/names", "internal/sorted", "schema", "runtime"},
	"store/internal/tree": nil,
	"store": {
		"internal/sorted", "schema", "conversion", "wire/jsonwire", "runtime", "meta", "meta/selector", "meta/v1",
		"meta/unstructured", "serializer", "store/internal/tree",
	},
	"store/memory":       {"internal/sorted", "store", "store/internal/tree"},
	"store/file":         {"internal/sorted", "store"},
	"store/file/inspect": {"store", "store/file"},
	"store/encrypt":      {"store"},
	"store/storetest": {
		"schema", "runtime", "meta/selector", "meta/unstructured", "meta/v1", "serializer", "serializer/json", "store",
	},
	"httpapi": {
		"internal/sorted",
		"internal/coding", "schema", "conversion", "runtime", "meta", "meta/v1", "serializer", "serializer/format",
		"serializer/query",
	},
	"server/auth":         nil,
	"aggregator/v1alpha1": {"schema", "conversion", "runtime", "wire/jsonwire", "meta/v1", "validation"},
	"aggregator": {
		"schema", "runtime", "meta/v1", "serializer", "serializer/json", "serializer/yaml", "serializer/protobuf",
		"serializer/cbor", "serializer/query", "httpapi", "discovery", "discovery/v1alpha1",
		"discovery/apidiscovery/v2", "client", "server/auth", "aggregator/v1alpha1", "openapi", "wire/jsonwire",
	},
	"server/auth/authorization/v1":  {"schema", "conversion", "runtime", "meta/v1", "wire/jsonwire", "wire/pbwire"},
	"server/auth/authentication/v1": {"schema", "conversion", "runtime", "meta/v1", "wire/jsonwire", "wire/pbwire"},
	"server": {
		"internal/coding", "internal/origin", "internal/sorted",
		"schema", "conversion", "runtime", "meta", "meta/v1", "meta/dynamic", "meta/unstructured", "meta/validation",
		"serializer", "serializer/format", "serializer/json", "serializer/yaml", "serializer/protobuf",
		"serializer/cbor", "serializer/csv", "serializer/text", "serializer/query", "httpapi", "store", "patch",
		"patch/structure", "patch/apply",
		"discovery", "discovery/groupstore", "discovery/v1alpha1", "openapi", "client", "server/auth", "wire/jsonwire",
		"server/auth/authorization/v1", "server/auth/authentication/v1", "server/internal/replaced",
	},
	"server/internal/replaced": {},
	"server/apiextensions/v1": {
		"schema", "conversion", "runtime", "meta/v1", "meta/dynamic", "meta/unstructured", "validation",
		"wire/jsonwire", "server/apiextensions/internal/stored", "server/internal/replaced",
	},
	"server/apiextensions/internal/stored": {},
	"server/apiextensions": {
		"internal/sorted", "schema", "runtime", "restmapper", "meta", "meta/v1", "meta/dynamic", "client", "server",
		"server/apiextensions/v1", "server/apiextensions/internal/stored", "server/internal/replaced",
	},
	"server/servertest": {"runtime", "server", "store", "store/memory"},
}

// floors are the folders of the module root from the bottom up. A package imports from its own
// folder and from those above its line in this list only. Packages under internal count as folders
// of their own.
var floors = []string{
	"schema", "internal/plain", "wire", "internal/sorted", "conversion", "internal/borrow",
	"internal/coding", "internal/fieldset", "internal/names", "runtime", "internal/origin", "validation",
	"meta",
	"restmapper", "patch",
	"serializer", "store", "openapi", "discovery", "httpapi", "client", "server", "aggregator", "codegen", "fuzz",
	"internal/cargo", "internal/cputime", "internal/dice", "internal/gadgets", "internal/protoshapes", "internal/race",
	"internal/rounds", "internal/ruled", "internal/sample", "internal/seedapi", "internal/tour", "internal/vault",
	"internal/workshop",
	"examples", "bench", "docs",
}

// fixtures are packages for tests. No package of the house imports them.
var fixtures = []string{
	"internal/cargo", "internal/cputime", "internal/dice", "internal/gadgets", "internal/protoshapes", "internal/race",
	"internal/rounds", "internal/ruled", "internal/sample", "internal/seedapi", "internal/tour", "internal/vault",
	"internal/workshop",
}

// tops are folders that may use every package below them.
var tops = []string{"codegen", "fuzz", "examples", "bench", "docs"}

// light are the packages that a program links to use objects and formats. Nothing in their closure
// may be one of heavy.
var (
	light = []string{
		"schema", "conversion", "conversion/carry", "wire/jsonwire", "wire/pbwire", "runtime", "meta/v1",
		"meta", "meta/selector", "meta/validation", "meta/unstructured", "meta/dynamic",
		"serializer/format", "serializer/json",
		"serializer/json/reflectjson",
		"serializer/yaml",
		"serializer/protobuf", "serializer/cbor", "serializer/csv", "serializer/text", "serializer/query", "serializer",
		"patch", "discovery", "openapi",
		"store", "store/memory", "store/encrypt",
	}
	heavy = []string{"net/http", "log", "os/exec", "go/ast", "golang.org/x/tools/"}
)

// untyped are the packages that import unsafe.
var untyped = []string{
	"wire/internal/chunk", "wire/internal/batch", "wire/jsonwire", "wire/pbwire", "runtime", "meta/unstructured",
	"serializer/json/reflectjson", "internal/borrow",
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
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		seen[name] = true
		allowed, ok := house[name]
		switch floor := folder(name); {
		case p.ImportPath+"/" == module, slices.Contains(tops, floor), slices.Contains(fixtures, floor):
			continue
		case !ok:
			t.Errorf("%s has no entry in house: say in this test what it may import", name)
			continue
		}
		for _, imported := range p.Imports {
			if rest, ours := strings.CutPrefix(imported, module); ours && !slices.Contains(allowed, rest) {
				t.Errorf("%s imports %s, which house does not allow", name, rest)
			}
		}
	}
	for name := range house {
		if !seen[name] {
			t.Errorf("house has an entry for %s, which does not exist", name)
		}
	}
}

// TestFolders fails if a folder of the module root imports one that is not below it, in other
// packages than tests.
func TestFolders(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		if p.ImportPath+"/" == module {
			continue
		}
		from := folder(strings.TrimPrefix(p.ImportPath, module))
		seen[from] = true
		if !slices.Contains(floors, from) {
			t.Errorf("the folder %s is not in floors: say in this test what it stands on", from)
			continue
		}
		for _, imported := range p.Imports {
			rest, ours := strings.CutPrefix(imported, module)
			if to := folder(rest); ours && slices.Index(floors, to) > slices.Index(floors, from) {
				t.Errorf("%s imports %s: the folder %s is above %s", p.ImportPath, rest, to, from)
			}
		}
	}
	for _, floor := range floors {
		if !seen[floor] {
			t.Errorf("floors has %s, which does not exist", floor)
		}
	}
}

// folder returns the folder of the module root that a package is in, and for a package under
// internal the folder below that.
func folder(name string) string {
	first, rest, _ := strings.Cut(name, "/")
	if first == "internal" {
		second, _, _ := strings.Cut(rest, "/")
		return first + "/" + second
	}
	return first
}

// TestModulesAgree fails if two nested modules require other versions of one dependency. They work,
// but everything that stands on the dependency is then compiled once for each version.
func TestModulesAgree(t *testing.T) {
	t.Parallel()
	type use struct{ version, file string }
	first := map[string]use{}
	files := 0
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "go.mod" || path == "go.mod" {
			return err
		}
		files++
		out, err := exec.Command("go", "mod", "edit", "-json", path).Output()
		if err != nil {
			return err
		}
		var mod struct {
			Require []struct{ Path, Version string }
		}
		if err := json.Unmarshal(out, &mod); err != nil {
			return err
		}
		for _, r := range mod.Require {
			if other, ok := first[r.Path]; !ok {
				first[r.Path] = use{r.Version, path}
			} else if other.version != r.Version {
				t.Errorf("%s requires %s %s, %s requires %s; use the later one in both", path, r.Path, r.Version,
					other.file, other.version)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 5 || len(first) < 50 {
		t.Errorf("only %d modules with %d dependencies were compared", files, len(first))
	}
}

// TestGeneratorStandsApart checks that the generator knows the packages it writes code for by their
// import paths only.
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

// TestLightPackages fails if a program that only handles objects would link a server, a logger, or
// the generator's libraries.
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

// TestUnsafeIsExplained fails if a package imports unsafe that is not in untyped, if more than one
// of its files does, and if docs/architecture.md does not explain it.
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
		case uses:
			if files := importing(t, name, "unsafe"); len(files) != 1 {
				t.Errorf("%s imports unsafe in %q; keep it in one file", name, files)
			}
		}
	}
}

// importing returns the files of a package, without tests, that import a path.
func importing(t *testing.T, dir, path string) (files []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if spec.Path.Value == strconv.Quote(path) && !strings.HasSuffix(name, "_test.go") {
				files = append(files, name)
			}
		}
	}
	return files
}

// surface bounds the exported names of packages: functions, types, methods of exported types,
// constants and variables. A name that is added takes the place of one that nobody uses.
var surface = []struct {
	packages []string
	most     int
}{
	{[]string{"runtime"}, 230},
	{[]string{"serializer"}, 90},
	{[]string{"serializer/format"}, 47},
	{[]string{"serializer/json", "serializer/yaml", "serializer/cbor", "serializer/protobuf"}, 17},
	{[]string{"serializer/csv", "serializer/text"}, 4},
	{[]string{"httpapi"}, 32},
}

// TestExportedNames fails if a package that users read has more exported names than surface says.
func TestExportedNames(t *testing.T) {
	t.Parallel()
	for _, s := range surface {
		n := 0
		for _, name := range s.packages {
			n += len(exportedNames(t, name))
		}
		if n > s.most {
			t.Errorf("%s: %d exported names, %d are allowed", strings.Join(s.packages, ", "), n, s.most)
		}
	}
	methods := 0
	for _, name := range exportedNames(t, "runtime") {
		if strings.HasPrefix(name, "Kind.") {
			methods++
		}
	}
	if most := 27; methods > most {
		t.Errorf("runtime.Kind: %d methods, %d are allowed", methods, most)
	}
}

// exportedNames returns the exported names of a package, those of methods behind their type.
func exportedNames(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	var names []string
	add := func(prefix string, ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, prefix+id.Name)
			}
		}
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if of := receiver(d); of == "" {
					add("", d.Name)
				} else if ast.IsExported(of) {
					add(of+".", d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						add("", s.Name)
					case *ast.ValueSpec:
						add("", s.Names...)
					}
				}
			}
		}
	}
	return names
}

// receiver returns the name of the type that a method belongs to, blank for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	for {
		switch e := of.(type) {
		case *ast.StarExpr:
			of = e.X
		case *ast.IndexExpr:
			of = e.X
		case *ast.IndexListExpr:
			of = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}
