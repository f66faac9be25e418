// Command beside measures the server of folder wardle beside k8s.io/sample-apiserver with its etcd
// in the same process. Both serve the same types over plain HTTP on loopback, without users. The
// floor of a list is the processor time of a handler of net/http that has the answer of wardle in
// memory and writes it.
//
//	go run ./cmd/beside
//
// It is run in bench/server, builds all programs, which takes some minutes for the other one, and
// prints a table in Markdown.
package main

import (
	"cmp"
	"debug/buildinfo"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

func main() {
	objects := flag.Int("objects", 5000, "how many `flunders` are listed")
	size := flag.Int("size", 10<<10, "about how many `bytes` each of them has in JSON")
	rounds := flag.Int("rounds", 9, "how many `times` servers are started and lists are read")
	ours := flag.String("ours", "", "`binary` of wardle, instead of building it")
	theirs := flag.String("theirs", "", "`binary` of testdata/original, instead of building it")
	flag.Parse()
	log.SetFlags(0)
	if flag.NArg() == 2 { // started by startFloor
		log.Fatal(serveFloor(flag.Arg(0), flag.Arg(1)))
	}
	if err := run(*objects, *size, *rounds, *ours, *theirs); err != nil {
		log.Fatal(err)
	}
}

// sample is the module that wardle is compared with.
const sample = "k8s.io/sample-apiserver"

// row is one line of the table.
type row struct {
	what         string
	ours, theirs string
	ratio        float64 // theirs by ours
	floor        string
	above        float64 // theirs by ours, each without the floor; 0 for none
}

func run(objects, size, rounds int, ours, theirs string) error {
	dir, err := os.MkdirTemp("", "beside")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if ours == "" {
		ours = filepath.Join(dir, "wardle")
		if err := build("wardle", ours); err != nil {
			return err
		}
	}
	if theirs == "" {
		theirs = filepath.Join(dir, "original")
		if err := build(filepath.Join("testdata", "original"), theirs); err != nil {
			return err
		}
	}
	alone, err := install(dir)
	if err != nil {
		return err
	}
	rows, err := static(ours, theirs, alone)
	if err != nil {
		return err
	}
	watches, err := compareWatches(ours, theirs, rounds)
	if err != nil {
		return fmt.Errorf("watches: %w", err)
	}
	measured, err := compareLists(ours, theirs, objects, size, rounds)
	if err != nil {
		return err
	}
	rows = append(append(rows, measured...), watches...)
	fmt.Printf("%s, %d processors, %d rounds; medians of times and means of processor times\n\n", runtime.Version(), runtime.NumCPU(), rounds)
	fmt.Println("| what | wardle | sample-apiserver | ratio | floor | ratio above it |\n|---|---|---|---|---|---|")
	for _, r := range rows {
		above := ""
		if r.above != 0 {
			above = fmt.Sprintf("%.3g", r.above)
		}
		fmt.Printf("| %s | %s | %s | %.3g | %s | %s |\n", r.what, r.ours, r.theirs, r.ratio, r.floor, above)
	}
	return examples(dir)
}

// build builds the program of a folder without symbols.
func build(folder, out string) error {
	log.Printf("building %s", folder)
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, ".")
	c.Dir, c.Stderr = folder, os.Stderr
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	return c.Run()
}

// install builds k8s.io/sample-apiserver as it is published, without an etcd, and returns its path.
func install(dir string) (string, error) {
	version, err := ofSample("{{.Version}}")
	if err != nil {
		return "", err
	}
	log.Printf("building %s", sample)
	c := exec.Command("go", "install", "-trimpath", "-ldflags", "-s -w", sample+"@"+version)
	c.Stderr, c.Env = os.Stderr, append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+dir)
	return filepath.Join(dir, filepath.Base(sample)), c.Run()
}

// static compares what can be known without running the servers.
func static(ours, theirs, alone string) ([]row, error) {
	lines, err := lineCounts()
	if err != nil {
		return nil, err
	}
	rows := []row{lines}
	modules, size, err := linked(ours)
	if err != nil {
		return nil, err
	}
	for _, other := range []struct{ note, path string }{{"", theirs}, {", sample-apiserver without etcd", alone}} {
		m, s, err := linked(other.path)
		if err != nil {
			return nil, err
		}
		rows = append(rows, count("modules in the binary"+other.note, modules, m),
			bytes("binary without symbols"+other.note, size, s))
	}
	return rows, nil
}

// lineCounts compares the lines that people wrote, beside the types.
func lineCounts() (row, error) {
	root, err := ofSample("{{.Dir}}")
	if err != nil {
		return row{}, err
	}
	a, err := codeLines("wardle") // "askind init -from" writes the rest, as a test holds
	if err != nil {
		return row{}, err
	}
	b, err := codeLines(root, root+"/pkg/admission/...", root+"/pkg/apis/...", root+"/pkg/apiserver",
		root+"/pkg/cmd/...", root+"/pkg/registry/...")
	return count("lines of code written by hand, beside the types", a, b), err
}

// ofSample returns what the go command says about k8s.io/sample-apiserver.
func ofSample(format string) (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", format, sample).Output()
	return strings.TrimSpace(string(out)), err
}

// linked returns how many modules a program links beside its own, and its size.
func linked(program string) (modules int, size int64, err error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return 0, 0, err
	}
	file, err := os.Stat(program)
	if err != nil {
		return 0, 0, err
	}
	return len(info.Deps), file.Size(), nil
}

// examples prints what the examples of the root module link.
func examples(dir string) error {
	for _, name := range []string{"notes", "fleet"} {
		program := filepath.Join(dir, name)
		if err := build(filepath.Join("..", "..", "examples", name), program); err != nil {
			return err
		}
		modules, size, err := linked(program)
		if err != nil {
			return err
		}
		fmt.Printf("\nexamples/%s: %d modules, %.1f MiB without symbols\n", name, modules, float64(size)/(1<<20))
	}
	return nil
}

func count(what string, a, b int) row {
	return row{what: what, ours: fmt.Sprint(a), theirs: fmt.Sprint(b), ratio: float64(b) / float64(a)}
}

func bytes(what string, a, b int64) row {
	show := func(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
	return row{what: what, ours: show(a), theirs: show(b), ratio: float64(b) / float64(a)}
}

func duration(what string, a, b time.Duration) row {
	return row{what: what, ours: milliseconds(a), theirs: milliseconds(b), ratio: float64(b) / float64(cmp.Or(a, 1))}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}
