// Command askind generates the code of API packages: deep copies, JSON, conversions, registration.
//
//	askind [flags] [packages]
//	askind markers [-json]
//
// Packages are named as for the go command; ./... is usual. The files zz_generated.<concern>.go are written beside the
// types. If anything in the sources is wrong, all of it is printed and no file changes.
//
// The exit status is 0 if all is well, 1 if there are findings or, with -check or -diff, files that differ, and 2 if the command
// was not understood.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/askind/askind/codegen"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

const (
	exitClean    = 0
	exitFindings = 1
	exitUsage    = 2
)

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "markers" {
		return markers(args[1:], stdout, stderr)
	}
	flags := flag.NewFlagSet("askind", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("C", "", "run in this `directory`")
	check := flags.Bool("check", false, "write nothing; name the files that are stale, missing or obsolete")
	diff := flags.Bool("diff", false, "write nothing; print the differences as a unified diff")
	only := flags.String("only", "", "limit the run to these `concerns`, separated by commas: "+strings.Join(codegen.Concerns(), ", "))
	verbose := flags.Bool("v", false, "print the phases with their time, the functions written by hand and the files written")
	asJSON := flags.Bool("json", false, "print diagnostics as JSON, one to a line")
	flags.Usage = func() {
		fmt.Fprint(stderr, "usage: askind [flags] [packages]\n       askind markers [-json]\n\n")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitClean
	case err != nil:
		return exitUsage
	}

	cfg := codegen.Config{Dir: *dir, Patterns: flags.Args()}
	for name := range strings.SplitSeq(*only, ",") {
		if name = strings.TrimSpace(name); name != "" {
			cfg.Only = append(cfg.Only, name)
		}
	}
	if *verbose {
		cfg.Log = func(line string) { fmt.Fprintln(stderr, line) }
	}
	result, err := codegen.Run(cfg)
	if err != nil {
		fmt.Fprintln(stderr, "askind:", err)
		if _, ok := errors.AsType[*codegen.UsageError](err); ok {
			return exitUsage
		}
		return exitFindings
	}
	for _, d := range result.Diagnostics {
		if *asJSON {
			printJSON(stdout, d)
		} else {
			fmt.Fprintln(stderr, d)
		}
	}
	if result.HasErrors() {
		return exitFindings
	}
	if *check || *diff {
		return compare(result, *diff, stdout, stderr)
	}
	changes, err := codegen.Write(result)
	if err != nil {
		fmt.Fprintln(stderr, "askind:", err)
		return exitFindings
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
	return exitClean
}

func compare(result *codegen.Result, diff bool, stdout, stderr io.Writer) int {
	changes, err := codegen.Check(result)
	if err != nil {
		fmt.Fprintln(stderr, "askind:", err)
		return exitFindings
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

// jsonDiagnostic is the form of a diagnostic for other programs.
type jsonDiagnostic struct {
	File       string        `json:"file,omitempty"`
	Line       int           `json:"line,omitempty"`
	Column     int           `json:"column,omitempty"`
	Severity   string        `json:"severity"`
	Code       string        `json:"code"`
	Message    string        `json:"message"`
	Suggestion string        `json:"suggestion,omitempty"`
	Related    []jsonRelated `json:"related,omitempty"`
}

type jsonRelated struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

func printJSON(w io.Writer, d *codegen.Diagnostic) {
	out := jsonDiagnostic{
		File: d.Pos.Filename, Line: d.Pos.Line, Column: d.Pos.Column, Severity: d.Severity.String(),
		Code: d.Code, Message: d.Message, Suggestion: d.Suggestion,
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, jsonRelated{File: r.Pos.Filename, Line: r.Pos.Line, Column: r.Pos.Column, Message: r.Message})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// The value holds nothing that cannot be written; a closed pipe shows at the next command.
	_ = enc.Encode(out)
}

func markers(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("askind markers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print as JSON, one marker to a line")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitClean
	case err != nil || flags.NArg() > 0:
		return exitUsage
	}
	for _, m := range codegen.Markers() {
		if *asJSON {
			enc := json.NewEncoder(stdout)
			enc.SetEscapeHTML(false)
			_ = enc.Encode(m)
			continue
		}
		fmt.Fprintf(stdout, "+%s  (%s)\n\t%s\n", m.Usage, m.Place, m.Doc)
		for _, a := range m.Args {
			fmt.Fprintf(stdout, "\t\t%-12s %s\n", a.Name, a.Doc)
		}
	}
	return exitClean
}
