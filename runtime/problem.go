package runtime

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// The causes of problems, for errors.Is on an error returned by decoding.
var (
	ErrSyntax = errors.New("syntax error")
	// ErrLimit: the input exceeds one of the [schema.Limits]; errors.As finds a
	// [*schema.LimitError] that names the limit.
	ErrLimit          = schema.ErrLimit
	ErrUnknownField   = errors.New("unknown field")
	ErrDuplicateField = errors.New("duplicate field")
	ErrWrongType      = errors.New("wrong type")
	ErrOutOfRange     = errors.New("out of range")
	ErrInvalidValue   = errors.New("invalid value")
	// ErrAmbiguousValue: a boolean that other readers interpret as text, or an integer of no stated
	// type with more digits than a float64 can hold.
	ErrAmbiguousValue = errors.New("ambiguous value")
	ErrOtherKind      = errors.New("other kind")
	// ErrInvalidEmbedded: a value in an embedded object of a known kind cannot be read as that
	// kind. The object is kept as bytes.
	ErrInvalidEmbedded = errors.New("invalid embedded object")
	ErrMissingKind     = errors.New("kind is missing")
	ErrMissingVersion  = errors.New("apiVersion is missing")
)

// Problem is one problem in a text and its location.
type Problem struct {
	_ struct{} // literals name their fields

	// File is the name given by the caller of the decoder, or blank.
	File string
	// Position is where the offending text starts, in the user's text.
	Position schema.Position
	// Path is the field, as spec.containers[2].image; blank at the root.
	Path string
	// Cause is one of the Err variables above; errors.Is finds it. Strict reports whether it
	// matters only in strict decoding.
	Cause error
	// Message describes the problem, without position and path.
	Message string
	// Nearest is a known name that was probably meant; blank if no known name is similar.
	Nearest string
	// Err is the error of a leaf type's parser, if it is the origin.
	Err error
	// More, unless zero, is the number of further problems, which exceeded [schema.Limits].Problems
	// and are not listed. Such a problem is the last one of a document, and has no message of its
	// own.
	More int
}

// Strict reports whether the problem matters only in strict decoding, so that the object is
// complete nevertheless.
func (p Problem) Strict() bool {
	switch p.Cause {
	case ErrUnknownField, ErrDuplicateField, ErrAmbiguousValue, ErrOtherKind, ErrInvalidEmbedded:
		return true
	}
	return false
}

// CauseOf returns the cause of a problem found by a reader of JSON or protobuf. It is [ErrSyntax]
// for an unknown code.
func CauseOf(c wire.Code) error {
	switch c {
	case wire.Limit:
		return ErrLimit
	case wire.UnknownField:
		return ErrUnknownField
	case wire.DuplicateField:
		return ErrDuplicateField
	case wire.WrongType:
		return ErrWrongType
	case wire.OutOfRange:
		return ErrOutOfRange
	case wire.InvalidValue:
		return ErrInvalidValue
	case wire.AmbiguousValue:
		return ErrAmbiguousValue
	case wire.OtherKind:
		return ErrOtherKind
	case wire.InvalidEmbedded:
		return ErrInvalidEmbedded
	}
	return ErrSyntax
}

// Error returns "file:line:column: path: message (did you mean "x"?)", without the unknown parts.
func (p Problem) Error() string {
	if p.More > 0 {
		return moreProblems(p.More)
	}
	var b strings.Builder
	b.WriteString(location(p.File, p.Position))
	if p.Path != "" {
		b.WriteString(shortPath(p.Path))
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	if p.Nearest != "" {
		fmt.Fprintf(&b, " (did you mean %q?)", p.Nearest)
	}
	return b.String()
}

// moreProblems states how many problems are not listed.
func moreProblems(n int) string {
	if n == 1 {
		return "and 1 more problem"
	}
	return "and " + strconv.Itoa(n) + " more problems"
}

// shortPath omits the middle of a path that is too long to read, such as that of a value nested
// thousands of levels deep.
func shortPath(path string) string {
	const most, keep = 240, 100
	if len(path) <= most {
		return path
	}
	isStep := func(i int) bool { return path[i] == '.' || path[i] == '[' }
	from, to := keep, len(path)-keep
	for from > keep/2 && !isStep(from) {
		from--
	}
	for to < len(path)-keep/2 && !isStep(to) {
		to++
	}
	for !utf8.RuneStart(path[from]) {
		from--
	}
	for !utf8.RuneStart(path[to]) {
		to++
	}
	return path[:from] + "…" + path[to:]
}

// Unwrap returns the cause and the origin.
func (p Problem) Unwrap() []error {
	if p.Err != nil && p.Err != p.Cause {
		return []error{p.Cause, p.Err}
	}
	return []error{p.Cause}
}

// DecodeError lists all problems of one document, in the order of the text.
type DecodeError struct {
	_ struct{} // literals name their fields

	Problems []Problem
}

// Error lists all problems, one per line.
func (e *DecodeError) Error() string {
	return joined(e.Problems, "\n", Problem.Error)
}

// Unwrap returns the problems, for errors.Is and errors.As.
func (e *DecodeError) Unwrap() []error {
	out := make([]error, len(e.Problems))
	for i := range e.Problems {
		out[i] = &e.Problems[i]
	}
	return out
}

// location renders "file:line:column: ", as far as known.
func location(file string, p schema.Position) string {
	switch {
	case p.IsValid() && file != "":
		return file + ":" + p.String() + ": "
	case p.IsValid():
		return "line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Column) + ": "
	case file != "":
		return file + ": "
	}
	return ""
}
