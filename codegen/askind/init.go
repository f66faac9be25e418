package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askind/askind/codegen"
)

const askindModule = "github.com/askind/askind"

// initSource writes initial source code: a project, or a group in a module.
func initSource(c *command, args []string, stdout, stderr io.Writer) int {
	fs := c.flags()
	module := fs.String("module", "", "the `path` of a project's module; by default derived from its group, as in "+
		"example.com/garage")
	replace := fs.String("replace", "", "the `directory` of a checkout of "+askindModule+" for a project's go.mod;\n"+
		"by default the checkout in use, if it has no version")
	single := fs.Bool("single", false, "write a project with one version, without an example of an older one")
	kind := fs.String("kind", "Thing", "the Go `name` of the kind")
	at := fs.String("dir", "", "the `directory` for the group; by default api/ followed by the first word of the group")
	from := fs.String("from", "", "start from existing types: a `source` that is a file of CustomResourceDefinitions (- for\n"+
		"standard input), or a package of another module with the types of a version, as in\n"+
		"k8s.io/sample-apiserver/pkg/apis/wardle/v1alpha1@latest")
	if status, ok := c.parse(fs, args, stdout, stderr); !ok {
		return status
	}
	switch {
	case *single && fs.NArg() != 2:
		return c.misused(stderr, "-single is for a new project, such as garage.example.com/v1 Car")
	case *from != "" && fs.NArg() > 0:
		return c.misused(stderr, "-from determines the groups and kinds, so do not name any")
	case *from != "":
		p := &project{dir: c.dir, module: *module, replace: *replace}
		return p.importFrom(*from, *at, stdout, stderr)
	case fs.NArg() == 2 && strings.Contains(fs.Arg(0), "/"):
		p := project{dir: c.dir, kind: fs.Arg(1), module: *module, replace: *replace, single: *single}
		p.group, p.version, _ = strings.Cut(fs.Arg(0), "/")
		if _, err := os.Lstat(filepath.Join(c.dir, "go.mod")); err == nil {
			return p.addVersion(stdout, stderr)
		}
		return p.create(stdout, stderr)
	case fs.NArg() == 1 && strings.Contains(fs.Arg(0), "/"):
		return c.misused(stderr, "a kind is missing after %s, such as Car", fs.Arg(0))
	case fs.NArg() != 1:
		return c.misused(stderr, "init needs a version and a kind for a new project, such as garage.example.com/v1 Car, "+
			"or the name of one API group for an existing module")
	}
	return initGroup(c.dir, *at, *kind, fs.Arg(0), stdout, stderr)
}

// initGroup writes a group in the module of a directory.
func initGroup(dir, at, kind, group string, stdout, stderr io.Writer) int {
	if at == "" {
		at = path.Join("api", codegen.SkeletonName(group))
	}
	target, err := filepath.Abs(below(dir, at))
	if err != nil {
		return fail(stderr, err)
	}
	importPath, err := importPathOf(dir, target)
	if err != nil {
		return fail(stderr, err)
	}
	m, err := goList(dir)
	if err != nil {
		return fail(stderr, err)
	}
	if err := codegen.CheckNewGroup(codegen.Config{Dir: m.Dir}, group, kind); err != nil {
		return fail(stderr, err)
	}
	files, err := codegen.Skeleton(codegen.SkeletonSpec{Group: group, Kind: kind, Path: importPath})
	if err != nil {
		return fail(stderr, err)
	}
	return writeGroup(dir, target, at, files, stdout, stderr)
}

// below returns a file name as seen from a directory.
func below(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// printNext prints the next steps after a group has been written in a module.
func printNext(dir string, stdout io.Writer) {
	fmt.Fprint(stdout, "\nNext:\n")
	if _, err := goList(dir, askindModule); err != nil {
		fmt.Fprintf(stdout, "  go get -tool %s/codegen/askind\n", askindModule)
	}
	fmt.Fprint(stdout, "  go mod tidy\n  go generate ./...\n  go test ./...\n")
}

// create writes new files, all or none: if any of them exists, nothing is written, and on failure
// everything that was created is removed. The function that it returns removes it, too.
func create(dir string, files map[string][]byte) (undo func(), err error) {
	var there []string
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); !errors.Is(err, os.ErrNotExist) {
			there = append(there, name)
		}
	}
	if len(there) > 0 {
		return nil, fmt.Errorf("%s already has %s; nothing was written (-C names another directory, -dir that of a group)",
			dir, strings.Join(there, ", "))
	}
	var made []string
	remove := func() {
		// Remove in reverse order, so that directories are empty by then. Directories with other
		// files are kept.
		for _, name := range slices.Backward(made) {
			_ = os.Remove(name)
		}
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		var missing []string
		for d := filepath.Dir(file); ; d = filepath.Dir(d) {
			if _, err := os.Lstat(d); err == nil || d == filepath.Dir(d) {
				break
			}
			missing = append(missing, d)
		}
		for _, d := range slices.Backward(missing) {
			if err := os.Mkdir(d, 0o755); err != nil {
				return nil, err
			}
			made = append(made, d)
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return nil, err
		}
		made = append(made, file)
		_, err = f.Write(files[name])
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return remove, nil
}

// importPathOf finds the module that dir belongs to, and the import path of a directory in it.
func importPathOf(dir, target string) (string, error) {
	m, err := goList(dir)
	if err != nil {
		return "", err
	}
	if m.Dir == "" {
		return "", errors.New("no module found here; for a new project, name a version and a kind, as in " +
			"askind init garage.example.com/v1 Car")
	}
	// The go command resolves symbolic links, so compare paths as it names them. The target need
	// not exist.
	existing, rest := target, ""
	for {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			target = filepath.Join(real, rest)
			break
		}
		if existing == filepath.Dir(existing) {
			break
		}
		rest = filepath.Join(filepath.Base(existing), rest)
		existing = filepath.Dir(existing)
	}
	root, err := filepath.EvalSymlinks(m.Dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, target)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%s is outside of module %s in %s", target, m.Path, m.Dir)
	}
	return path.Join(m.Path, filepath.ToSlash(rel)), nil
}

type listedModule struct{ Path, Dir string }

// goList returns what the go command lists about a module, by default that of the directory.
func goList(dir string, args ...string) (listedModule, error) {
	out, err := goRun(dir, append([]string{"list", "-m", "-json"}, args...)...)
	if err != nil {
		return listedModule{}, err
	}
	var m listedModule
	err = json.Unmarshal(out, &m)
	return m, err
}
