// Command beside measures the server of folder wardle beside k8s.io/sample-apiserver with its etcd
// in the same process. Both serve the same types over plain HTTP on loopback, without users.
//
//	go run ./cmd/beside
//
// It is run in bench/server, builds both servers, which takes some minutes for the other one, and
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
	if err := run(*objects, *size, *rounds, *ours, *theirs); err != nil {
		log.Fatal(err)
	}
}

// row is one line of the table.
type row struct {
	what         string
	ours, theirs string
	ratio        float64 // theirs by ours, 0 for none
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
	rows, err := static(ours, theirs)
	if err != nil {
		return err
	}
	a, err := measure(ours, objects, size, rounds)
	if err != nil {
		return fmt.Errorf("wardle: %w", err)
	}
	b, err := measure(theirs, objects, size, rounds)
	if err != nil {
		return fmt.Errorf("sample-apiserver: %w", err)
	}
	rows = append(rows,
		duration("start until the first list is answered", a.start, b.start),
		bytes("resident memory, idle", a.idle, b.idle),
		bytes(fmt.Sprintf("resident memory with %d objects of %d bytes", objects, size), a.full, b.full))
	for i, l := range lists {
		rows = append(rows,
			duration("list as "+l.name+", time", a.lists[i].took, b.lists[i].took),
			duration("list as "+l.name+", CPU of the server", a.lists[i].cpu, b.lists[i].cpu))
	}
	fmt.Printf("%s, %d processors, medians of %d rounds\n\n", runtime.Version(), runtime.NumCPU(), rounds)
	fmt.Println("| what | wardle | sample-apiserver | ratio |\n|---|---|---|---|")
	for _, r := range rows {
		ratio := ""
		if r.ratio != 0 {
			ratio = fmt.Sprintf("%.3g", r.ratio)
		}
		fmt.Printf("| %s | %s | %s | %s |\n", r.what, r.ours, r.theirs, ratio)
	}
	return nil
}

// build builds the program of a folder without symbols.
func build(folder, out string) error {
	log.Printf("building %s", folder)
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, ".")
	c.Dir, c.Stderr = folder, os.Stderr
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	return c.Run()
}

// static compares what can be known without running the servers.
func static(ours, theirs string) ([]row, error) {
	sample, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/sample-apiserver").Output()
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(string(sample))
	a, err := codeLines("wardle", "wardle/v1alpha1", "wardle/v1beta1")
	if err != nil {
		return nil, err
	}
	b, err := codeLines(root, root+"/pkg/admission/...", root+"/pkg/apis/...", root+"/pkg/apiserver",
		root+"/pkg/cmd/...", root+"/pkg/registry/...")
	if err != nil {
		return nil, err
	}
	rows := []row{count("lines of code written by hand, beside the types", a, b)}
	var modules [2]int
	var sizes [2]int64
	for i, path := range []string{ours, theirs} {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		modules[i], sizes[i] = len(info.Deps), file.Size()
	}
	return append(rows, count("modules in the binary", modules[0], modules[1]),
		bytes("binary without symbols", sizes[0], sizes[1])), nil
}

func count(what string, a, b int) row {
	return row{what, fmt.Sprint(a), fmt.Sprint(b), float64(b) / float64(a)}
}

func bytes(what string, a, b int64) row {
	show := func(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
	return row{what, show(a), show(b), float64(b) / float64(a)}
}

func duration(what string, a, b time.Duration) row {
	show := func(d time.Duration) string { return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond)) }
	return row{what, show(a), show(b), float64(b) / float64(cmp.Or(a, 1))}
}
