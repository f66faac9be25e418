package askind_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The widest lines that people write here, in columns; a tab counts as four.
const (
	commentColumns = 100
	codeColumns    = 120
)

// unbreakable matches the comments that are one line by nature: markers, directives, links, and the
// expected output of examples.
var unbreakable = regexp.MustCompile(`^\s*//(\S| \+|\t| {2,}|\s*\[[^\]]+\]: |\s*https?://)`)

// TestLines fails on comments and documents beyond 100 columns and on code beyond 120. A line that
// holds a long string literal may be wider, because a broken literal cannot be searched for.
func TestLines(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".md"):
			return checkPage(t, path)
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".pb.go"):
			return nil
		}
		files++
		return checkLines(t, path)
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Fatalf("only %d files were read", files)
	}
}

// checkLines checks the lines of one file of Go, unless it is generated.
func checkLines(t *testing.T, path string) error {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	exempt := map[int]bool{}
	for _, group := range file.Comments {
		if strings.Contains(group.Text(), "utput:") {
			for line := set.Position(group.Pos()).Line; line <= set.Position(group.End()).Line; line++ {
				exempt[line] = true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			first, last := set.Position(lit.Pos()).Line, set.Position(lit.End()).Line
			for line := first; line <= last && (len(lit.Value) > 24 || first != last); line++ {
				exempt[line] = true
			}
		}
		return true
	})
	number := 0
	for line := range strings.Lines(string(src)) {
		number++
		line = strings.TrimRight(line, "\n")
		width := len([]rune(line)) + 3*strings.Count(line, "\t")
		switch comment := strings.HasPrefix(strings.TrimSpace(line), "//"); {
		case exempt[number]:
		case comment && width > commentColumns && !unbreakable.MatchString(line):
			t.Errorf("%s:%d: the comment is %d columns wide, %d are allowed", path, number, width, commentColumns)
		case !comment && width > codeColumns:
			t.Errorf("%s:%d: the line is %d columns wide, %d are allowed", path, number, width, codeColumns)
		}
	}
	return nil
}

// checkPage checks the lines of one document but for tables, code, and lines without a space to
// break at.
func checkPage(t *testing.T, path string) error {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	number, code := 0, false
	for raw := range strings.Lines(string(page)) {
		number++
		line := strings.TrimSpace(raw)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		indented := strings.HasPrefix(raw, "    ") || strings.HasPrefix(raw, "\t")
		if code || indented || strings.HasPrefix(line, "|") || len([]rune(line)) <= commentColumns {
			continue
		}
		if strings.Contains(strings.TrimLeft(line, "-*0123456789. "), " ") {
			t.Errorf("%s:%d: the line is longer than %d columns", path, number, commentColumns)
		}
	}
	return nil
}
