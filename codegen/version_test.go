package codegen_test

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/codegen"
	"github.com/askind/askind/schema"
)

// TestAddVersion adds a version to a group whose packages have other names, whose kind has no
// marker of the storage version, and which is registered in several ways.
func TestAddVersion(t *testing.T) {
	t.Parallel()
	const kind = `
// Car has wheels.
//
// +kubebuilder:object:root=true
type Car struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Wheels int32 ` + "`json:\"wheels\"`" + `
}
`
	const imports = "\nimport metav1 \"github.com/askind/askind/meta/v1\"\n"
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	for name, text := range map[string]string{
		"api/v1/doc.go": "// The license is v1.\n\n// +versionName=v1\n\n// Package garagev1 is v1, before v10.\n//\n" +
			"// +groupName=garage.example.com\npackage garagev1\n",
		"api/v1/logo.go":  "package garagev1\n\nimport _ \"embed\"\n\n//go:embed logo.svg\nvar logo string\n",
		"api/v1/logo.svg": "<svg/>\n",
		"api/v1/types.go": "package garagev1\n" + imports + kind,
		"api/v1/truck.go": "package garagev1\n" + imports + strings.NewReplacer("Car", "Truck",
			"\n// +kubebuilder", "\n// +kubebuilder:storageversion\n// +kubebuilder").Replace(kind),
		"api/v1/types_test.go": "package garagev1\n",
		"api/v1/convert.go":    "package garagev1\n\nimport old \"example.com/t/api/v1beta1\"\n\nvar _ old.Car\n",
		"api/v1beta1/types.go": "// +groupName=garage.example.com\npackage v1beta1\n" + imports + kind,
		"api/group.go": "package api\n\nimport (\n\tgaragev1 \"example.com/t/api/v1\"\n\t\"example.com/t/api/v1beta1\"\n" +
			"\t\"github.com/askind/askind/runtime\"\n)\n\n" +
			"func AddTo(b *runtime.Builder) {\n\tgaragev1.AddTo(b)\n\tv1beta1.AddTo(b)\n}\n",
		"main.go": "package main\n\nimport (\n\t\"example.com/other/v2\"\n\tcars \"example.com/t/api/v1\"\n)\n\n" +
			"var all = []any{cars.AddTo, v2.AddTo}\n\nfunc main() {\n\tf(1, cars.AddTo)\n\tcars.Other()\n}\n",
		"use.go":             "package main\n\nimport cars \"example.com/t/api/v1\"\n\nvar car cars.Car\n",
		"alone.go":           "package main\n\nimport cars \"example.com/t/api/v1\"\n\nvar last = []any{cars.AddTo}\n",
		"nested/go.mod":      "module example.com/nested\n",
		"nested/main.go":     "package main\n\nimport \"example.com/t/api/v1\"\n\nfunc main() { garagev1.AddTo(nil) }\n",
		"testdata/broken.go": "not Go",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
	}
	docs, err := codegen.AddVersion(codegen.Config{Dir: dir, Env: env()},
		schema.GroupVersion{Group: "garage.example.com", Version: "v2"}, "Car")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, d := range docs.Diagnostics {
		if d.Code != "version-file" {
			t.Error(d)
		}
		found = append(found, d.Pos.String())
	}
	if got := strings.Join(found, " "); got != "api/v1/convert.go:3 api/v1/logo.go:5" {
		t.Errorf("warnings at %s", got)
	}
	names := slices.Sorted(maps.Keys(docs.Files))
	if got := strings.Join(names, " "); got != "alone.go api/group.go api/v1/doc.go api/v1/truck.go api/v2/doc.go "+
		"api/v2/logo.go api/v2/truck.go api/v2/types.go main.go" {
		t.Errorf("the files are %s", got)
	}
	for name, want := range map[string][]string{
		"api/v1/doc.go": {"// +versionName=v1\n\n", "// +groupName=garage.example.com\n// +askind:hub=example.com/t/api/v2\n"},
		"api/v2/doc.go": {
			"// The license is v1.\n\n// +versionName=v2\n\n// Package garagev1 is v2, before v10.\n//\n" +
				"// +groupName=garage.example.com\npackage garagev2\n",
		},
		"api/v1/truck.go": {"// Truck has wheels.\n//\n// +kubebuilder:object:root=true\ntype Truck struct"},
		"api/v2/truck.go": {"// +kubebuilder:storageversion\n// +kubebuilder:object:root=true\ntype Truck struct"},
		"api/v2/types.go": {"package garagev2\n", "root=true\n// +kubebuilder:storageversion\ntype Car struct {"},
		"alone.go":        {"api/v1\"\nimport garagev2 \"example.com/t/api/v2\"\n\nvar last = []any{garagev2.AddTo, "},
		"api/group.go":    {"\tgaragev2 \"example.com/t/api/v2\"\n", "\tgaragev2.AddTo(b)\n\tgaragev1.AddTo(b)\n"},
		"main.go": {
			"\tgaragev2 \"example.com/t/api/v2\"\n", "[]any{garagev2.AddTo, cars.AddTo, v2.AddTo}",
			"f(1, garagev2.AddTo, cars.AddTo)\n\tcars.Other()\n",
		},
	} {
		for _, w := range want {
			if !strings.Contains(string(docs.Files[name]), w) {
				t.Errorf("%s has no %q:\n%s", name, w, docs.Files[name])
			}
		}
	}
	// A package without the group may be where the version belongs.
	write(t, filepath.Join(dir, "api", "v2", "types.go"), []byte("package garagev2\n"))
	_, err = codegen.AddVersion(codegen.Config{Dir: dir, Env: env()},
		schema.GroupVersion{Group: "garage.example.com", Version: "v2"}, "Car")
	if _, ok := errors.AsType[*codegen.UsageError](err); !ok || err.Error() != "codegen: api/v2/types.go exists already" {
		t.Errorf("a file that is there: %v", err)
	}
}

