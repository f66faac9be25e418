package codegen

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/skeleton"
	"github.com/askind/askind/schema"
)

// AddVersion returns the files with which a module gets another version of an API group, by path
// relative to the directory of the configuration, which is the root of the module: new files, and
// files with changes. The new version begins as a copy of the version with the kind to which the
// others are converted. That one is then converted to the new version, which becomes the stored
// one, and every function of the module that registers it registers the new one, too.
//
// If the group has the version, and none of its versions has the kind, the version gets a file with
// the kind instead.
//
// Files that import another version are not copied, which is a warning. A group, version or kind
// that cannot be is a [UsageError], and so is an existing file where a new one belongs.
func AddVersion(cfg Config, gv schema.GroupVersion, kind string) (*Documents, error) {
	if !skeleton.IsVersion(gv.Version) {
		return nil, &UsageError{fmt.Sprintf("%q is not a version; it looks like v1, v1beta1 or v2alpha3", gv.Version)}
	}
	cfg.Patterns = []string{"./..."}
	r, err := loadRun(cfg)
	if err != nil {
		return nil, err
	}
	v := &newVersion{run: r, group: gv.Group, version: gv.Version, files: map[string]*sourceFile{}}
	if !r.diags.HasErrors() {
		if err := v.plan(kind); err != nil {
			return nil, err
		}
	}
	out := &Documents{Files: map[string][]byte{}, Diagnostics: r.diags.Sorted()}
	if r.diags.HasErrors() {
		return out, nil
	}
	for name, f := range v.files {
		if out.Files[name], err = f.apply(); err != nil {
			return nil, fmt.Errorf("codegen: %s: %w", name, err)
		}
	}
	return out, nil
}

// CheckNewGroup returns a [UsageError] if the module whose root is the directory of the
// configuration has an API group already. The error says how a kind is added to it. It is nil if
// the packages of the module cannot be listed.
func CheckNewGroup(cfg Config, group, kind string) error {
	cfg.Patterns = []string{"./..."}
	r, err := loadRun(cfg)
	if err != nil {
		return nil
	}
	var first *model.Package
	for _, p := range r.universe.Packages {
		if p.HasGroup && p.Group == group && (first == nil || schema.CompareVersions(p.Version, first.Version) < 0) {
			first = p
		}
	}
	if first == nil {
		return nil
	}
	return &UsageError{fmt.Sprintf("the module has the group %[1]s already, in %[2]s; to add a kind to it, run: "+
		"askind init %[1]s/%[3]s %[4]s", group, first.Path, first.Version, kind)}
}

// newVersion plans another version of a group.
type newVersion struct {
	*run
	group, version string
	from           *model.Package
	// name, path and dir are those of the new package.
	name, path, dir string
	files           map[string]*sourceFile
}

func (v *newVersion) plan(kind string) error {
	var at *model.Package // the package of the version, if there is one
	var with []*model.Package
	kinds := map[string]bool{}
	for _, p := range v.universe.Packages {
		if !p.Output || !p.HasGroup || p.Group != v.group {
			continue
		}
		if p.Version == v.version {
			at = p
		}
		for _, k := range p.Kinds {
			if k.IsList || k.Struct == nil || k.Shared {
				continue
			}
			if kinds[k.Name] = true; k.Name == kind {
				with = append(with, p)
			}
		}
	}
	if at != nil && kinds[kind] && !slices.Contains(with, at) {
		return &UsageError{fmt.Sprintf("%s has no kind %s; copy its types from %s, and change what differs",
			at.Path, kind, with[0].Path)}
	}
	if at != nil && kinds[kind] {
		return &UsageError{fmt.Sprintf("%s has the version %s already, in %s", v.group, v.version, at.Path)}
	}
	if at != nil {
		return v.addKind(at, kind)
	}
	if len(with) == 0 && len(kinds) == 0 {
		return &UsageError{fmt.Sprintf("the module has no kind of %[1]s; to add this group to it, run: "+
			"askind init -kind %[2]s %[1]s", v.group, kind)}
	}
	if len(with) == 0 {
		names := strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
		return &UsageError{fmt.Sprintf("%s has no kind %s, only %s; name one of its versions to add the kind there",
			v.group, kind, names)}
	}
	slices.SortStableFunc(with, func(a, b *model.Package) int {
		hub := func(p *model.Package) int { return len(p.Markers.All("askind:hub")) }
		return cmp.Or(cmp.Compare(hub(a), hub(b)), schema.CompareVersions(a.Version, b.Version))
	})
	v.from = with[0]
	if len(v.from.Foreign) > 0 {
		return foreignError(v.from)
	}
	rename := func(s string) string {
		if renamed := strings.Replace(s, v.from.Version, v.version, 1); renamed != s {
			return renamed
		}
		return v.version
	}
	rel, err := filepath.Rel(v.result.Dir, v.from.Dir)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	v.name, v.dir, v.path = rename(v.from.Name), v.version, v.from.Path+"/"+v.version
	if rel != "." {
		base := rename(path.Base(rel))
		v.dir, v.path = path.Join(path.Dir(rel), base), path.Join(path.Dir(v.from.Path), base)
	}
	if err := v.copy(rel); err != nil {
		return err
	}
	return v.register()
}

