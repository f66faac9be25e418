package tour

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Snippets are the pieces of Go on pages and in comments of packages. Each is checked as a
// reader would complete it: with the packages that it names imported, and with the variables
// and types of testdata/garage. An ellipsis stands for any value, or for any statements.
type Snippets struct {
	// Dir is the directory of the module whose packages, and what they import, can be named.
	Dir string
	// Imports has the paths of packages by the names that snippets use. Those of this repository,
	// and those of the standard library that snippets use, have their names.
	Imports map[string]string
	// Types is the source of a package v1 that takes the place of the one in testdata/garage.
	Types string
	// Only are names of packages, or of what they export, as in http.Server. If there are any,
	// snippets that use none of them are not checked.
	Only []string
	// Not are such names, too. Snippets that use one of them are not checked.
	Not []string
}

//go:embed testdata/garage
var garageFiles embed.FS

const module = "github.com/askind/askind/"

// garage is the path of the package of the types in testdata/garage/v1.go.
const garage = "example.com/garage/v1"

// snippet is a piece of Go on a page or in a comment. Its origin is the name of the page or the
// folder of the package.
type snippet struct{ where, origin, text string }

// pageSnippets returns the snippets of a page in Markdown that are not files, or parts of files,
// which [Page.Follow] compares.
func pageSnippets(t testing.TB, page string) []snippet {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []snippet
	for i, b := range Blocks(string(text)) {
		before := strings.Join(strings.Fields(b.Before), " ")
		if b.Language == "go" && !fileName.MatchString(before) && !inFile.MatchString(before) {
			origin := strings.TrimSuffix(filepath.Base(page), ".md")
			out = append(out, snippet{fmt.Sprintf("%s, block %d", page, i+1), origin, b.Text})
		}
	}
	return out
}

// commentSnippets returns the snippets in the comments of the packages below a directory that are
// in its module and not generated.
func commentSnippets(t testing.TB, dir string) []snippet {
	t.Helper()
	var out []snippet
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			other := err == nil || slices.Contains([]string{"internal", "testdata", ".git", ".ci"}, d.Name())
			if name != dir && other {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") ||
			strings.HasPrefix(d.Name(), "zz_generated") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			for _, b := range new(comment.Parser).Parse(group.Text()).Content {
				if code, ok := b.(*comment.Code); ok && isGo(code.Text) {
					origin := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(name, dir+"/")))
					out = append(out, snippet{name + ": " + firstLine(code.Text), origin, code.Text})
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// isGo reports whether a block of a comment is Go that can be checked: not the output of a command,
// and not markers alone.
func isGo(text string) bool {
	file, _, err := parse(text)
	if err != nil {
		return strings.Contains(text, ":=") || strings.Contains(text, "func ")
	}
	said := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt, *ast.CallExpr, *ast.GenDecl:
			said = true
		case *ast.FuncDecl:
			said = said || n.Name.Name != "_"
		}
		return !said
	})
	return said
}

// Check checks the snippets of pages and those in the comments of the module.
func (s Snippets) Check(t *testing.T, pages ...string) {
	t.Helper()
	all := commentSnippets(t, s.Dir)
	for _, page := range pages {
		all = append(all, pageSnippets(t, page)...)
	}
	checked := 0
	c := s.newChecker(t)
	for _, p := range all {
		file, fset, err := parse(p.text)
		if err != nil {
			t.Errorf("%s: %v\n%s", p.where, err, p.text)
			continue
		}
		named := namesOf(file)
		if len(s.Only) > 0 && !slices.ContainsFunc(s.Only, named) || slices.ContainsFunc(s.Not, named) {
			continue
		}
		checked++
		for _, err := range c.check(fset, file, p.origin) {
			t.Errorf("%s: %v\n%s", p.where, err, p.text)
		}
	}
	if checked == 0 {
		t.Error("no snippets were checked")
	}
	t.Logf("%d snippets were checked", checked)
}

