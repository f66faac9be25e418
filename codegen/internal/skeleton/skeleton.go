// Package skeleton writes source to begin with. [Files] writes a new API group: two versions of one
// kind, the package that registers both, and a test that converts and prints an object. [Project]
// writes a whole program around such versions: a module that serves them, and a test of it.
// Everything that a person would have to know before the first run of the generator is a marker
// with a comment.
package skeleton

import (
	"bytes"
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

// Spec says what to write.
type Spec struct {
	// Group is the name of the API group, such as fleet.example.com.
	Group string
	// Kind is the Go name of the kind, such as Machine.
	Kind string
	// Path is the import path of the directory that the files are for.
	Path string
}

// ProjectSpec says what project to write.
type ProjectSpec struct {
	// Group, Version and Kind are the name of the API group, the current version of its kind, such
	// as v1, and the Go name of the kind.
	Group, Version, Kind string
	// Module is the path of the module, such as example.com/garage.
	Module string
	// Require is the version of askind, and Replace the directory of a checkout that stands in for
	// it; blank for none.
	Require, Replace string
}

// values are what the templates print.
type values struct {
	Group, Kind, Path string
	// Package is the name of the package of the group.
	Package string
	// Current and Old are the two versions.
	Current, Old string
	// The rest is for projects.
	Module, Askind, Require, Replace, Singular string
}

// Files returns the files of a group by name, relative to the directory of the spec.
func Files(s Spec) (map[string][]byte, error) {
	v := &values{Group: s.Group, Kind: s.Kind, Path: s.Path, Current: "v1", Old: "v1beta1"}
	if err := v.check(); err != nil {
		return nil, err
	}
	return v.write(map[string]string{
		"group.go.tmpl": v.Package + ".go", "group_test.go.tmpl": v.Package + "_test.go",
	})
}

// Project returns the files of a project by name, relative to its directory.
func Project(s ProjectSpec) (map[string][]byte, error) {
	v := &values{
		Group: s.Group, Kind: s.Kind, Path: s.Module, Module: s.Module,
		Askind: "github.com/askind/askind", Require: s.Require, Replace: s.Replace, Singular: strings.ToLower(s.Kind),
	}
	var err error
	if v.Old, v.Current, err = versions(s.Version); err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	return v.write(map[string]string{
		"go.mod.tmpl": "go.mod", "main.go.tmpl": "main.go", "main_test.go.tmpl": "main_test.go",
		"README.md.tmpl": "README.md", "sample.yaml.tmpl": "sample.yaml",
	})
}

// versionPattern matches the versions of Kubernetes.
var versionPattern = regexp.MustCompile(`^(v[1-9][0-9]*)(alpha|beta)?([1-9][0-9]*)?$`)

// versions returns an older version and the one given, such as v1beta1 and v1.
// There is nothing before v1alpha1, so it comes with v1alpha2.
func versions(given string) (old, current string, err error) {
	m := versionPattern.FindStringSubmatch(given)
	if m == nil || (m[2] == "") != (m[3] == "") {
		return "", "", fmt.Errorf("%q is not a version; it looks like v1, v1beta1 or v2alpha3", given)
	}
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

// check returns an error if the group or the kind has a name that cannot be.
func (v *values) check() error {
	gv := schema.GroupVersion{Group: v.Group, Version: "v1"}
	if parsed, err := schema.ParseGroupVersion(gv.String()); err != nil {
		return fmt.Errorf("%q is not an API group: %w", v.Group, err)
	} else if parsed != gv || v.Group != strings.ToLower(v.Group) || strings.ContainsAny(v.Group, " _") ||
		strings.Trim(v.Group, ".-") != v.Group {
		return fmt.Errorf("%q is not an API group; it looks like fleet.example.com", v.Group)
	}
	if !token.IsIdentifier(v.Kind) || !token.IsExported(v.Kind) {
		return fmt.Errorf("%q is not a name for a kind; it is a Go name that begins with a capital, such as Machine",
			v.Kind)
	}
	if v.Package = PackageName(v.Group); v.Package == "" {
		return fmt.Errorf("the first word of group %q is not a name for a Go package", v.Group)
	}
	return nil
}

// write returns what the templates make, by the names of the files: those that are given, and those
// of the two versions.
func (v *values) write(files map[string]string) (map[string][]byte, error) {
	files["current_doc.go.tmpl"], files["current_types.go.tmpl"] = v.Current+"/doc.go", v.Current+"/types.go"
	files["old_doc.go.tmpl"], files["old_types.go.tmpl"] = v.Old+"/doc.go", v.Old+"/types.go"
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

// taken are names that the files use for something else.
var taken = []string{
	"v1", "v1beta1", "metav1", "runtime", "serializer", "json", "yaml", "fuzz", "fmt", "testing",
	"main", "internal", "vendor", "testdata", "old",
}

// PackageName is the first word of a group as the name of a Go package, blank if it cannot be one.
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
