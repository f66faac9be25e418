package pbwire

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The wire types, which determine the form of the value after a tag.
const (
	wireVarint = iota
	wireFixed64
	wireBytes
	wireGroup
	wireEndGroup
	wireFixed32
)

const (
	// minBuffer is the initial size of a buffer that the Writer allocates.
	minBuffer = 512
	// maxTag and maxVarint are the maximum sizes of a tag or a length, and of any varint.
	maxTag    = 5
	maxVarint = 10
)

// Writer writes fields back to front: each method prepends a value and its tag to the output. A
// Writer is not safe for concurrent use. The zero Writer is ready for use and allocates its own
// buffer.
//
//	buf: |  free  | field 1 | field 2 | field 3 |
//	               ^pos
//
// A Writer that measures has no buffer, and pos is less than 0 by what would have been written. So
// the short ways, which look for free bytes first, are never taken.
type Writer struct {
	buf []byte // as long as its capacity
	pos int
	err error

	measures bool

	keys []string // stack of the keys that SortedKeys has given out
}

// NewWriter returns a Writer that fills the whole capacity of buf from its end, and changes to a
// larger buffer when it is full.
func NewWriter(buf []byte) *Writer {
	w := new(Writer)
	w.Reset(buf)
	return w
}

// Reset starts over in the capacity of buf or, if it has none, in the Writer's own buffer. In the
// latter case previous results of Bytes become invalid.
func (w *Writer) Reset(buf []byte) {
	if cap(buf) == 0 {
		buf = w.buf
	}
	w.Swap(buf)
}

// Swap starts over in the capacity of buf and returns the previous buffer, so that it can be
// restored after the Writer has used a buffer of another owner.
func (w *Writer) Swap(buf []byte) []byte {
	old := w.buf
	w.buf = buf[:cap(buf)]
	w.pos, w.err, w.measures = len(w.buf), nil, false
	w.keys = w.keys[:0]
	return old
}

// Measure starts over without a buffer and returns the previous one: nothing is written until the
// next Reset or Swap, but Len, Mark and Message count as if it were, in less than half the time.
// Bytes returns nil.
func (w *Writer) Measure() []byte {
	old := w.Swap(nil)
	w.measures = true
	return old
}

// Measures reports whether the Writer measures. Generated code then adds up the length of a message
// in straight lines and passes it to [Writer.Count].
func (w *Writer) Measures() bool { return w.measures }

// Count counts n bytes. The Writer must measure.
func (w *Writer) Count(n int) { w.pos -= n }

// Uncount takes back what was measured since mark and returns how many bytes that were.
func (w *Writer) Uncount(mark int) int {
	n := w.Mark() - mark
	w.pos += n
	return n
}

// Bytes returns what has been written. It aliases the buffer and is valid until the next call of
// another method.
func (w *Writer) Bytes() []byte {
	if w.measures {
		return nil
	}
	return w.buf[w.pos:]
}

// Len returns how many bytes have been written.
func (w *Writer) Len() int { return len(w.buf) - w.pos }

// Cap returns the size of the buffer. Pools use it to discard Writers that have grown too large.
func (w *Writer) Cap() int { return len(w.buf) }

// Fail records that an object cannot be written. The first error is kept; a nil error is ignored.
// Writing may continue, but the output is useless.
func (w *Writer) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Err returns the first error passed to Fail.
func (w *Writer) Err() error { return w.err }

// room ensures that n bytes can be written. A Writer that measures needs no room.
func (w *Writer) room(n int) {
	if w.pos < n && !w.measures {
		w.grow(n)
	}
}

func (w *Writer) grow(n int) {
	used := w.Len()
	buf := make([]byte, max(2*len(w.buf), used+n, minBuffer))
	pos := len(buf) - used
	copy(buf[pos:], w.buf[w.pos:])
	w.buf, w.pos = buf, pos
}

// varint writes v without a tag. The caller has ensured the room.
func (w *Writer) varint(v uint64) {
	i := w.pos - SizeVarint(v)
	w.pos = i
	for v >= 0x80 {
		w.buf[i] = byte(v) | 0x80
		v >>= 7
		i++
	}
	w.buf[i] = byte(v)
}

// SizeVarint returns how many bytes a varint takes: one for each seven bits, one at least.
func SizeVarint(v uint64) int { return int(uint(9*bits.Len64(v)+64) / 64) }

// SizeBytes returns how many bytes a value of n bytes takes with its length in front.
func SizeBytes(n int) int { return SizeVarint(uint64(n)) + n }

func (w *Writer) tag(field int, typ uint64) { w.varint(uint64(field)<<3 | typ) }

// measure counts a value of n bytes with its tag, if the Writer measures. Longer methods call it
// first.
func (w *Writer) measure(field, n int) bool {
	if w.measures {
		w.pos -= SizeVarint(uint64(field)<<3) + n
	}
	return w.measures
}

