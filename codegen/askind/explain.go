package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/askind/askind/codegen"
)

func explain(c *command, args []string, stdout, stderr io.Writer) int {
	fs := c.flags()
	if status, ok := c.parse(fs, args, stdout, stderr); !ok {
		return status
	}
	names := fs.Args()
	var patterns []string
	for i, arg := range names {
		if i == 2 || isPattern(arg) {
			names, patterns = names[:i], names[i:]
			break
		}
	}
	if len(names) == 0 {
		return c.misused(stderr, "name a field, or two types")
	}
	if patterns == nil {
		patterns = []string{"./..."}
	}
	e, err := codegen.Explain(codegen.Config{Dir: c.dir, Patterns: patterns}, names...)
	if err != nil {
		return fail(stderr, err)
	}
	fmt.Fprint(stdout, e.Text)
	if e.Complete {
		return exitClean
	}
	report(e.Diagnostics, false, stdout, stderr)
	return exitFindings
}

// isPattern reports whether an argument is a package pattern rather than the name of a type or
// field.
func isPattern(arg string) bool {
	return strings.HasPrefix(arg, ".") || strings.Contains(arg, "...")
}