func foreignError(p *model.Package) error {
	return &UsageError{p.Path + " is about the types of another module, so a new version or kind has to begin there"}
}

// addKind plans the file of a kind in a version that the group has.
func (v *newVersion) addKind(p *model.Package, kind string) error {
	if len(p.Foreign) > 0 {
		return foreignError(p)
	}
	for _, suffix := range []string{"", "Spec", "Status", "List"} {
		if old := p.Go.Scope().Lookup(kind + suffix); old != nil {
			return &UsageError{fmt.Sprintf("%s has the name %s already, at %s", p.Path, kind+suffix,
				v.universe.Position(old.Pos()))}
		}
	}
	rel, err := filepath.Rel(v.result.Dir, p.Dir)
	if err != nil {
		return err
	}
	text, err := skeleton.Kind(v.group, p.Name, kind)
	if err != nil {
		return &UsageError{err.Error()}
	}
	return v.add(path.Join(filepath.ToSlash(rel), strings.ToLower(kind)+".go"), &sourceFile{text: text})
}

// add plans a new file.
func (v *newVersion) add(name string, f *sourceFile) error {
	if _, err := os.Lstat(filepath.Join(v.result.Dir, filepath.FromSlash(name))); err == nil {
		return &UsageError{name + " exists already"}
	}
	v.files[name] = f
	return nil
}

// copy copies the source of the old version, which it changes to be converted to the new one.
func (v *newVersion) copy(dir string) error {
	entries, err := os.ReadDir(v.from.Dir)
	if err != nil {
		return err
	}
	hub := v.from.Markers.Get("groupName")
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "zz_generated.") ||
			strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := v.read(path.Join(dir, name))
		if err != nil {
			return err
		}
		if sibling := v.imports(f); sibling != nil {
			v.diags.Warnf(token.Position{Filename: path.Join(dir, name), Line: f.fset.Position(sibling.Pos()).Line},
				"version-file", "the file is not copied, because it imports another version")
			continue
		}
		c := &sourceFile{text: f.text, file: f.file, fset: f.fset}
		if f.file.Name.Name == v.from.Name { // not that of a program, which a build constraint excludes
			c.replace(f.file.Name.Pos(), f.file.Name.End(), v.name)
		}
		for _, g := range f.file.Comments {
			if g.End() < f.file.Package && (g == f.file.Doc || len(marker.Parse(g)) > 0) {
				for _, comment := range g.List {
					c.replace(comment.Pos(), comment.End(), v.doc(comment.Text))
				}
			}
		}
		if embed := f.embed(); embed > 0 {
			v.diags.Warnf(token.Position{Filename: f.name, Line: embed}, "version-file",
				"the files that this one embeds are not copied; copy them to %s", v.dir)
		}
		v.storage(f, c)
		if err := v.add(path.Join(v.dir, name), c); err != nil {
			return err
		}
		if hub != nil && filepath.Base(v.universe.Fset.File(hub.Pos).Name()) == name {
			at := f.find(v.line(hub.Pos), hub.Line)
			prefix := string(f.text[bytes.LastIndexByte(f.text[:at], '\n')+1 : at])
			f.insert(at+len(hub.Line), "\n"+strings.ReplaceAll(prefix, "/*", "")+"+askind:hub="+v.path)
		}
		if len(f.edits) > 0 {
			v.files[path.Join(dir, name)] = f
		}
	}
	return nil
}

