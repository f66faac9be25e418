// Package load reads Go packages for the generator.
//
// The generator needs declarations and nothing else: the types, the constants, the signatures of
// functions and methods. So [Load] asks the go command for the list of packages and then parses and
// type-checks them itself, with every function body and every value of a variable removed and
// without the imports that become unused by that. Most of the standard library is never looked at,
// a run does not depend on compiled packages, and code that does not compile yet, because it calls
// what is about to be generated, loads all the same.
//
// Files that begin with the generator's header are left out of the packages of the main module, so
// it does not matter whether they are stale or missing. In other modules they are read like any
// other file.
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
	// Root says that the patterns named the package.
	Root bool
	// Main says that the package belongs to the main module or to a module of the workspace.
	Main bool
	// Std says that the package belongs to the standard library: its comments were not read.
	Std bool
	// Files is the syntax without function bodies, in order of file name.
	Files []*ast.File
	// Types is the checked package. It is complete even if Errors is not empty, with invalid types
	// where nothing better was known.
	Types *types.Package
	// ParseErrors are the syntax errors of files that are not ours; TypeErrors those of the type
	// checker, which matter only if they reach a type that is generated for.
	ParseErrors []scanner.Error
	TypeErrors  []types.Error
	// Ignored lists the names of the Go files that this build leaves out, because of a build
	// constraint or an import of "C", sorted.
	Ignored []string
	// Generated lists the names of the files with the generator's header, sorted.
	Generated []string
}

// Program is the result of a load.
type Program struct {
	Fset *token.FileSet
	// Roots are the packages that the patterns named and that have one of the marks of the
	// configuration, sorted by path.
	Roots []*Package
	// Idle are the others that the patterns named. Nobody has looked into them: they have a path, a
	// name and a directory.
	Idle []*Package
	// ListErrors are the problems that the go command reported for the patterns themselves.
	ListErrors []packages.Error

	cfg    Config
	metas  map[string]*packages.Package
	loaded map[string]*Package
	parsed map[string]*parsedPackage
	mu     sync.Mutex
}

// Config says what to load.
type Config struct {
	// Dir is the directory in which the go command runs.
	Dir string
	// Env is the environment of the go command; nil means that of the process.
	Env []string
	// Header is the first line of generated files.
	Header string
	// Marks are texts of which a package must have at least one, in a file that is not generated,
	// to be looked into; none means that all are.
	Marks []string
}

// Load lists the packages that match the patterns and makes them ready. Packages are parsed and
// checked when [Program.Package] first asks for them.
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
			p.Idle = append(p.Idle, newPackage(m, true))
		}
	}
	slices.SortFunc(p.Idle, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
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
	for _, name := range m.GoFiles {
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

func newPackage(m *packages.Package, root bool) *Package {
	return &Package{
		Path: m.PkgPath, Name: m.Name, Dir: m.Dir, Root: root,
		Main: m.Module != nil && m.Module.Main,
		Std:  m.Module == nil && isStd(m.PkgPath),
		Ignored: slices.DeleteFunc(slices.Sorted(slices.Values(m.IgnoredFiles)), func(name string) bool {
			return !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")
		}),
	}
}

// MainPackagesWith returns the paths of the packages of the main modules in which a file contains a
// text, sorted. Files of ours and tests do not count. It reads the directories of the modules that
// the roots belong to, without what the go command ignores.
func (p *Program) MainPackagesWith(text string) []string {
	modules := map[string]string{}
	for _, m := range p.metas {
		if m.Module != nil && m.Module.Main && m.Module.Dir != "" {
			modules[m.Module.Dir] = m.Module.Path
		}
	}
	found := map[string]bool{}
	for dir, module := range modules {
		// What cannot be read is not there.
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

// Extend makes further packages known, such as a hub that only a marker names. They are not roots.
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

func (p *Program) list(patterns []string) ([]*packages.Package, error) {
	env := p.cfg.Env
	if env == nil {
		env = os.Environ()
	}
	roots, err := packages.Load(&packages.Config{
		Context: context.Background(),
		Dir:     p.cfg.Dir,
		// With cgo on, the go command would run it to name the files that it makes. The system is
		// fixed, so that the output does not depend on the machine.
		Env:  append(slices.Clone(env), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64"),
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

// heal makes a package of one whose generated files name another package, because it has been
// renamed since: they are output and say nothing. What the go command has to say about several
// packages in one directory stays if files of other people disagree.
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

// Package returns the loaded package with the import path, or nil if it was neither named nor
// imported by any package that was.
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

// Import makes a Program a [types.Importer].
func (p *Program) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := p.loaded[path]; pkg != nil {
		return pkg.Types, nil
	}
	m := p.metas[path]
	if m == nil {
		return nil, fmt.Errorf("no package %q is imported by the packages that were listed", path)
	}
	if len(m.GoFiles) == 0 {
		if len(m.Errors) > 0 {
			return nil, errors.New(strings.TrimSpace(m.Errors[0].Msg))
		}
		return nil, fmt.Errorf("package %q has no Go files", path)
	}
	return p.check(m, p.parse(m, false)).Types, nil
}

type parsedPackage struct {
	pkg     *Package
	imports []string
}

// parseAll parses the roots, then the packages that their remaining imports need, in parallel,
// until nothing new comes up. Checking then runs over parsed packages only.
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
	pkg := newPackage(m, root)
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
		if !pkg.Main {
			src = blankBodies(src)
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

// prune drops what the generator never looks at and returns the paths of the imports that are still
// needed.
func (p *Program) prune(file *ast.File, m *packages.Package, std bool) []string {
	decls := file.Decls[:0]
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			decl.Body = nil
			// Functions of the standard library cannot be ones that we look for; its methods can.
			if std && (decl.Recv == nil || !decl.Name.IsExported()) {
				continue
			}
		case *ast.GenDecl:
			if decl.Tok == token.VAR {
				specs := decl.Specs[:0]
				for _, spec := range decl.Specs {
					// The type of a variable can matter to a constant, its value cannot.
					if v := spec.(*ast.ValueSpec); v.Type != nil {
						v.Values = nil
						specs = append(specs, v)
					} else if !std {
						// The names stay taken: an import must not shadow them.
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
	// The type checker asks every declaration for its last element.
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && len(g.Specs) == 0
	})
	return needed
}

func (p *Program) check(m *packages.Package, pp *parsedPackage) *Package {
	pkg := pp.pkg
	// An import cycle comes back here before the package is done: its incomplete form ends the
	// walk.
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
		// A fixed architecture, so that the output does not depend on the machine.
		Sizes: types.SizesFor("gc", "amd64"),
	}
	// The checker reports through Error; its result is the first of those again.
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

// Rel returns a file name relative to dir, with slashes; the name itself if there is no relative
// form.
func Rel(dir, name string) string {
	rel, err := filepath.Rel(dir, name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(rel)
}

// Short returns a file name for people: the relative one, or the name itself where that is shorter.
func Short(dir, name string) string {
	if rel := Rel(dir, name); len(rel) < len(name) {
		return rel
	}
	return filepath.ToSlash(name)
}
