// Package skeleton generates initial source code. [Files] returns a new API group: two versions of
// one kind, the package that registers both, and a test that converts and prints an object.
// [Project] returns a whole program around such versions: a module that serves them, and a test of
// it. Comments explain every marker in the source.
package skeleton

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/askind/askind/schema"
)

//go:embed templates
var templates embed.FS

// ProjectSpec describes a project.
type ProjectSpec struct {
	// Group, Version and Kind are the name of the API group, the current version of its kind, such
	// as v1, and the Go name of the kind.
	Group, Version, Kind string
	// Single is whether there is no older version.
	Single bool
	// Module is the path of the module, such as example.com/garage.
	Module string
	// Require is the version of askind, and Replace the directory of a checkout that replaces it;
	// blank for none.
	Require, Replace string
}

// values holds the data of the templates.
type values struct {
	ImportSpec
	Kind, Path string
	// Package is the name of the package of the group.
	Package string
	// Current and Old are the two versions, Old blank if there is one; Next is a version to add.
	Current, Old, Next string
	// Singular names the kind of a project.
	Singular string
}

// Askind returns the path of this module.
func (*values) Askind() string { return "github.com/askind/askind" }

// Package is a package that a program imports.
type Package struct{ Name, Path string }

// ModString returns a text as go.mod has it, such as a directory: in quotes if it needs any.
func ModString(s string) string {
	if strings.ContainsAny(s, " \"'`()[]{},") || strings.Contains(s, "//") {
		return strconv.Quote(s)
	}
	return s
}

// Import returns the line of an import declaration.
func (p Package) Import() string {
	if path.Base(p.Path) == p.Name {
		return strconv.Quote(p.Path)
	}
	return p.Name + " " + strconv.Quote(p.Path)
}

// ImportedKind is an imported kind: the path at which objects are created, and a sample object as
// YAML, blank for none.
type ImportedKind struct {
	Kind, Resource, Singular, URL, Sample string
}

// ImportSpec describes a project around existing packages.
type ImportSpec struct {
	// Group is the API group that names the program unless Program does, and Groups lists all
	// groups as part of a sentence.
	Group, Groups, Program string
	// Source names the file or package that the types come from.
	Source string
	// Module, Require and Replace are as in [ProjectSpec].
	Module, Require, Replace string
	// Modules are additional required modules with their versions, and Replaces their replacements.
	Modules, Replaces []string
	Packages          []Package
	Kinds             []ImportedKind
	Pending, Lost     []string
	// Foreign reports that the types belong to another module.
	Foreign bool
}

// Import returns the files of a project around existing packages.
func Import(s ImportSpec) (map[string][]byte, error) {
	v := &values{ImportSpec: s, Kind: "Any", Path: s.Module}
	v.Replace = ModString(s.Replace)
	if err := v.check(); err != nil {
		return nil, err
	}
	v.Package = cmp.Or(s.Program, v.Package)
	files := map[string]string{
		"go.mod.tmpl": "go.mod", "main.go.tmpl": "main.go", "import/main_test.go.tmpl": "main_test.go",
		"import/README.md.tmpl": "README.md",
	}
	if v.HasSamples() {
		files["import/sample.yaml.tmpl"] = "sample.yaml"
	}
	return v.write(files)
}

// ImportGroup returns the file that registers the versions of a group in an existing module, by its
// name.
func ImportGroup(s ImportSpec) (map[string][]byte, error) {
	v := &values{ImportSpec: ImportSpec{Group: s.Group, Packages: s.Packages}, Kind: "Any"}
	if err := v.check(); err != nil {
		return nil, err
	}
	return v.write(map[string]string{"group.go.tmpl": v.Package + ".go"})
}

// Kind returns the file of another kind for a package of an API group.
func Kind(group, pkg, kind string) ([]byte, error) {
	v := &values{ImportSpec: ImportSpec{Group: group}, Kind: kind, Current: pkg}
	if err := v.check(); err != nil {
		return nil, err
	}
	files, err := v.write(map[string]string{"current_types.go.tmpl": "types.go"})
	return files["types.go"], err
}

// Files returns the files of a group with a kind by name, relative to the directory with the import
// path.
func Files(group, kind, importPath string) (map[string][]byte, error) {
	v := &values{ImportSpec: ImportSpec{Group: group}, Kind: kind, Path: importPath, Current: "v1", Old: "v1beta1"}
	if err := v.check(); err != nil {
		return nil, err
	}
	v.Packages = v.versions()
	files := v.types()
	files["group.go.tmpl"], files["group_test.go.tmpl"] = v.Package+".go", v.Package+"_test.go"
	return v.write(files)
}