var (
	pathWord = regexp.MustCompile(`[\w./~-]+`)
	hubLine  = regexp.MustCompile(`\+askind:hub=[^\s*]*`)
)

// doc returns a comment of the old package for the new one, which has no hub. Paths of other
// packages stay.
func (v *newVersion) doc(text string) string {
	old := regexp.MustCompile(`\b` + regexp.QuoteMeta(v.from.Version) + `\b`)
	return pathWord.ReplaceAllStringFunc(hubLine.ReplaceAllString(text, ""), func(word string) string {
		rest, ok := strings.CutPrefix(word, v.from.Path)
		switch {
		case ok:
			return v.path + rest
		case strings.Contains(word, "/") && !strings.HasPrefix(word, v.group+"/"):
			return word
		}
		return old.ReplaceAllString(word, v.version)
	})
}

// line returns the line of a position in its file.
func (v *newVersion) line(pos token.Pos) int { return v.universe.Fset.PositionFor(pos, false).Line }

// imports returns the import of another package of the group by a file, or nil.
func (v *newVersion) imports(f *sourceFile) *ast.ImportSpec {
	for _, i := range f.file.Imports {
		p := v.universe.Package(importPath(i))
		if p != nil && p.HasGroup && p.Group == v.group {
			return i
		}
	}
	return nil
}

func importPath(i *ast.ImportSpec) string {
	p, err := strconv.Unquote(i.Path.Value)
	if err != nil {
		return ""
	}
	return p
}

// storage moves the marker of the storage version from the old version of a file to the new one.
func (v *newVersion) storage(old, copied *sourceFile) {
	const name = "kubebuilder:storageversion"
	for _, k := range v.from.Kinds {
		if k.IsList || filepath.Base(v.universe.Fset.File(k.Pos).Name()) != path.Base(old.name) {
			continue
		}
		if m := k.Markers.Get(name); m != nil {
			old.removeLine(old.find(v.line(m.Pos), m.Line))
			continue
		}
		if !slices.ContainsFunc(v.universe.Packages, func(p *model.Package) bool {
			return p.Group == v.group && slices.ContainsFunc(p.Kinds, func(o *model.Kind) bool {
				return o.Name == k.Name && o.Markers.Has(name)
			})
		}) {
			at := old.find(v.line(k.Pos), "")
			copied.insert(at, "// +"+name+"\n")
		}
	}
}

// register adds the new version wherever the module registers the old one.
func (v *newVersion) register() error {
	found := false
	err := filepath.WalkDir(v.result.Dir, func(file string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return err
		case file == v.result.Dir:
		case e.IsDir():
			_, err := os.Lstat(filepath.Join(file, "go.mod"))
			if err == nil || name == "vendor" || name == "testdata" || name[0] == '.' || name[0] == '_' {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "zz_generated."):
			rel, err := filepath.Rel(v.result.Dir, file)
			if err != nil {
				return err
			}
			f, err := v.read(filepath.ToSlash(rel))
			if err != nil {
				return err
			}
			if v.registerIn(f) {
				v.files[f.name], found = f, true
			}
		}
		return nil
	})
	if err == nil && !found {
		v.diags.Warnf(token.Position{}, "version-register", "nothing registers %s.AddTo; add that of %s to your scheme",
			v.from.Path, v.path)
	}
	return err
}

