package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/askind/askind/codegen"
	"github.com/askind/askind/codegen/internal/replace"
	"github.com/askind/askind/schema"
)

// project is a new module that serves a kind, or those of another module if foreign is set.
type project struct {
	dir, group, version, kind, module, replace string
	foreign, single                            bool
}

// create writes a project for a new kind.
func (p *project) create(stdout, stderr io.Writer) int {
	dir, err := filepath.Abs(p.dir)
	if err != nil {
		return fail(stderr, err)
	}
	spec := codegen.ProjectSpec{Group: p.group, Version: p.version, Kind: p.kind, Single: p.single, Module: p.module}
	if spec.Require, spec.Replace, err = p.dependency(dir); err != nil {
		return fail(stderr, err)
	}
	files, err := codegen.Project(spec)
	if err != nil {
		return fail(stderr, err)
	}
	return p.write(dir, files, stdout, stderr)
}

// addVersion adds a version to a group of the module in the directory, or a kind to a version.
func (p *project) addVersion(stdout, stderr io.Writer) int {
	docs, err := codegen.AddVersion(codegen.Config{Dir: p.dir},
		schema.GroupVersion{Group: p.group, Version: p.version}, p.kind)
	if err != nil {
		return fail(stderr, err)
	}
	report(docs.Diagnostics, false, stdout, stderr)
	if len(docs.Files) == 0 {
		return exitFindings
	}
	added, changed, err := change(replace.OS, cmp.Or(p.dir, "."), docs.Files)
	if err != nil {
		return fail(stderr, err)
	}
	for _, files := range []struct {
		verb  string
		names []string
	}{{"wrote", added}, {"changed", changed}} {
		for _, name := range files.names {
			fmt.Fprintln(stdout, files.verb, filepath.ToSlash(filepath.Join(p.dir, name)))
		}
	}
	fmt.Fprintf(stdout, "\nNext:\n  go generate ./...\n  go test ./...\nThen change the types of %s.", p.version)
	if len(changed) > 0 {
		fmt.Fprint(stdout, " The generator asks what becomes of each field that only one version has.")
	}
	fmt.Fprintln(stdout)
	return exitClean
}

// change writes new files and replaces those that exist, all or none. It returns the names of both.
func change(w replace.Writer, dir string, files map[string][]byte) (added, changed []string, err error) {
	created := map[string][]byte{}
	var changes []replace.Change
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		switch old, err := os.ReadFile(file); {
		case errors.Is(err, os.ErrNotExist):
			created[name], added = files[name], append(added, name)
		case err != nil:
			return nil, nil, err
		default:
			changes = append(changes, replace.Change{Name: file, Old: old, New: files[name]})
			changed = append(changed, name)
		}
	}
	undo, err := create(dir, created)
	if err != nil {
		return nil, nil, err
	}
	if err := w.Files(changes); err != nil {
		undo()
		return nil, nil, err
	}
	return added, changed, nil
}

// write writes the files of a project and lets the go command complete go.mod.
func (p *project) write(dir string, files map[string][]byte, stdout, stderr io.Writer) int {
	if _, err := create(dir, files); err != nil {
		return fail(stderr, err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(stdout, "wrote", filepath.ToSlash(filepath.Join(p.dir, name)))
	}
	tidy := exec.Command("go", "mod", "tidy")
	tidy.Dir, tidy.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := tidy.CombinedOutput(); err != nil {
		return fail(stderr, fmt.Errorf("the files are written, but go mod tidy in %s failed: %w\n%s", dir, err, out))
	}
	fmt.Fprint(stdout, "\nNext:\n")
	if p.dir != "" {
		fmt.Fprintln(stdout, "  cd", p.dir)
	}
	fmt.Fprint(stdout, "  go generate ./...\n")
	if p.foreign {
		// Generated code imports packages that only indirect requirements have until then.
		fmt.Fprint(stdout, "  go mod tidy\n")
	}
	fmt.Fprint(stdout, "  go test ./...\n  go run .\n")
	return exitClean
}

// noVersion is the required version of a module that is replaced by a checkout.
const noVersion = "v0.0.0"

// dependency returns the version of askind that the project requires and the checkout that replaces
// it: the given one, or the one that is running if it has no version.
func (p *project) dependency(dir string) (version, replace string, err error) {
	checkout := p.replace
	if checkout == "" {
		if info, ok := debug.ReadBuildInfo(); ok {
			if version := released(info); version != "" {
				return version, "", nil
			}
		}
		here, err := goList("", askindModule)
		if err != nil || here.Dir == "" {
			return "", "", errors.New("this askind has no version; name the directory of its checkout with -replace")
		}
		checkout = here.Dir
	}
	if checkout, err = filepath.Abs(checkout); err != nil {
		return "", "", err
	}
	if _, err := os.Stat(filepath.Join(checkout, "codegen", "askind")); err != nil {
		return "", "", fmt.Errorf("%s is not a checkout of %s", checkout, askindModule)
	}
	if filepath.Dir(checkout) == filepath.Dir(dir) {
		return noVersion, "../" + filepath.Base(checkout), nil
	}
	return noVersion, filepath.ToSlash(checkout), nil
}

// released returns the version of askind in a program, blank if it was built from a checkout.
func released(info *debug.BuildInfo) string {
	for _, m := range append(slices.Clone(info.Deps), &info.Main) {
		if m.Path == askindModule && m.Replace == nil && strings.HasPrefix(m.Version, "v") &&
			!strings.HasPrefix(m.Version, noVersion) {
			return m.Version
		}
	}
	return ""
}
