package pbwire

import (
	"strconv"
	"sync"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// Checker knows the kinds of embedded objects, which a strict [Reader] checks although it keeps
// them as bytes.
type Checker interface {
	// CheckEmbedded checks the bytes of an embedded object in any format, and passes problems to r,
	// with offsets in raw, by [Reader.CheckMessage] and [Reader.RecordEmbedded].
	CheckEmbedded(r *Reader, raw []byte)
}

// MaxEmbedded bounds the depth of embedded objects that are written in another format: each level
// writes the levels below it once more.
const MaxEmbedded = 32

// checkers pools the readers of embedded objects.
var checkers = sync.Pool{New: func() any { return new(Reader) }}

// EmbeddedBytes returns the value of the current field as [Reader.Bytes] does. In strict mode the
// [Checker] checks them, and its problems are recorded.
func (r *Reader) EmbeddedBytes() []byte {
	out := r.Bytes()
	if !r.strict || r.checker == nil || len(out) == 0 {
		return out
	}
	if r.embedded >= r.limits.Embedded {
		r.RecordEmbedded(Problem{
			Code: wire.InvalidEmbedded, Message: "not checked: objects are embedded more than " +
				strconv.Itoa(r.limits.Embedded) + " levels deep; raise Limits.Embedded to check it",
		}, len(out))
		return out
	}
	r.checker.CheckEmbedded(r, r.data[r.pos-len(out):r.pos])
	return out
}

// CheckMessage decodes the message at raw[offset:end] with a separate reader and records its
// problems. raw is the argument of the [Checker].
func (r *Reader) CheckMessage(raw []byte, offset, end int, decode func(*Reader)) {
	sub := checkers.Get().(*Reader)
	below := r.Below()
	below.Problems = r.problems.Room()
	sub.Reset(raw[offset:end], Options{Strict: true, Limits: below, Checker: r.checker, Embedded: r.embedded + 1})
	sub.discards = true
	decode(sub)
	for _, p := range sub.Problems() {
		p.Offset += offset
		p.End += offset
		r.RecordEmbedded(p, len(raw))
	}
	r.problems.Dropped += sub.problems.Dropped
	sub.Release()
	checkers.Put(sub)
}

// Discards reports whether decoded values are discarded, because r checks an embedded object for a
// [Checker].
func (r *Reader) Discards() bool { return r.discards }

// Inner passes a message that was read from r as bytes to read with another, lenient reader. It
// reports whether that reader found no problems. It returns false, without reading, if objects are
// embedded deeper than the limit. The memory used counts toward the limit of r; exceeding it ends
// the message of r.
func (r *Reader) Inner(message []byte, read func(*Reader)) bool {
	if r.embedded >= r.limits.Embedded {
		return false
	}
	sub := checkers.Get().(*Reader)
	sub.Reset(message, Options{Limits: r.Below(), Checker: r.checker, Embedded: r.embedded + 1, Apart: r.values.Off})
	sub.values.Allot(r.values.Room())
	read(sub)
	sound := len(sub.Problems()) == 0
	if r.values.Allot(sub.values.Room()); sub.exhausted() {
		r.failMemory()
	}
	sub.Release()
	checkers.Put(sub)
	return sound
}

// exhausted reports whether the message ended because it exceeded its memory limit.
func (r *Reader) exhausted() bool {
	if r.err == nil {
		return r.values.Room() < 0
	}
	e, ok := r.err.Err.(*schema.LimitError)
	return ok && e.Limit == "Memory"
}

// Below returns the limits for an object embedded in the current message: those of r with the
// remaining depth.
func (r *Reader) Below() schema.Limits {
	below := r.limits
	below.Depth = max(1, r.maxDepth-r.depth)
	return below
}

// Room returns how many bytes of memory may still be allocated. It is negative if the limit is
// exceeded.
func (r *Reader) Room() int { return r.values.Room() }

// Spend counts n bytes of memory that another reader allocated for a part of the message. The
// message ends if the limit is exceeded.
func (r *Reader) Spend(n int) {
	if r.values.Spend(n); r.values.Room() < 0 {
		r.failMemory()
	}
}

// RecordEmbedded records a problem with an embedded object, whose size bytes end at the position.
// Offset and End of the problem are relative to their start. A code that is not strict becomes
// [wire.InvalidEmbedded], because the bytes are kept unchanged.
func (r *Reader) RecordEmbedded(p Problem, size int) {
	p.Offset += r.pos - size
	p.End += r.pos - size
	if !p.Code.Strict() {
		p.Code = wire.InvalidEmbedded
	}
	if !r.full(p.Code) {
		r.record(p)
	}
}
