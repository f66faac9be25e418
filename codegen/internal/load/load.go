// Package load reads Go packages for the generator.
//
// The generator needs only declarations: types, constants, and the signatures of functions and
// methods. So [Load] gets the list of packages from the go command and then parses and type-checks
// them itself, without function bodies, values of variables, and imports that become unused by
// that. Most of the standard library is never parsed, a run does not depend on compiled packages,
// and code that does not compile yet, because it calls generated functions, can be loaded.
//
// In packages of the main module, files that begin with the generator's header are omitted, so they
// may be stale or missing. In other modules they are read like any other file.
package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// Package is one loaded package.
type Package struct {
	Path, Name, Dir string
	// Main reports that the package belongs to the main module or to a module of the workspace.
	Main bool
	// Std reports that the package belongs to the standard library: its comments were not read.
	Std bool
	// Files is the syntax without function bodies, in order of file name.
	Files []*ast.File
	// Types is the checked package. It is complete even if there are errors, with invalid types
	// where the type is unknown.
	Types *types.Package
	// ParseErrors has the syntax errors of files that are not generated; TypeErrors those of the
	// type checker, which matter only if they affect a type that takes part in generation.
	ParseErrors []scanner.Error
	TypeErrors  []types.Error
	// Ignored lists the names of the Go files that this build excludes, because of a build
	// constraint or an import of "C", sorted.
	Ignored []string
	// Generated lists the names of the files with the generator's header, sorted.
	Generated []string
}

// Program is the result of a load.
type Program struct {
	Fset *token.FileSet
	// Roots are the packages that match the patterns and have one of the marks of the
	// configuration, sorted by path.
	Roots []*Package
	// Idle are the other packages that match the patterns. They are not loaded: they have only a
	// path, a name and a directory.
	Idle []*Package
	// Excluded are the packages in the directories of patterns such as ./... that have one of the
	// marks, but no file in this build. They have only a name, a directory and ignored files.
	Excluded []*Package
	// ListErrors are the errors of the go command about the patterns themselves.
	ListErrors []packages.Error

	cfg    Config
	metas  map[string]*packages.Package
	loaded map[string]*Package
	parsed map[string]*parsedPackage
	mu     sync.Mutex
}

// Config configures [Load].
type Config struct {
	// Dir is the directory in which the go command runs.
	Dir string
	// Env is the environment of the go command; nil means that of the process.
	Env []string
	// Header is the first line of generated files.
	Header string
	// Marks are texts. Only packages with at least one of them in a file that is not generated are
	// loaded; without marks, all are.
	Marks []string
}

