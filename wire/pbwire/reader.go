package pbwire

import (
	"strconv"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/internal/batch"
	"github.com/askind/askind/wire/internal/chunk"
	"github.com/askind/askind/wire/internal/problems"
)

// Options are the options of a [Reader]. The zero value is lenient, with the default limits.
type Options struct {
	// Strict records unknown fields.
	Strict bool
	// Limits bound the input. The Reader enforces all of them except Size, which the caller checks.
	Limits schema.Limits
	// Apart allocates each string, each value behind a pointer and each list separately. By default
	// those of one document, or of one list item, share memory, which is faster, but a retained
	// string keeps up to a kilobyte in memory, and a value or list up to eight.
	Apart bool
	// Checker, if not nil, checks embedded objects in strict mode, see [Reader.EmbeddedBytes].
	Checker Checker
	// Embedded is the number of objects that enclose the message, for callers that limit it.
	Embedded int
}

// maxField is the maximum field number.
const maxField = 1<<29 - 1

// Reader is a position in a message. [Reader.Next] moves from field to field, and one of the other
// methods reads each field's value. A Reader is not safe for concurrent use and must not be copied.
//
// The zero Reader reads an empty message; [NewReader] and [Reader.Reset] give it another.
type Reader struct {
	data []byte
	pos  int // the next byte to read; len(data) after a fatal problem
	end  int // of the current message
	text chunk.Chunk
	last int // end of the current list item, behind which no block of strings extends
	// values holds the blocks for the pointers of decoded objects. Reset keeps it, because it
	// records how many values of each type the previous object needed.
	values batch.Set

	start int    // of the current field, at its tag
	tag   uint32 // its number and wire type, as written

	depth    int
	maxDepth int
	limits   schema.Limits // with defaults; maxDepth is a copy of one of them
	strict   bool
	checker  Checker
	embedded int  // number of checked objects that enclose the message
	discards bool // see Discards

	problems problems.List
	err      *Error
}

// NewReader returns a Reader at the start of a message. It never writes to data, and its results do
// not refer to data unless a method says otherwise.
func NewReader(data []byte, o Options) *Reader {
	r := new(Reader)
	r.Reset(data, o)
	return r
}

// Reset starts reading another message. Earlier results stay valid.
func (r *Reader) Reset(data []byte, o Options) {
	r.Release()
	r.data, r.end, r.start, r.tag, r.depth = data, len(data), 0, 0, 0
	r.limits = o.Limits.OrDefaults()
	r.maxDepth = r.limits.Depth
	r.problems.Reset(r.limits.Problems)
	r.strict, r.checker, r.embedded, r.discards = o.Strict, o.Checker, o.Embedded, false
	// The fast path for strings does not check their length, so it is off if strings are limited to
	// short ones.
	r.text.Off = o.Apart || r.limits.String < 0x80
	r.values.Allow(r.limits.Memory, len(data))
	r.values.Off = o.Apart
}

// Release discards the message and the values read from it, before the Reader is put into a pool.
// The Reader then reads an empty message.
func (r *Reader) Release() {
	r.data, r.pos, r.end = nil, 0, 0
	r.checker, r.err = nil, nil
	r.problems.Reset(0)
	r.text, r.last = chunk.Chunk{}, 0
	r.values.Reset()
}

// Offset returns the position in the input.
func (r *Reader) Offset() int { return r.pos }

// Strict reports whether unknown fields are recorded.
func (r *Reader) Strict() bool { return r.strict }

// Checker returns the checker of the options, or nil.
func (r *Reader) Checker() Checker { return r.checker }

// Embedded returns the number of objects that enclose the message, as in the options.
func (r *Reader) Embedded() int { return r.embedded }

// Item declares that the value of the current field is an item of a list of objects. Strings and
// values of different items do not share memory, so that a retained item does not keep its
// neighbors in memory.
func (r *Reader) Item() {
	r.last = 0
	if size, n := uvarint(r.rest()); n > 0 && size <= uint64(r.end-r.pos-n) {
		r.last = r.pos + n + int(size)
	}
	r.text = chunk.Chunk{Off: r.text.Off}
	r.values.Item()
}

// Next moves to the next field of the current message and reports whether there is one. It is false
// at the end of the message and after a failure. The value of the previous field must have been
// consumed.
func (r *Reader) Next() bool { return r.pos < r.end && r.next() }

