package rawmeta

import (
	"github.com/askind/askind/internal/fieldset"
	"github.com/askind/askind/wire/jsonwire"
)

// The wire types that occur in metadata.
const (
	wireVarint = 0
	wireBytes  = 2
)

// The tags of the messages below have one byte, except that of managedFields, which has these two.
const (
	managedTag  = 17<<3 | wireBytes
	managedLow  = managedTag&0x7F | 0x80
	managedHigh = managedTag >> 7
)

// zeroSecond is the second of the zero time. A message that states it differs from the empty one
// that represents the zero time.
const zeroSecond = -62135596800

// Decoding refuses times whose year does not have four digits: those before the first second of the
// year 0, and after the last one of the year 9999.
const (
	firstSecond = -62167219200
	lastSecond  = 253402300799
)

// size reads a length in its shortest form at b[i], and checks that as many bytes follow. It
// returns where they begin and end; end is -1 if no such length is there.
func size(b []byte, i int) (from, end int) {
	if i+1 < len(b) {
		from, end = i+1, i+1+int(b[i])
		if low := b[i]; low >= 0x80 {
			high := b[i+1]
			if high-1 >= 0x7F { // not the last byte, or not the shortest form
				return sizeSlow(b, i)
			}
			from, end = i+2, i+2+int(low&0x7F)+int(high)<<7
		}
		if end <= len(b) {
			return from, end
		}
		return 0, -1
	}
	return sizeSlow(b, i)
}

func sizeSlow(b []byte, i int) (from, end int) {
	v, from := number(b, i)
	if from < 0 || v > uint64(len(b)-from) {
		return 0, -1
	}
	return from, from + int(v)
}

// number reads a varint in its shortest form at b[i] and returns the position after it, or -1 if no
// such varint is there.
func number(b []byte, i int) (v uint64, next int) {
	for shift := 0; i < len(b) && shift < 70; shift += 7 {
		c := b[i]
		i++
		if c >= 0x80 {
			v |= uint64(c&0x7F) << shift
			continue
		}
		if c == 0 && shift > 0 || shift == 63 && c > 1 {
			return 0, -1
		}
		return v | uint64(c)<<shift, i
	}
	return 0, -1
}

// text reads a string field with a tag at b[i]. It returns where the string begins and ends; end is
// -1 if no such field is there.
func text(b []byte, i int, tag byte) (from, end int) {
	if i+1 < len(b) && b[i] == tag {
		if n := b[i+1]; n < 0x80 && int(n) <= len(b)-i-2 {
			return i + 2, i + 2 + int(n)
		}
		return sizeSlow(b, i+1)
	}
	return 0, -1
}

// entry parses an entry of a map of strings; ok is false unless it has the form that all writers
// give it: key and value, once each and in this order.
func entry(b []byte) (key, value []byte, ok bool) {
	if n := len(b); n >= 4 && n < 0x84 && b[0] == 1<<3|wireBytes { // then each length has one byte
		if v := 2 + int(b[1]); v+1 < n && b[v] == 2<<3|wireBytes && int(b[v+1]) == n-v-2 {
			return b[2:v], b[v+2:], true
		}
		return nil, nil, false
	}
	from, end := text(b, 0, 1<<3|wireBytes)
	if end < 0 {
		return nil, nil, false
	}
	key = b[from:end]
	from, end = text(b, end, 2<<3|wireBytes)
	if end != len(b) {
		return nil, nil, false
	}
	return key, b[from:], true
}

// seconds parses the message of a time. zero reports whether it is the empty message of the zero
// time; ok is false unless it has the form that all writers give it.
func seconds(b []byte) (second int64, zero, ok bool) {
	if len(b) == 0 {
		return 0, true, true
	}
	if b[0] != 1<<3|wireVarint {
		return 0, false, false
	}
	v, i := number(b, 1)
	second = int64(v)
	// The nanoseconds are always written as zero.
	ok = i > 0 && len(b) == i+2 && b[i] == 2<<3|wireVarint && b[i+1] == 0 && second != zeroSecond &&
		firstSecond <= second && second <= lastSecond
	return second, false, ok
}

// raw parses the message of a field set: one JSON text, or nothing.
func raw(b []byte) (text []byte, ok bool) {
	if len(b) == 0 {
		return nil, true
	}
	if b[0] != 1<<3|wireBytes {
		return nil, false
	}
	from, end := size(b, 1)
	if end != len(b) || from == end {
		return nil, false
	}
	return b[from:], true
}

// appendFields appends the JSON text in the message of a field set.
func appendFields(dst, b []byte) ([]byte, bool) {
	text, ok := raw(b)
	switch {
	case !ok:
		return dst, false
	case len(text) == 0:
		return append(dst, "null"...), true
	case fieldset.End(text) == len(text):
		return append(dst, text...), true
	}
	dst, err := jsonwire.AppendRaw(dst, text)
	return dst, err == nil
}