// namesOf returns whether a snippet selects something from a name, or imports that path.
func namesOf(file *ast.File) func(string) bool {
	names := map[string]bool{}
	for _, spec := range file.Imports {
		names[strings.Trim(spec.Path.Value, `"`)] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				names[x.Name], names[x.Name+"."+sel.Sel.Name] = true, true
			}
		}
		return true
	})
	return func(name string) bool { return names[name] }
}

// omitted are the statements that an ellipsis stands for.
var omitted = regexp.MustCompile(`(?m)\{ … \}|^\s*…( //.*)?$`)

// parse parses a snippet as statements, as a file, as declarations, or as the fields of a struct.
func parse(text string) (*ast.File, *token.FileSet, error) {
	text = omitted.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "{") {
			return `{ panic("") }`
		}
		return "" // so that what follows is reached
	})
	text = strings.ReplaceAll(text, "ListMeta: …", "ListMeta: metav1.ListMeta{}")
	text = strings.ReplaceAll(text, "{…}", "{}")
	text = strings.ReplaceAll(text, "…", "nil")
	const head = "package snippet\n"
	statements := head + "func _() error {\n" + text + "\nreturn nil\n}"
	forms := []string{statements, text, head + text, head + "type _ struct {\n" + text + "\n}"}
	if start := strings.TrimRight(text, "\n"); strings.HasSuffix(start, "{") {
		forms = append(forms, head+start+"\npanic(0)\n}") // the first line of a function
	}
	var first error // that of statements, which most snippets are
	for _, form := range forms {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "snippet", form, parser.SkipObjectResolution|parser.ParseComments)
		if err == nil {
			return file, fset, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, nil, first
}

// checker type-checks snippets.
type checker struct {
	exported types.Importer
	names    map[string][]string // paths of packages by name
	v1       *types.Package
}

