// Package model is what the generator knows about its input.
//
// A [Universe] holds the [Package] values that files are generated for. A package has [Kind]
// values, the API types that are registered, and [Type] values: all named types that take part in
// generation, which are the kinds, the exported structs with JSON tags, what
// carries +askind:generate, and everything of the same run that these reach. A struct type has
// [Field] values in order of declaration; [JSONFields] flattens them the way encoding/json does.
//
// Features ask the universe which functions exist: [Universe.Func] finds a hand-written function by
// name and signature and otherwise tells whether the generator will write it.
//
// Nothing here changes once [Build] has returned, and every list has a stated order.
package model

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/marker"
)

// Universe is everything that one run knows.
type Universe struct {
	Fset *token.FileSet
	// Packages are those that files are generated for, sorted by path.
	Packages []*Package

	dir      string
	program  *load.Program
	packages map[string]*Package
	types    map[*types.TypeName]*Type
	fields   map[token.Pos]*ast.Field
	marks    map[token.Pos]marker.List // what structs say about their fields
	specs    map[token.Pos]*typeSyntax
	funcs    map[token.Pos]*ast.CommentGroup // the comments of functions
	// codecs holds the packages that have functions for the types of a package that cannot be
	// edited, by the path of that.
	codecs map[string][]*Package
	// The packages of the run are completed by Build, which reports what is wrong with them; all
	// others when they are first asked for.
	selecting bool
}

type typeSyntax struct {
	spec *ast.TypeSpec
	docs []*ast.CommentGroup
}

// Package is one Go package.
type Package struct {
	Path, Name, Dir string
	// Group and Version are the API group version; HasGroup says that the package declares one,
	// since the group of the core API is blank.
	Group, Version string
	HasGroup       bool
	// Markers are those of the package comments of all files.
	Markers marker.List
	// Kinds, sorted by name.
	Kinds []*Kind
	// Types that take part in generation, sorted by name. Kinds are among them.
	Types []*Type
	// Go is the type-checked package. Its scope holds the hand-written functions.
	Go *types.Package
	// Output says that files are generated for the package: a marker switches it on, and it belongs
	// to the main module. Packages that the run does not select have it as well, so that the output
	// for one package never depends on which others are selected.
	Output bool
	// Foreign lists the packages that cannot be edited and whose types the package has functions
	// for. Its Types and Kinds include theirs.
	Foreign []*Foreign
	// Std says that the package belongs to the standard library.
	Std bool
	// Pos is the position of the first package clause.
	Pos token.Pos

	universe  *Universe
	loaded    *load.Package
	completed bool

	proto     []*Type
	protoDone bool
}

// Type is a named type.
type Type struct {
	Name    string
	Package *Package
	Named   *types.Named
	Pos     token.Pos
	// Doc is the comment text without markers.
	Doc     string
	Markers marker.List
	// Struct is the underlying struct, or nil.
	Struct *types.Struct
	// Fields of a struct in order of declaration, blank and unexported ones included.
	Fields []*Field
}

// Exported reports whether the type has an exported name.
func (t *Type) Exported() bool { return token.IsExported(t.Name) }

// Field is a field of a struct.
type Field struct {
	// Name is the Go name.
	Name string
	Var  *types.Var
	// Type is the type as declared; aliases are kept for printing, so use [types.Unalias] or
	// Underlying before a switch.
	Type     types.Type
	Pos      token.Pos
	Embedded bool
	Doc      string
	Markers  marker.List
	// Tag is the whole struct tag.
	Tag  string
	JSON Tag
}

// Tag is the json part of a struct tag.
type Tag struct {
	// Present says that there is a json key at all.
	Present bool
	// Name is the name in the tag, blank if it names none; Skip is "-".
	Name string
	Skip bool
	// Options as written.
	OmitEmpty, OmitZero, Inline, String bool
}

// JSONName is the name under which encoding/json writes the field if it is not inlined: that of the
// tag, else the Go name.
func (f *Field) JSONName() string {
	if f.JSON.Name != "" {
		return f.JSON.Name
	}
	return f.Name
}

