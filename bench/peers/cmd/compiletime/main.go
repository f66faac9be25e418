// Compiletime measures the compile time of generated code: that of askind for the types of
// k8s.io/api/core/v1, and that of Kubernetes.
//
//	go run ./cmd/compiletime
//
// It copies the type declarations into a separate module, generates code there, and compiles the
// package repeatedly: the types alone, with the deep copy and protobuf code of Kubernetes, and with
// the deep copy, JSON and protobuf code of askind. The time of the types alone is subtracted from
// the others. It measures CPU time, which depends less on the load of the machine than wall time;
// rounds are interleaved, and the result is the median. Nothing is linked, and imported packages
// are compiled before.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 5, "how many times to compile each")
	keep := flag.Bool("keep", false, "leave the module behind and print where it is")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "compiletime:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, rounds int, keep bool) error {
	if rounds < 1 {
		return errors.New("at least one round")
	}
	dir, err := os.MkdirTemp("", "compiletime")
	if err != nil {
		return err
	}
	if keep {
		fmt.Fprintln(out, dir)
	} else {
		defer os.RemoveAll(dir)
	}
	m, err := newModule(dir)
	if err != nil {
		return err
	}
	subjects, err := m.subjects()
	if err != nil {
		return err
	}
	for range rounds {
		for i := range subjects {
			s := &subjects[i]
			took, err := m.compile(s.files)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			s.times = append(s.times, took)
		}
	}
	report(out, subjects)
	return nil
}

// subject is a set of files that form a package.
type subject struct {
	name  string
	files []string
	times []time.Duration
}

func (s *subject) median() time.Duration {
	sorted := slices.Sorted(slices.Values(s.times))
	return sorted[len(sorted)/2]
}

// module is a module with the types of core/v1 in the package core/v1, and the generated code of
// the subjects beside them.
type module struct {
	dir     string
	imports string // the importcfg of the compiler
}

// generated reports whether a file of the peer's package is generated, and whether it is a part of
// none of the subjects.
func generated(name string) (mine, skipped bool) {
	switch name {
	case "generated.pb.go", "zz_generated.deepcopy.go":
		return true, false
	case "register.go", "types_swagger_doc_generated.go": // the one needs the deep copies, the other is documentation
		return false, true
	}
	return false, strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated.") ||
		strings.HasPrefix(name, "generated.")
}

// newModule copies the types and generates for them.
func newModule(dir string) (*module, error) {
	m := &module{dir: dir}
	here, err := command("", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	api, err := command("", "go", "list", "-f", "{{.Dir}}", "k8s.io/api/core/v1")
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(filepath.Dir(here))
	k8s := filepath.Join(root, "k8s")
	mod, err := os.ReadFile(filepath.Join(k8s, "go.mod"))
	if err != nil {
		return nil, err
	}
	// The module takes the place of k8s, so that it finds the functions for the shared types.
	if err := write(filepath.Join(dir, "go.mod"), bytes.ReplaceAll(mod, []byte("=> ..\n"),
		[]byte("=> "+root+"\n"))); err != nil {
		return nil, err
	}
	copies := map[string]string{filepath.Join(k8s, "go.sum"): "go.sum"}
	shared, err := os.ReadDir(filepath.Join(k8s, "metav1"))
	if err != nil {
		return nil, err
	}
	for _, e := range shared {
		copies[filepath.Join(k8s, "metav1", e.Name())] = filepath.Join("metav1", e.Name())
	}
	types, err := os.ReadDir(api)
	if err != nil {
		return nil, err
	}
	for _, e := range types {
		mine, skipped := generated(e.Name())
		switch {
		case skipped || filepath.Ext(e.Name()) != ".go":
		case mine:
			copies[filepath.Join(api, e.Name())] = filepath.Join("kubernetes", e.Name()+".txt")
		default:
			copies[filepath.Join(api, e.Name())] = filepath.Join("core", "v1", e.Name())
		}
	}
	for from, to := range copies {
		data, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		// The marker is an error on aliases, of which core/v1 has some, and does not matter here.
		data = bytes.ReplaceAll(data, []byte("// +enum\n"), nil)
		if err := write(filepath.Join(dir, to), data); err != nil {
			return nil, err
		}
	}
	askind := filepath.Join(dir, "askind")
	if _, err := command(root, "go", "build", "-o", askind, "./codegen/askind"); err != nil {
		return nil, err
	}
	if _, err := command(dir, askind, "-only", "deepcopy,json,protobuf", "./core/v1"); err != nil {
		return nil, err
	}
	exports, err := command(dir, "go", "list", "-export", "-deps", "-f",
		"{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", "./core/v1", "k8s.io/api/core/v1")
	if err != nil {
		return nil, err
	}
	m.imports = filepath.Join(dir, "importcfg")
	return m, write(m.imports, []byte(exports))
}

func (m *module) subjects() ([]subject, error) {
	types, err := filepath.Glob(filepath.Join(m.dir, "core", "v1", "[^z]*.go"))
	if err != nil {
		return nil, err
	}
	kubernetes, err := filepath.Glob(filepath.Join(m.dir, "kubernetes", "*.txt"))
	if err != nil {
		return nil, err
	}
	ours := func(concerns ...string) []string {
		files := slices.Clone(types)
		for _, c := range concerns {
			files = append(files, filepath.Join(m.dir, "core", "v1", "zz_generated."+c+".go"))
		}
		return files
	}
	// The compiler reads files of any name, in the order in which it gets them.
	return []subject{
		{name: "the types alone", files: types},
		{name: "kubernetes: deep copy, protobuf", files: append(slices.Clone(types), kubernetes...)},
		{name: "askind: deep copy, protobuf", files: ours("deepcopy", "protobuf")},
		{name: "askind: deep copy, JSON, protobuf", files: ours("deepcopy", "json", "protobuf")},
	}, nil
}

// compile compiles a package and returns the CPU time.
func (m *module) compile(files []string) (time.Duration, error) {
	cmd := exec.Command("go", append([]string{
		"tool", "compile", "-p", "compiletime/core/v1", "-complete", "-importcfg",
		m.imports, "-o", filepath.Join(m.dir, "core.a"),
	}, files...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%.2000s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

func report(out io.Writer, subjects []subject) {
	base, peer := subjects[0].median(), subjects[1].median()-subjects[0].median()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "code\tlines\ttime\twithout the types\tof kubernetes'\t")
	for i := range subjects {
		s := &subjects[i]
		fmt.Fprintf(w, "%s\t%d\t%v\t", s.name, lines(s.files)-lines(subjects[0].files),
			s.median().Round(10*time.Millisecond))
		if i > 0 {
			fmt.Fprintf(w, "%v\t%.0f %%\t", (s.median() - base).Round(10*time.Millisecond),
				100*float64(s.median()-base)/float64(peer))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

func lines(files []string) int {
	n := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return 0
		}
		n += bytes.Count(data, []byte("\n"))
	}
	return n
}

func command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%.2000s", name, strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}
