package pbwire

import (
	"strconv"
	"sync"
)

// Checker knows the kinds of embedded objects, into which a strict [Reader] looks although it keeps them as bytes.
type Checker interface {
	// CheckEmbedded looks at the bytes of an embedded object, whatever their format, and passes what is wrong with them to r, with offsets in
	// raw, by [Reader.CheckMessage] and [Reader.RecordEmbedded].
	CheckEmbedded(r *Reader, raw []byte)
}

// MaxEmbedded is how deep objects may be embedded in one another where they are written in another format: each level writes once more what is
// below it.
const MaxEmbedded = 32

// checkers keeps the readers of embedded objects.
var checkers = sync.Pool{New: func() any { return new(Reader) }}

// EmbeddedBytes returns the value of the current field as [Reader.Bytes] does. In strict mode the [Checker] looks into them; what it finds is
// recorded.
func (r *Reader) EmbeddedBytes() []byte {
	out := r.Bytes()
	if !r.strict || r.checker == nil || len(out) == 0 {
		return out
	}
	if r.embedded >= r.limits.Embedded {
		r.RecordEmbedded(Problem{
			Code: InvalidEmbedded, Message: "not checked: objects are embedded in one another more than " + strconv.Itoa(r.limits.Embedded) + " deep; raise Limits.Embedded to check it",
		}, len(out))
		return out
	}
	r.checker.CheckEmbedded(r, r.data[r.pos-len(out):r.pos])
	return out
}

// CheckMessage has the message at raw[offset:end] read, where raw is what the [Checker] was given, by a reader of its own, and records what that finds.
func (r *Reader) CheckMessage(raw []byte, offset, end int, decode func(*Reader)) {
	sub := checkers.Get().(*Reader)
	below := r.limits
	below.Depth, below.Problems = max(1, r.maxDepth-r.depth), max(1, r.maxProblems-len(r.problems))
	sub.Reset(raw[offset:end], Options{Strict: true, Limits: below, Checker: r.checker, Embedded: r.embedded + 1})
	decode(sub)
	for _, p := range sub.Problems() {
		p.Offset += offset
		p.End += offset
		r.RecordEmbedded(p, len(raw))
	}
	r.dropped += sub.dropped
	sub.Reset(nil, Options{})
	checkers.Put(sub)
}

// RecordEmbedded records a problem with an embedded object, whose bytes, size of them, end at the position. Offset and End of the problem count
// from their beginning. A code that is not strict becomes [InvalidEmbedded], because the bytes are kept as they are.
func (r *Reader) RecordEmbedded(p Problem, size int) {
	if r.full() {
		return
	}
	p.Offset += r.pos - size
	p.End += r.pos - size
	if !p.Code.Strict() {
		p.Code = InvalidEmbedded
	}
	r.record(p)
}
