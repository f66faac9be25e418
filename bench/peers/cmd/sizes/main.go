// Sizes measures the sizes of programs that perform one small task with each library and prints a
// Markdown table.
//
//	go run ./cmd/sizes
//
// It runs in the module bench/peers and needs the go command.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// programs are those of package hello, the empty one first.
var programs = []struct{ name, does string }{
	{"empty", "nothing"},
	{"askind", "reads and writes a machine of the example"},
	{"askindcore", "reads and writes a pod with askind; knows all kinds of core/v1"},
	{"apimachinery", "reads and writes a pod with apimachinery; knows all kinds of core/v1"},
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	dir, err := os.MkdirTemp("", "sizes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprint(out, "| program | what it does | MB | beyond empty |\n|---|---|--:|--:|\n")
	var empty float64
	for _, p := range programs {
		size, err := weigh(dir, p.name)
		if err != nil {
			return err
		}
		if empty == 0 {
			empty = size
		}
		fmt.Fprintf(out, "| `%s` | %s | %.1f | %.1f |\n", p.name, p.does, size, size-empty)
	}
	return nil
}

// weigh links a program without debug symbols and returns its size in megabytes.
func weigh(dir, name string) (float64, error) {
	path := filepath.Join(dir, name)
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./internal/hello/"+name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()) / 1e6, nil
}
