package conformance

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/askind/askind/codegen"
)

// moduleDir returns the directory of a module that this one requires.
func moduleDir(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil || len(bytes.TrimSpace(out)) == 0 {
		t.Fatalf("go list %s: %v", path, err)
	}
	return string(bytes.TrimSpace(out))
}

// TestImportedDefinitions generates types from CustomResourceDefinitions and definitions from these
// types, and compares the definitions with the originals.
func TestImportedDefinitions(t *testing.T) {
	t.Parallel()
	extensions := moduleDir(t, "k8s.io/apiextensions-apiserver")
	for _, tt := range []struct {
		name, file string
		values     int // the least number to compare
	}{
		// The Gateway API: four kinds in two versions each, with defaults, enumerations and rules.
		{"gateway", extensions + "/test/integration/ratcheting_test_cases/crds/standard-install.yaml", 2500},
		{"kcp", extensions + "/pkg/test/example/apiexports_crd.yaml", 100},
		{"kubectl", moduleDir(t, "k8s.io/kubectl") + "/testdata/apply/applysets-crd.yaml", 10},
		{"every construct", "../../codegen/testdata/definitions/everything.yaml", 150},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			made, err := codegen.ImportDefinitions(codegen.ImportSpec{
				File: filepath.Base(tt.file), Data: data, Path: "example.com/imported",
			})
			if err != nil || len(made.Files) == 0 {
				t.Fatal(err, made)
			}
			again := definitionsOfTypes(t, made.Files)
			compared := 0
			for doc := range strings.SplitSeq("\n"+string(data), "\n---\n") {
				var first map[string]any
				if err := yaml.Unmarshal([]byte(doc), &first); err != nil {
					t.Fatal(err)
				}
				if first["kind"] != "CustomResourceDefinition" {
					continue
				}
				want := sameForm(flat(t, first["spec"]))
				name, _ := first["metadata"].(map[string]any)["name"].(string)
				got := sameForm(flat(t, again[name]["spec"]))
				compared += len(want)
				for _, path := range slices.Sorted(maps.Keys(want)) {
					if got[path] != want[path] && !differsOnPurpose(path, want[path], got[path]) {
						t.Errorf("%s: %s is %q, was %q", name, path, got[path], want[path])
					}
				}
				for _, path := range slices.Sorted(maps.Keys(got)) {
					if _, ok := want[path]; !ok && !differsOnPurpose(path, "", got[path]) {
						t.Errorf("%s: %s is new: %q", name, path, got[path])
					}
				}
			}
			if compared < tt.values {
				t.Errorf("%d values were compared, want %d", compared, tt.values)
			}
		})
	}
}

// definitionsOfTypes writes packages into a module and returns the definitions generated from them.
func definitionsOfTypes(t *testing.T, files map[string][]byte) map[string]map[string]any {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files = maps.Clone(files)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	files["go.sum"] = sum
	files["go.mod"] = []byte("module example.com/imported\n\ngo 1.26.0\n\nrequire github.com/askind/askind v0.0.0\n\n" +
		"replace github.com/askind/askind => " + root + "\n")
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	docs, err := codegen.CustomResourceDefinitions(codegen.Config{
		Dir: dir, Patterns: []string{"./..."}, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off"),
	})
	if err != nil || len(docs.Files) == 0 {
		t.Fatal(err, docs.Diagnostics)
	}
	out := map[string]map[string]any{}
	for _, text := range docs.Files {
		var def map[string]any
		if err := yaml.Unmarshal(text, &def); err != nil {
			t.Fatal(err)
		}
		name, _ := def["metadata"].(map[string]any)["name"].(string)
		out[name] = def
	}
	return out
}

var (
	versionNumber = regexp.MustCompile(`^\.versions\[\d+\]`)
	columnNumber  = regexp.MustCompile(`^\.versions\[\d+\]\.additionalPrinterColumns\[\d+\]`)
	brackets      = regexp.MustCompile(`[\[\]]`)
	namedType     = regexp.MustCompile(`^Orchard\w+ is (one of the constants below|an? \w+ of Orchard\w+)\.$`)
	bullet        = regexp.MustCompile(`(^| )[-*] `)
)

// sameForm normalizes values that have several forms. Versions and columns are keyed by name, and
// the only element of an allOf is merged into its parent.
func sameForm(values map[string]string) map[string]string {
	out := map[string]string{}
	for path, value := range values {
		path = strings.ReplaceAll(path, ".allOf[0].", ".")
		if column := columnNumber.FindString(path); column != "" {
			path = versionNumber.FindString(path) + ".columns." + values[column+".name"] + strings.TrimPrefix(path,
				column)
		}
		if number := versionNumber.FindString(path); number != "" {
			path = ".versions." + values[number+".name"] + strings.TrimPrefix(path, number)
		}
		if strings.HasSuffix(path, ".description") {
			value = bullet.ReplaceAllString(brackets.ReplaceAllString(value, ""), " ")
		}
		out[path] = value
	}
	return out
}

// differsOnPurpose reports whether a definition generated from types may differ from the one that
// the types came from. The generator reports each of these differences, or docs/from-crd.md lists
// it.
func differsOnPurpose(path, was, is string) bool {
	ends := func(suffixes ...string) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) })
	}
	switch {
	case strings.HasPrefix(path, ".conversion"), path == ".preserveUnknownFields":
		return true // types do not state how a server converts
	case ends(".properties.apiVersion.description", ".properties.kind.description", ".apiVersion.type", ".kind.type",
		".properties.metadata.type") && strings.Count(path, ".properties.") == 1:
		return true // API servers add these descriptions themselves
	case ends(".names.listKind", ".names.singular") && was == "":
		return true // these have defaults
	case ends(".jsonPath") && is == was+"[*]":
		return true // lists are shown joined
	case strings.Contains(path, ".conditions.items."), strings.Contains(path, ".matchExpressions"),
		ends(".matchLabels.description"):
		return true // metav1.Condition and metav1.LabelSelector have descriptions and limits of their own
	case strings.Contains(path, ".status.default.") && strings.Contains(path, ".conditions["), strings.Contains(path,
		".conditions.default["):
		return is == "" // a default with a time is not a literal
	case ends(".items.description", ".additionalProperties.description") && is == "":
		return true // a single value in a list has no description
	case ends(".description") && was == "":
		return namedType.MatchString(is) // the comment of a type that has a name in Go only
	case strings.Contains(path, ".addresses.items.oneOf["), strings.Contains(path, ".strange."):
		return is == "" // no marker expresses it
	case ends(".subresources"):
		return was == "{}" && is == "" // it has no effect
	case ends(".template.nullable", ".extra.nullable"):
		return true // a RawExtension without bytes is encoded as null
	case ends(".grid.items.nullable"):
		return true // a nil list in a list is encoded as null
	case ends(".format"):
		return was == "" && (is == "int64" || is == "double") // Go has no unbounded numbers
	case ends(".selector.x-kubernetes-map-type"):
		return true // of metav1.LabelSelector
	case strings.HasPrefix(path, ".versions.v1.columns.Rows."), strings.HasPrefix(path, ".versions.v1.columns.Nothing."):
		return is == "" // a column shows single values of fields that exist
	}
	return false
}
