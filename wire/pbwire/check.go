package pbwire

import (
	"strconv"
	"sync"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// Checker knows the kinds of embedded objects, into which a strict [Reader] looks although it keeps
// them as bytes.
type Checker interface {
	// CheckEmbedded looks at the bytes of an embedded object, whatever their format, and passes
	// what is wrong with them to r, with offsets in raw, by [Reader.CheckMessage] and
	// [Reader.RecordEmbedded].
	CheckEmbedded(r *Reader, raw []byte)
}

// MaxEmbedded is how deep objects may be embedded in one another where they are written in another
// format: each level writes once more what is below it.
const MaxEmbedded = 32

// checkers keeps the readers of embedded objects.
var checkers = sync.Pool{New: func() any { return new(Reader) }}

// EmbeddedBytes returns the value of the current field as [Reader.Bytes] does. In strict mode the
// [Checker] looks into them; what it finds is recorded.
func (r *Reader) EmbeddedBytes() []byte {
	out := r.Bytes()
	if !r.strict || r.checker == nil || len(out) == 0 {
		return out
	}
	if r.embedded >= r.limits.Embedded {
		r.RecordEmbedded(Problem{
			Code: wire.InvalidEmbedded, Message: "not checked: objects are embedded in one another more than " +
				strconv.Itoa(r.limits.Embedded) + " deep; raise Limits.Embedded to check it",
		}, len(out))
		return out
	}
	r.checker.CheckEmbedded(r, r.data[r.pos-len(out):r.pos])
	return out
}

// CheckMessage has the message at raw[offset:end] read, where raw is what the [Checker] was given,
// by a reader of its own, and records what that finds.
func (r *Reader) CheckMessage(raw []byte, offset, end int, decode func(*Reader)) {
	sub := checkers.Get().(*Reader)
	below := r.Below()
	below.Problems = max(1, r.maxProblems-len(r.problems))
	sub.Reset(raw[offset:end], Options{Strict: true, Limits: below, Checker: r.checker, Embedded: r.embedded + 1})
	sub.discards = true
	decode(sub)
	for _, p := range sub.Problems() {
		p.Offset += offset
		p.End += offset
		r.RecordEmbedded(p, len(raw))
	}
	r.dropped += sub.dropped
	sub.Release()
	checkers.Put(sub)
}

// Discards reports whether nothing of what is read is kept, because r looks into an embedded object
// for a [Checker].
func (r *Reader) Discards() bool { return r.discards }

// Inner has a message that was read from r as bytes read by another reader, which is lenient, and
// reports whether that found nothing wrong. It is false, without reading, where objects are
// embedded in one another deeper than the limit. The memory that it takes counts for the message of
// r, which ends if that is beyond the limit.
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

// exhausted reports whether the message ended because of the memory that it takes.
func (r *Reader) exhausted() bool {
	if r.err == nil {
		return r.values.Room() < 0
	}
	e, ok := r.err.Err.(*schema.LimitError)
	return ok && e.Limit == "Memory"
}

// Below returns the limits for what is embedded in the current message: those of r with the depth
// that is left.
func (r *Reader) Below() schema.Limits {
	below := r.limits
	below.Depth = max(1, r.maxDepth-r.depth)
	return below
}

// Room returns how many bytes of memory may yet be taken before the limit is met, less than 0 if it
// is exceeded.
func (r *Reader) Room() int { return r.values.Room() }

// Spend counts n bytes of memory that were taken for a part of the message which another reader has
// read. The message ends if they are beyond the limit.
func (r *Reader) Spend(n int) {
	if r.values.Spend(n); r.values.Room() < 0 {
		r.failMemory()
	}
}

// RecordEmbedded records a problem with an embedded object, whose bytes, size of them, end at the
// position. Offset and End of the problem count from their beginning. A code that is not strict
// becomes [InvalidEmbedded], because the bytes are kept as they are.
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
