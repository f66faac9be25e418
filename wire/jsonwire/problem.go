package jsonwire

import (
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// Problem is one thing that is wrong with a text.
type Problem struct {
	// Code is the sort of problem.
	Code wire.Code
	// Offset and End enclose the offending token or value in the input: input[Offset:End].
	Offset, End int
	// Name is the member's name for UnknownField and DuplicateField, else blank.
	Name string
	// Nearest is the known name that Name probably meant, blank if none is near.
	Nearest string
	// Message is a short description without position and path.
	Message string
	// Err is the leaf decoder's error for InvalidValue, a [*schema.LimitError] for Limit, else nil.
	Err error
}

// String returns the message with its offset and the near miss, for logs and tests.
func (p Problem) String() string {
	s := "offset " + strconv.Itoa(p.Offset) + ": " + p.Message
	if p.Nearest != "" {
		s += " (did you mean " + strconv.Quote(p.Nearest) + "?)"
	}
	return s
}

// Error is the problem that ended a text. Find it with errors.As.
type Error struct {
	// Code is Syntax or Limit from a Reader; [SniffType] and the append functions use WrongType and
	// Syntax as well.
	Code wire.Code
	// Offset is the place in the input.
	Offset int
	// Message is a short description without position.
	Message string
	// Err is a [*schema.LimitError] for Limit, else nil.
	Err error
}

// Error implements the error interface.
func (e *Error) Error() string {
	return "jsonwire: offset " + strconv.Itoa(e.Offset) + ": " + e.Message
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// fail records the fatal problem, unless there is one already, and moves to the end of the text.
func (r *Reader) fail(code wire.Code, offset, end int, message string) {
	if r.err == nil {
		r.err = &Error{Code: code, Offset: offset, Message: message}
		r.errEnd = end
	}
	r.pos = len(r.data)
	r.source = nil
}

// failLimit records that the text is beyond a limit.
func (r *Reader) failLimit(offset, end int, e *schema.LimitError) {
	if r.err == nil {
		r.err = &Error{Code: wire.Limit, Offset: offset, Message: e.Error(), Err: e}
		r.errEnd = end
	}
	r.pos = len(r.data)
	r.source = nil
}

// failChar records that the byte at offset i cannot stand there.
func (r *Reader) failChar(i int, want string) {
	if i >= len(r.data) {
		r.fail(wire.Syntax, len(r.data), len(r.data), "unexpected end of text, expected "+want)
		return
	}
	c, n := utf8.DecodeRune(r.data[i:])
	r.fail(wire.Syntax, i, i+n, "unexpected "+quoteChar(c, n)+", expected "+want)
}

func quoteChar(c rune, n int) string {
	if c == utf8.RuneError && n <= 1 {
		return "invalid UTF-8"
	}
	return "character " + strconv.QuoteRune(c)
}

// full reports whether a further problem with the given code must not be recorded: the text has
// ended, or Limits.Problems are kept, and then it is counted. A problem that lenient mode finds too
// replaces the last one that only strict mode finds, so that many unknown fields hide no error.
func (r *Reader) full(c wire.Code) bool {
	if r.source != nil {
		r.abandon()
	}
	if r.err != nil {
		return true
	}
	if len(r.problems) < r.maxProblems {
		if c.Strict() {
			r.minor++
		}
		return false
	}
	r.dropped++
	if c.Strict() || r.minor == 0 {
		return true
	}
	i := len(r.problems) - 1
	for !r.problems[i].Code.Strict() {
		i--
	}
	r.problems = append(r.problems[:i], r.problems[i+1:]...)
	r.minor--
	return false
}

// record keeps a problem that does not end the text. The caller has asked full.
func (r *Reader) record(p Problem) { r.problems = append(r.problems, p) }

// Err returns the problem that ended the text as an [*Error], or nil if the text is sound so far.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Problems returns everything found so far in input order; the one that ended the text comes
// last. The slice is the caller's.
func (r *Reader) Problems() []Problem {
	if r.err == nil && len(r.problems) == 0 {
		return nil
	}
	all := make([]Problem, len(r.problems), len(r.problems)+1)
	copy(all, r.problems)
	sort.Stable(inOrder(all))
	if r.err != nil {
		all = append(all, Problem{
			Code: r.err.Code, Offset: r.err.Offset, End: r.errEnd, Message: r.err.Message,
			Err: r.err.Err,
		})
	}
	return all
}

// inOrder sorts problems by their place. It is not a function of package slices, whose code would
// be there once for each type.
type inOrder []Problem

func (p inOrder) Len() int           { return len(p) }
func (p inOrder) Less(i, j int) bool { return p[i].Offset < p[j].Offset }
func (p inOrder) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }

// Dropped returns how many problems were found beyond Limits.Problems and not kept.
func (r *Reader) Dropped() int { return r.dropped }

// Seen notes in *mask that the member with the given bit was read, and records a duplicate if it
// was noted before. Generated decoders call it first in each case of their switch. The bit must be
// below 64. It is not inlined, because a package of many types calls it a thousand times.
//
//go:noinline
func (r *Reader) Seen(mask *uint64, bit uint, key []byte) {
	if *mask&(1<<(bit&63)) != 0 {
		r.Duplicate(key)
	}
	*mask |= 1 << (bit & 63)
}

// Duplicate records, in strict mode, that the member whose key was just read occurred before.
func (r *Reader) Duplicate(key []byte) {
	if r.strict {
		r.repeated(string(key), r.keyStart)
	}
}

// repeated records that a member, whose key is at an offset, occurred before.
func (r *Reader) repeated(name string, offset int) {
	if !r.full(wire.DuplicateField) {
		r.record(Problem{
			Code: wire.DuplicateField, Offset: offset, End: r.tokenEnd(offset),
			Name: name, Message: "duplicate field " + quoteShort(name),
		})
	}
}

// Unknown skips the value of the member whose key was just read and records, in strict mode, that
// the type has no such member. known are the names it has.
func (r *Reader) Unknown(key []byte, known []string) {
	if r.strict && !r.full(wire.UnknownField) {
		name := string(key)
		nearest, _ := schema.Nearest(name, known)
		r.record(Problem{
			Code: wire.UnknownField, Offset: r.keyStart, End: r.tokenEnd(r.keyStart),
			Name: name, Nearest: nearest, Message: "unknown field " + quoteShort(name),
		})
	}
	r.Skip()
}

// Invalid records that the value just read is of the right JSON type but unusable: a leaf decoder
// calls it with its reason. A nil error is ignored.
func (r *Reader) Invalid(err error) {
	if err != nil && !r.full(wire.InvalidValue) {
		r.record(Problem{
			Code: wire.InvalidValue, Offset: r.start, End: r.pos,
			Message: schema.MessageOf(err), Err: err,
		})
	}
}

// WrongType is [Reader.Invalid] for a value of a JSON type that the leaf does not take.
func (r *Reader) WrongType(message string) {
	if !r.full(wire.WrongType) {
		r.record(Problem{Code: wire.WrongType, Offset: r.start, End: r.pos, Message: message})
	}
}

// Report records a problem with the value at a path below the value that began at the offset from:
// one that only shows when more than that value has been read. Codes that are strict are recorded
// in strict mode only.
func (r *Reader) Report(code wire.Code, from int, p *schema.Path, message string) {
	if code.Strict() && !r.strict || r.full(code) {
		return
	}
	start, end, _ := OffsetOf(r.data[from:], p)
	r.record(Problem{Code: code, Offset: from + start, End: from + end, Message: message})
}

// wrongType records that another type was expected than the value at the position has, and skips
// it. A byte that starts no value is a syntax problem.
func (r *Reader) wrongType(expected string) {
	if r.source != nil {
		r.abandon()
		return
	}
	r.space()
	found := r.found()
	if found == "" {
		r.failChar(r.pos, expected)
		return
	}
	r.Skip()
	r.WrongType("expected " + expected + ", found " + found)
}

// found names the type of the value at the position, blank if none starts there.
func (r *Reader) found() string {
	switch r.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't':
		return "boolean"
	case 'n':
		return "null"
	}
	return ""
}

// outOfRange records that the value just read does not fit.
func (r *Reader) outOfRange(typ string) {
	if !r.full(wire.OutOfRange) {
		r.record(Problem{
			Code: wire.OutOfRange, Offset: r.start, End: r.pos,
			Message: "number " + shorten(r.lastText()) + " is out of range for " + typ,
		})
	}
}

// notInteger records that the value just read is a number with a fraction or exponent.
func (r *Reader) notInteger() {
	r.WrongType("expected integer, found number " + shorten(r.lastText()))
}

// lastText returns the value just read as it was written, for messages.
func (r *Reader) lastText() string {
	text := r.data[r.start:r.pos]
	if len(text) > 2 && text[0] == plainMark {
		text = text[2 : len(text)-1]
	}
	return string(text)
}

// tokenEnd returns the end of the string token that starts at i.
func (r *Reader) tokenEnd(i int) int {
	if end, _, bad := scanString(r.data, i+1); bad == "" {
		return end + 1
	}
	return i
}

// shorten cuts a text for a message to a bearable length.
func shorten(s string) string {
	const limit = 64
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

func quoteShort(s string) string { return strconv.Quote(shorten(s)) }
