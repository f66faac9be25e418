package model

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/askind/askind/codegen/internal/marker"
)

// suppression is the range of source in which a marker +askind:nolint disables rules.
type suppression struct {
	// file is blank for all files in dir.
	dir, file   string
	first, last int // lines
	rules       []string
}

// suppressed reports whether a marker disables a warning: in the package comment, or in the comment
// of the type, field or function around its position.
func (u *Universe) suppressed(pos token.Position, code string) bool {
	if u.suppressions == nil {
		u.suppressions = map[*Package][]suppression{}
	}
	for _, p := range u.packages {
		if !p.Main() {
			continue
		}
		list, ok := u.suppressions[p]
		if !ok {
			for _, file := range p.loaded.Files {
				list = append(list, u.suppressionsIn(file)...)
			}
			u.suppressions[p] = list
		}
		for _, s := range list {
			if s.dir == filepath.Dir(pos.Filename) && slices.Contains(s.rules, code) &&
				(s.file == "" || s.file == pos.Filename && s.first <= pos.Line && pos.Line <= s.last) {
				return true
			}
		}
	}
	return false
}

func (u *Universe) suppressionsIn(file *ast.File) []suppression {
	var out []suppression
	for _, g := range file.Comments {
		for _, m := range marker.Parse(g).All("askind:nolint") {
			at := u.Position(m.Pos)
			s := suppression{dir: filepath.Dir(at.Filename), rules: m.Rules()}
			if g.End() > file.Package {
				s.file = at.Filename
				s.first, s.last = u.declarationBelow(file, g)
			}
			out = append(out, s)
		}
	}
	return out
}

// declarationBelow returns the first and last line of the declaration to which a comment belongs,
// including its comments.
func (u *Universe) declarationBelow(file *ast.File, g *ast.CommentGroup) (first, last int) {
	first = u.line(g.Pos())
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || last > 0 {
			return false
		}
		var docs []*ast.CommentGroup
		switch n := n.(type) {
		case *ast.TypeSpec:
			if s := u.specs[n.Name.Pos()]; s != nil {
				docs = s.docs
			}
		case *ast.Field:
			if above := u.above[n]; above != nil {
				docs = append(docs, above)
			}
		case *ast.FuncDecl:
		default:
			return true
		}
		if n.Pos() > g.End() {
			for _, doc := range docs {
				first = min(first, u.line(doc.Pos()))
			}
			last = u.line(n.End())
		}
		return true
	})
	return first, last
}
