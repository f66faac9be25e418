// Package fromapi generates packages that serve the types of API packages of other modules, such as
// those of a server on k8s.io/apiserver. It generates one for each version, which names the types
// and calls the hand-written functions for them.
package fromapi

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/schema"
)

// Source is a package of the API: its import path, its directory and the names of its Go files.
type Source struct {
	Path, Dir string
	Files     []string
}

// Package is a package that serves the types of a source.
type Package struct {
	Group, Version string
	// Source is the import path of the types.
	Source string
	// Kinds are the names of its kinds.
	Kinds []string
	// Called are the functions of the source that are called. Unused are those that look relevant
	// by their names but cannot be called.
	Called, Unused []string
	// Text is the source of the package, in one file.
	Text []byte

	types     []string
	codecs    []string
	functions map[string]*ast.FuncDecl
	// hand has, for each type with hand-written conversions, the name in functions of the package
	// with the internal type; imports has the import paths of such packages by that name.
	hand    map[string]string
	imports map[string]string
}

// Plan returns the packages for the versions among some packages, the preferred version first.
func Plan(sources []Source) ([]*Package, error) {
	var out []*Package
	var validation *Package
	for _, s := range sources {
		p, err := read(s)
		if err != nil {
			return nil, err
		}
		switch {
		case path.Base(s.Path) == "validation":
			validation = p
		case len(p.Kinds) > 0 && versionName.MatchString(p.Version):
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *Package) int { return schema.CompareVersions(a.Version, b.Version) })
	for _, p := range out {
		if p.Group == "" {
			return nil, fmt.Errorf("%s does not name its group with +groupName", p.Source)
		}
		if err := p.write(out[0], validation); err != nil {
			return nil, err
		}
	}
	return out, nil
}

var (
	versionName = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)
	groupName   = regexp.MustCompile(`(?m)^// ?\+groupName=(\S+)`)
	converts    = regexp.MustCompile(`^Convert_([A-Za-z0-9]+)_(\w+)_To_([A-Za-z0-9]+)_(\w+)$`)
)

// codecs has the packages that serve types of Kubernetes, by the packages of the types.
var codecs = map[string]string{
	"k8s.io/api/apps/v1":         "github.com/askind/askind/k8s/appsv1",
	"k8s.io/api/coordination/v1": "github.com/askind/askind/k8s/coordinationv1",
	"k8s.io/api/core/v1":         "github.com/askind/askind/k8s/corev1",
	"k8s.io/api/events/v1":       "github.com/askind/askind/k8s/eventsv1",
}

// read parses a package.
func read(s Source) (*Package, error) {
	p := &Package{
		Version: path.Base(s.Path), Source: s.Path, functions: map[string]*ast.FuncDecl{}, hand: map[string]string{},
		imports: map[string]string{}, codecs: []string{"github.com/askind/askind/k8s/metav1"},
	}
	fset := token.NewFileSet()
	for _, name := range s.Files {
		f, err := parser.ParseFile(fset, filepath.Join(s.Dir, name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, c := range f.Comments {
			for _, line := range c.List {
				if m := groupName.FindStringSubmatch(line.Text); m != nil {
					p.Group = m[1]
				}
			}
		}
		generated := strings.HasPrefix(name, "zz_generated")
		names := map[string]string{}
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			local := path.Base(to)
			if spec.Name != nil {
				local = spec.Name.Name
			}
			names[local] = to
			if c := codecs[to]; c != "" && !generated && !slices.Contains(p.codecs, c) {
				p.codecs = append(p.codecs, c)
			}
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					p.function(d, names, generated)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						p.declared(t)
					}
				}
			}
		}
	}
	slices.Sort(p.Kinds)
	return p, nil
}

func (p *Package) function(d *ast.FuncDecl, imports map[string]string, generated bool) {
	name := d.Name.Name
	p.functions[name] = d
	m := converts.FindStringSubmatch(name)
	if m == nil || m[2] != m[4] {
		return
	}
	for _, internal := range []string{m[1], m[3]} {
		to := imports[internal]
		if to == "" {
			continue
		}
		if p.imports[internal] = to; !generated {
			p.hand[m[2]] = internal
		}
	}
}

