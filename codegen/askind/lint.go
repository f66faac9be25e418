package main

import (
	"fmt"
	"io"

	"github.com/askind/askind/codegen"
)

func lint(c *command, args []string, stdout, stderr io.Writer) int {
	fs := c.flags()
	strict := fs.Bool("strict", false, "treat warnings as errors")
	verbose := fs.Bool("v", false, "print the phases with their time")
	asJSON := fs.Bool("json", false, "print diagnostics, or with -rules the rules, as JSON, one to a line")
	rules := fs.Bool("rules", false, "list the rules with their reasons")
	if status, ok := c.parse(fs, args, stdout, stderr); !ok {
		return status
	}
	if *rules {
		for _, r := range codegen.Rules() {
			if *asJSON {
				writeJSON(stdout, r)
			} else {
				fmt.Fprintf(stdout, "%s\n\t%s\n\t%s\n", r.Name, r.Doc, r.Why)
			}
		}
		return exitClean
	}
	cfg := codegen.Config{Dir: c.dir, Patterns: fs.Args(), Strict: *strict}
	if *verbose {
		cfg.Log = func(line string) { fmt.Fprintln(stderr, line) }
	}
	result, err := codegen.Lint(cfg)
	if err != nil {
		return fail(stderr, err)
	}
	report(result.Diagnostics, *asJSON, stdout, stderr)
	if result.HasErrors() {
		return exitFindings
	}
	return exitClean
}
