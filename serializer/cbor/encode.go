package cbor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/askind/askind/serializer/jsonwire"
)

// maxDepth bounds how deep the values nest that are written, as in the JSON format.
const maxDepth = 10000

// encoder turns annotated JSON texts into CBOR in one pass. The text is what generated code appends, so only as much is checked as keeps the
// result well-formed.
type encoder struct {
	text  []byte
	pos   int
	depth int
	arranger
	arena   []byte // for a string without its escapes
	scratch []byte // for the text of an object
}

// encoders keeps encoders for the sake of their memory.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

// maxPooled bounds what a pooled encoder or reader keeps, so that one large object does not stay in memory for ever.
const maxPooled = 1 << 20

func (e *encoder) release() {
	e.text = nil
	if cap(e.segments) > maxPooled/32 {
		e.segments = nil
	}
	if cap(e.arena) > maxPooled {
		e.arena = nil
	}
	if cap(e.scratch) > maxPooled {
		e.scratch = nil
	}
	encoders.Put(e)
}

var errTruncated = errors.New("cbor: the JSON text of the object ends too early")

// append appends the CBOR of a text to dst. On error the content of the result is undefined.
func (e *encoder) append(dst, text []byte) ([]byte, error) {
	e.text, e.pos, e.depth, e.segments = text, 0, 0, e.segments[:0]
	dst, err := e.value(dst)
	if err != nil {
		return dst, err
	}
	if i := skipSpace(text, e.pos); i < len(text) {
		return dst, unexpected(text, i)
	}
	return dst, nil
}

// value appends the next value.
func (e *encoder) value(dst []byte) ([]byte, error) {
	i := skipSpace(e.text, e.pos)
	if i >= len(e.text) {
		return dst, errTruncated
	}
	switch c := e.text[i]; c {
	case '"':
		return e.string(dst, i+1)
	case '{':
		return e.object(dst, i+1)
	case '[':
		return e.array(dst, i+1)
	case 't':
		return e.word(dst, i, "true", headTrue)
	case 'f':
		return e.word(dst, i, "false", headFalse)
	case 'n':
		return e.word(dst, i, "null", headNull)
	case jsonwire.BytesMark:
		start := i + 9
		if start > len(e.text) || binary.LittleEndian.Uint64(e.text[i+1:]) > uint64(len(e.text)-start) {
			return dst, errTruncated
		}
		e.pos = start + int(binary.LittleEndian.Uint64(e.text[i+1:]))
		return appendString(append(dst, headBase64), e.text[start:e.pos]), nil
	}
	return e.number(dst, i)
}

func (e *encoder) word(dst []byte, i int, word string, head byte) ([]byte, error) {
	if len(e.text)-i < len(word) || string(e.text[i:i+len(word)]) != word {
		return dst, unexpected(e.text, i)
	}
	e.pos = i + len(word)
	return append(dst, head), nil
}

// number appends the number at i.
func (e *encoder) number(dst []byte, i int) ([]byte, error) {
	text, j := e.text, i
	var v uint64
	for ; j < len(text) && text[j]-'0' <= 9; j++ {
		v = v*10 + uint64(text[j]-'0')
	}
	if n := j - i; n > 0 && n < 19 && j < len(text) && (text[j] == ',' || text[j] == '}' || text[j] == ']') {
		e.pos = j
		return appendHead(dst, majorUint, v), nil
	}
	end, integer := numberEnd(text, i)
	if end == i {
		return dst, unexpected(text, i)
	}
	e.pos = end
	if integer {
		return appendInteger(dst, text[i:end])
	}
	return appendNumber(dst, text[i:end])
}

// object appends the object whose first byte behind its brace is at i.
func (e *encoder) object(dst []byte, i int) ([]byte, error) {
	text, at, base := e.text, len(dst), len(e.segments)
	dst = append(dst, majorMap)
	if i = skipSpace(text, i); i < len(text) && text[i] == '}' {
		e.pos = i + 1
		return dst, nil
	}
	if err := e.enter(); err != nil {
		return dst, err
	}
	inOrder := true
	for {
		if i >= len(text) || text[i] != '"' {
			return dst, unexpected(text, i)
		}
		start := len(dst)
		var err error
		if dst, err = e.string(dst, i+1); err != nil {
			return dst, err
		}
		s := segment{start: start, key: start, rank: rankAt(dst, start)}
		if i = skipSpace(text, e.pos); i >= len(text) || text[i] != ':' {
			return dst, unexpected(text, i)
		}
		if i++; i < len(text) && text[i] == '"' {
			dst, err = e.string(dst, i+1)
		} else {
			e.pos = i
			dst, err = e.value(dst)
		}
		if err != nil {
			return dst, err
		}
		s.end = len(dst)
		inOrder = e.push(base, s) && inOrder
		if i = skipSpace(text, e.pos); i >= len(text) {
			return dst, errTruncated
		}
		if text[i] == ',' {
			i = skipSpace(text, i+1)
			continue
		}
		if text[i] != '}' {
			return dst, unexpected(text, i)
		}
		break
	}
	e.pos = i + 1
	e.depth--
	count := len(e.segments) - base
	if !inOrder {
		dst, count = e.arrange(dst, dst, base, byLength)
	}
	e.segments = e.segments[:base]
	return setHead(dst, at, majorMap, count), nil
}

