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
		return cloneBytes(r.rawUnchecked(nil))
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

// memberName is the name of a member as written, and its offset.
type memberName struct {
	name   []byte
	offset int
}

// duplicates records duplicate members of objects at any depth of the valid value data[i:end].
func (r *Reader) duplicates(i, end int) {
	members, bases := r.members[:0], r.bases[:0] // bases has -1 for each array
	data := r.data
	for i < end {
		switch c := data[i]; c {
		case '{':
			bases = append(bases, len(members))
		case '[':
			bases = append(bases, -1)
		case '}':
			base := bases[len(bases)-1]
			r.repeatedMembers(members[base:])
			members, bases = members[:base], bases[:len(bases)-1]
		case ']':
			bases = bases[:len(bases)-1]
		case '"':
			start := i
			i, _, _ = scanString(data, start+1)
			if len(bases) == 0 || bases[len(bases)-1] < 0 || !opensMember(data, start) {
				break
			}
			members = append(members, memberName{name: data[start+1 : i], offset: start})
		}
		i++
	}
	clear(members[:cap(members)])
	r.members, r.bases = members[:0], bases[:0]
}

// opensMember reports whether the string that starts at i, inside an object, is the name of a
// member, that is, not preceded by a colon.
func opensMember(data []byte, i int) bool {
	for i--; isSpace(data[i]); {
		i--
	}
	return data[i] != ':'
}

// repeatedMembers records the duplicate members of an object.
func (r *Reader) repeatedMembers(members []memberName) {
	const few = 32
	text := r.names[:0]
	for i := range members {
		if name := &members[i].name; bytes.IndexByte(*name, '\\') >= 0 {
			from := len(text)
			text = AppendUnescaped(text, *name)
			*name = text[from:len(text):len(text)] // stays valid if the text is reallocated
		}
	}
	r.names = text
	if len(members) > few {
		seen := make(map[string]bool, len(members))
		for i := range members {
			name := string(members[i].name)
			if seen[name] {
				r.repeated(name, members[i].offset)
			}
			seen[name] = true
		}
		return
	}
	for i := range members {
		for j := range i {
			if string(members[i].name) == string(members[j].name) {
				r.repeated(string(members[i].name), members[i].offset)
				break
			}
		}
	}
}
