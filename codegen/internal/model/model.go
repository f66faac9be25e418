// Package model is the generator's model of its input.
//
// A [Universe] holds the [Package] values for which files are generated. A package has [Kind]
// values, the API types that are registered, and [Type] values: all named types that take part in
// generation, which are the kinds, the exported structs with JSON tags, types marked with
// askind:generate, and all types of the same run that these reach. A struct type has [Field] values
// in order of declaration; [JSONFields] flattens them like encoding/json.
//
// [Universe.Func] returns whether a function exists: it finds hand-written functions by name and
// signature, and otherwise reports whether the generator will write the function.
//
// The model is immutable once [Build] has returned, and every list has a defined order.
package model

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/schema"
)

// Universe is the model of one run.
type Universe struct {
	Fset *token.FileSet
	// Packages are those for which files are generated, sorted by path.
	Packages []*Package

	dir      string
	program  *load.Program
	packages map[string]*Package
	types    map[*types.TypeName]*Type
	fields   map[token.Pos]*ast.Field
	above    map[*ast.Field]*ast.CommentGroup // the comments one blank line above fields
	marks    map[token.Pos]marker.List        // markers of structs about their fields
	specs    map[token.Pos]*typeSyntax
	funcs    map[token.Pos]*ast.CommentGroup // the comments of functions
	// codecs holds the codec packages of each package that cannot be edited, by the path of the
	// latter.
	codecs map[string][]*Package
	// suppressions are filled on the first warning.
	suppressions map[*Package][]suppression
	// Build completes the packages of the run and reports their problems; other packages are
	// completed when they are first needed.
	selecting bool
}

type typeSyntax struct {
	spec *ast.TypeSpec
	docs []*ast.CommentGroup
}

// Package is one Go package.
type Package struct {
	Path, Name, Dir string
	// Group and Version are the API group version; HasGroup reports that the package declares one,
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
	// Output reports that files are generated for the package: a marker enables it, and it belongs
	// to the main module. It is also set for packages that the run does not select, so that the
	// output for one package never depends on the selection of others.
	Output bool
	// Foreign lists the packages that cannot be edited and for whose types the package has
	// functions. Its Types and Kinds include theirs.
	Foreign []*Foreign
	// Std reports that the package belongs to the standard library.
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
	// Type is the declared type; aliases are kept for printing, so use [types.Unalias] or
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
	// Present reports that the tag has a json key.
	Present bool
	// Name is the name in the tag, blank if it names none; Skip is "-".
	Name string
	Skip bool
	// Options as written.
	OmitEmpty, OmitZero, Inline, String bool
}

// JSONName returns the name of the field for encoding/json if it is not inlined: that of the tag,
// else the Go name.
func (f *Field) JSONName() string {
	if f.JSON.Name != "" {
		return f.JSON.Name
	}
	return f.Name
}

// OmitsZero reports whether JSON omits the zero value of the field.
func (f *Field) OmitsZero() bool {
	switch f.Type.Underlying().(type) {
	case *types.Struct, *types.Array:
		return f.JSON.OmitZero
	}
	return f.JSON.OmitZero || f.JSON.OmitEmpty
}

// Position resolves a position, with the file name relative to the directory of the run.
func (u *Universe) Position(pos token.Pos) token.Position {
	p := u.Fset.PositionFor(pos, false)
	if p.Filename != "" {
		p.Filename = load.Short(u.dir, p.Filename)
	}
	return p
}

// Package returns the model of a loaded package, whether or not files are generated for it, or nil
// if it is not loaded. Packages that only markers name, such as hubs, are loaded. A zero Universe
// has no packages.
func (u *Universe) Package(path string) *Package {
	if p := u.packages[path]; p != nil || u.program == nil {
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
			// Packages that cannot be listed stay unknown, and are reported where the package is
			// selected.
			_ = u.program.Extend(p.foreignPaths()...)
		}
		p.adopt(u.quiet())
		p.complete(u.quiet())
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

// Main reports whether the package belongs to the main module.
func (p *Package) Main() bool { return p.loaded.Main }

// APIVersion returns the group version of the package.
func (p *Package) APIVersion() string {
	return schema.GroupVersion{Group: p.Group, Version: p.Version}.String()
}

// Kind returns a kind of the package by name, or nil.
func (p *Package) Kind(name string) *Kind {
	for _, k := range p.Kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Fields returns the fields of a named or unnamed struct, with their comments if the source was
// read.
func (u *Universe) Fields(st *types.Struct) []*Field {
	if st.NumFields() > 0 {
		u.Package(st.Field(0).Pkg().Path()) // which reads the comments
	}
	out := make([]*Field, 0, st.NumFields())
	for i := range st.NumFields() {
		v := st.Field(i)
		f := &Field{
			Name: v.Name(), Var: v, Type: v.Type(), Pos: v.Pos(), Embedded: v.Embedded(),
			Tag: st.Tag(i), JSON: parseTag(st.Tag(i)),
		}
		if syntax := u.fields[v.Pos()]; syntax != nil {
			f.Markers = marker.Parse(u.above[syntax], syntax.Doc)
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
		}
		for g, ts := range typeSpecs(file) {
			s := &typeSyntax{spec: ts}
			doc, from := ts.Doc, ts.Pos()
			if !g.Lparen.IsValid() {
				doc, from = g.Doc, g.Pos()
			}
			if doc != nil {
				from = doc.Pos()
			}
			if above := u.aboveType(file, from); above != nil {
				s.docs = append(s.docs, above)
			}
			if doc != nil {
				s.docs = append(s.docs, doc)
			}
			u.specs[ts.Name.Pos()] = s
			ast.Inspect(ts.Type, func(n ast.Node) bool {
				if st, ok := n.(*ast.StructType); ok {
					u.indexFields(file, st)
				}
				return true
			})
		}
	}
	if !p.Std {
		p.Markers = marker.Parse(packageComments(p.loaded.Files)...)
		p.identity()
	}
}

// typeSpecs yields the declarations of types in a file, after the group to which each belongs.
func typeSpecs(file *ast.File) iter.Seq2[*ast.GenDecl, *ast.TypeSpec] {
	return func(yield func(*ast.GenDecl, *ast.TypeSpec) bool) {
		for _, decl := range file.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if !yield(g, spec.(*ast.TypeSpec)) {
					return
				}
			}
		}
	}
}

