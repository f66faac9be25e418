package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askind/askind/codegen"
)

// importFrom writes a project or packages for existing types: a file of definitions, or packages of
// another module.
func (p *project) importFrom(source, at string, stdout, stderr io.Writer) int {
	name, version, _ := strings.Cut(source, "@")
	if _, err := os.Stat(source); err != nil && strings.Contains(name, "/") && !slices.Contains(
		[]string{".yaml", ".yml", ".json"}, path.Ext(name)) {
		return p.importAPI(name, cmp.Or(version, "latest"), at, stdout, stderr)
	}
	return p.importDefinitions(source, at, stdout, stderr)
}

// listedPackage is the output of go list for one package.
type listedPackage struct {
	ImportPath, Dir string
	GoFiles         []string
	Module          *struct{ Path, Version string }
}

// importAPI writes packages that serve the types of all versions of an API group of another module.
func (p *project) importAPI(name, version, at string, stdout, stderr io.Writer) int {
	dir, err := filepath.Abs(p.dir)
	if err != nil {
		return fail(stderr, err)
	}
	if at == "" {
		at = "api"
	}
	p.foreign = true
	spec := codegen.APISpec{Module: p.module}
	from, target := dir, dir
	_, err = os.Lstat(filepath.Join(dir, "go.mod"))
	inModule := err == nil
	if inModule {
		target = below(dir, at)
		spec.Path, err = importPathOf(dir, target)
	} else if spec.Require, spec.Replace, err = p.dependency(dir); err == nil {
		// List the sources from a temporary module, so that nothing is left behind if the module
		// does not exist.
		if from, err = os.MkdirTemp("", "askind"); err == nil {
			defer os.RemoveAll(from)
			err = os.WriteFile(filepath.Join(from, "go.mod"), []byte("module example.com/temporary\n"), 0o644)
		}
		if err == nil {
			_, err = goRun(from, "get", name+"@"+version)
		}
	}
	if err != nil {
		return fail(stderr, err)
	}
	packages, err := goRun(from, "list", "-json=ImportPath,Dir,GoFiles,Module", path.Dir(name)+"/...")
	if err != nil {
		return fail(stderr, err)
	}
	for dec := json.NewDecoder(bytes.NewReader(packages)); dec.More(); {
		var l listedPackage
		if err := dec.Decode(&l); err != nil {
			return fail(stderr, err)
		}
		if path.Dir(l.ImportPath) != path.Dir(name) {
			continue
		}
		spec.Sources = append(spec.Sources, codegen.APISource{Path: l.ImportPath, Dir: l.Dir, Files: l.GoFiles})
		if l.Module != nil {
			spec.Provider = l.Module.Path + " " + l.Module.Version
		}
	}
	made, err := codegen.ImportAPI(spec)
	if err != nil {
		return fail(stderr, err)
	}
	report(made.Diagnostics, false, stdout, stderr)
	if !inModule {
		return p.write(dir, made.Files, stdout, stderr)
	}
	return writeGroup(dir, target, at, made.Files, stdout, stderr)
}

// goRun runs the go command and returns its output.
func goRun(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %s", strings.Join(args, " "),
			cmp.Or(strings.TrimSpace(errs.String()), err.Error()))
	}
	return out.Bytes(), nil
}

// writeGroup writes the files of groups in a module.
func writeGroup(dir, target, at string, files map[string][]byte, stdout, stderr io.Writer) int {
	if _, err := create(target, files); err != nil {
		return fail(stderr, err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(stdout, "wrote", path.Join(filepath.ToSlash(at), name))
	}
	printNext(dir, stdout)
	return exitClean
}

// importDefinitions writes the types of the CustomResourceDefinitions in a file, to the module that
// contains the directory or, outside of a module, to a new project.
func (p *project) importDefinitions(file, at string, stdout, stderr io.Writer) int {
	dir, err := filepath.Abs(p.dir)
	if err != nil {
		return fail(stderr, err)
	}
	spec := codegen.ImportSpec{File: file, Module: p.module, Project: filepath.Base(dir)}
	if spec.Data, err = readSource(file); err != nil {
		return fail(stderr, err)
	}
	target := dir
	_, err = os.Lstat(filepath.Join(dir, "go.mod"))
	inModule := err == nil
	if inModule {
		if at == "" {
			at = "api"
		}
		target = below(dir, at)
		spec.Path, err = importPathOf(dir, target)
	} else {
		spec.Require, spec.Replace, err = p.dependency(dir)
	}
	if err != nil {
		return fail(stderr, err)
	}
	made, err := codegen.ImportDefinitions(spec)
	if err != nil {
		return fail(stderr, err)
	}
	report(made.Diagnostics, false, stdout, stderr)
	if len(made.Files) == 0 {
		return exitFindings
	}
	if !inModule {
		return p.write(dir, made.Files, stdout, stderr)
	}
	return writeGroup(dir, target, at, made.Files, stdout, stderr)
}

// mostSource limits the number of bytes read from a file.
const mostSource = 64 << 20

func readSource(file string) ([]byte, error) {
	in := os.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, mostSource+1))
	if err == nil && len(data) > mostSource {
		err = errors.New("the file is larger than 64 MiB")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}
