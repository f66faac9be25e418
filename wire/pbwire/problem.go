package pbwire

import (
	"strconv"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/internal/batch"
)

// Problem is one problem in a message.
type Problem = wire.Problem

// Error is the problem that ended a message. Find it with errors.As.
type Error struct {
	// Code is Syntax or Limit from a Reader; [ParseEnvelope] uses WrongType as well.
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
	return "pbwire: offset " + strconv.Itoa(e.Offset) + ": " + e.Message
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// fail records the fatal problem, unless there is one already, and moves to the end of the input.
func (r *Reader) fail(code wire.Code, offset int, message string) {
	if r.err == nil {
		r.err = &Error{Code: code, Offset: offset, Message: message}
	}
	r.pos = len(r.data)
}

func (r *Reader) failDepth() {
	r.failLimit(&schema.LimitError{
		Limit: "Depth", What: "the nesting", Unit: "levels", Max: r.maxDepth,
		Got: r.maxDepth + 1,
	})
}

// failItems records that the list or map which the current field is part of has n elements.
func (r *Reader) failItems(n int) {
	r.failLimit(&schema.LimitError{
		Limit: "Items", What: "a list or map", Unit: "elements",
		Max: r.limits.Items, Got: n,
	})
}

func (r *Reader) failMemory() { r.failLimit(batch.LimitError(r.limits.Memory, len(r.data))) }

// failLimit records that the message exceeds a limit at the current field.
func (r *Reader) failLimit(e *schema.LimitError) {
	if r.err == nil {
		r.err = &Error{Code: wire.Limit, Offset: r.start, Message: e.Error(), Err: e}
	}
	r.pos = len(r.data)
}

// full reports whether a further problem with the given code must not be recorded, because the
// message has ended or the limit of problems is reached, see [problems.List.Full].
func (r *Reader) full(c wire.Code) bool {
	if r.err != nil {
		return true
	}
	return r.problems.Full(c)
}

// record keeps a problem that does not end the message. The caller has called full.
func (r *Reader) record(p Problem) { r.problems.Add(p) }

// wrongType skips the value of the current field, which has another wire type than expected, and
// records that.
func (r *Reader) wrongType(expected string) {
	start, typ := r.start, r.wire()
	r.skip(r.tag)
	if !r.full(wire.WrongType) {
		r.record(Problem{
			Code: wire.WrongType, Offset: start, End: r.pos, Field: r.Field(),
			Message: "field " + strconv.Itoa(r.Field()) + " is " + expected + ", found " + found(typ),
		})
	}
}

// found names a wire type for messages.
func found(typ uint32) string {
	switch typ {
	case wireVarint:
		return "a varint"
	case wireFixed64:
		return "a 64-bit value"
	case wireFixed32:
		return "a 32-bit value"
	case wireGroup:
		return "a group"
	}
	return "a value with a length"
}

// maxMessage bounds the message of a leaf decoder, which may quote all of its input.
const maxMessage = 1024

// Invalid records that the value just read has the right type but is unusable, with the reason of a
// leaf decoder. A nil error is ignored.
func (r *Reader) Invalid(err error) {
	if err != nil && !r.full(wire.InvalidValue) {
		r.record(Problem{
			Code: wire.InvalidValue, Offset: r.start, End: r.pos, Field: r.Field(),
			Message: schema.Shorten(schema.MessageOf(err), maxMessage), Err: err,
		})
	}
}

// Err returns the problem that ended the message as an [*Error], or nil if the message is valid so
// far.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Problems returns the problems found so far in input order; the one that ended the message comes
// last. The caller owns the slice.
func (r *Reader) Problems() []Problem {
	if r.err == nil {
		return r.problems.Sorted(nil)
	}
	return r.problems.Sorted(&Problem{
		Code: r.err.Code, Offset: r.err.Offset, End: r.err.Offset, Message: r.err.Message, Err: r.err.Err,
	})
}

// Dropped returns how many problems exceeded Limits.Problems and were not kept.
func (r *Reader) Dropped() int { return r.problems.Dropped }