// Position resolves a position, with the file name relative to the directory of the run.
func (u *Universe) Position(pos token.Pos) token.Position {
	p := u.Fset.PositionFor(pos, false)
	if p.Filename != "" {
		p.Filename = load.Short(u.dir, p.Filename)
	}
	return p
}

// Package returns the model of a package that is loaded, whether or not files are generated for it;
// nil if the run does not know it. Packages that only markers name, such as hubs, are known.
func (u *Universe) Package(path string) *Package {
	if p := u.packages[path]; p != nil {
		return p
	}
	lp := u.program.Package(path)
	if lp == nil {
		return nil
	}
	p := &Package{Path: lp.Path, Name: lp.Name, Dir: lp.Dir, Go: lp.Types, Std: lp.Std, universe: u, loaded: lp}
	u.packages[path] = p
	u.index(p)
	p.Output = lp.Main && p.switchedOn()
	if !u.selecting {
		if lp.Main {
			// What cannot be listed stays unknown, and is reported where the package is selected.
			_ = u.program.Extend(p.foreignPaths()...)
		}
		p.adopt(Errors{List: new(diag.List), Universe: u})
		p.complete(Errors{List: new(diag.List), Universe: u})
	}
	return p
}

// Type returns the model of a named type of any loaded package. For an instance of a generic type
// it is that of the generic type, with the fields of the instance.
func (u *Universe) Type(n *types.Named) *Type {
	obj := n.Obj()
	if n.TypeArgs().Len() == 0 {
		if t := u.types[obj]; t != nil {
			return t
		}
	}
	if obj.Pkg() == nil {
		return nil
	}
	p := u.Package(obj.Pkg().Path())
	if p == nil {
		return nil
	}
	t := &Type{Name: obj.Name(), Package: p, Named: n, Pos: obj.Pos()}
	if s := u.specs[obj.Pos()]; s != nil {
		t.Markers = marker.Parse(s.docs...)
		t.Doc = docText(s.docs...)
	}
	if st, ok := n.Underlying().(*types.Struct); ok {
		t.Struct = st
		t.Fields = u.Fields(st)
	}
	if n.TypeArgs().Len() == 0 {
		u.types[obj] = t
	}
	return t
}

// Find returns a type of the package by name, or nil.
func (p *Package) Find(name string) *Type {
	obj, ok := p.Go.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil
	}
	n, ok := types.Unalias(obj.Type()).(*types.Named)
	if !ok {
		return nil
	}
	return p.universe.Type(n)
}

// Main says that the package belongs to the main module.
func (p *Package) Main() bool { return p.loaded.Main }

// Kind returns a kind of the package by name, or nil.
func (p *Package) Kind(name string) *Kind {
	for _, k := range p.Kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Fields returns the fields of a struct, named or not, with their comments where the source was
// read.
func (u *Universe) Fields(st *types.Struct) []*Field {
	out := make([]*Field, 0, st.NumFields())
	for i := range st.NumFields() {
		v := st.Field(i)
		f := &Field{
			Name: v.Name(), Var: v, Type: v.Type(), Pos: v.Pos(), Embedded: v.Embedded(),
			Tag: st.Tag(i), JSON: parseTag(st.Tag(i)),
		}
		if syntax := u.fields[v.Pos()]; syntax != nil {
			f.Markers = marker.Parse(syntax.Doc)
			f.Doc = docText(syntax.Doc)
		}
		f.Markers = append(f.Markers, u.marks[v.Pos()]...)
		out = append(out, f)
	}
	return out
}

// index records the syntax of a package by position of name.
func (u *Universe) index(p *Package) {
	for _, file := range p.loaded.Files {
		if !p.Pos.IsValid() {
			p.Pos = file.Name.Pos()
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Doc != nil {
				u.funcs[fn.Name.Pos()] = fn.Doc
			}
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				ts := spec.(*ast.TypeSpec)
				s := &typeSyntax{spec: ts}
				doc, from := ts.Doc, ts.Pos()
				if !g.Lparen.IsValid() {
					doc, from = g.Doc, g.Pos()
				}
				if doc != nil {
					from = doc.Pos()
				}
				if above := u.above(file, from); above != nil {
					s.docs = append(s.docs, above)
				}
				if doc != nil {
					s.docs = append(s.docs, doc)
				}
				u.specs[ts.Name.Pos()] = s
				ast.Inspect(ts.Type, func(n ast.Node) bool {
					if st, ok := n.(*ast.StructType); ok {
						u.indexFields(st)
					}
					return true
				})
			}
		}
	}
	if !p.Std {
		p.Markers = marker.Parse(packageComments(p.loaded.Files)...)
		p.identity()
	}
}