// TestAddKind adds a kind to a version, and refuses names that are taken.
func TestAddKind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	write(t, filepath.Join(dir, "api", "v1", "types.go"), []byte(`// +groupName=garage.example.com
// +versionName=v1
package garagev1

import metav1 "github.com/askind/askind/meta/v1"

// +askind:kind
type Car struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`
}

type BusSpec struct{}

type VanStatus struct{}
`))
	write(t, filepath.Join(dir, "api", "v1", "boat.go"), []byte("package garagev1\n"))
	write(t, filepath.Join(dir, "api", "v1beta1", "types.go"), []byte(`// +groupName=garage.example.com
package v1beta1

import metav1 "github.com/askind/askind/meta/v1"

// +askind:kind
type Bike struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`
}
`))
	v1 := schema.GroupVersion{Group: "garage.example.com", Version: "v1"}
	docs, err := codegen.AddVersion(codegen.Config{Dir: dir, Env: env()}, v1, "Truck")
	if err != nil || len(docs.Diagnostics) > 0 {
		t.Fatal(err, docs)
	}
	text := string(docs.Files["api/v1/truck.go"])
	if len(docs.Files) != 1 || !strings.Contains(text, "package garagev1\n") ||
		!strings.Contains(text, "type TruckList struct") {
		t.Errorf("got %v\n%s", slices.Collect(maps.Keys(docs.Files)), text)
	}
	for kind, want := range map[string]string{
		"Car":   "garage.example.com has the version v1 already, in example.com/t/api/v1",
		"Bus":   "example.com/t/api/v1 has the name BusSpec already, at api/v1/types.go:13:6",
		"Van":   "example.com/t/api/v1 has the name VanStatus already",
		"Boat":  "api/v1/boat.go exists already",
		"truck": "is not a name for a kind",
		"Bike": "example.com/t/api/v1 has no kind Bike; copy its types from example.com/t/api/v1beta1, " +
			"and change what differs",
	} {
		if _, err := codegen.AddVersion(codegen.Config{Dir: dir, Env: env()}, v1, kind); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", kind, err, want)
		}
	}
}

