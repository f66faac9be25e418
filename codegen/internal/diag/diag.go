// Package diag collects the diagnostics of the generator.
//
// A [Diagnostic] has a position in the user's source, describes the problem, and if possible
// suggests text that fixes it. Features report into a [List] while they plan. The list removes
// duplicates and sorts by position, so that two runs over the same input print the same lines.
package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Severity says whether a diagnostic prevents output.
type Severity uint8

const (
	// Error means that no file is written.
	Error Severity = iota
	// Warning is printed and changes nothing.
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Related is a second place that helps to understand a diagnostic, such as the peer field of a
// conversion.
type Related struct {
	Pos     token.Position
	Message string
}

// Diagnostic is one finding about the input.
type Diagnostic struct {
	Severity Severity
	// Pos and End delimit the offending text. A position without a file name belongs to the run as
	// a whole.
	Pos, End token.Position
	// Code is a stable short name such as "marker-unknown".
	Code    string
	Message string
	Related []Related
	// Suggestion is text to paste, or blank.
	Suggestion string
}

// String renders the diagnostic as "file:line:col: CODE message", followed by indented lines for
// the related places and the suggestion.
func (d *Diagnostic) String() string {
	var b strings.Builder
	if d.Pos.IsValid() || d.Pos.Filename != "" {
		b.WriteString(d.Pos.String())
		b.WriteString(": ")
	}
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	fmt.Fprintf(&b, "%s %s", d.Code, d.Message)
	for _, r := range d.Related {
		b.WriteString("\n\t")
		if r.Pos.IsValid() {
			b.WriteString(r.Pos.String())
			b.WriteString(": ")
		}
		b.WriteString(r.Message)
	}
	if d.Suggestion != "" {
		b.WriteString("\n\ttry: ")
		b.WriteString(strings.ReplaceAll(d.Suggestion, "\n", "\n\t     "))
	}
	return b.String()
}

// Relate adds a related place and returns d.
func (d *Diagnostic) Relate(pos token.Position, format string, args ...any) *Diagnostic {
	d.Related = append(d.Related, Related{Pos: pos, Message: fmt.Sprintf(format, args...)})
	return d
}

// Suggest sets the text to paste and returns d.
func (d *Diagnostic) Suggest(format string, args ...any) *Diagnostic {
	d.Suggestion = fmt.Sprintf(format, args...)
	return d
}

// List collects diagnostics. The zero value is ready to use; it is not safe for concurrent use.
type List struct {
	// Strict makes every warning an error.
	Strict bool
	// Suppressed, if set, reports whether a warning is not recorded.
	Suppressed func(pos token.Position, code string) bool

	all []*Diagnostic
}

// Errorf records an error at pos and returns it, so that the caller can add related places and a
// suggestion.
func (l *List) Errorf(pos token.Position, code, format string, args ...any) *Diagnostic {
	return l.add(Error, pos, code, format, args...)
}

// Warnf records a warning at pos, or an error if the list is strict. It never returns nil.
func (l *List) Warnf(pos token.Position, code, format string, args ...any) *Diagnostic {
	if l.Suppressed != nil && l.Suppressed(pos, code) {
		return new(Diagnostic)
	}
	if l.Strict {
		return l.add(Error, pos, code, format, args...)
	}
	return l.add(Warning, pos, code, format, args...)
}

func (l *List) add(s Severity, pos token.Position, code, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Severity: s, Pos: pos, Code: code, Message: fmt.Sprintf(format, args...)}
	l.all = append(l.all, d)
	return d
}

// Restore adds diagnostics as they were recorded in an earlier run.
func (l *List) Restore(list []*Diagnostic) { l.all = append(l.all, list...) }

// HasErrors reports whether any diagnostic is an error.
func (l *List) HasErrors() bool {
	return slices.ContainsFunc(l.all, func(d *Diagnostic) bool { return d.Severity == Error })
}

// Sorted returns the diagnostics by file, line, column, code and message, without duplicates.
func (l *List) Sorted() []*Diagnostic {
	out := slices.Clone(l.all)
	slices.SortStableFunc(out, compare)
	return slices.CompactFunc(out, func(a, b *Diagnostic) bool { return compare(a, b) == 0 })
}

func compare(a, b *Diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Pos.Filename, b.Pos.Filename),
		cmp.Compare(a.Pos.Line, b.Pos.Line),
		cmp.Compare(a.Pos.Column, b.Pos.Column),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}
