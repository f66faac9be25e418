// Package skeleton writes the source of a new API group: two versions of one kind, the package that
// registers both, and a test that converts and prints an object. Everything that a person would
// have to know before the first run of the generator stands in it as a marker with a comment.
package skeleton

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"path"
	"slices"
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

// values are what the templates print.
type values struct {
	Spec
	// Package is the name of the package of the group.
	Package string
}

// Files returns the files by name, relative to the directory of the spec.
func Files(s Spec) (map[string][]byte, error) {
	gv := schema.GroupVersion{Group: s.Group, Version: "v1"}
	if parsed, err := schema.ParseGroupVersion(gv.String()); err != nil {
		return nil, fmt.Errorf("%q is not an API group: %w", s.Group, err)
	} else if parsed != gv || s.Group != strings.ToLower(s.Group) || strings.ContainsAny(s.Group, " _") ||
		strings.Trim(s.Group, ".-") != s.Group {
		return nil, fmt.Errorf("%q is not an API group; it looks like fleet.example.com", s.Group)
	}
	if !token.IsIdentifier(s.Kind) || !token.IsExported(s.Kind) {
		return nil, fmt.Errorf("%q is not a name for a kind; it is a Go name that begins with a capital, such as Machine",
			s.Kind)
	}
	v := values{Spec: s, Package: PackageName(s.Group)}
	if v.Package == "" {
		return nil, fmt.Errorf("the first word of group %q is not a name for a Go package", s.Group)
	}
	out := map[string][]byte{}
	for source, name := range map[string]string{
		"group.go.tmpl": v.Package + ".go", "group_test.go.tmpl": v.Package + "_test.go",
		"v1_doc.go.tmpl": "v1/doc.go", "v1_types.go.tmpl": "v1/types.go",
		"v1beta1_doc.go.tmpl": "v1beta1/doc.go", "v1beta1_types.go.tmpl": "v1beta1/types.go",
	} {
		t, err := template.ParseFS(templates, path.Join("templates", source))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, v); err != nil {
			return nil, err
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