func (s Snippets) newChecker(t testing.TB) *checker {
	t.Helper()
	common := []string{
		module + "client", module + "server", // and what these import
		"context", "crypto/tls", "errors", "fmt", "net/http", "os", "os/signal", "log", "log/slog", "strings",
		"syscall", "testing", "time",
	}
	fset := token.NewFileSet()
	v1, err := parser.ParseFile(fset, "v1.go", s.types(t), parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	named := slices.Collect(maps.Values(s.Imports))
	for _, spec := range v1.Imports {
		named = append(named, strings.Trim(spec.Path.Value, `"`))
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{
		"list", "-export", "-deps", "-json=ImportPath,Name,Export", "./...",
	}, append(named, common...)...)...)
	cmd.Dir, cmd.Stderr = s.Dir, t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports, c := map[string]string{}, &checker{names: map[string][]string{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Name, Export string }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Export == "" {
			continue
		}
		exports[p.ImportPath] = p.Export
		ours := strings.HasPrefix(p.ImportPath, module) && !strings.Contains(p.ImportPath, "/internal/") &&
			!strings.Contains(p.ImportPath, "/testdata/")
		if ours || slices.Contains(common, p.ImportPath) {
			c.names[p.Name] = append(c.names[p.Name], p.ImportPath)
		}
	}
	for _, name := range []string{"v1", "v1beta1", "v2"} {
		c.names[name] = []string{garage}
	}
	c.names["metav1"] = []string{module + "meta/v1"}
	for name, path := range s.Imports {
		c.names[name] = []string{path}
	}
	c.exported = importer.ForCompiler(token.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) {
		if exports[name] == "" {
			return nil, fmt.Errorf("%s is not a dependency of the module", name)
		}
		return os.Open(exports[name])
	})
	if c.v1, err = (&types.Config{Importer: c}).Check(garage, fset, []*ast.File{v1}, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// types returns the source of the package v1.
func (s Snippets) types(t testing.TB) string {
	t.Helper()
	if s.Types != "" {
		return s.Types
	}
	source, err := garageFiles.ReadFile("testdata/garage/v1.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// Import implements types.Importer.
func (c *checker) Import(name string) (*types.Package, error) {
	if name == garage {
		return c.v1, nil
	}
	return c.exported.Import(name)
}

// check returns the errors of a compiler, other than those about names that are not used.
func (c *checker) check(fset *token.FileSet, file *ast.File, origin string) (found []error) {
	imported := map[string]bool{}
	for _, spec := range file.Imports {
		name := path.Base(strings.Trim(spec.Path.Value, `"`))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = true
	}
	c.addImports(file, imported, origin)
	files := []*ast.File{file}
	// What a snippet declares takes the place of what the context has under that name.
	own := declared(file)
	for _, spec := range file.Imports {
		if spec.Name != nil {
			own[spec.Name.Name] = true
		}
	}
	for _, name := range []string{strings.ReplaceAll(origin, "/", "_") + ".go", "context.go"} {
		source, err := garageFiles.ReadFile("testdata/garage/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		context, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			return []error{err}
		}
		withoutNames(context, own)
		maps.Copy(own, declared(context))
		context.Name.Name = file.Name.Name
		files = append(files, context)
	}
	config := types.Config{
		Importer: c,
		Error: func(err error) {
			if strings.Contains(err.Error(), " and not used") {
				return // what a snippet shows is used by the lines after it
			}
			found = append(found, err)
		},
	}
	_, _ = config.Check("snippet", fset, files, nil) // Error has been called
	return found
}

// addImports adds an import for each package that a file names.
func (c *checker) addImports(file *ast.File, imported map[string]bool, origin string) {
	named := namesOf(file)
	var specs []ast.Spec
	for _, name := range slices.Sorted(maps.Keys(c.names)) {
		if named(name) && !imported[name] {
			spec := &ast.ImportSpec{
				Name: ast.NewIdent(name),
				Path: &ast.BasicLit{Kind: token.STRING, Value: `"` + nearest(c.names[name], origin) + `"`},
			}
			specs, file.Imports = append(specs, spec), append(file.Imports, spec)
		}
	}
	if len(specs) > 0 {
		file.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Lparen: 1, Specs: specs}}, file.Decls...)
	}
}

// nearest returns the path that has most folders in common with an origin, and the shortest such.
func nearest(paths []string, origin string) string {
	common := func(name string) int {
		rest := strings.TrimPrefix(name, module)
		n := 0
		for part := range strings.SplitSeq(origin, "/") {
			first, more, _ := strings.Cut(rest, "/")
			if first != part {
				break
			}
			n, rest = n+1, more
		}
		return n
	}
	return slices.MinFunc(paths, func(a, b string) int {
		return cmp.Or(common(b)-common(a), len(a)-len(b), strings.Compare(a, b))
	})
}

// withoutNames removes the declarations of names from a file.
func withoutNames(file *ast.File, names map[string]bool) {
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.FuncDecl:
			return names[d.Name.Name]
		case *ast.GenDecl:
			d.Specs = slices.DeleteFunc(d.Specs, func(spec ast.Spec) bool {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					return names[spec.Name.Name]
				case *ast.ValueSpec:
					for i, name := range spec.Names {
						if names[name.Name] {
							spec.Names[i] = ast.NewIdent("_")
						}
					}
				}
				return false
			})
			return len(d.Specs) == 0
		default:
			return false
		}
	})
}

// declared returns the names that a file declares.
func declared(file *ast.File) map[string]bool {
	out := map[string]bool{}
	for _, d := range file.Decls {
		for _, name := range namesIn(d) {
			out[name] = true
		}
	}
	return out
}

// namesIn returns the names that a declaration declares.
func namesIn(d ast.Decl) (out []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			out = append(out, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				out = append(out, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					out = append(out, name.Name)
				}
			}
		}
	}
	return out
}
