package codegen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// TestNoDeadCode checks that nothing unexported in generated files is there for nothing, also where
// hand-written functions take the place of generated ones.
func TestNoDeadCode(t *testing.T) {
	t.Parallel()
	for _, archive := range []string{
		"hand-written", "conversion_hand", "defaults_values", "as_declared", "as_cells",
		"json-shapes", "deepcopy-shapes", "protobuf_off", "packages", "validation_rules",
	} {
		t.Run(archive, func(t *testing.T) {
			t.Parallel()
			s := readScenario(t, "testdata/"+archive+".txtar")
			_, result := generate(t, archive, "./...")
			uses := map[string]map[string]int{} // by package directory and name
			count := func(name string, src []byte) *ast.File {
				if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
					return nil
				}
				file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				dir := path.Dir(name)
				if uses[dir] == nil {
					uses[dir] = map[string]int{}
				}
				ast.Inspect(file, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						uses[dir][id.Name]++
					}
					return true
				})
				return file
			}
			for _, f := range s.archive.Files {
				if !isExpectation(f.Name) {
					count(f.Name, f.Data)
				}
			}
			generated := map[string]*ast.File{}
			for name, src := range result.All() {
				if file := count(name, src); file != nil {
					generated[name] = file
				}
			}
			check := func(name, declared string) {
				if !token.IsExported(declared) && declared != "_" && uses[path.Dir(name)][declared] < 2 {
					t.Errorf("%s declares %s, which nothing uses", name, declared)
				}
			}
			for name, file := range generated {
				for _, decl := range file.Decls {
					switch decl := decl.(type) {
					case *ast.FuncDecl:
						check(name, decl.Name.Name)
						ast.Inspect(decl.Body, func(n ast.Node) bool {
							if block, ok := n.(*ast.IfStmt); ok && len(block.Body.List) == 0 {
								t.Errorf("%s: %s has an empty if statement", name, decl.Name.Name)
							}
							return true
						})
					case *ast.GenDecl:
						for _, spec := range decl.Specs {
							if v, ok := spec.(*ast.ValueSpec); ok {
								for _, n := range v.Names {
									check(name, n.Name)
								}
							}
						}
					}
				}
			}
		})
	}
}
