package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askind/askind/codegen"
)

// userCacheDir returns the parent directory of the run cache. Tests replace it.
var userCacheDir = os.UserCacheDir

func generate(c *command, args []string, stdout, stderr io.Writer) int {
	fs := c.flags()
	check := fs.Bool("check", false, "write nothing; name the files that are stale, missing or obsolete")
	diff := fs.Bool("diff", false, "write nothing; print the differences as a unified diff")
	only := fs.String("only", "", "limit the run to these `concerns`, separated by commas:\n"+
		strings.Join(codegen.Concerns(), ", "))
	accept := fs.Bool("accept-losses", false, "record new losses of conversions in "+codegen.LossesName+
		", where they are errors otherwise")
	strict := fs.Bool("strict", false, "treat warnings as errors")
	verbose := fs.Bool("v", false,
		"print the phases with their time, the functions written by hand and the files written")
	quiet := fs.Bool("q", false, "do not print how many files were written, deleted and unchanged")
	all := fs.Bool("a", false, "generate even if nothing has changed since the last run")
	asJSON := fs.Bool("json", false, "print diagnostics as JSON, one to a line")
	if status, ok := c.parse(fs, args, stdout, stderr); !ok {
		return status
	}

	cfg := codegen.Config{Dir: c.dir, Patterns: fs.Args(), AcceptLosses: *accept, Strict: *strict}
	for name := range strings.SplitSeq(*only, ",") {
		if name = strings.TrimSpace(name); name != "" {
			cfg.Only = append(cfg.Only, name)
		}
	}
	if dir, err := userCacheDir(); err == nil && !*all {
		cfg.Cache = filepath.Join(dir, "askind")
	}
	if *verbose {
		cfg.Log = func(line string) { fmt.Fprintln(stderr, line) }
	}
	result, err := codegen.Run(cfg)
	if err != nil {
		return fail(stderr, err)
	}
	report(result.Diagnostics, *asJSON, stdout, stderr)
	if result.HasErrors() {
		return exitFindings
	}
	if *check || *diff {
		return compare(result, *diff, stdout, stderr)
	}
	changes, err := codegen.Write(result)
	if err != nil {
		return fail(stderr, err)
	}
	if *verbose {
		for _, c := range changes {
			verb := "wrote"
			if c.State == codegen.Obsolete {
				verb = "removed"
			}
			fmt.Fprintln(stderr, verb, c.Path)
		}
	}
	if !*quiet {
		summarize(stderr, result, changes)
	}
	// The go command has listed all files and reads each of them before it runs its directives.
	if os.Getenv("GOFILE") != "" && slices.ContainsFunc(changes, func(c codegen.Change) bool {
		return c.State == codegen.Obsolete && strings.HasSuffix(c.Path, ".go")
	}) {
		fmt.Fprintln(stderr, "askind: if go generate fails now because it does not find a deleted file, run it again")
	}
	return exitClean
}

// summarize prints one line about what a run did.
func summarize(w io.Writer, result *codegen.Result, changes []codegen.Change) {
	if result.Unchanged {
		fmt.Fprintln(w, "askind: nothing has changed since the last run")
		return
	}
	written := 0
	var deleted []string
	for _, c := range changes {
		if c.State == codegen.Obsolete {
			deleted = append(deleted, c.Path)
		} else {
			written++
		}
	}
	line := fmt.Sprintf("askind: %d written, %d deleted, %d unchanged", written, len(deleted),
		len(result.Files)-written)
	if len(deleted) > 0 {
		line += "; deleted: " + strings.Join(deleted, " ")
	}
	fmt.Fprintln(w, line)
}

func compare(result *codegen.Result, diff bool, stdout, stderr io.Writer) int {
	changes, err := codegen.Check(result)
	if err != nil {
		return fail(stderr, err)
	}
	for _, c := range changes {
		if diff {
			fmt.Fprint(stdout, codegen.Diff(c))
		} else {
			fmt.Fprintf(stdout, "%s: %s\n", c.Path, c.State)
		}
	}
	if len(changes) > 0 {
		fmt.Fprintln(stderr, "askind: generated files differ from their sources; run: go tool askind ./...")
		return exitFindings
	}
	return exitClean
}