func (u *Universe) indexFields(st *ast.StructType) {
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 {
			if id := embeddedIdent(f.Type); id != nil {
				u.fields[id.Pos()] = f
			}
		}
		for _, n := range f.Names {
			u.fields[n.Pos()] = f
		}
	}
}

func embeddedIdent(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.StarExpr:
		return embeddedIdent(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return embeddedIdent(e.X)
	case *ast.IndexListExpr:
		return embeddedIdent(e.X)
	case *ast.ParenExpr:
		return embeddedIdent(e.X)
	}
	return nil
}

// above returns the comment group that ends one blank line before pos, the second place where
// Kubernetes code keeps markers. A group that directly follows a declaration's last line is not a
// comment of the next one.
func (u *Universe) above(file *ast.File, pos token.Pos) *ast.CommentGroup {
	line := u.Fset.PositionFor(pos, false).Line
	i, _ := slices.BinarySearchFunc(file.Comments,
		pos, func(g *ast.CommentGroup, pos token.Pos) int { return int(g.Pos() - pos) })
	if i == 0 {
		return nil
	}
	g := file.Comments[i-1]
	if g.Pos() < file.Name.End() || u.Fset.PositionFor(g.End(), false).Line != line-2 {
		return nil
	}
	for _, decl := range file.Decls {
		// What stands above a whole group is about its only type, or about none.
		if gd, ok := decl.(*ast.GenDecl); ok && gd.Doc == g && len(gd.Specs) > 1 {
			return nil
		}
		if decl.Pos() <= g.Pos() && g.End() <= decl.End() {
			// Inside a parenthesised declaration it belongs to the spec below only if no field
			// holds it.
			if gd, ok := decl.(*ast.GenDecl); !ok || !gd.Lparen.IsValid() {
				return nil
			}
		}
	}
	return g
}

// packageComments returns all comments before the package clauses, which is where package markers
// stand.
func packageComments(files []*ast.File) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	for _, f := range files {
		for _, g := range f.Comments {
			if g.End() < f.Package {
				out = append(out, g)
			}
		}
	}
	return out
}

// identity works out the group version.
func (p *Package) identity() {
	if m := p.Markers.Get("groupName"); m != nil {
		p.HasGroup, p.Group = true, strings.TrimSpace(m.Value)
	}
	p.Version = p.Name
	if m := p.Markers.Get("versionName"); m != nil {
		p.Version = strings.TrimSpace(m.Value)
	}
}

// docText is the text of comments without markers.
func docText(groups ...*ast.CommentGroup) string {
	var lines []string
	for _, g := range groups {
		if g == nil {
			continue
		}
		for line := range strings.Lines(g.Text()) {
			if !strings.HasPrefix(line, "+") {
				lines = append(lines, strings.TrimRight(line, "\n"))
			}
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Source is the position of a declaration as it is written into registrations: import path, file
// and line.
func (u *Universe) Source(p *Package, pos token.Pos) string {
	position := u.Fset.PositionFor(pos, false)
	return p.Path + "/" + filepath.Base(position.Filename) + ":" + itoa(position.Line)
}

// Errors is how features report: it resolves positions and keeps the list.
type Errors struct {
	*diag.List
	Universe *Universe
}

// Errorf records an error at pos.
func (e Errors) Errorf(pos token.Pos, code, format string, args ...any) *diag.Diagnostic {
	return e.List.Errorf(e.Universe.Position(pos), code, format, args...)
}
