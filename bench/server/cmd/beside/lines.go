package main

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// codeLines counts the lines of Go files that have code: no blank lines, comments, tests, generated
// files, or files with the name types.go. A folder that ends in /... is counted with what is below.
func codeLines(folders ...string) (int, error) {
	total := 0
	for _, folder := range folders {
		root, below := strings.CutSuffix(folder, "/...")
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch name := d.Name(); {
			case err != nil:
				return err
			case d.IsDir() && path != root && !below:
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go"):
				return nil
			case strings.HasSuffix(name, "_test.go") || name == "types.go":
				return nil
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			n, err := linesOf(src)
			total += n
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return total, nil
}

// linesOf counts the lines of a file that have code, none if it is generated.
func linesOf(src []byte) (int, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", src, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil || ast.IsGenerated(tree) {
		return 0, err
	}
	file := set.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0) // without comments
	lines := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return len(lines), nil
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // at the end of a line, which has other code
		}
		first := file.Line(pos)
		for line := first; line <= first+strings.Count(text, "\n"); line++ {
			lines[line] = true
		}
	}
}
