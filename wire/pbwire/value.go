package pbwire

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/internal/batch"
)

// uvarint reads a varint from the start of b and returns how many bytes it has: 0 if b ends too
// early, -1 if it does not fit 64 bits.
func uvarint(b []byte) (uint64, int) {
	var v uint64
	for i, c := range b {
		if i == maxVarint-1 && c > 1 {
			return 0, -1
		}
		v |= uint64(c&0x7F) << (7 * i)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// Rest returns the rest of the current message, without reading it, for messages that another
// library reads. It must not be modified or retained. It is empty after a failure.
func (r *Reader) Rest() []byte { return r.rest() }

// rest returns the rest of the current message, which is empty after a failure.
func (r *Reader) rest() []byte {
	if r.pos > r.end {
		return nil
	}
	return r.data[r.pos:r.end]
}

// length reads the length of a length-prefixed value. ok is false if the value has another type,
// which is recorded and skipped, or if the message ends too early, which is fatal.
func (r *Reader) length(expected string) (n int, ok bool) {
	if r.wire() != wireBytes {
		r.wrongType(expected)
		return 0, false
	}
	return r.size()
}

// textLength is length for a string or bytes, whose length is limited.
func (r *Reader) textLength(expected string) (n int, ok bool) {
	n, ok = r.length(expected)
	if n > r.limits.String {
		r.failLimit(&schema.LimitError{Limit: "String", What: expected, Unit: "bytes", Max: r.limits.String, Got: n})
		return 0, false
	}
	return n, ok
}

// size reads a length at the position.
func (r *Reader) size() (n int, ok bool) {
	// of two bytes; most of those of one byte have been handled before
	if i := r.pos + 1; i < r.end && r.data[i-1] >= 0x80 && r.data[i] < 0x80 {
		if n = int(r.data[i])<<7 | int(r.data[i-1]&0x7f); n < r.end-i {
			r.pos = i + 1
			return n, true
		}
	}
	size, k := uvarint(r.rest())
	if k <= 0 {
		r.failVarint(k)
		return 0, false
	}
	if size > uint64(r.end-r.pos-k) {
		r.failLength(size, r.end-r.pos-k)
		return 0, false
	}
	r.pos += k
	return int(size), true
}

// String returns the value of the current field as a string.
func (r *Reader) String() string {
	i := r.pos
	if r.wire() != wireBytes || i >= r.end {
		return r.stringSlow()
	}
	n := int(r.data[i])
	i++
	if n == 0 { // common, because blank strings are written
		r.pos = i
		return ""
	}
	j := i + n
	if n >= 0x80 || j > r.end {
		return r.stringSlow()
	}
	if c := &r.text; len(c.Buf)-c.Used >= n {
		r.pos = j
		return c.Take(copy(c.Buf[c.Used:], r.data[i:j]))
	}
	return r.stringSlow()
}

// keep returns the bytes of the input from i to j as a string. Short ones share a block, which has
// at most as many bytes as the rest of the item or the message.
func (r *Reader) keep(i, j int) string {
	end := len(r.data)
	if j <= r.last {
		end = r.last
	}
	return r.text.Keep(r.data[i:j], end-j)
}

//go:noinline
func (r *Reader) stringSlow() string {
	n, ok := r.textLength("a string")
	if !ok {
		return ""
	}
	i := r.pos
	r.pos += n
	return r.keep(i, r.pos)
}

// Text returns the value of the current field as bytes that alias the input: they are valid as long
// as the input, and must not be modified. Leaf decoders parse them.
func (r *Reader) Text() []byte {
	n, ok := r.textLength("a string")
	if !ok {
		return nil
	}
	i := r.pos
	r.pos += n
	return r.data[i:r.pos:r.pos]
}

// Bytes returns a copy of the value of the current field; it is not nil, except after a value of
// another type and after a failure.
func (r *Reader) Bytes() []byte {
	n, ok := r.textLength("bytes")
	if !ok {
		return nil
	}
	i := r.pos
	r.pos += n
	if n == 0 {
		return []byte{}
	}
	return bytes.Clone(r.data[i:r.pos])
}

// Uint64 returns the value of the current field.
func (r *Reader) Uint64() uint64 {
	if i := r.pos; r.wire() == wireVarint && i < r.end && r.data[i] < 0x80 {
		r.pos = i + 1
		return uint64(r.data[i])
	}
	return r.uint64Slow()
}

//go:noinline
func (r *Reader) uint64Slow() uint64 {
	if r.wire() != wireVarint {
		r.wrongType("an integer")
		return 0
	}
	return r.varint()
}

// varint reads a varint at the position.
func (r *Reader) varint() uint64 {
	v, n := uvarint(r.rest())
	if n <= 0 {
		r.failVarint(n)
		return 0
	}
	r.pos += n
	return v
}

// Uint32 returns the low 32 bits of the value of the current field.
func (r *Reader) Uint32() uint32 { return uint32(r.Uint64()) }

// Int64 returns the value of the current field.
func (r *Reader) Int64() int64 { return int64(r.Uint64()) }

// Int32 returns the low 32 bits of the value of the current field.
func (r *Reader) Int32() int32 { return int32(r.Uint64()) }

// Bool returns the value of the current field; any number except 0 is true.
func (r *Reader) Bool() bool { return r.Uint64() != 0 }

// Float64 returns the value of the current field.
func (r *Reader) Float64() float64 {
	if r.wire() != wireFixed64 {
		r.wrongType("a double")
		return 0
	}
	return math.Float64frombits(r.fixed64())
}

// Float32 returns the value of the current field.
func (r *Reader) Float32() float32 {
	if r.wire() != wireFixed32 {
		r.wrongType("a float")
		return 0
	}
	return math.Float32frombits(r.fixed32())
}

func (r *Reader) fixed64() uint64 {
	i := r.pos
	if r.end-i < 8 {
		r.failEnd()
		return 0
	}
	r.pos = i + 8
	return binary.LittleEndian.Uint64(r.data[i:])
}

func (r *Reader) fixed32() uint32 {
	i := r.pos
	if r.end-i < 4 {
		r.failEnd()
		return 0
	}
	r.pos = i + 4
	return binary.LittleEndian.Uint32(r.data[i:])
}

// Strings appends strings to a list: the value of the current field and those that directly follow
// it. The list grows once. A value that is not a string is recorded and does not change the list.
func (r *Reader) Strings(list []string) []string { return Texts(r, list) }

// StringMap adds entries to a map: the value of the current field and those that directly follow
// it. The map is allocated if it is nil. A missing key or value of an entry is blank. A value that
// is not an entry is recorded and does not change the map.
func (r *Reader) StringMap(m *map[string]string) {
	if r.wire() != wireBytes {
		r.wrongType("a map entry")
		return
	}
	n, end := r.run()
	if all := len(*m) + n; all > r.limits.Items {
		r.failItems(all)
	}
	if r.err != nil {
		return
	}
	room := differing(n, end-r.start)
	r.Spend(2 * 2 * batch.SizeOf[string]() * room) // a map has room for up to twice its entries
	if *m == nil {
		*m = make(map[string]string, room)
	}
	for ; ; n-- {
		r.entry(*m)
		if n == 1 || !r.Next() { // nothing follows after a failure
			return
		}
	}
}

// entry adds the value of the current field to the map.
func (r *Reader) entry(m map[string]string) {
	var key, value string
	saved := r.Message()
	for r.Next() {
		switch r.Field() {
		case 1:
			key = r.String()
		case 2:
			value = r.String()
		default:
			r.Unknown()
		}
	}
	r.EndMessage(saved)
	if r.err == nil {
		m[key] = value
	}
}

// failVarint records an error of uvarint.
func (r *Reader) failVarint(n int) {
	if n == 0 {
		r.failEnd()
		return
	}
	r.fail(wire.Syntax, r.pos, "an integer has more than 64 bits")
}

func (r *Reader) failEnd() { r.fail(wire.Syntax, r.end, "the message ends in the middle of a field") }

func (r *Reader) failLength(size uint64, left int) {
	r.fail(wire.Syntax, r.pos, "a field states a length of "+strconv.FormatUint(size, 10)+" bytes, but "+
		strconv.Itoa(left)+
		" are left in its message")
}