func (u *Universe) indexFields(file *ast.File, st *ast.StructType) {
	after := st.Fields.Opening
	for _, f := range st.Fields.List {
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		// What begins in the last line of the field before is a comment of that.
		if g := u.oneLineAbove(file, from); g != nil && u.line(g.Pos()) > u.line(after) {
			u.above[f] = g
		}
		after = f.End()
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

// oneLineAbove returns the comment group that ends one blank line before pos, the second place of
// markers in Kubernetes code.
func (u *Universe) oneLineAbove(file *ast.File, pos token.Pos) *ast.CommentGroup {
	i, _ := slices.BinarySearchFunc(file.Comments,
		pos, func(g *ast.CommentGroup, pos token.Pos) int { return int(g.Pos() - pos) })
	if i == 0 {
		return nil
	}
	g := file.Comments[i-1]
	if g.Pos() < file.Name.End() || u.line(g.End()) != u.line(pos)-2 {
		return nil
	}
	return g
}

func (u *Universe) line(pos token.Pos) int { return u.Fset.PositionFor(pos, false).Line }

// aboveType is oneLineAbove for a type at pos. A group that belongs to a declaration before the
// type, on the line between them or in front of the group, is not a comment of the type.
func (u *Universe) aboveType(file *ast.File, pos token.Pos) *ast.CommentGroup {
	g := u.oneLineAbove(file, pos)
	if g == nil {
		return nil
	}
	taken := func(n ast.Node) bool {
		return n.End() <= pos && (g.End() <= n.Pos() || u.line(n.End()) == u.line(g.Pos()))
	}
	for _, decl := range file.Decls {
		gd, _ := decl.(*ast.GenDecl)
		// A comment above a group of types applies only if the group has one type.
		if gd != nil && gd.Doc == g && len(gd.Specs) > 1 || taken(decl) {
			return nil
		}
		// Inside a parenthesized declaration it belongs to the spec below only if no field contains
		// it.
		switch inside := decl.Pos() <= g.Pos() && g.End() <= decl.End(); {
		case inside && (gd == nil || !gd.Lparen.IsValid()):
			return nil
		case inside && slices.ContainsFunc(gd.Specs, func(s ast.Spec) bool { return taken(s) }):
			return nil
		}
	}
	return g
}

// packageComments returns all comments before the package clauses, which may contain package
// markers.
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

// Names that servers and clients accept: a group is a DNS subdomain, or blank for the core group;
// versions and resources are DNS labels.
var (
	IsGroup = regexp.MustCompile(`^(` + label + `(\.` + label + `)*)?$`).MatchString
	IsLabel = regexp.MustCompile(`^` + label + `$`).MatchString
)

const label = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`

// identity determines the group version.
func (p *Package) identity() {
	if m := p.Markers.Get("groupName"); m != nil {
		p.HasGroup, p.Group = true, strings.TrimSpace(m.Value)
	}
	p.Version = p.Name
	if m := p.Markers.Get("versionName"); m != nil {
		p.Version = strings.TrimSpace(m.Value)
	}
}

// docText returns the text of comments without markers.
func docText(groups ...*ast.CommentGroup) string {
	var lines []string
	for _, g := range groups {
		if g == nil {
			continue
		}
		block := strings.HasPrefix(g.List[0].Text, "/*")
		for line := range strings.Lines(g.Text()) {
			if !marker.HasPlus(line, block) {
				lines = append(lines, strings.TrimRight(line, "\n"))
			}
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// link matches a doc link to an exported name: in brackets without a preceding letter or digit,
// unlike the index in conditions[Ready].
var link = regexp.MustCompile(`(^|[^\w\]])\[\*?((?:[\w./]+\.)?[A-Z]\w*(?:\.[A-Z]\w*)?)\]`)

// WithoutLinks returns the text of a comment without the brackets around names.
func WithoutLinks(text string) string { return link.ReplaceAllString(text, "$1$2") }

// Source returns the position of a declaration in the form used in registrations: import path, file
// and line.
func (u *Universe) Source(p *Package, pos token.Pos) string {
	position := u.Fset.PositionFor(pos, false)
	return p.Path + "/" + filepath.Base(position.Filename) + ":" + strconv.Itoa(position.Line)
}

// Errors records the errors of features: it resolves positions and keeps the list.
type Errors struct {
	*diag.List
	Universe *Universe
}

// quiet returns a list for the errors of packages that the run does not select.
func (u *Universe) quiet() Errors { return Errors{List: new(diag.List), Universe: u} }

// Errorf records an error at pos.
func (e Errors) Errorf(pos token.Pos, code, format string, args ...any) *diag.Diagnostic {
	return e.List.Errorf(e.Universe.Position(pos), code, format, args...)
}