// Load lists the packages that match the patterns. A package is parsed and checked when
// [Program.Package] first returns it.
func Load(cfg Config, patterns ...string) (*Program, error) {
	p := &Program{
		Fset: token.NewFileSet(), cfg: cfg,
		metas: map[string]*packages.Package{}, loaded: map[string]*Package{}, parsed: map[string]*parsedPackage{},
	}
	roots, err := p.list(patterns)
	if err != nil {
		return nil, err
	}
	rootPaths := map[string]bool{}
	for _, m := range roots {
		for _, e := range m.Errors {
			if e.Kind == packages.ListError || len(m.GoFiles) == 0 {
				p.ListErrors = append(p.ListErrors, e)
			}
		}
		switch {
		case len(m.GoFiles) == 0:
		case p.marked(m):
			rootPaths[m.PkgPath] = true
		default:
			p.Idle = append(p.Idle, newPackage(m))
		}
	}
	slices.SortFunc(p.Idle, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	p.findExcluded(patterns, roots)
	p.parseAll(rootPaths)
	for path := range rootPaths {
		p.Roots = append(p.Roots, p.Package(path))
	}
	slices.SortFunc(p.Roots, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// marked reports whether a package has one of the marks. A file that cannot be read may have one.
func (p *Program) marked(m *packages.Package) bool {
	if len(p.cfg.Marks) == 0 {
		return true
	}
	for _, name := range slices.Concat(m.GoFiles, m.IgnoredFiles) {
		src, err := os.ReadFile(name)
		if err != nil {
			return true
		}
		has := func(mark string) bool { return bytes.Contains(src, []byte(mark)) }
		if slices.ContainsFunc(p.cfg.Marks, has) && !HasHeader(src, p.cfg.Header) {
			return true
		}
	}
	return false
}

func newPackage(m *packages.Package) *Package {
	return &Package{
		Path: m.PkgPath, Name: m.Name, Dir: m.Dir,
		Main: m.Module != nil && m.Module.Main,
		Std:  m.Module == nil && isStd(m.PkgPath),
		Ignored: slices.DeleteFunc(slices.Sorted(slices.Values(m.IgnoredFiles)), func(name string) bool {
			return !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")
		}),
	}
}

// MainPackagesWith returns the sorted paths of the packages of the main modules in which a file
// contains a text. It ignores generated files and tests. It reads the directories of the modules
// that the roots belong to, except those that the go command ignores.
func (p *Program) MainPackagesWith(text string) []string {
	modules := map[string]string{}
	for _, m := range p.metas {
		if m.Module != nil && m.Module.Main && m.Module.Dir != "" {
			modules[m.Module.Dir] = m.Module.Path
		}
	}
	found := map[string]bool{}
	for dir, module := range modules {
		// Unreadable files are ignored.
		_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			base := d.Name()
			if d.IsDir() {
				if name != dir && (IsIgnored(base) || isFile(filepath.Join(name, "go.mod"))) {
					return filepath.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
				return nil
			}
			src, err := os.ReadFile(name)
			if err == nil && bytes.Contains(src, []byte(text)) && !HasHeader(src, p.cfg.Header) {
				found[path.Join(module, Rel(dir, filepath.Dir(name)))] = true
			}
			return nil
		})
	}
	return slices.Sorted(maps.Keys(found))
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// Extend adds packages that are not roots, such as a hub that only a marker names.
func (p *Program) Extend(paths ...string) error {
	var missing []string
	for _, path := range paths {
		if p.metas[path] == nil {
			missing = append(missing, path)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := p.list(missing)
	return err
}

// The build whose files are read.
const platform, architecture = "linux", "amd64"

func (p *Program) list(patterns []string) ([]*packages.Package, error) {
	env := p.cfg.Env
	if env == nil {
		env = os.Environ()
	}
	roots, err := packages.Load(&packages.Config{
		Context: context.Background(),
		Dir:     p.cfg.Dir,
		// With cgo enabled, the go command would run it to list its output. The platform is fixed,
		// so that the output does not depend on the machine.
		Env:  append(slices.Clone(env), "CGO_ENABLED=0", "GOOS="+platform, "GOARCH="+architecture),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	packages.Visit(roots, nil, func(m *packages.Package) {
		if p.metas[m.PkgPath] == nil {
			p.metas[m.PkgPath] = m
		}
		p.heal(m)
	})
	return roots, nil
}

// heal repairs a package whose generated files have another package name, because it has been
// renamed since: generated files are ignored. The go command's error about several packages in one
// directory stays if other files disagree.
func (p *Program) heal(m *packages.Package) {
	mixed := func(e packages.Error) bool { return strings.HasPrefix(e.Msg, "found packages ") }
	if m.Module == nil || !m.Module.Main || !slices.ContainsFunc(m.Errors, mixed) {
		return
	}
	name := ""
	for _, file := range m.GoFiles {
		src, err := os.ReadFile(file)
		if err != nil {
			return
		}
		if HasHeader(src, p.cfg.Header) {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, src, parser.PackageClauseOnly)
		if err != nil || name != "" && syntax.Name.Name != name {
			return
		}
		name = syntax.Name.Name
	}
	if name != "" {
		m.Name = name
		m.Errors = slices.DeleteFunc(m.Errors, mixed)
	}
}

// Package returns the loaded package with the import path, or nil if it neither matches the
// patterns nor is imported by a package that does.
func (p *Program) Package(path string) *Package {
	if pkg := p.loaded[path]; pkg != nil {
		return pkg
	}
	m := p.metas[path]
	if m == nil || len(m.GoFiles) == 0 {
		return nil
	}
	return p.check(m, p.parse(m, false))
}

// Import implements [types.Importer].
func (p *Program) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := p.Package(path); pkg != nil {
		return pkg.Types, nil
	}
	switch m := p.metas[path]; {
	case m == nil:
		return nil, fmt.Errorf("no package %q is imported by the packages that were listed", path)
	case len(m.Errors) > 0:
		return nil, errors.New(strings.TrimSpace(m.Errors[0].Msg))
	}
	return nil, fmt.Errorf("package %q has no Go files", path)
}

type parsedPackage struct {
	pkg     *Package
	imports []string
}

// parseAll parses the roots, then in parallel the packages that their remaining imports need, until
// there are no new ones. Checking then uses parsed packages only.
func (p *Program) parseAll(roots map[string]bool) {
	sem := make(chan struct{}, goruntime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	started := map[string]bool{}
	var mu sync.Mutex
	var start func(path string)
	start = func(path string) {
		mu.Lock()
		defer mu.Unlock()
		m := p.metas[path]
		if m == nil || started[path] || len(m.GoFiles) == 0 {
			return
		}
		started[path] = true
		wg.Go(func() {
			sem <- struct{}{}
			pp := p.parse(m, roots[path])
			<-sem
			for _, imp := range pp.imports {
				start(imp)
			}
		})
	}
	for path := range roots {
		start(path)
	}
	wg.Wait()
}

func (p *Program) parse(m *packages.Package, root bool) *parsedPackage {
	p.mu.Lock()
	pp := p.parsed[m.PkgPath]
	p.mu.Unlock()
	if pp != nil {
		return pp
	}
	pkg := newPackage(m)
	pp = &parsedPackage{pkg: pkg}
	mode := parser.SkipObjectResolution
	if !pkg.Std {
		mode |= parser.ParseComments
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(slices.Values(m.GoFiles)) {
		src, err := os.ReadFile(name)
		if err != nil {
			pkg.ParseErrors = append(pkg.ParseErrors, scanner.Error{
				Pos: token.Position{Filename: name},
				Msg: err.Error(),
			})
			continue
		}
		ours := HasHeader(src, p.cfg.Header)
		if ours {
			pkg.Generated = append(pkg.Generated, name)
			if root || pkg.Main {
				continue
			}
		}
		file, err := parser.ParseFile(p.Fset, name, src, mode)
		if err != nil && !ours {
			var list scanner.ErrorList
			if errors.As(err, &list) {
				for _, e := range list {
					pkg.ParseErrors = append(pkg.ParseErrors, *e)
				}
			}
		}
		if file == nil {
			continue
		}
		p.settle(file, m.PkgPath)
		for _, imp := range p.prune(file, m, pkg.Std) {
			if !seen[imp] {
				seen[imp] = true
				pp.imports = append(pp.imports, imp)
			}
		}
		pkg.Files = append(pkg.Files, file)
	}
	p.mu.Lock()
	p.parsed[m.PkgPath] = pp
	p.mu.Unlock()
	return pp
}

// HasHeader reports whether src begins with the generator's header line.
func HasHeader(src []byte, header string) bool {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	return string(bytes.TrimRight(line, "\r")) == header
}

// prune removes declarations that the generator does not need and returns the paths of the imports
// that are still needed.
func (p *Program) prune(file *ast.File, m *packages.Package, std bool) []string {
	decls := file.Decls[:0]
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Body != nil { // its braces tell comments inside from those of the next declaration
				decl.Body.List = nil
			}
			// The generator uses methods of the standard library, but not its functions.
			if std && (decl.Recv == nil || !decl.Name.IsExported()) {
				continue
			}
		case *ast.GenDecl:
			if decl.Tok == token.VAR {
				specs := decl.Specs[:0]
				for _, spec := range decl.Specs {
					// A constant may depend on the type of a variable, but not on its value.
					if v := spec.(*ast.ValueSpec); v.Type != nil {
						v.Values = nil
						specs = append(specs, v)
					} else if !std {
						// The names stay declared: an import must not shadow them.
						v.Type, v.Values = ast.NewIdent("any"), nil
						v.Type.(*ast.Ident).NamePos = v.Pos()
						specs = append(specs, v)
					}
				}
				decl.Specs = specs
				if len(specs) == 0 {
					continue
				}
			}
		}
		decls = append(decls, decl)
	}
	file.Decls = decls

	used := map[string]bool{}
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok {
					used[x.Name] = true
				}
			}
			return true
		})
	}
	var needed []string
	keep := func(spec *ast.ImportSpec) bool {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return false
		}
		var target *packages.Package
		if target = m.Imports[path]; target != nil {
			path = target.PkgPath
		}
		name := ""
		switch {
		case spec.Name != nil:
			name = spec.Name.Name
		case target != nil && target.Name != "":
			name = target.Name
		default:
			name = path[strings.LastIndexByte(path, '/')+1:]
		}
		if name == "_" || name != "." && !used[name] {
			return false
		}
		needed = append(needed, path)
		return true
	}
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool { return !keep(s.(*ast.ImportSpec)) })
		}
	}
	// The type checker requires at least one element in every declaration.
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && len(g.Specs) == 0
	})
	return needed
}

