package main

import (
	"fmt"
	"io"

	"github.com/askind/askind/codegen"
)

func markers(c *command, args []string, stdout, stderr io.Writer) int {
	fs := c.flags()
	asJSON := fs.Bool("json", false, "print as JSON, one marker to a line")
	if status, ok := c.parse(fs, args, stdout, stderr); !ok {
		return status
	}
	if fs.NArg() > 0 {
		return c.misused(stderr, "markers takes no arguments")
	}
	for _, m := range codegen.Markers() {
		if *asJSON {
			writeJSON(stdout, m)
			continue
		}
		fmt.Fprintf(stdout, "+%s  (%s)\n\t%s\n", m.Usage, m.Place, m.Doc)
		for _, a := range m.Args {
			fmt.Fprintf(stdout, "\t\t%-12s %s\n", a.Name, a.Doc)
		}
	}
	return exitClean
}
