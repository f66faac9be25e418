package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/askind/askind/codegen"
)

// report prints diagnostics: for people to stderr, as JSON to stdout.
func report(diagnostics []*codegen.Diagnostic, asJSON bool, stdout, stderr io.Writer) {
	for _, d := range diagnostics {
		if asJSON {
			printJSON(stdout, d)
		} else {
			fmt.Fprintln(stderr, d)
		}
	}
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
		out.Related = append(out.Related, jsonRelated{
			File: r.Pos.Filename, Line: r.Pos.Line, Column: r.Pos.Column,
			Message: r.Message,
		})
	}
	writeJSON(w, out)
}

// writeJSON writes a value on a line of its own.
func writeJSON(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// The value holds nothing that cannot be written; a closed pipe shows at the next command.
	_ = enc.Encode(v)
}
