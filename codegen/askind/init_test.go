package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/codegen"
	"github.com/askind/askind/codegen/internal/replace"
	"github.com/askind/askind/internal/tour"
)

// emptyModule makes a module that uses this checkout and has no files.
func emptyModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := strings.Cut(string(mod), "require (")
	requirements, _, _ = strings.Cut(requirements, "\ntool ")
	dir := t.TempDir()
	for name, data := range map[string]string{
		"go.mod": "module example.com/fleet\n\ngo 1.26.0\n\ntool github.com/askind/askind/codegen/askind\n\nrequire github.com/askind/askind v0.0.0\n\nrequire (" + requirements +
			"\nreplace github.com/askind/askind => " + root + "\n",
		"go.sum": string(sum),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestInit adds a group as docs/generator.md says, and does what the command says to do next, but
// for what needs a network.
func TestInit(t *testing.T) {
	t.Parallel()
	dir := emptyModule(t)
	var stdout, stderr bytes.Buffer
	if status := run([]string{"init", "-C", dir, "-kind", "Machine", "fleet.example.com"}, &stdout,
		&stderr); status != exitClean {
		t.Fatal(status, stderr.String())
	}
	const want = `wrote api/fleet/fleet.go
wrote api/fleet/fleet_test.go
wrote api/fleet/v1/doc.go
wrote api/fleet/v1/types.go
wrote api/fleet/v1beta1/doc.go
wrote api/fleet/v1beta1/types.go

Next:
  go mod tidy
  go generate ./...
  go test ./...
`
	if stdout.String() != want || stderr.Len() > 0 {
		t.Errorf("got\n%s%s\nwant\n%s", &stdout, &stderr, want)
	}
	page, err := os.ReadFile("../../docs/generator.md")
	if err != nil {
		t.Fatal(err)
	}
	_, next, _ := strings.Cut(want, "Next:\n")
	steps := "go tool askind init -kind Machine fleet.example.com\n" + strings.ReplaceAll(next, "  go", "go")
	if got := tour.Blocks(string(page))[1].Text; got != steps {
		t.Errorf("the page says\n%s, not\n%s", got, steps)
	}
	result, err := codegen.Lint(codegen.Config{
		Dir: dir, Patterns: []string{"./..."},
		Env: append(os.Environ(), "GOWORK=off"),
	})
	if err != nil || len(result.Diagnostics) > 0 {
		t.Errorf("%v %v", err, result.Diagnostics)
	}
	for _, args := range []string{"", " -dir other"} {
		stdout.Reset()
		stderr.Reset()
		status := run(strings.Fields("init -C "+filepath.Join(dir, "api")+" -kind Site"+args+" fleet.example.com"),
			&stdout, &stderr)
		if want := "askind: codegen: the module has the group fleet.example.com already, in " +
			"example.com/fleet/api/fleet/v1; to add a kind to it, run: askind init fleet.example.com/v1 Site\n"; status !=
			exitUsage || stderr.String() != want || stdout.Len() > 0 {
			t.Errorf("the group again, %q: status %d, got\n%s%s\nwant\n%s", args, status, &stdout, &stderr, want)
		}
	}
	if testing.Short() {
		return
	}
	goCommand(t, dir, "generate", "./...")
	goCommand(t, dir, "vet", "./...")
	goCommand(t, dir, "test", "-vet=off", "./...")
}

// TestInitBehindLink adds a group to a module that the shell has entered through a symbolic link.
func TestInitBehindLink(t *testing.T) {
	dir, link := emptyModule(t), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PWD", link)
	var stdout, stderr bytes.Buffer
	if status := run([]string{"init", "-C", link, "fleet.example.com"}, &stdout, &stderr); status != exitClean {
		t.Fatal(status, stderr.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "api", "fleet", "fleet.go"))
	if err != nil || !strings.Contains(string(text), `"example.com/fleet/api/fleet/v1"`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestInitAbsolute adds a group in a directory that is named from the root on.
func TestInitAbsolute(t *testing.T) {
	t.Parallel()
	dir := emptyModule(t)
	var stdout, stderr bytes.Buffer
	args := []string{"init", "-C", dir, "-dir", filepath.Join(dir, "groups", "fleet"), "fleet.example.com"}
	if status := run(args, &stdout, &stderr); status != exitClean {
		t.Fatal(status, stderr.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "groups", "fleet", "fleet.go"))
	if err != nil || !strings.Contains(string(text), `"example.com/fleet/groups/fleet/v1"`) {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestInitRefuses(t *testing.T) {
	t.Parallel()
	dir := emptyModule(t)
	there := filepath.Join(dir, "api/fleet/v1/doc.go")
	if err := os.MkdirAll(filepath.Dir(there), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(there, []byte("package v1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	none := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, args string
		status     int
		stderr     string
	}{
		{
			"a file that is there", "init -C " + dir + " fleet.example.com", exitFindings,
			"/api/fleet already has v1/doc.go; nothing was written (-C names another directory, -dir that of a group)\n",
		},
		{
			"no group", "init", exitUsage,
			"init needs a version and a kind for a new project, such as garage.example.com/v1 Car, or the name of one API " +
				"group for an existing module\nusage: askind init [flags] group/version Kind | group | -from source\n",
		},
		{
			"a file that is not there", "init -C " + dir + " -from nowhere.yaml", exitFindings,
			"open nowhere.yaml: no such file or directory",
		},
		{"a file and a group", "init -from a.yaml a.b", exitUsage, "-from determines the groups and kinds"},
		{"a file without definitions", "init -C " + dir + " -from init.go", exitFindings, "init.go: crd-yaml"},
		{"one version of a group", "init -single a.b", exitUsage, "-single is for a new project"},
		{"two groups", "init a.b c.d", exitUsage, "init needs a version and a kind"},
		{"no kind", "init -C " + dir + " a.b/v1", exitUsage, "a kind is missing after a.b/v1, such as Car\nusage:"},
		{
			"capitals", "init -C " + dir + " Fleet.example.com", exitUsage,
			`"Fleet.example.com" is not an API group; it looks like fleet.example.com`,
		},
		{
			"no package name", "init -C " + dir + " -dir x 3.example.com", exitUsage,
			`the first word of group "3.example.com" is not a valid Go package name`,
		},
		{
			"no kind name", "init -C " + dir + " -dir x -kind machine fleet.example.com", exitUsage,
			`"machine" is not a name for a kind; it is a Go name of letters and digits that begins with a capital, such as Machine`,
		},
		{
			"a kind whose file would be a test", "init -C " + none + " -replace " + root + " a.b/v1 Car_test", exitUsage,
			`"Car_test" is not a name for a kind`,
		},
		{
			"no module path", "init -C " + none + " -replace " + root + " -module a=b a.b/v1 Car", exitUsage,
			`"a=b" is not the path of a module; it looks like example.com/fleet`,
		},
		{
			"a module path that no import can have", "init -C " + none + " -replace " + root + " -module a.b/vendor a.b/v1 Car",
			exitUsage, `"a.b/vendor" is not the path of a module`,
		},
		{
			"outside of the module", "init -C " + dir + " -dir ../x fleet.example.com", exitFindings,
			"is outside of module example.com/fleet",
		},
		{
			"no module", "init -C " + none + " fleet.example.com", exitFindings,
			"no module found here; for a new project, name a version and a kind",
		},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(strings.Fields(tt.args), &stdout, &stderr); status != tt.status ||
			!strings.Contains(stderr.String(), tt.stderr) || stdout.Len() > 0 {
			t.Errorf("%s: status %d, want %d\n%s%s", tt.name, status, tt.status, &stdout, &stderr)
		}
	}
	var files []string
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			files = append(files, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if got := strings.Join(files, " "); got != "api/fleet/v1/doc.go go.mod go.sum" {
		t.Errorf("files: %s", got)
	}
}

// newGarage runs init for the kind Car, with this checkout, and returns the directory of the
// project and what was printed.
func newGarage(t *testing.T, flags ...string) (dir, printed string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "garage")
	args := append([]string{"init", "-C", dir, "-replace", root}, flags...)
	var stdout, stderr bytes.Buffer
	status := run(append(args, "garage.example.com/v1", "Car"), &stdout, &stderr)
	if status != exitClean || stderr.Len() > 0 {
		t.Fatal(status, stderr.String())
	}
	return dir, stdout.String()
}

// TestInitProject writes a project and does what the command says to do next, as far as it ends.
func TestInitProject(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program in a module of its own")
	}
	dir, printed := newGarage(t)
	var want strings.Builder
	for _, name := range strings.Fields(
		"README.md go.mod main.go main_test.go sample.yaml v1/doc.go v1/types.go v1beta1/doc.go v1beta1/types.go",
	) {
		want.WriteString("wrote " + dir + "/" + name + "\n")
	}
	want.WriteString("\nNext:\n  cd " + dir + "\n  go generate ./...\n  go test ./...\n  go run .\n")
	if printed != want.String() {
		t.Errorf("got\n%s\nwant\n%s", printed, &want)
	}
	result, err := codegen.Lint(codegen.Config{
		Dir: dir, Patterns: []string{"./..."},
		Env: append(os.Environ(), "GOWORK=off"),
	})
	if err != nil || len(result.Diagnostics) > 0 {
		t.Errorf("%v %v", err, result.Diagnostics)
	}
	for _, tt := range [][3]string{
		{"garage.example.com/v1", "Car", "garage.example.com has the version v1 already, in example.com/garage/v1"},
		{"garage.example.com/v2", "Bus", "garage.example.com has no kind Bus, only Car"},
		{"garage.example.com/2", "Car", `"2" is not a version; it looks like v1, v1beta1 or v2alpha3`},
		{"depot.example.com/v1", "Bus", "run: askind init -kind Bus depot.example.com"},
	} {
		var stdout, stderr bytes.Buffer
		if status := run([]string{"init", "-C", dir, tt[0], tt[1]}, &stdout, &stderr); status != exitUsage ||
			!strings.Contains(stderr.String(), tt[2]) {
			t.Errorf("%s %s: %d %s", tt[0], tt[1], status, &stderr)
		}
	}
	goCommand(t, dir, "generate", "./...")
	goCommand(t, dir, "vet", "./...")
	goCommand(t, dir, "test", "-vet=off", "./...")
	goCommand(t, dir, "mod", "tidy", "-diff")

	// Another kind.
	var stdout, stderr bytes.Buffer
	status := run([]string{"init", "-C", dir, "garage.example.com/v1", "Bus"}, &stdout, &stderr)
	if status != exitClean || stderr.Len() > 0 ||
		!strings.HasSuffix(stdout.String(), "go test ./...\nThen change the types of v1.\n") {
		t.Errorf("%d %s%s", status, &stdout, &stderr)
	}
	goCommand(t, dir, "generate", "./...")
	goCommand(t, dir, "build", "./...") // the tests run with the next version

	// The next version, as the page says.
	page, err := os.ReadFile("../../docs/conversions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## A new version\n")
	steps := tour.Blocks(section)[0]
	shell := exec.Command("bash", "-e", "-c", steps.Text)
	shell.Dir, shell.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := shell.CombinedOutput(); err != nil || !strings.Contains(steps.Text, "go test") {
		t.Fatalf("%v\n%s", err, out)
	}
	if current, err := os.ReadFile(filepath.Join(dir, "v2", "doc.go")); err != nil ||
		strings.Contains(string(current), "v1 ") {
		t.Errorf("%v\n%s", err, current)
	}
	goCommand(t, dir, "tool", "askind", "-check", "./...")
	goCommand(t, dir, "tool", "askind", "lint", "./...")
}

// TestInitSingle makes a project with one version, and adds another.
func TestInitSingle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program in a module of its own")
	}
	dir, printed := newGarage(t, "-single")
	if strings.Count(printed, "wrote ") != 7 {
		t.Fatal(printed)
	}
	for _, name := range []string{"README.md", "main.go", "main_test.go", "sample.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Contains(string(text), "beta") || strings.Contains(string(text), "older") {
			t.Errorf("%v\n%s", err, text)
		}
	}
	goCommand(t, dir, "generate", "./...")
	goCommand(t, dir, "vet", "./...")
	goCommand(t, dir, "test", "-vet=off", "./...")
	goCommand(t, dir, "tool", "askind", "init", "garage.example.com/v2", "Car")
	goCommand(t, dir, "generate", "./...")
	goCommand(t, dir, "test", "-vet=off", "./...")
}

// TestInitFromDefinitions makes projects of CustomResourceDefinitions, and groups in a module.
func TestInitFromDefinitions(t *testing.T) {
	t.Parallel()
	const file = "../testdata/definitions/everything.yaml"
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOWORK=off")
	for _, tt := range []struct{ name, dir, wrote string }{
		{"project", filepath.Join(t.TempDir(), "garden"), "v1/orchard_types.go"},
		{"module", emptyModule(t), "api/garden/v1/orchard_types.go"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.name == "project" && testing.Short() {
				t.Skip("builds a program in a module of its own")
			}
			var stdout, stderr bytes.Buffer
			if status := run([]string{"init", "-C", tt.dir, "-replace", root, "-from", file}, &stdout,
				&stderr); status !=
				exitClean || !strings.Contains(stdout.String(), tt.wrote) || !strings.Contains(stderr.String(),
				"everything.yaml:63:17: warning: crd-lost the path .spec.nothing is not carried over") {
				t.Fatal(status, stdout.String(), stderr.String())
			}
			result, err := codegen.Lint(codegen.Config{Dir: tt.dir, Patterns: []string{"./..."}, Env: env})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range result.Diagnostics {
				// Where a cluster is stricter than a Go type is for people to decide.
				if d.Code != "controller-gen" {
					t.Error(d)
				}
			}
			stderr.Reset()
			if tt.name == "project" {
				// It is a module by now, so that the group would go below api.
			} else if status := run([]string{"init", "-C", tt.dir, "-from", file}, &stdout,
				&stderr); status == exitClean ||
				!strings.Contains(stderr.String(), "nothing was written") {
				t.Errorf("a second time: %d %s", status, &stderr)
			}
			if testing.Short() {
				return
			}
			goCommand(t, tt.dir, "generate", "./...")
			goCommand(t, tt.dir, "vet", "./...")
			goCommand(t, tt.dir, "test", "-vet=off", "./...")
		})
	}
}

// TestInitVersions checks which two versions a project has.
func TestInitVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"v1": "v1 v1beta1", "v2": "v2 v2beta1", "v1beta1": "v1alpha1 v1beta1", "v1beta3": "v1beta2 v1beta3",
		"v1alpha1": "v1alpha1 v1alpha2", "v1alpha2": "v1alpha1 v1alpha2",
		"1": "", "v0": "", "v1beta": "", "v11": "v11 v11beta1", "v1gamma1": "", "": "",
	} {
		files, err := codegen.Project(codegen.ProjectSpec{
			Group: "garage.example.com", Version: version, Kind: "Car", Module: "example.com/garage", Require: "v0.0.0",
		})
		var got []string
		for name := range files {
			if version, ok := strings.CutSuffix(name, "/types.go"); ok {
				got = append(got, version)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want || (err != nil) != (want == "") {
			t.Errorf("%q: %v %v", version, got, err)
		}
	}
}

// TestInitLeavesNothingBehind fails before the first file is written, and in the middle.
func TestInitLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for name, obstruct := range map[string]func(dir string) error{
		"a file where a directory is needed": func(dir string) error { return os.WriteFile(dir, nil, 0o644) },
		"a link to a missing directory":      func(dir string) error { return os.Symlink("missing", dir) },
	} {
		dir := t.TempDir()
		if err := obstruct(filepath.Join(dir, "v1")); err != nil {
			t.Fatal(err)
		}
		_, err := create(dir, map[string][]byte{"a/b/c.go": nil, "d.go": nil, "v1/types.go": nil})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		entries, _ := os.ReadDir(dir)
		if len(entries) != 1 || entries[0].Name() != "v1" {
			t.Errorf("%s: %v %v", name, entries, err)
		}
	}
}

// TestChangeAllOrNone lets the second of two changed files of a new version fail.
func TestChangeAllOrNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real := filepath.Join(t.TempDir(), "real.go")
	for name, text := range map[string]string{real: "old a\n", filepath.Join(dir, "b.go"): "old b\n"} {
		if err := errors.Join(os.WriteFile(name, []byte(text), 0o600), os.Chmod(name, 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(real, filepath.Join(dir, "a.go")); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"a.go": []byte("new a\n"), "b.go": []byte("new b\n"), "v2/doc.go": []byte("new c\n")}
	state := func() string {
		var out strings.Builder
		err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			fmt.Fprintf(&out, "%s: %s", strings.TrimPrefix(name, dir+"/"), text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	injected := errors.New("the disk is full")
	failing := replace.Writer{Remove: os.Remove, Rename: func(from, to string) error {
		if filepath.Base(to) == "b.go" {
			return injected
		}
		return os.Rename(from, to)
	}}
	before := state()
	if _, _, err := change(failing, dir, files); !errors.Is(err, injected) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "v2")); err == nil || state() != before {
		t.Errorf("after a failure:\n%s, want\n%s", state(), before)
	}
	added, changed, err := change(replace.OS, dir, files)
	want := "a.go: new a\nb.go: new b\nv2/doc.go: new c\n"
	if err != nil || state() != want || !slices.Equal(added, []string{"v2/doc.go"}) ||
		!slices.Equal(changed, []string{"a.go", "b.go"}) {
		t.Errorf("%v: added %v, changed %v:\n%s, want\n%s", err, added, changed, state(), want)
	}
	if info, err := os.Lstat(filepath.Join(dir, "a.go")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("a link was replaced by a file: %v %v", info, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions have changed: %v %v", info, err)
	}
}

// TestCreateReplacesNothing creates two files that a link makes one.
func TestCreateReplacesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := errors.Join(os.Mkdir(filepath.Join(dir, "v1"), 0o755), os.Symlink("v1", filepath.Join(dir, "link")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = create(dir, map[string][]byte{"link/doc.go": []byte("first"), "v1/doc.go": []byte("second")})
	entries, _ := os.ReadDir(filepath.Join(dir, "v1"))
	if !errors.Is(err, os.ErrExist) || len(entries) > 0 {
		t.Errorf("got %v, files %v", err, entries)
	}
}

// TestReleased finds the version that a project requires in the modules of a program.
func TestReleased(t *testing.T) {
	t.Parallel()
	module := func(path, version string) debug.Module { return debug.Module{Path: path, Version: version} }
	replaced := module(askindModule, "v1.2.3")
	replaced.Replace = &debug.Module{Path: "/home/me/askind"}
	for _, tt := range []struct {
		name      string
		main, dep debug.Module
		want      string
	}{
		{"the main module", module(askindModule, "v1.2.3"), module("example.com/a", "v1.0.0"), "v1.2.3"},
		{"a tool of another module", module("example.com/a", "(devel)"), module(askindModule, "v1.2.3"), "v1.2.3"},
		{"a tool that a checkout replaces", module("example.com/a", "(devel)"), replaced, ""},
		{"a checkout", module(askindModule, "(devel)"), module("example.com/a", "v1.0.0"), ""},
		{"a checkout without tags", module(askindModule, "v0.0.0-20260101000000-0123456789ab"), module("a", "v1.0.0"), ""},
	} {
		if got := released(&debug.BuildInfo{Main: tt.main, Deps: []*debug.Module{&tt.dep}}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
