package defaults

import (
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/schema"
)

// ref resolves ref(Const), ref(pkg.Const) and ref(import/path.Const).
func (v *valuer) ref(t types.Type, l *literal) expr.Source {
	pkg, name := v.from.Go, l.value
	if i := strings.LastIndexByte(l.value, '.'); i >= 0 {
		path := l.value[:i]
		name = l.value[i+1:]
		pkg = v.findPackage(path)
		if pkg == nil {
			return v.fail(l, "package %q is not imported by package %s; write the full import path", path, v.from.Name)
		}
	}
	obj := pkg.Scope().Lookup(name)
	k, ok := obj.(*types.Const)
	switch {
	case ok && pkg != v.pkg.Go && pkg == v.from.Go && !k.Exported():
		return v.fail(l, "constant %s is not exported by package %s, so generated code in package %s cannot name it",
			name, pkg.Name(), v.pkg.Name)
	case !ok || pkg != v.pkg.Go && !k.Exported():
		v.fail(l, "undefined constant %s", l.value)
		var names []string
		for _, n := range pkg.Scope().Names() {
			if c, ok := pkg.Scope().Lookup(n).(*types.Const); ok && (pkg == v.pkg.Go || c.Exported()) {
				names = append(names, n)
			}
		}
		v.mistakes[len(v.mistakes)-1].near, _ = schema.Nearest(name, names)
		return nil
	case !v.holds(t, k):
		return v.fail(l, "constant %s (%s) is not a value for %s", l.value, k.Val(), v.typeName(t))
	}
	elem := t
	ptr, isPtr := t.Underlying().(*types.Pointer)
	if isPtr {
		elem = ptr.Elem()
	}
	src := expr.Source{k}
	if !types.Identical(k.Type(), elem) && (isPtr || !types.AssignableTo(k.Type(), elem)) {
		src = expr.Source{elem, "(", k, ")"}
	}
	if isPtr {
		return append(append(expr.Source{"new("}, src...), ")")
	}
	return src
}

// holds reports whether a constant is a value of a type or of its pointee.
func (v *valuer) holds(t types.Type, k *types.Const) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	val := k.Val()
	switch info := b.Info(); {
	case info&types.IsString != 0:
		return val.Kind() == constant.String
	case info&types.IsBoolean != 0:
		return val.Kind() == constant.Bool
	case info&types.IsInteger != 0:
		i := constant.ToInt(val)
		return i.Kind() == constant.Int && fits(i, b)
	case info&types.IsFloat != 0:
		return constant.ToFloat(val).Kind() == constant.Float
	}
	return false
}

// findPackage looks for a package by import path, or by its name in the imports of a file.
func (v *valuer) findPackage(path string) *types.Package {
	if path == v.from.Path || path == v.from.Name {
		return v.from.Go
	}
	if imported := importNamed(v.from.Dir, path); imported != "" {
		path = imported
	}
	if p := v.u.Package(path); p != nil {
		return p.Go
	}
	return nil
}

// importNamed returns the path of the import with a name. The model lacks imports that only
// function bodies use.
func importNamed(dir, name string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range syntax.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err == nil && (spec.Name != nil && spec.Name.Name == name || spec.Name == nil &&
				lastElement(path) == name) {
				return path
			}
		}
	}
	return ""
}

func lastElement(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
