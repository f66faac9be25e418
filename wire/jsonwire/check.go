package jsonwire

import (
	"bytes"
	"strconv"
	"sync"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// Checker knows the kinds of embedded objects, which a strict [Reader] checks although it keeps
// them raw.
type Checker interface {
	// CheckJSON decodes the object that is the next value of r as the kind that it states, only to
	// let r record problems. It returns false, without reading, if it does not know the kind.
	// apiVersion and kind are valid until it returns.
	CheckJSON(r *Reader, apiVersion, kind []byte) bool
}

// checkers pools the readers of embedded objects to reuse their scratch memory.
var checkers = sync.Pool{New: func() any { return new(Reader) }}

// RawObject reads a value as [Reader.Raw] does. In strict mode an object whose kind the [Checker]
// knows is also read as that kind, and its problems are recorded. Problems that a lenient reader
// would not find have the code [wire.InvalidEmbedded], because the bytes are kept unchanged.
func (r *Reader) RawObject() []byte {
	if !r.strict || r.checker == nil || r.Kind() != '{' {
		return r.Raw()
	}
	if r.source != nil { // the annotated text, which is read instead, has positions
		r.abandon()
		return nil
	}
	if r.checkObject() {
		return bytes.Clone(r.rawUnchecked(nil))
	}
	return r.Raw()
}

// checkObject checks the object at the position without consuming it. It reports whether the
// checker knows its kind.
func (r *Reader) checkObject() bool {
	apiVersion, kind, err := SniffTypeBytes(r.data[r.pos:])
	if err != nil || r.depth >= r.maxDepth {
		return false
	}
	if r.embedded >= r.limits.Embedded {
		if !r.full(wire.InvalidEmbedded) {
			r.record(Problem{
				Code: wire.InvalidEmbedded, Offset: r.pos, End: r.pos + 1,
				Message: "not checked: objects are embedded more than " +
					strconv.Itoa(r.limits.Embedded) + " levels deep; raise Limits.Embedded to check it",
			})
		}
		return false
	}
	sub := checkers.Get().(*Reader)
	below := r.below()
	below.Problems = r.problems.Room()
	sub.Reset(r.data[r.pos:], Options{Strict: true, Limits: below, Annotated: r.annotated, Checker: r.checker})
	sub.embedded, sub.discards = r.embedded+1, true
	known := r.checker.CheckJSON(sub, apiVersion, kind)
	if known {
		r.adopt(sub, r.pos)
	}
	sub.Release()
	checkers.Put(sub)
	return known
}

// Checker returns the checker of the options, or nil.
func (r *Reader) Checker() Checker { return r.checker }

// Discards reports whether decoded values are discarded, because r checks an embedded object for a
// [Checker].
func (r *Reader) Discards() bool { return r.discards }

// Inner passes a value that was read from r, and is JSON of its own, to read with another, lenient
// reader. It reports whether that reader found no problems. It returns false, without reading, if
// objects are embedded deeper than the limit. The memory used counts toward the limit of r;
// exceeding it ends the text of r.
func (r *Reader) Inner(value []byte, read func(*Reader)) bool {
	if r.embedded >= r.limits.Embedded {
		return false
	}
	sub := checkers.Get().(*Reader)
	sub.Reset(value, Options{Limits: r.below(), Checker: r.checker, Apart: r.values.Off})
	sub.values.Allot(r.values.Room())
	sub.embedded = r.embedded + 1
	read(sub)
	sub.End()
	sound := len(sub.Problems()) == 0
	if r.values.Allot(sub.values.Room()); r.values.Room() < 0 {
		r.failMemory()
	}
	sub.Release()
	checkers.Put(sub)
	return sound
}

// below returns the limits for an object embedded at the position: those of r with the remaining
// depth.
func (r *Reader) below() schema.Limits {
	below := r.limits
	below.Depth = max(1, r.maxDepth-r.depth)
	return below
}

// Room returns how many bytes of memory may still be allocated. It is negative if the limit is
// exceeded.
func (r *Reader) Room() int { return r.values.Room() }

// adopt records the problems of another reader whose text begins at an offset in this one. It omits
// the problem that ended that text, because it ends this one as well.
func (r *Reader) adopt(sub *Reader, offset int) {
	for _, p := range sub.problems.Unsorted() {
		p.Offset += offset
		p.End += offset
		if !p.Code.Strict() {
			p.Code = wire.InvalidEmbedded
		}
		if !r.full(p.Code) {
			r.record(p)
		}
	}
	r.problems.Dropped += sub.problems.Dropped
}

// duplicates records duplicate members of objects at any depth of the valid value data[from:end].
func (r *Reader) duplicates(from, end int) {
	NewReader(r.data[from:end], Options{Limits: r.below(), Annotated: r.annotated}).findRepeated(r, from)
}

// findRepeated records in another reader the duplicate members of the next value. The text begins
// at an offset in that of the other one.
func (r *Reader) findRepeated(in *Reader, offset int) {
	switch r.Kind() {
	case '{':
		seen := map[string]bool{}
		for key := r.Object(); key != nil; key = r.NextKey() {
			name := string(key)
			if seen[name] {
				in.repeated(name, offset+r.keyStart)
			}
			seen[name] = true
			r.findRepeated(in, offset)
		}
	case '[':
		for more := r.Array(); more; more = r.NextElem() {
			r.findRepeated(in, offset)
		}
	default:
		r.Skip()
	}
}
