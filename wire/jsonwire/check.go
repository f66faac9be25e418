package jsonwire

import (
	"bytes"
	"strconv"
	"sync"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// Checker knows the kinds of embedded objects, into which a strict [Reader] looks although it keeps
// them raw.
type Checker interface {
	// CheckJSON reads the object that is the next value of r as the kind that it states, and
	// nothing else, for the sake of the problems that r finds. It reports false, without reading,
	// if it does not know the kind. What the object states is valid until it returns.
	CheckJSON(r *Reader, apiVersion, kind []byte) bool
}

// checkers keeps the readers of embedded objects for the sake of their scratch memory.
var checkers = sync.Pool{New: func() any { return new(Reader) }}

// RawObject reads a value as [Reader.Raw] does. In strict mode an object of a kind that the
// [Checker] knows is read as that kind too, and what is wrong in it is recorded. What a lenient
// reader would not find is never an error of its own kind then but [InvalidEmbedded], because the
// bytes are kept as they are.
func (r *Reader) RawObject() []byte {
	if !r.strict || r.checker == nil || r.Kind() != '{' {
		return r.Raw()
	}
	if r.source != nil { // the text, which is read instead, has places
		r.abandon()
		return nil
	}
	if r.checkObject() {
		return cloneBytes(r.rawUnchecked(nil))
	}
	return r.Raw()
}

// checkObject reads the object at the position by the checker, without moving. It reports whether
// the checker knows its kind.
func (r *Reader) checkObject() bool {
	apiVersion, kind, err := SniffTypeBytes(r.data[r.pos:])
	if err != nil || r.depth >= r.maxDepth {
		return false
	}
	if r.embedded >= r.limits.Embedded {
		if !r.full(wire.InvalidEmbedded) {
			r.record(Problem{
				Code: wire.InvalidEmbedded, Offset: r.pos, End: r.pos + 1,
				Message: "not checked: objects are embedded in one another more than " +
					strconv.Itoa(r.limits.Embedded) + " deep; raise Limits.Embedded to check it",
			})
		}
		return false
	}
	sub := checkers.Get().(*Reader)
	below := r.below()
	below.Problems = max(1, r.maxProblems-len(r.problems))
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

// Checker returns that of the options, nil if there is none.
func (r *Reader) Checker() Checker { return r.checker }

// Discards reports whether nothing of what is read is kept, because r looks into an embedded object
// for a [Checker].
func (r *Reader) Discards() bool { return r.discards }

// Inner has a value that was read from r, as JSON of its own, read by another reader, which is
// lenient, and reports whether that found nothing wrong. It is false, without reading, where
// objects are embedded in one another deeper than the limit. The memory that it takes counts for
// the text of r, which ends if that is beyond the limit.
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

// below returns the limits for what is embedded at the position: those of r with the depth that is
// left.
func (r *Reader) below() schema.Limits {
	below := r.limits
	below.Depth = max(1, r.maxDepth-r.depth)
	return below
}

// Room returns how many bytes of memory may yet be taken before the limit is met, less than 0 if it
// is exceeded.
func (r *Reader) Room() int { return r.values.Room() }

// adopt records what another reader found, whose text begins at an offset in this one. What ended
// that text is left out: it ends this one as well.
func (r *Reader) adopt(sub *Reader, offset int) {
	for _, p := range sub.problems {
		p.Offset += offset
		p.End += offset
		if !p.Code.Strict() {
			p.Code = wire.InvalidEmbedded
		}
		if !r.full(p.Code) {
			r.record(p)
		}
	}
	r.dropped += sub.dropped
}

// memberName is the name of a member as it is written, and where the name begins.
type memberName struct {
	name   []byte
	offset int
}

// duplicates records the members that occur twice in an object, at any depth of a value that is
// sound and stands at data[i:end].
func (r *Reader) duplicates(i, end int) {
	members, bases := r.members[:0], r.bases[:0] // bases has a -1 for each array
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

// opensMember reports whether the string that starts at i is the name of a member: what comes
// before it, inside an object, is not a colon.
func opensMember(data []byte, i int) bool {
	for i--; isSpace(data[i]); {
		i--
	}
	return data[i] != ':'
}

// repeatedMembers records those of an object's members that occurred before.
func (r *Reader) repeatedMembers(members []memberName) {
	const few = 32
	text := r.names[:0]
	for i := range members {
		if name := &members[i].name; bytes.IndexByte(*name, '\\') >= 0 {
			from := len(text)
			text = appendUnescaped(text, *name)
			*name = text[from:len(text):len(text)] // stays what it is if the text moves
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
