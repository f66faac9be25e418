package load

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// settle replaces the declaration of json.RawMessage by that of Go 1.26. From Go 1.27 on it is an
// alias of jsontext.Value, which has another name and other methods, so the output would depend on
// the toolchain.
func (p *Program) settle(file *ast.File, path string) {
	if path != "encoding/json" {
		return
	}
	for _, decl := range file.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, spec := range g.Specs {
			t, ok := spec.(*ast.TypeSpec)
			if !ok || t.Name.Name != "RawMessage" || !t.Assign.IsValid() {
				continue
			}
			t.Assign = token.NoPos
			t.Type = &ast.ArrayType{Lbrack: t.Type.Pos(), Elt: &ast.Ident{NamePos: t.Type.Pos(), Name: "byte"}}
			file.Decls = append(file.Decls, rawMessageMethods(p.Fset)...)
			return
		}
	}
}

// rawMessageMethods returns the methods of json.RawMessage.
func rawMessageMethods(fset *token.FileSet) []ast.Decl {
	const src = `package json
func (m RawMessage) MarshalJSON() ([]byte, error)
func (m *RawMessage) UnmarshalJSON(data []byte) error
`
	file, err := parser.ParseFile(fset, "rawmessage.go", src, parser.SkipObjectResolution)
	if err != nil {
		panic(err) // the text above is a constant
	}
	return file.Decls
}