// declared records a type; kinds are structs with TypeMeta and ObjectMeta.
func (p *Package) declared(t *ast.TypeSpec) {
	p.types = append(p.types, t.Name.Name)
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	embedded := 0
	for _, f := range s.Fields.List {
		sel, ok := f.Type.(*ast.SelectorExpr)
		if len(f.Names) == 0 && ok && (sel.Sel.Name == "TypeMeta" || sel.Sel.Name == "ObjectMeta") {
			embedded++
		}
	}
	if embedded == 2 {
		p.Kinds = append(p.Kinds, t.Name.Name)
	}
}

// writer generates the file of a package.
type writer struct {
	body    bytes.Buffer
	imports map[string]string // by name, as in an import declaration
}

func (w *writer) use(name, to string) {
	line := strconv.Quote(to)
	if path.Base(to) != name {
		line = name + " " + line
	}
	w.imports[name] = line
}

// write generates the source.
func (p *Package) write(hub, validation *Package) error {
	w := &writer{imports: map[string]string{}}
	w.use(p.Version, p.Source)
	for _, k := range p.Kinds {
		if p == hub {
			w.body.WriteString("// +kubebuilder:storageversion\n")
		}
		fmt.Fprintf(&w.body, "type %[2]s = %[1]s.%[2]s\n\n", p.Version, k)
	}
	p.defaults(w)
	if p != hub {
		p.conversions(w, hub)
	} else if validation != nil {
		p.validations(w, validation)
	}
	for _, name := range slices.Sorted(maps.Keys(p.functions)) {
		if strings.HasPrefix(name, "Validate") {
			p.Unused = append(p.Unused, name)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package %s serves the types of package %s.\n//\n// +askind:foreign=%s\n", p.Version, p.Source, p.Source)
	for _, c := range p.codecs {
		fmt.Fprintf(&b, "// +askind:codecs=%s\n", c)
	}
	if p != hub {
		fmt.Fprintf(&b, "// +askind:hub=%s\n", hub.Source)
	}
	fmt.Fprintf(&b, "package %s\n\nimport (\n", p.Version)
	for _, standard := range []bool{true, false} {
		for _, name := range slices.SortedFunc(maps.Keys(w.imports), func(a, b string) int {
			return cmp.Compare(strings.Trim(w.imports[a], a+` "`), strings.Trim(w.imports[b], b+` "`))
		}) {
			if strings.Contains(w.imports[name], ".") != standard {
				fmt.Fprintf(&b, "\t%s\n", w.imports[name])
			}
		}
		b.WriteString("\n")
	}
	// The imports of generated code must be in go.mod before the generator runs.
	for _, c := range p.codecs {
		fmt.Fprintf(&b, "\t_ %q // called by generated code\n", c)
	}
	fmt.Fprintf(&b, ")\n\n%s", &w.body)
	text, err := format.Source(b.Bytes())
	if err != nil {
		return fmt.Errorf("BUG: the package for %s: %w", p.Source, err)
	}
	p.Text = text
	return nil
}

// defaults generates calls of the functions that set defaults.
func (p *Package) defaults(w *writer) {
	for _, name := range slices.Sorted(maps.Keys(p.functions)) {
		typ, ok := strings.CutPrefix(name, "SetDefaults_")
		if !ok || !slices.Contains(p.types, typ) {
			continue
		}
		p.Called = append(p.Called, name)
		fmt.Fprintf(&w.body, "// SetDefaults%s sets the defaults that\n// %s defines.\nfunc SetDefaults%s(in *%s.%s) { %s.%s(in) }\n\n", typ,
			p.Source, typ, p.Version, typ, p.Version, name)
	}
}

// conversions generates calls of hand-written conversions, of this version or the hub. They convert
// by way of an internal type.
func (p *Package) conversions(w *writer, hub *Package) {
	between := maps.Clone(p.hand)
	maps.Copy(between, hub.hand)
	for _, typ := range slices.Sorted(maps.Keys(between)) {
		internal := between[typ]
		name := func(from, to string) string { return "Convert_" + from + "_" + typ + "_To_" + to + "_" + typ }
		up, down := name(p.Version, internal), name(internal, hub.Version)
		back, away := name(hub.Version, internal), name(internal, p.Version)
		if p.functions[up] == nil || p.functions[away] == nil || hub.functions[down] == nil ||
			hub.functions[back] == nil {
			continue // the hub does not have the type
		}
		w.use(internal, cmp.Or(p.imports[internal], hub.imports[internal]))
		w.use(hub.Version, hub.Source)
		w.use("errors", "errors")
		w.use("conversion", "github.com/askind/askind/conversion")
		p.Called = append(p.Called, up, away)
		write := func(fn, doc string, from, to *Package, first, second string) {
			fmt.Fprintf(&w.body, "// %s %s\nfunc %s(in *%s.%s, out *%s.%s, _ *conversion.Scope) error {\n\tvar between %s.%s\n"+
				"\treturn errors.Join(%s.%s(in, &between, nil),\n\t\t%s.%s(&between, out, nil))\n}\n\n", fn, doc, fn, from.Version, typ,
				to.Version, typ, internal, typ, from.Version, first, to.Version, second)
		}
		title := strings.ToUpper(hub.Version[:1]) + hub.Version[1:]
		write("Convert"+typ+"To"+title, "converts by way of the internal type.", p, hub, up, down)
		write("Convert"+typ+"From"+title, "converts in the opposite direction.", hub, p, back, away)
	}
}

// validations generates calls of the functions that validate kinds.
func (p *Package) validations(w *writer, v *Package) {
	for _, kind := range p.Kinds {
		if update := "Validate" + kind + "Update"; v.functions[update] != nil {
			p.Unused = append(p.Unused, "validation."+update)
		}
		d := v.functions["Validate"+kind]
		if d == nil {
			continue
		}
		internal := oneParameter(d)
		to := p.imports[internal]
		convert := "Convert_" + p.Version + "_" + kind + "_To_" + internal + "_" + kind
		if to == "" || p.functions[convert] == nil {
			p.Unused = append(p.Unused, "validation.Validate"+kind)
			continue
		}
		w.use(internal, to)
		w.use("validation", v.Source)
		w.use("context", "context")
		w.use("runtime", "github.com/askind/askind/runtime")
		w.use("schema", "github.com/askind/askind/schema")
		p.Called = append(p.Called, "validation.Validate"+kind)
		fmt.Fprintf(&w.body, "// Validate%s calls the function of the same name in\n// %s.\n"+
			"func Validate%s(_ context.Context, in *%s.%s) (errs runtime.FieldErrors) {\n\tvar between %s.%s\n"+
			"\tif err := %s.%s(in, &between, nil); err != nil {\n"+
			"\t\treturn append(errs, runtime.Invalid(schema.NewPath(\"\"), nil, err.Error()))\n\t}\n"+
			"\tfor _, e := range validation.Validate%s(&between) {\n\t\tat, err := schema.ParsePath(e.Field)\n"+
			"\t\tif err != nil {\n\t\t\tat = schema.NewPath(e.Field)\n\t\t}\n"+
			"\t\tcode := runtime.FieldErrorCode(e.Type)\n"+
			"\t\terrs = append(errs, &runtime.FieldError{Path: at, Code: code, Value: e.BadValue, Detail: e.Detail})\n"+
			"\t}\n\treturn errs\n}\n\n",
			kind, v.Source, kind, p.Version, kind, internal, kind, p.Version, convert, kind)
	}
}

// oneParameter returns the package of the only parameter of a function that returns an ErrorList,
// or "" for other functions.
func oneParameter(d *ast.FuncDecl) string {
	t := d.Type
	if len(t.Params.List) != 1 || len(t.Params.List[0].Names) > 1 || t.Results == nil || len(t.Results.List) != 1 {
		return ""
	}
	if r, ok := t.Results.List[0].Type.(*ast.SelectorExpr); !ok || r.Sel.Name != "ErrorList" {
		return ""
	}
	star, ok := t.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return ""
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if id, ok := sel.X.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