// Uint64 writes an unsigned varint.
func (w *Writer) Uint64(field int, v uint64) {
	// Most values and nearly all tags have one byte.
	if v < 0x80 && field < 16 {
		i := w.pos - 2
		if i >= 0 {
			w.buf[i], w.buf[i+1] = byte(field<<3), byte(v)
			w.pos = i
			return
		}
		if w.measures {
			w.pos = i
			return
		}
	}
	w.uint64Slow(field, v)
}

func (w *Writer) uint64Slow(field int, v uint64) {
	if w.measure(field, SizeVarint(v)) {
		return
	}
	w.room(maxTag + maxVarint)
	w.varint(v)
	w.tag(field, wireVarint)
}

// Uint32 writes an unsigned varint.
func (w *Writer) Uint32(field int, v uint32) { w.Uint64(field, uint64(v)) }

// Int64 writes a signed integer as a plain varint; a negative one takes ten bytes.
func (w *Writer) Int64(field int, v int64) { w.Uint64(field, uint64(v)) }

// Int32 writes a signed integer as a plain varint; a negative one takes ten bytes.
func (w *Writer) Int32(field int, v int32) { w.Uint64(field, uint64(int64(v))) }

// Bool writes a boolean.
func (w *Writer) Bool(field int, v bool) {
	n := uint64(0)
	if v {
		n = 1
	}
	w.Uint64(field, n)
}

// Float64 writes a double as eight bytes.
func (w *Writer) Float64(field int, v float64) {
	if w.measure(field, 8) {
		return
	}
	w.room(maxTag + 8)
	w.pos -= 8
	binary.LittleEndian.PutUint64(w.buf[w.pos:], math.Float64bits(v))
	w.tag(field, wireFixed64)
}

// Float32 writes a float as four bytes.
func (w *Writer) Float32(field int, v float32) {
	if w.measure(field, 4) {
		return
	}
	w.room(maxTag + 4)
	w.pos -= 4
	binary.LittleEndian.PutUint32(w.buf[w.pos:], math.Float32bits(v))
	w.tag(field, wireFixed32)
}

// String writes a string.
func (w *Writer) String(field int, s string) {
	if len(s) < 0x80 && field < 16 {
		i := w.pos - len(s) - 2
		if i >= 0 {
			b := w.buf[i:w.pos]
			b[0], b[1] = byte(field<<3|wireBytes), byte(len(s))
			copy(b[2:], s)
			w.pos = i
			return
		}
		if w.measures {
			w.pos = i
			return
		}
	}
	w.stringSlow(field, s)
}

func (w *Writer) stringSlow(field int, s string) {
	if w.measure(field, SizeVarint(uint64(len(s)))+len(s)) {
		return
	}
	w.room(2*maxTag + len(s))
	w.text(s)
	w.varint(uint64(len(s)))
	w.tag(field, wireBytes)
}

// Strings writes a list of strings, one field each.
func (w *Writer) Strings(field int, list []string) {
	for i := len(list) - 1; i >= 0; i-- {
		w.String(field, list[i])
	}
}

// BytesField writes bytes. A nil slice is written as an empty one.
func (w *Writer) BytesField(field int, b []byte) {
	w.Raw(b)
	w.Message(field, w.Len()-len(b))
}

// Raw writes bytes unchanged, without a tag: an encoded message, or some of its fields.
func (w *Writer) Raw(b []byte) {
	w.room(len(b))
	w.pos -= len(b)
	if !w.measures {
		copy(w.buf[w.pos:], b)
	}
}

// text is Raw for a string.
func (w *Writer) text(s string) {
	w.room(len(s))
	w.pos -= len(s)
	if !w.measures {
		copy(w.buf[w.pos:], s)
	}
}

// Mark returns the position to pass to [Writer.Message] after the fields of a nested message have
// been written.
func (w *Writer) Mark() int { return len(w.buf) - w.pos }

// Message closes a nested message: everything written since mark. It prepends its length and tag.
func (w *Writer) Message(field, mark int) {
	n := len(w.buf) - w.pos - mark
	if uint(n) < 0x80 && field < 16 {
		i := w.pos - 2
		if i >= 0 {
			w.buf[i], w.buf[i+1] = byte(field<<3|wireBytes), byte(n)
			w.pos = i
			return
		}
		if w.measures {
			w.pos = i
			return
		}
	}
	w.messageSlow(field, n)
}

func (w *Writer) messageSlow(field, n int) {
	if w.measure(field, SizeVarint(uint64(n))) {
		return
	}
	w.room(2 * maxTag)
	w.varint(uint64(n))
	w.tag(field, wireBytes)
}
