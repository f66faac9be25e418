package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBlankBodies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"method", "func (t *T) M(a int) (b error) { return nil }", "func (t *T) M(a int) (b error) {            }"},
		{"newlines stay", "func f() {\n\tg()\n}\nvar x int", "func f() {\n    \n}\nvar x int"},
		{"struct result", "func f() struct{ x int } { y }", "func f() struct{ x int } {   }"},
		{"interface result", "func f() map[string]interface{} { y }", "func f() map[string]interface{} {   }"},
		{"function result", "func f() func() { y }", "func f() func() {   }"},
		{"constraint", "func f[T interface{ ~int }](x T) { y }", "func f[T interface{ ~int }](x T) {   }"},
		{"no body", "func f() int\n\nvar x = T{y}", "func f() int\n\nvar x = T{y}"},
		{
			"over several lines", "func f(\n\ta int,\n) (\n\tb int,\n) { y }",
			"func f(\n\ta int,\n) (\n\tb int,\n) {   }",
		},
		{
			"texts", "func f() { a(\"}\", '}', `}`, \"\\\"}\", '\\'', '\"') }",
			"func f() {" + strings.Repeat(" ", 36) + "}",
		},
		{"comments", "func f() { /* } */ // }\n}", "func f() {             \n}"},
		{
			"values stay", "var f = func() { y }\nvar g = []func(){ h }\nfunc h() { y }",
			"var f = func() { y }\nvar g = []func(){ h }\nfunc h() {   }",
		},
		{"types stay", "type T struct {\n\tF func() // {\n}\ntype F func() interface{}\ntype G func(a int)\nfunc h() { y }", "type T struct {\n\tF func() // {\n}\ntype F func() interface{}\ntype G func(a int)\nfunc h() {   }"},
		{
			"a text before", "const c = `func f() { y }`\n// func f() { y }\n",
			"const c = `func f() { y }`\n// func f() { y }\n",
		},
		{"unfinished", "func f() { y", "func f() { y"},
		{"unfinished text", "func f() { \"y", "func f() { \"y"},
	} {
		if got := string(blankBodies([]byte(tt.src))); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// TestBlankBodiesEqualsParsing compares the declarations of whole packages with those that the
// parser finds in the untouched source, position by position.
func TestBlankBodiesEqualsParsing(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, dir := range []string{
		"go/types", "net/http", "reflect", "runtime", "encoding/json", "text/template",
		"math/big", "time", "syscall",
	} {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", dir, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatal(dir, err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := declarations(t, name, slices.Clone(src))
		got := declarations(t, name, blankBodies(src))
		if got != want {
			t.Errorf("%s: the declarations differ", name)
		}
	}
}

// declarations prints every node outside of blocks with its position.
func declarations(t *testing.T, name string, src []byte) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.BlockStmt); ok {
			fmt.Fprintf(&b, "block %d %d\n", n.Pos(), n.End())
			return false
		}
		if n != nil {
			fmt.Fprintf(&b, "%T %d %d", n, n.Pos(), n.End())
			if id, ok := n.(*ast.Ident); ok {
				b.WriteString(" " + id.Name)
			}
			b.WriteByte('\n')
		}
		return true
	})
	return b.String()
}

func FuzzBlankBodies(f *testing.F) {
	f.Add("func f() { y }\n")
	f.Add("var f = func() interface{} { `}` }")
	f.Fuzz(func(t *testing.T, src string) {
		got := blankBodies([]byte(src))
		if len(got) != len(src) || strings.Count(string(got), "\n") != strings.Count(src, "\n") {
			t.Errorf("%q became %q", src, got)
		}
	})
}