func (p *Program) check(m *packages.Package, pp *parsedPackage) *Package {
	pkg := pp.pkg
	// In an import cycle this package is requested again before it is complete: its incomplete form
	// ends the recursion.
	pkg.Types = types.NewPackage(m.PkgPath, m.Name)
	p.loaded[m.PkgPath] = pkg
	conf := types.Config{
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Importer:         importer{p, m},
		Error: func(err error) {
			var te types.Error
			if errors.As(err, &te) && !te.Soft {
				pkg.TypeErrors = append(pkg.TypeErrors, te)
			}
		},
		// Fixed, so that the output does not depend on the machine.
		Sizes: types.SizesFor("gc", "amd64"),
	}
	// The checker reports all errors through conf.Error; its result is the first of them.
	_ = types.NewChecker(&conf, p.Fset, pkg.Types, nil).Files(pkg.Files)
	return pkg
}

// importer resolves the import paths of one package, which a vendor directory may map to others.
type importer struct {
	p *Program
	m *packages.Package
}

func (i importer) Import(path string) (*types.Package, error) {
	if target := i.m.Imports[path]; target != nil {
		path = target.PkgPath
	}
	return i.p.Import(path)
}

func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// Rel returns a file name relative to dir, with slashes, or the name itself if there is no relative
// form.
func Rel(dir, name string) string {
	rel, err := filepath.Rel(dir, name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(rel)
}

// Short returns a file name for messages: the relative one, or the name itself if that is shorter.
func Short(dir, name string) string {
	if rel := Rel(dir, name); len(rel) < len(name) {
		return rel
	}
	return filepath.ToSlash(name)
}
