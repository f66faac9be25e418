package emit

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"unicode"
	"unicode/utf8"
)

// own precedes the names of the file's own package until no variable hides one of them. It is a
// letter, so that the source parses.
const own = "\u02bb"

// unhide removes the letters before the names of the package. Variables with one of these names get
// a longer one. Source that does not parse only loses the letters.
func (f *File) unhide(src []byte) []byte {
	if f.mayHide(src) {
		fset := token.NewFileSet()
		if file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution); err == nil {
			src = f.rename(src, file, fset.File(file.Pos()).Base())
		}
	}
	return bytes.ReplaceAll(src, []byte(own), nil)
}

// mayHide reports whether a name of the package that is not exported is also the name of something
// else in the file.
func (f *File) mayHide(src []byte) bool {
	parts := bytes.Split(src, []byte(own))
	for _, part := range parts[1:] {
		name := part[:len(part)-len(bytes.TrimLeftFunc(part, isNameRune))]
		if first, _ := utf8.DecodeRune(name); !unicode.IsUpper(first) && f.unqualified[string(name)] {
			return true
		}
	}
	return false
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// rename gives other names to the variables that hide names of the package. The names are not
// reserved, so nothing else in the file has them.
func (f *File) rename(src []byte, file *ast.File, base int) []byte {
	var names []*ast.Ident
	variables, owned := map[string]bool{}, map[string]bool{}
	declare := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if id, ok := e.(*ast.Ident); ok {
				variables[id.Name] = true
			}
		}
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			names = append(names, n)
			owned[n.Name] = true
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.KeyValueExpr:
			if _, ok := n.Key.(*ast.Ident); ok {
				ast.Inspect(n.Value, visit)
				return false
			}
		case *ast.StructType:
			for _, field := range n.Fields.List {
				ast.Inspect(field.Type, visit)
			}
			return false
		case *ast.FuncType:
			for _, list := range []*ast.FieldList{n.Params, n.Results} {
				if list != nil {
					for _, field := range list.List {
						for _, name := range field.Names {
							declare(name)
						}
					}
				}
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				declare(n.Lhs...)
			}
		case *ast.RangeStmt:
			declare(n.Key, n.Value)
		case *ast.DeclStmt:
			for _, spec := range n.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						declare(name)
					}
				}
			}
		}
		return true
	}
	ast.Inspect(file, visit)
	var out []byte
	done := 0
	for _, id := range names {
		if !variables[id.Name] || !owned[own+id.Name] {
			continue
		}
		name := id.Name + "_"
		for f.reserved[name] {
			name += "_"
		}
		at := int(id.Pos()) - base
		out = append(append(out, src[done:at]...), name...)
		done = at + len(id.Name)
	}
	return append(out, src[done:]...)
}