// TestAddToForeign refuses to add to a package about the types of another module.
func TestAddToForeign(t *testing.T) {
	t.Parallel()
	dir := readScenario(t, "testdata/foreign_versions.txtar").unpack(t)
	for version, kind := range map[string]string{"v1": "Other", "v2": "Order"} {
		_, err := codegen.AddVersion(codegen.Config{Dir: dir, Env: env()},
			schema.GroupVersion{Group: "shop.example.com", Version: version}, kind)
		if _, ok := errors.AsType[*codegen.UsageError](err); !ok || !strings.Contains(err.Error(), "another module") {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// TestAddVersionAtRoot adds a version to a module whose root is the package of the old one, in a
// directory with the name of a Go file. Lines end as on Windows, comments are blocks, and the first
// word of the group is no Go name.
func TestAddVersionAtRoot(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "fleet.go")
	write(t, filepath.Join(dir, "sub.go", "README"), nil)
	writeModule(t, dir, "example.com/fleet")
	for name, text := range map[string]string{
		"doc.go": "/*\nPackage v1 is example.com/fleet in 3d.example.com/v1.\n\nIt is unlike k8s.io/api/core/v1.\n\n" +
			"+groupName=3d.example.com\n*/\npackage v1\n",
		"types.go": "package v1\n\nimport metav1 \"github.com/askind/askind/meta/v1\"\n\n/*\nCar has wheels.\n\n" +
			"+kubebuilder:object:root=true\n+kubebuilder:storageversion\n*/\ntype Car struct {\n" +
			"\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n",
		"gen.go": "//go:build ignore\n\npackage main\n",
		"cmd/main.go": "package main\n\nimport (\n\t\"example.com/other/v2\"\n\tv1 \"example.com/fleet\"\n)\n\n" +
			"var all = []any{v1.AddTo, v2.AddTo}\n",
	} {
		write(t, filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "\n", "\r\n")))
	}
	docs, err := codegen.AddVersion(codegen.Config{Dir: dir, Env: env()},
		schema.GroupVersion{Group: "3d.example.com", Version: "v2"}, "Car")
	if err != nil || len(docs.Diagnostics) > 0 {
		t.Fatal(err, docs)
	}
	types := string(docs.Files["v2/types.go"])
	for name, want := range map[string]string{
		"doc.go": "/*\nPackage v1 is example.com/fleet in 3d.example.com/v1.\n\nIt is unlike k8s.io/api/core/v1.\n\n" +
			"+groupName=3d.example.com\n+askind:hub=example.com/fleet/v2\n*/\npackage v1\n",
		"v2/doc.go": "/*\nPackage v2 is example.com/fleet/v2 in 3d.example.com/v2.\n\nIt is unlike k8s.io/api/core/v1.\n\n" +
			"+groupName=3d.example.com\n*/\npackage v2\n",
		"types.go": strings.NewReplacer("package v2", "package v1", "+kubebuilder:storageversion\n", "").Replace(types),
		"v2/types.go": "package v2\n\nimport metav1 \"github.com/askind/askind/meta/v1\"\n\n/*\nCar has wheels.\n\n" +
			"+kubebuilder:object:root=true\n+kubebuilder:storageversion\n*/\ntype Car struct {\n" + types[strings.Index(types, "\tmetav1.Type"):],
		"v2/gen.go": "//go:build ignore\n\npackage main\n",
		"cmd/main.go": "package main\n\nimport (\n\tv1 \"example.com/fleet\"\n\tapiv2 \"example.com/fleet/v2\"\n" +
			"\t\"example.com/other/v2\"\n)\n\nvar all = []any{apiv2.AddTo, v1.AddTo, v2.AddTo}\n",
	} {
		if diff := cmp.Diff(want, string(docs.Files[name])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if len(docs.Files) != 6 {
		t.Errorf("files %v", slices.Sorted(maps.Keys(docs.Files)))
	}
}

// TestProjectWithSpaces requires a checkout whose directory has spaces.
func TestProjectWithSpaces(t *testing.T) {
	t.Parallel()
	files, err := codegen.Project(codegen.ProjectSpec{
		Group: "garage.example.com", Version: "v1", Kind: "Car", Require: "v0.0.0", Replace: "/home/me/my code/askind",
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "\nreplace github.com/askind/askind => \"/home/me/my code/askind\"\n"
	if got := string(files["go.mod"]); !strings.Contains(got, want) {
		t.Errorf("got\n%s, want%s", got, want)
	}
}