// array appends the array whose first byte behind its bracket is at i.
func (e *encoder) array(dst []byte, i int) ([]byte, error) {
	text, at := e.text, len(dst)
	dst = append(dst, majorArray)
	if i = skipSpace(text, i); i < len(text) && text[i] == ']' {
		e.pos = i + 1
		return dst, nil
	}
	if err := e.enter(); err != nil {
		return dst, err
	}
	for count := 1; ; count++ {
		e.pos = i
		var err error
		if dst, err = e.value(dst); err != nil {
			return dst, err
		}
		if i = skipSpace(text, e.pos); i >= len(text) {
			return dst, errTruncated
		}
		switch text[i] {
		case ',':
			i++
		case ']':
			e.pos = i + 1
			e.depth--
			return setHead(dst, at, majorArray, count), nil
		default:
			return dst, unexpected(text, i)
		}
	}
}

func (e *encoder) enter() error {
	if e.depth++; e.depth > maxDepth {
		return fmt.Errorf("cbor: the object nests more than %d levels deep", maxDepth)
	}
	return nil
}

// setHead makes the byte at an offset, behind which the content of a container stands, the head of the container.
func setHead(dst []byte, at int, major byte, count int) []byte {
	if count < 24 {
		dst[at] = major | byte(count)
		return dst
	}
	var head [9]byte
	return slices.Replace(dst, at, at+1, appendHead(head[:0], major, uint64(count))...)
}

// rankAt is the rank by length of the key that was just appended as an item.
func rankAt(dst []byte, at int) uint64 {
	if n := uint64(dst[at] - majorBytes); n < 24 && cap(dst)-at > 8 {
		w := binary.BigEndian.Uint64(dst[at+1 : at+9])
		if n < 8 {
			w &= ^(^uint64(0) >> (8 * n))
		}
		return n<<48 | w>>16
	}
	return byLength.rank(keyAt(dst, at))
}

// string appends the string whose first byte behind its quote is at i. The error is errTruncated, after which the position is at the end of the text.
func (e *encoder) string(dst []byte, i int) ([]byte, error) {
	// A string of less than 24 bytes is copied while its end is looked for. What was copied too much is overwritten.
	const short = 24
	if text := e.text; len(text)-i >= short {
		at := len(dst)
		if cap(dst)-at <= short {
			dst = slices.Grow(dst, 2*short)
		}
		in, out := text[i:i+short], dst[at+1:at+1+short]
		w := binary.LittleEndian.Uint64(in)
		binary.LittleEndian.PutUint64(out, w)
		n, m := 0, ending(w)
		if m == 0 {
			w = binary.LittleEndian.Uint64(in[8:])
			binary.LittleEndian.PutUint64(out[8:], w)
			if n, m = 8, ending(w); m == 0 {
				w = binary.LittleEndian.Uint64(in[16:])
				binary.LittleEndian.PutUint64(out[16:], w)
				n, m = 16, ending(w)
			}
		}
		if n += bits.TrailingZeros64(m) >> 3; m != 0 && in[n&31] == '"' {
			dst = dst[:at+1+n]
			dst[at] = majorBytes | byte(n)
			e.pos = i + n + 1
			return dst, nil
		}
	}
	return e.stringSlow(dst, i)
}

// stringSlow is string for all that is not usual.
func (e *encoder) stringSlow(dst []byte, i int) ([]byte, error) {
	text, end := e.text, stringEnd(e.text, i)
	s := text[i:min(end, len(text))]
	if end < len(text) && text[end] == '\\' {
		for end < len(text) && text[end] == '\\' {
			end = stringEnd(text, end+2)
		}
		e.arena = jsonwire.AppendUnescaped(e.arena[:0], text[i:min(end, len(text))])
		s = e.arena
	}
	if end >= len(text) {
		e.pos = len(text)
		return dst, errTruncated
	}
	e.pos = end + 1
	return appendString(dst, s), nil
}

func skipSpace(data []byte, i int) int {
	if i < len(data) && data[i] > ' ' {
		return i
	}
	return skipSpaceSlow(data, i)
}

func skipSpaceSlow(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

func unexpected(data []byte, i int) error {
	if i >= len(data) {
		return errTruncated
	}
	return fmt.Errorf("cbor: unexpected %q at offset %d of the JSON text of the object", data[i], i)
}

// numberEnd returns the end of the number at i, and whether it is an integer.
func numberEnd(data []byte, i int) (end int, integer bool) {
	integer = true
	for ; i < len(data); i++ {
		c := data[i]
		if c-'0' <= 9 || c == '-' {
			continue
		}
		if c != '.' && c|0x20 != 'e' && c != '+' {
			break
		}
		integer = false
	}
	return i, integer
}

const (
	ones uint64 = 0x0101010101010101
	tops uint64 = 0x8080808080808080
)

// ending marks by their top bit the bytes of a word that are a quote or a backslash. The lowest mark is one of them for certain.
func ending(w uint64) uint64 {
	return (((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) &^ w & tops
}

// stringEnd returns the index of the first quote or backslash at or after i, at least len(data) if there is none.
func stringEnd(data []byte, i int) int {
	for len(data)-i >= 8 {
		if m := ending(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(data) && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}