// registerIn adds the new version to the registrations of a file and reports whether there are any.
func (v *newVersion) registerIn(f *sourceFile) bool {
	i := slices.IndexFunc(f.file.Imports, func(i *ast.ImportSpec) bool { return importPath(i) == v.from.Path })
	if i < 0 {
		return false
	}
	spec := f.file.Imports[i]
	old, name, line := v.from.Name, v.name, strconv.Quote(v.path)
	if spec.Name != nil {
		old = spec.Name.Name
		if name = strings.Replace(old, v.from.Version, v.version, 1); name == old {
			name = v.name
		}
	}
	for slices.ContainsFunc(f.file.Imports, func(i *ast.ImportSpec) bool {
		return i.Name != nil && i.Name.Name == name || i.Name == nil && path.Base(importPath(i)) == name
	}) {
		name = cmp.Or(skeleton.PackageName(v.group), "api") + name
	}
	if name != path.Base(v.path) {
		line = name + " " + line
	}
	isAddTo := func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "AddTo" {
			return false
		}
		id, ok := s.X.(*ast.Ident)
		return ok && id.Name == old
	}
	found := false
	ast.Inspect(f.file, func(n ast.Node) bool {
		var among []ast.Expr
		switch n := n.(type) {
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && isAddTo(call.Fun) {
				rest := f.text[f.offset(call.Fun.End()):f.offset(call.End())]
				f.insert(f.offset(n.Pos()), name+".AddTo"+string(rest)+"\n")
				found = true
			}
		case *ast.CallExpr:
			among = n.Args
		case *ast.CompositeLit:
			among = n.Elts
		}
		for _, e := range among {
			if isAddTo(e) {
				f.insert(f.offset(e.Pos()), name+".AddTo, ")
				found = true
			}
		}
		return true
	})
	if found {
		if slices.ContainsFunc(f.file.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return ok && !g.Lparen.IsValid() && slices.Contains(g.Specs, ast.Spec(spec))
		}) {
			line = "import " + line
		}
		f.insert(f.offset(spec.End()), "\n"+line)
	}
	return found
}

// read parses a file of the module. Lines end without a carriage return, as they do once formatted.
func (v *newVersion) read(name string) (*sourceFile, error) {
	text, err := os.ReadFile(filepath.Join(v.result.Dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	f := &sourceFile{name: name, text: bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), fset: token.NewFileSet()}
	f.file, err = parser.ParseFile(f.fset, name, f.text, parser.ParseComments|parser.SkipObjectResolution)
	return f, err
}

// sourceFile is a file with changes.
type sourceFile struct {
	name  string
	text  []byte
	file  *ast.File
	fset  *token.FileSet
	edits []change
}

// embed returns the line of the first directive that embeds files, or 0.
func (f *sourceFile) embed() int {
	for _, g := range f.file.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:embed ") {
				return f.fset.Position(c.Pos()).Line
			}
		}
	}
	return 0
}

// change replaces the text between two offsets.
type change struct {
	from, to int
	text     string
}

func (f *sourceFile) offset(pos token.Pos) int { return f.fset.Position(pos).Offset }

// find returns the offset of a text from a line on. Positions in a block comment may be too small,
// because the parser does not count carriage returns.
func (f *sourceFile) find(line int, text string) int {
	at := f.fset.File(f.file.Package).Offset(f.fset.File(f.file.Package).LineStart(line))
	return at + max(0, bytes.Index(f.text[at:], []byte(text)))
}

func (f *sourceFile) insert(at int, text string) { f.edits = append(f.edits, change{at, at, text}) }

func (f *sourceFile) replace(from, to token.Pos, text string) {
	f.edits = append(f.edits, change{f.offset(from), f.offset(to), text})
}

func (f *sourceFile) removeLine(at int) {
	from, to := bytes.LastIndexByte(f.text[:at], '\n')+1, len(f.text)
	if n := bytes.IndexByte(f.text[at:], '\n'); n >= 0 {
		to = at + n + 1
	}
	f.edits = append(f.edits, change{from, to, ""})
}

// apply returns the file with its changes.
func (f *sourceFile) apply() ([]byte, error) {
	slices.SortStableFunc(f.edits, func(a, b change) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range f.edits {
		out = append(append(out, f.text[at:e.from]...), e.text...)
		at = e.to
	}
	return format.Source(append(out, f.text[at:]...))
}