// Project returns the files of a project by name, relative to its directory.
func Project(s ProjectSpec) (map[string][]byte, error) {
	v := &values{
		ImportSpec: ImportSpec{Group: s.Group, Module: s.Module, Require: s.Require, Replace: ModString(s.Replace)},
		Kind:       s.Kind, Path: s.Module, Singular: strings.ToLower(s.Kind),
	}
	var err error
	if v.Old, v.Current, err = versions(s.Version); err != nil {
		return nil, err
	}
	if s.Single {
		v.Old, v.Current = "", s.Version
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	major, err := strconv.Atoi(versionPattern.FindStringSubmatch(v.Current)[1][1:])
	if err != nil {
		return nil, err
	}
	v.Next = "v" + strconv.Itoa(major+1)
	v.Packages, v.Groups = v.versions(), "the API group "+v.Group
	files := v.types()
	for _, name := range []string{"go.mod", "main.go", "main_test.go", "README.md", "sample.yaml"} {
		files[name+".tmpl"] = name
	}
	return v.write(files)
}

var (
	// versionPattern matches the versions of Kubernetes.
	versionPattern = regexp.MustCompile(`^(v[1-9][0-9]{0,8})(alpha|beta)?([1-9][0-9]*)?$`)
	// kindPattern matches the kinds of Kubernetes that are names of exported Go types.
	kindPattern = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	// modulePattern matches no text with more than the characters of module paths.
	modulePattern = regexp.MustCompile(`^[\w./~-]*$`)
)

// IsVersion reports whether a text is a version such as v1, v1beta1 or v2alpha3.
func IsVersion(s string) bool {
	m := versionPattern.FindStringSubmatch(s)
	return m != nil && (m[2] == "") == (m[3] == "")
}

// versions returns an older version and the one given, such as v1beta1 and v1.
// There is nothing before v1alpha1, so it comes with v1alpha2.
func versions(given string) (old, current string, err error) {
	if !IsVersion(given) {
		return "", "", fmt.Errorf("%q is not a version; it looks like v1, v1beta1 or v2alpha3", given)
	}
	m := versionPattern.FindStringSubmatch(given)
	switch {
	case m[2] == "":
		return m[1] + "beta1", given, nil
	case m[3] != "1":
		n, err := strconv.Atoi(m[3])
		return m[1] + m[2] + strconv.Itoa(n-1), given, err
	case m[2] == "beta":
		return m[1] + "alpha1", given, nil
	}
	return given, m[1] + "alpha2", nil
}

// check returns an error if the name of the group or the kind is invalid.
func (v *values) check() error {
	gv := schema.GroupVersion{Group: v.Group, Version: "v1"}
	if parsed, err := schema.ParseGroupVersion(gv.String()); err != nil {
		return fmt.Errorf("%q is not an API group: %w", v.Group, err)
	} else if parsed != gv || v.Group != strings.ToLower(v.Group) || strings.ContainsAny(v.Group, " _") ||
		strings.Trim(v.Group, ".-") != v.Group {
		return fmt.Errorf("%q is not an API group; it looks like fleet.example.com", v.Group)
	}
	if !kindPattern.MatchString(v.Kind) {
		return fmt.Errorf("%q is not a name for a kind; it is a Go name of letters and digits that begins with a capital, "+
			"such as Machine", v.Kind)
	}
	if !modulePattern.MatchString(v.Module) || slices.Contains(strings.Split(v.Module, "/"), "vendor") {
		return fmt.Errorf("%q is not the path of a module; it looks like example.com/fleet", v.Module)
	}
	if v.Package = PackageName(v.Group); v.Package == "" {
		return fmt.Errorf("the first word of group %q is not a valid Go package name", v.Group)
	}
	return nil
}

// versions returns the packages of the versions.
func (v *values) versions() []Package {
	out := []Package{{v.Current, v.Path + "/" + v.Current}}
	if v.Old != "" {
		out = append(out, Package{v.Old, v.Path + "/" + v.Old})
	}
	return out
}

// types returns the templates of the versions with the names of their files.
func (v *values) types() map[string]string {
	out := map[string]string{
		"current_doc.go.tmpl": v.Current + "/doc.go", "current_types.go.tmpl": v.Current + "/types.go",
	}
	if v.Old != "" {
		out["old_doc.go.tmpl"], out["old_types.go.tmpl"] = v.Old+"/doc.go", v.Old+"/types.go"
	}
	return out
}

// write executes the templates and returns the results by file name.
func (v *values) write(files map[string]string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for source, name := range files {
		t, err := template.ParseFS(templates, path.Join("templates", source))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, v); err != nil {
			return nil, err
		}
		if out[name] = b.Bytes(); path.Ext(name) != ".go" {
			continue
		}
		if out[name], err = format.Source(b.Bytes()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

// taken has names that the files use for other purposes.
var taken = []string{
	"v1", "v1beta1", "metav1", "runtime", "serializer", "json", "yaml", "fuzz", "fmt", "testing",
	"main", "internal", "vendor", "testdata", "old", "t",
}

// PackageName returns the first word of a group if it is a valid name of a Go package, else "".
func PackageName(group string) string {
	first, _, _ := strings.Cut(group, ".")
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, first)
	switch {
	case name == "", name[0] <= '9':
		return ""
	case slices.Contains(taken, name), token.IsKeyword(name), types.Universe.Lookup(name) != nil:
		return name + "api"
	}
	return name
}

// HasSamples reports whether any kind has a sample object.
func (v *values) HasSamples() bool {
	return slices.ContainsFunc(v.Kinds, func(k ImportedKind) bool { return k.Sample != "" })
}

// Names returns the kinds, each once.
func (v *values) Names() []ImportedKind {
	var out []ImportedKind
	for _, k := range v.Kinds {
		if !slices.ContainsFunc(out, func(o ImportedKind) bool { return o.Resource == k.Resource }) {
			out = append(out, k)
		}
	}
	return out
}
