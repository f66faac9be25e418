package codegen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A jointModule is a module whose packages are those of many small modules: package p of the module
// that is added as n becomes example.com/all/n/p. Tests become ordinary functions, called by one
// test of the root package, so that there is one program to link.
type jointModule struct {
	dir string
	mu  sync.Mutex
	// tests has the names of the test functions by directory.
	tests map[string][]string
}

const jointName = "example.com/all"

func newJointModule(t *testing.T) *jointModule {
	t.Helper()
	m := &jointModule{dir: t.TempDir(), tests: map[string][]string{}}
	writeModule(t, m.dir, jointName)
	return m
}

// add adds the Go files of the module in dir, and of the modules in directories of it.
func (m *jointModule) add(t *testing.T, name, dir string) {
	t.Helper()
	paths := map[string]string{} // of modules, to the directories in the joint module
	var sources []string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		switch {
		case d.Name() == "go.mod":
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			found := regexp.MustCompile(`(?m)^module (\S+)$`).FindSubmatch(text)
			paths[string(found[1])] = path.Join(jointName, name, filepath.ToSlash(filepath.Dir(rel)))
		case strings.HasSuffix(rel, ".go"):
			sources = append(sources, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, rel := range sources {
		src, err := os.ReadFile(filepath.Join(dir, rel))
		if err != nil {
			t.Fatal(err)
		}
		text := string(src)
		for _, module := range slices.Sorted(maps.Keys(paths)) {
			importPath := regexp.MustCompile(`(^|[^.\w/])` + regexp.QuoteMeta(module) + `([/".\s])`)
			text = importPath.ReplaceAllString(text, "${1}"+paths[module]+"${2}")
		}
		to := filepath.Join(name, rel)
		if strings.HasSuffix(rel, "_test.go") {
			to = m.addTests(t, to, text)
		}
		write(t, filepath.Join(m.dir, to), []byte(text))
	}
}

// addTests records the tests of a file and returns the name under which the file belongs to a
// package that can be imported.
func (m *jointModule) addTests(t *testing.T, file, text string) string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	to := strings.TrimSuffix(file, "_test.go") + "_tests.go"
	if strings.HasSuffix(parsed.Name.Name, "_test") {
		to = filepath.Join(filepath.Dir(file), "outside", filepath.Base(to))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		switch name := f.Name.Name; {
		case strings.HasPrefix(name, "Test"):
			m.tests[filepath.Dir(to)] = append(m.tests[filepath.Dir(to)], name)
		case strings.HasPrefix(name, "Example"), strings.HasPrefix(name, "Fuzz"):
			t.Errorf("%s: %s would not be run", file, name)
		}
	}
	return to
}

// test vets all packages and runs all tests.
func (m *jointModule) test(t *testing.T) {
	t.Helper()
	var imports, calls strings.Builder
	for i, dir := range slices.Sorted(maps.Keys(m.tests)) {
		fmt.Fprintf(&imports, "\tp%d %q\n", i, path.Join(jointName, filepath.ToSlash(dir)))
		for _, name := range m.tests[dir] {
			fmt.Fprintf(&calls, "\tt.Run(%q, p%d.%s)\n", path.Join(filepath.ToSlash(dir), name), i, name)
		}
	}
	write(t, filepath.Join(m.dir, "all_test.go"), fmt.Appendf(nil,
		"package all\n\nimport (\n\t\"testing\"\n\n%s)\n\nfunc TestAll(t *testing.T) {\n%s}\n", &imports, &calls))
	// Optimising would take most of the time and is not what is tested.
	flags := "-gcflags=" + jointName + "/...=-N -l -dwarf=false"
	for _, command := range [][]string{{"vet", flags, "./..."}, {"test", flags, "-vet=off", "."}} {
		cmd := exec.Command("go", command...)
		cmd.Dir, cmd.Env = m.dir, compiling()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", strings.Join(command, " "), err, out)
		}
	}
}
