package pbwire

import (
	"strconv"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/internal/batch"
)

// Options are the terms under which a [Reader] reads. The zero value is lenient, with the default
// limits.
type Options struct {
	// Strict records unknown fields.
	Strict bool
	// Limits bound what is read. The Reader keeps to all of them but those of the size, which
	// the caller compares.
	Limits schema.Limits
	// Apart gives each string, each value that a pointer leads to and each list memory of its own.
	// By default those of one document, or of one item of a list, share memory, which is faster,
	// but a string kept alone keeps up to a kilobyte, and a value or list up to eight.
	Apart bool
	// Checker, if it is not nil, looks into embedded objects in strict mode, see
	// [Reader.EmbeddedBytes].
	Checker Checker
	// Embedded is how many objects the message is embedded in, for those who bound that.
	Embedded int
}

// maxField is the highest field number.
const maxField = 1<<29 - 1

// Reader is a position in a message. [Reader.Next] goes from field to field, and one of the other
// methods takes each field's value. A Reader is for one goroutine and must not be copied.
//
// The zero Reader reads an empty message; [NewReader] and [Reader.Reset] give it another.
type Reader struct {
	data []byte
	pos  int // the next byte to read; len(data) after a fatal problem
	end  int // of the current message
	text window
	// values has the blocks for what decoded objects point to. It is kept by Reset, because it
	// remembers how many values of each type the object before needed.
	values batch.Set

	start int    // of the current field, at its tag
	tag   uint32 // its number and wire type, as written

	depth    int
	maxDepth int
	limits   schema.Limits // with their defaults; maxDepth and maxProblems are two of them
	strict   bool
	checker  Checker
	embedded int  // how many objects that are checked the message is embedded in
	discards bool // see Discards

	maxProblems int
	dropped     int
	minor       int // how many of problems only strict mode finds
	problems    []Problem
	err         *Error
}

// NewReader returns a Reader at the start of a message. It never writes to data, and what it
// returns keeps no reference to it unless a method says otherwise.
func NewReader(data []byte, o Options) *Reader {
	r := new(Reader)
	r.Reset(data, o)
	return r
}

// Reset starts anew on another message. Results handed out before stay valid.
func (r *Reader) Reset(data []byte, o Options) {
	r.Release()
	r.data, r.end, r.start, r.tag, r.depth = data, len(data), 0, 0, 0
	r.limits = o.Limits.OrDefaults()
	r.maxDepth, r.maxProblems = r.limits.Depth, r.limits.Problems
	r.strict, r.checker, r.embedded, r.discards = o.Strict, o.Checker, o.Embedded, false
	r.dropped, r.minor = 0, 0
	// There is no short way to strings if they are to be short, because their length is not
	// compared on it.
	r.text.off = o.Apart || r.limits.String <= sharedLimit
	r.values.Allow(r.limits.Memory, len(data))
	r.values.Off = o.Apart
}

// Release discards the message and what was made of it, before the Reader is put into a pool.
// It reads as an empty one then.
func (r *Reader) Release() {
	r.data, r.pos, r.end = nil, 0, 0
	r.checker, r.problems, r.err = nil, nil, nil
	r.text = window{}
	r.values.Reset()
}

// Offset returns the position in the input.
func (r *Reader) Offset() int { return r.pos }

// Strict reports whether unknown fields are recorded.
func (r *Reader) Strict() bool { return r.strict }

// Checker returns that of the options, nil if there is none.
func (r *Reader) Checker() Checker { return r.checker }

// Embedded returns how many objects the message is embedded in, as the options say.
func (r *Reader) Embedded() int { return r.embedded }

// Item tells that the value of the current field is an item of a list of objects. Strings and
// values of different items do not share memory, so that an item kept alone does not keep its
// neighbours.
func (r *Reader) Item() {
	end := 0
	if size, n := uvarint(r.rest()); n > 0 && size <= uint64(r.end-r.pos-n) {
		end = r.pos + n + int(size)
	}
	r.text.item(end)
	r.values.Item()
}

// Next moves to the next field of the current message and reports whether there is one. It is false
// at the end of the message and after a failure. The value of the field before must have been
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

// Message enters the message that is the value of the current field: Next then goes through its
// fields. The result is what [Reader.EndMessage] needs to leave it. After a value of another type,
// and after a failure, the message has no fields.
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

// EndMessage leaves a message, with what Message returned on entering it. Fields that were not read
// are left out.
func (r *Reader) EndMessage(saved int) {
	r.pos = max(r.pos, r.end) // it is at the end of the input after a failure
	r.end = saved
	r.depth--
}

// Count returns how many entries the map of the current field is to have room for: those that
// follow in a row, this one included, as far as their keys can differ. Decoders call it before they
// take the value. It is 0 after a failure, such as that of a map which is too large. Writers put
// the entries of a map one behind the other; where other fields stand in between, the map grows
// once more.
func (r *Reader) Count() int {
	n, end := r.run()
	return differing(n, end-r.start)
}

// differing returns how many of n entries in so many bytes can have keys of their own. But for a
// few with short keys, such entries take six bytes; a map with room for entries of two bytes, which
// replace each other, would take a hundred times their size.
func differing(n, size int) int {
	const few = 256
	return min(n, few+size/6)
}

// run returns how many times the current field occurs in a row, this time included, and where the
// last of them ends. Both are 0 after a failure, such as that of a list which is too long.
func (r *Reader) run() (n, end int) {
	if r.err != nil {
		return 0, 0
	}
	if r.pos == r.start+1 && r.wire() == wireBytes {
		n, end = r.runOfBytes()
	} else {
		n, end = r.runSlow()
	}
	if n > r.limits.Items {
		r.failItems(n)
		return 0, 0
	}
	return n, end
}

// runOfBytes is run for values with a length, whose tag has one byte.
func (r *Reader) runOfBytes() (n, end int) {
	tag, data := r.data[r.start], r.data[:r.end]
	n = 1
	for end = r.pos; end < len(data); n++ {
		i := end
		size := int(data[i])
		i++
		if size >= 0x80 {
			v, k := uvarint(data[i-1:])
			if k <= 0 || v > uint64(len(data)-i+1-k) {
				return n, end
			}
			i += k - 1
			size = int(v)
		}
		i += size
		if i >= len(data) || data[i] != tag {
			return n, min(i, len(data))
		}
		end = i + 1
	}
	return n, end
}

func (r *Reader) runSlow() (n, end int) {
	// The tag is compared as it is written. Only its length has to be known: it ends where the
	// value begins.
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
