// Package jsonpath parses the paths of table columns and scale subresources, such as .status.phase,
// into a list of steps that a generator can turn into field access.
//
// The dialect is the part of the Kubernetes one that names single values, with two additions. A
// path is read from the JSON form of an object, so it speaks JSON names, never Go names:
//
//	.spec.image                                 a member of an object; a leading $ is allowed
//	.metadata.labels['app\.example\.com/name']  the same with quotes, for names that hold dots, brackets or blanks
//	.metadata.labels.app\.example\.com/name     and without, with the dots escaped
//	.spec.containers[0].image                   an element of a list; [-1] is the last one
//	.spec.containers[*].image                   every element; the column shows the values joined
//	.status.conditions[?(@.type=="Ready")].status   the elements that pass a test: ==, !=, <, <=, >, >= or presence
//	.spec.containers.length()                   the number of elements of a list or map: ours, not Kubernetes'
//
// Kubernetes also counts negative indexes from the end. Recursive descent, slices and unions have
// their own error messages, because no column can show their result.
//
// [Parse] never panics and reports the first mistake as an [*Error] that knows the exact bytes, so
// that a generator can point into the marker that holds the path. [Path.String] writes a path in
// one canonical form that parses to the same steps.
package jsonpath

import (
	"slices"
	"strconv"
	"strings"
)

// Path is one parsed path. It is immutable by convention and safe for concurrent reading.
type Path struct {
	Text  string // the text that was parsed
	Steps []Step // at least one
}

// Step is one step of a path, from a value to the value or values below it.
type Step struct {
	Kind   StepKind
	Name   string // for Field: the name, without quotes and escapes
	Index  int    // for Index: the element, from the end when negative
	Filter *Test  // for Filter: which elements pass

	// Offset and End delimit the bytes of the step in Path.Text, punctuation included.
	Offset, End int
}

// StepKind is the kind of a [Step].
type StepKind uint8

// The kinds of steps.
const (
	Field    StepKind = iota + 1 // a member of an object, .name or ['name']
	Index                        // an element of a list, [3]
	Wildcard                     // all elements of a list or values of a map, [*]
	Filter                       // the elements of a list that pass a test, [?(@.type=="Ready")]
	Length                       // the number of elements of a list or map, .length(); always the last step
)

// Test is the condition inside a filter.
type Test struct {
	// Steps leads from the element, written @, to the value that is compared. Only Field and Index
	// steps occur; an empty list means the element itself.
	Steps []Step
	// Op is "==", "!=", "<", "<=", ">" or ">="; empty when the filter only asks whether the value
	// is present.
	Op string
	// OpOffset is where Op starts in Path.Text.
	OpOffset int
	// Value is what the value is compared with. It is meaningful only when Op is not empty.
	Value Literal
}

// Literal is a constant inside a filter.
type Literal struct {
	Kind LiteralKind
	// Text is the value of a string, the digits of a number as written, or "true" or "false".
	Text string
	// Offset and End delimit the literal in Path.Text, quotes included.
	Offset, End int
}

// LiteralKind is the type of a [Literal].
type LiteralKind uint8

// The kinds of literals.
const (
	String LiteralKind = iota + 1
	Number
	Bool
)

// Error is a mistake in a path. Offset and End are byte positions in the text given to [Parse];
// they are equal if something is missing.
type Error struct {
	Offset, End int
	Message     string
	Suggestion  string // a replacement for the whole path, or blank
}

// Error returns the message with its offset.
func (e *Error) Error() string {
	s := "jsonpath: offset " + strconv.Itoa(e.Offset) + ": " + e.Message
	if e.Suggestion != "" {
		s += "; write " + e.Suggestion
	}
	return s
}

// String returns the path in canonical form: without $, names bare where every dialect reads them
// so and quoted otherwise, strings in double quotes. Dots inside quotes are escaped, because
// Kubernetes takes a bare dot there for the start of another step.
func (p *Path) String() string {
	return string(appendSteps(nil, p.Steps))
}

// Prefix returns the text of the path up to the end of step i, for messages about the steps that
// could be resolved. Prefix(-1) is "$", the object itself.
func (p *Path) Prefix(i int) string {
	if i < 0 {
		return "$"
	}
	return strings.TrimPrefix(p.Text[:p.Steps[i].End], "$")
}

func appendSteps(dst []byte, steps []Step) []byte {
	for i := range steps {
		s := &steps[i]
		switch s.Kind {
		case Field:
			if bareName(s.Name) {
				dst = append(dst, '.')
				dst = append(dst, s.Name...)
			} else {
				dst = append(dst, '[')
				dst = appendQuoted(dst, s.Name, '\'', true)
				dst = append(dst, ']')
			}
		case Index:
			dst = append(dst, '[')
			dst = strconv.AppendInt(dst, int64(s.Index), 10)
			dst = append(dst, ']')
		case Wildcard:
			dst = append(dst, "[*]"...)
		case Filter:
			dst = append(dst, "[?(@"...)
			dst = appendSteps(dst, s.Filter.Steps)
			dst = append(dst, s.Filter.Op...)
			if s.Filter.Op != "" {
				dst = appendLiteral(dst, s.Filter.Value)
			}
			dst = append(dst, ")]"...)
		case Length:
			dst = append(dst, ".length()"...)
		}
	}
	return dst
}

func appendLiteral(dst []byte, v Literal) []byte {
	if v.Kind == String {
		return appendQuoted(dst, v.Text, '"', false)
	}
	return append(dst, v.Text...)
}

func appendQuoted(dst []byte, s string, quote byte, escapeDots bool) []byte {
	dst = append(dst, quote)
	for i := range len(s) {
		switch c := s[i]; {
		case c == quote, c == '\\', c == '.' && escapeDots:
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, quote)
}

// bareName reports whether a name needs neither quotes nor escapes after a dot.
func bareName(s string) bool {
	return s != "" && !slices.ContainsFunc([]byte(s), func(c byte) bool { return !plainNameByte(c) })
}

// plainNameByte reports whether c stands for itself in an unquoted name. Bytes above ASCII do.
func plainNameByte(c byte) bool {
	return c > ' ' && c != 0x7f && !strings.ContainsRune(`.[](){}'"*?@$,:=!<>\&|;`+"`", rune(c))
}
