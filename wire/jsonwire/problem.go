package jsonwire

import (
	"strconv"
	"unicode/utf8"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// Problem is one problem in a text.
type Problem = wire.Problem

// Error is the problem that ended a text. Find it with errors.As.
type Error struct {
	// Code is Syntax or Limit from a Reader; [SniffType] and the append functions use WrongType and
	// Syntax as well.
	Code wire.Code
	// Offset is the position in the input.
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

// stop records the fatal problem, unless there is one already, and moves to the end of the text.
func (r *Reader) stop(e *Error, end int) {
	if r.err == nil {
		r.err, r.errEnd = e, end
	}
	r.pos = len(r.data)
	r.source = nil
}

// fail records a syntax problem.
func (r *Reader) fail(offset, end int, message string) {
	r.stop(&Error{Code: wire.Syntax, Offset: offset, Message: message}, end)
}

// failLimit records that the text is beyond a limit.
func (r *Reader) failLimit(offset, end int, e *schema.LimitError) { r.stop(limitError(offset, e), end) }

// failChar records a syntax problem for the unexpected byte at offset i.
func (r *Reader) failChar(i int, want string) {
	if i >= len(r.data) {
		r.fail(len(r.data), len(r.data), "unexpected end of text, expected "+want)
		return
	}
	c, n := utf8.DecodeRune(r.data[i:])
	r.fail(i, i+n, "unexpected "+quoteChar(c, n)+", expected "+want)
}

func quoteChar(c rune, n int) string {
	if c == utf8.RuneError && n <= 1 {
		return "invalid UTF-8"
	}
	return "character " + strconv.QuoteRune(c)
}

// full reports whether a further problem with the given code must not be recorded, because the text
// has ended or the limit of problems is reached, see [problems.List.Full].
func (r *Reader) full(c wire.Code) bool {
	if r.source != nil {
		r.abandon()
	}
	if r.err != nil {
		return true
	}
	return r.problems.Full(c)
}

// record keeps a problem that does not end the text. The caller has called full.
func (r *Reader) record(p Problem) { r.problems.Add(p) }

// Err returns the problem that ended the text as an [*Error], or nil if the text is valid so far.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Problems returns the problems found so far in input order; the one that ended the text comes
// last. The caller owns the slice.
func (r *Reader) Problems() []Problem {
	if r.err == nil {
		return r.problems.Sorted(nil)
	}
	return r.problems.Sorted(&Problem{
		Code: r.err.Code, Offset: r.err.Offset, End: r.errEnd, Message: r.err.Message, Err: r.err.Err,
	})
}

// Dropped returns how many problems exceeded Limits.Problems and were not kept.
func (r *Reader) Dropped() int { return r.problems.Dropped }

// Seen sets the bit of a member in *mask, and records a duplicate if the bit was already set.
// Generated decoders call it first in each case of their switch. The bit must be less than 64. It
// is not inlined, because a package of many types calls it a thousand times.
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
// the type has no such member. known lists the names of the type's members.
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

// maxMessage bounds the message of a leaf decoder, which may quote all of its input.
const maxMessage = 1024

// Invalid records that the value just read has the right JSON type but is unusable, with the reason
// of a leaf decoder. A nil error is ignored.
func (r *Reader) Invalid(err error) {
	if err != nil && !r.full(wire.InvalidValue) {
		r.record(Problem{
			Code: wire.InvalidValue, Offset: r.start, End: r.pos,
			Message: schema.Shorten(schema.MessageOf(err), maxMessage), Err: err,
		})
	}
}

// WrongType is [Reader.Invalid] for a value of a JSON type that the leaf decoder does not accept.
func (r *Reader) WrongType(message string) {
	if !r.full(wire.WrongType) {
		r.record(Problem{Code: wire.WrongType, Offset: r.start, End: r.pos, Message: message})
	}
}

// Report records a problem with the value at a path below the value that began at the offset from.
// Use it for problems that are found only after more of the text has been read. Problems with
// strict codes are recorded in strict mode only.
func (r *Reader) Report(code wire.Code, from int, p *schema.Path, message string) {
	if code.Strict() && !r.strict || r.full(code) {
		return
	}
	start, end, _ := OffsetOf(r.data[from:], p)
	r.record(Problem{Code: code, Offset: from + start, End: from + end, Message: message})
}

// wrongType records that the value at the position has another type than expected, and skips it. A
// byte that starts no value is a syntax problem.
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

// found names the type of the value at the position, or blank if no value starts there.
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
			Message: "number " + schema.Shorten(r.lastText(), shown) + " is out of range for " + typ,
		})
	}
}

// notInteger records that the value just read is a number with a fraction or exponent.
func (r *Reader) notInteger() {
	r.WrongType("expected integer, found number " + schema.Shorten(r.lastText(), shown))
}

// lastText returns the value just read as written, for messages.
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

// shown is how many bytes of a text from outside a message shows.
const shown = 64

func quoteShort(s string) string { return strconv.Quote(schema.Shorten(s, shown)) }