func (r *Reader) next() bool {
	i := r.pos
	c := r.data[i]
	if c-1<<3 < 0x80-1<<3 { // a number below 16, but not 0
		r.start, r.pos, r.tag = i, i+1, uint32(c)
		return true
	}
	if j := i + 1; j < r.end {
		if d := r.data[j]; d-1 < 0x7f && c >= 0x80 { // one below 2048
			r.start, r.pos, r.tag = i, i+2, uint32(d)<<7|uint32(c&0x7f)
			return true
		}
	}
	return r.nextSlow()
}

//go:noinline
func (r *Reader) nextSlow() bool {
	r.start = r.pos
	var ok bool
	r.tag, ok = r.readTag()
	return ok
}

// readTag reads a tag at the position.
func (r *Reader) readTag() (tag uint32, ok bool) {
	v, n := uvarint(r.rest())
	if n <= 0 {
		r.failVarint(n)
		return 0, false
	}
	if number := v >> 3; number == 0 || number > maxField {
		r.fail(wire.Syntax, r.pos, "field number "+strconv.FormatUint(number, 10)+" does not exist")
		return 0, false
	}
	r.pos += n
	return uint32(v), true
}

// Field returns the number of the field that Next moved to.
func (r *Reader) Field() int { return int(r.tag >> 3) }

// wire returns the wire type of the field.
func (r *Reader) wire() uint32 { return r.tag & 7 }

// Message enters the message that is the value of the current field: Next then moves through its
// fields. Pass the result to [Reader.EndMessage]. After a value of another type, and after a
// failure, the message has no fields.
func (r *Reader) Message() (saved int) {
	saved = r.end
	if i := r.pos; r.wire() == wireBytes && i < saved && r.depth < r.maxDepth {
		n := int(r.data[i])
		i++
		if n >= 0x80 && i < saved {
			n += int(r.data[i])<<7 - 0x80
			i++
		}
		if n < 0x80<<7 && n <= saved-i {
			r.depth++
			r.pos = i
			r.end = i + n
			return saved
		}
	}
	r.messageSlow()
	return saved
}

//go:noinline
func (r *Reader) messageSlow() {
	r.depth++
	if r.depth > r.maxDepth {
		r.failDepth()
		return
	}
	n, ok := r.length("a message")
	if !ok {
		r.end = r.pos
		return
	}
	r.end = r.pos + n
}

// EndMessage leaves a message, given the result of Message. Fields that have not been read are
// skipped.
func (r *Reader) EndMessage(saved int) {
	r.pos = max(r.pos, r.end) // it is at the end of the input after a failure
	r.end = saved
	r.depth--
}

// count returns the number of entries for which the map of the current field should have room: the
// consecutive entries, including this one, as far as their keys can differ. Decoders call it before
// they read the value. It is 0 after a failure, such as that of a map that is too large. Writers
// write the entries of a map consecutively; if other fields are in between, the map grows again.
func (r *Reader) count() int {
	n, end := r.run()
	return differing(n, end-r.start)
}

// differing returns how many of n entries in size bytes can have different keys. Except for a few
// with short keys, entries with different keys take at least six bytes; a map with room for n
// entries of two bytes, which replace each other, would take a hundred times their size.
func differing(n, size int) int {
	const few = 256
	return min(n, few+max(size, 0)/6)
}

// run returns how many times the current field occurs consecutively, including this time, and the
// end of the last occurrence. Both are 0 after a failure, such as that of a list that is too long.
func (r *Reader) run() (n, end int) {
	if r.err != nil {
		return 0, 0
	}
	n, end = r.repeats()
	if n > r.limits.Items {
		r.failItems(n)
		return 0, 0
	}
	return n, end
}

// repeats is run without the limit.
func (r *Reader) repeats() (n, end int) {
	// The tag is compared in encoded form. It ends where the value begins.
	tag := r.data[r.start:r.pos]
	n = 1
	for end = r.pos; ; n++ {
		i := end
		switch r.wire() {
		case wireBytes:
			size, k := uvarint(r.data[i:r.end])
			if k <= 0 || size > uint64(r.end-i-k) {
				return n, end
			}
			i += k + int(size)
		case wireVarint:
			_, k := uvarint(r.data[i:r.end])
			if k <= 0 {
				return n, end
			}
			i += k
		case wireFixed64:
			i += 8
		case wireFixed32:
			i += 4
		default:
			return n, end
		}
		if r.end-i < len(tag) || string(r.data[i:i+len(tag)]) != string(tag) {
			return n, min(i, r.end)
		}
		end = i + len(tag)
	}
}
