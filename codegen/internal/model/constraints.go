package model

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/load"
)

// systems has the names of operating systems and architectures in build constraints and file names.
var systems = []string{
	"386", "aix", "amd64", "android", "arm", "arm64", "cgo", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js",
	"linux", "loong64", "mips", "mips64", "mips64le", "mipsle", "netbsd", "openbsd", "plan9", "ppc64", "ppc64le",
	"riscv64", "s390x", "solaris", "unix", "wasip1", "wasm", "windows",
}

// checkFiles reports files of a package that are unsuitable for generation: with types that only
// some builds have, or with dot imports whose names may clash with generated declarations.
func (u *Universe) checkFiles(lp *load.Package, e Errors) {
	u.checkIgnored(lp, e)
	for _, file := range lp.Files {
		for _, spec := range file.Imports {
			if spec.Name != nil && spec.Name.Name == "." {
				e.Errorf(spec.Pos(), "dot-import",
					"the names of an import with a dot can clash with those of generated declarations").
					Suggest("import %s", spec.Path.Value)
			}
		}
		if name := u.Fset.Position(file.Package).Filename; declaresTypes(file) && constrained(name, file) {
			e.Errorf(file.Package, "build-constraint",
				"%s declares types, and only some systems build it, but generated code needs them everywhere",
				filepath.Base(name)).Suggest("move the types into a file without build constraints")
		}
	}
}

// checkIgnored reports types in files that the build excludes.
func (u *Universe) checkIgnored(lp *load.Package, e Errors) {
	for _, name := range lp.Ignored {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || file.Name.Name != lp.Name || !declaresTypes(file) {
			continue
		}
		pos := fset.Position(file.Package)
		pos.Filename = load.Short(u.dir, pos.Filename)
		why := "a build constraint leaves it out"
		if importsC(file) {
			why = `it imports "C"`
		}
		e.List.Errorf(pos, "build-constraint", "%s declares types, and no code is generated for them, because %s",
			filepath.Base(name), why).Suggest("move the types into a file without build constraints")
	}
}

// switchesOff reports whether a package comment in a file says +askind:generate=false.
func switchesOff(name string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
	return err == nil && slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
		return strings.Contains("\n"+c.Text(), "\n+askind:generate=false\n")
	})
}

func importsC(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool {
		path, err := strconv.Unquote(s.Path.Value)
		return err == nil && path == "C"
	})
}

// declaresTypes reports whether a file declares an API type: a struct with markers, type meta or
// JSON tags.
func declaresTypes(file *ast.File) bool {
	for g, t := range typeSpecs(file) {
		if strings.Contains("\n"+g.Doc.Text(), "\n+") || strings.Contains("\n"+t.Doc.Text(), "\n+") {
			return true
		}
		st, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range st.Fields.List {
			sel, ok := f.Type.(*ast.SelectorExpr)
			if ok && len(f.Names) == 0 && sel.Sel.Name == "TypeMeta" ||
				f.Tag != nil && strings.Contains(f.Tag.Value, `json:"`) {
				return true
			}
		}
	}
	return false
}

// constrained reports whether the name of a file or a build constraint in it names a platform.
func constrained(name string, file *ast.File) bool {
	// The go command reads the last word of the name of a file.
	base, _, _ := strings.Cut(filepath.Base(name), ".")
	last := strings.LastIndexByte(base, '_')
	if word := base[last+1:]; last >= 0 && word != "cgo" && word != "unix" && slices.Contains(systems, word) {
		return true
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(src)) {
		if strings.HasPrefix(line, "package ") {
			return false
		}
		x, err := constraint.Parse(strings.TrimSpace(line))
		if err != nil {
			continue
		}
		found := false
		x.Eval(func(tag string) bool { found = found || slices.Contains(systems, tag); return true })
		x.Eval(func(tag string) bool { found = found || slices.Contains(systems, tag); return false })
		return found
	}
	return false
}
