package cbor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/arrange"
	"github.com/askind/askind/wire/jsonwire"
)

// maxDepth is the maximum nesting of written values, as in the JSON format.
const maxDepth = 10000

// encoder converts annotated JSON texts to CBOR in one pass. The text comes from generated code, so
// it is checked only as far as needed to keep the output well-formed. The methods take the
// positions in the text and the output and return the new ones; after an error the first is
// negative and the error is kept.
type encoder struct {
	text []byte
	// out is the output. It has room for the rest of the text plus slack: only floats and very long
	// strings take more bytes in CBOR than in JSON with its separators, and their methods grow it.
	out   []byte
	depth int
	err   error
	// highest is the maximum untyped number that is written as an integer. It is the maximum int64
	// for objects, because Kubernetes rejects an object with a larger one in an untyped value.
	highest uint64
	members arrange.Stack
	arena   []byte // for an unescaped string
	scratch []byte // for the text of an object
}

// encoders pools encoders to reuse their memory.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

// maxPooled bounds the memory of a pooled encoder or reader, so that one large object does not stay
// in memory forever.
const maxPooled = 1 << 20

func (e *encoder) release() {
	e.text, e.out, e.err, e.highest = nil, nil, nil, 0
	e.members.Release(maxPooled)
	if cap(e.arena) > maxPooled {
		e.arena = nil
	}
	if cap(e.scratch) > maxPooled {
		e.scratch = nil
	}
	encoders.Put(e)
}

var errTruncated = errors.New("cbor: the JSON text of the object ends too early")

// slack is the extra room in the output, which allows strings to be short in steps of a fixed
// length.
const slack = 64

// append appends the CBOR of a text to dst. On error dst is returned unchanged.
func (e *encoder) append(dst, text []byte) ([]byte, error) {
	e.depth, e.err = 0, nil
	e.members.Reset()
	e.highest = max(e.highest, math.MaxInt64)
	e.out, e.text = dst[:cap(dst)], text
	e.room(0, len(dst), 0)
	i, n := e.value(0, len(dst))
	if i >= 0 {
		if i = skipSpace(text, i); i < len(text) {
			i, n = e.unexpected(i)
		}
	}
	if i < 0 {
		return dst, e.err
	}
	return e.out[:n], nil
}

// room ensures that the output has room at n for the given bytes plus the rest of the text from i
// on.
func (e *encoder) room(i, n, bytes int) {
	if need := bytes + len(e.text) - i + slack; len(e.out)-n < need {
		out := slices.Grow(e.out[:n], need)
		e.out = out[:cap(out)]
	}
}

func (e *encoder) fail(err error) (int, int) {
	e.err = err
	return -1, 0
}

func (e *encoder) unexpected(i int) (int, int) {
	if i >= len(e.text) {
		return e.fail(errTruncated)
	}
	return e.fail(fmt.Errorf("cbor: unexpected %q at offset %d of the JSON text of the object", e.text[i], i))
}

// value writes the next value.
func (e *encoder) value(i, n int) (int, int) {
	i = skipSpace(e.text, i)
	if i >= len(e.text) {
		return e.fail(errTruncated)
	}
	switch c := e.text[i]; c {
	case '"':
		return e.string(i+1, n)
	case '{':
		return e.object(i+1, n)
	case '[':
		return e.array(i+1, n)
	case 't':
		return e.word(i, n, "true", headTrue)
	case 'f':
		return e.word(i, n, "false", headFalse)
	case 'n':
		return e.word(i, n, "null", headNull)
	case jsonwire.BytesMark:
		start := i + 9
		if start > len(e.text) || binary.LittleEndian.Uint64(e.text[i+1:]) > uint64(len(e.text)-start) {
			return e.fail(errTruncated)
		}
		end := start + int(binary.LittleEndian.Uint64(e.text[i+1:]))
		out := appendString(append(e.out[:n], headBase64), e.text[start:end])
		return end, len(out)
	case jsonwire.UintMark:
		return e.number(i+1, n, math.MaxUint64)
	}
	return e.number(i, n, e.highest)
}

func (e *encoder) word(i, n int, word string, head byte) (int, int) {
	if len(e.text)-i < len(word) || string(e.text[i:i+len(word)]) != word {
		return e.unexpected(i)
	}
	e.out[n] = head
	return i + len(word), n + 1
}

// number writes the number at i: as an integer up to highest.
func (e *encoder) number(i, n int, highest uint64) (int, int) {
	text, j := e.text, i
	var v uint64
	for ; j < len(text) && text[j]-'0' <= 9; j++ {
		v = v*10 + uint64(text[j]-'0')
	}
	if digits := j - i; digits > 0 && digits < 19 && j < len(text) && (text[j] == ',' || text[j] == '}' ||
		text[j] == ']') {
		if v < 24 {
			e.out[n] = majorUint | byte(v)
			return j, n + 1
		}
		return j, len(appendHead(e.out[:n], majorUint, v))
	}
	end, integer := numberEnd(text, i)
	if end == i {
		return e.unexpected(i)
	}
	e.room(end, n, 9)
	out, err := e.out[:n], error(nil)
	if integer {
		out, err = appendInteger(out, text[i:end], highest)
	} else {
		out, err = appendNumber(out, text[i:end])
	}
	if err != nil {
		return e.fail(e.at(i, rangeError(fmt.Sprintf("%.40s", text[i:end]))))
	}
	return end, len(out)
}

// rangeError is the error for a number that CBOR cannot express. errors.Is finds
// [errors.ErrUnsupported], which httpapi answers with code 406.
type rangeError string

// Error implements error.
func (e rangeError) Error() string {
	return "cannot write number " + string(e) + ": it is out of range for float64"
}

// Is reports whether target is [errors.ErrUnsupported].
func (rangeError) Is(target error) bool { return target == errors.ErrUnsupported }

// at adds the path of the field to an error, unless the text contains bytes before it, which break
// the scan for the path.
func (e *encoder) at(i int, err error) error {
	if bytes.IndexByte(e.text[:i], jsonwire.BytesMark) >= 0 || bytes.IndexByte(e.text[:i], jsonwire.UintMark) >= 0 {
		return err
	}
	return schema.AtPath(err, jsonwire.PathAt(e.text, i))
}

// object writes the object whose first byte after the brace is at i.
func (e *encoder) object(i, n int) (int, int) {
	text, from, base := e.text, n, e.members.Len()
	n++
	if i = skipSpace(text, i); i < len(text) && text[i] == '}' {
		e.out[from] = majorMap
		return i + 1, n
	}
	if e.depth++; e.depth > maxDepth {
		return e.tooDeep()
	}
	for {
		if i >= len(text) || text[i] != '"' {
			return e.unexpected(i)
		}
		if i, n = e.name(i+1, n); i < 0 {
			return i, n
		}
		if i >= len(text) {
			return e.fail(errTruncated)
		}
		switch c := text[i]; {
		case c == '"':
			i, n = e.string(i+1, n)
		case c == '{':
			i, n = e.object(i+1, n)
		default:
			i, n = e.value(i, n)
		}
		if i < 0 {
			return i, n
		}
		if i = skipSpace(text, i); i >= len(text) {
			return e.fail(errTruncated)
		}
		if text[i] == ',' {
			i = skipSpace(text, i+1)
			continue
		}
		if text[i] != '}' {
			return e.unexpected(i)
		}
		break
	}
	e.depth--
	n, count := e.members.Close(e.out, n, base, e)
	return i + 1, e.head(i+1, from, n, majorMap, count)
}

// Compare implements [arrange.Keys] for offsets in the output.
func (e *encoder) Compare(a, b arrange.Member) int {
	if a.Rank != b.Rank {
		return cmp.Compare(a.Rank, b.Rank)
	}
	return compareEncoded(keyAt(e.out, a.Key), keyAt(e.out, b.Key))
}

// name writes the name whose first byte after the quote is at i, and adds a member that begins with
// it. It returns the index after the colon. A short name is copied as [encoder.string] does it.
func (e *encoder) name(i, n int) (int, int) {
	text, key := e.text, n
	if len(text)-i > short {
		in, out := text[i:i+short+1], e.out[n+1:n+1+short]
		w := binary.LittleEndian.Uint64(in)
		binary.LittleEndian.PutUint64(out, w)
		rank, size, m := bits.ReverseBytes64(w), 0, ending(w)
		if m != 0 {
			size = bits.TrailingZeros64(m) >> 3
			rank &^= ^uint64(0) >> (8 * size)
		} else {
			w = binary.LittleEndian.Uint64(in[8:])
			binary.LittleEndian.PutUint64(out[8:], w)
			if size, m = 8, ending(w); m == 0 {
				w = binary.LittleEndian.Uint64(in[16:])
				binary.LittleEndian.PutUint64(out[16:], w)
				size, m = 16, ending(w)
			}
			size += bits.TrailingZeros64(m) >> 3
		}
		if m != 0 && in[size] == '"' && in[size+1] == ':' {
			e.out[n] = majorBytes | byte(size)
			e.members.Push(arrange.Member{Start: key, Key: key, Rank: uint64(size)<<56 | rank>>8})
			return i + size + len(`":`), n + 1 + size
		}
	}
	if i, n = e.string(i, n); i < 0 {
		return i, n
	}
	e.members.Push(arrange.Member{Start: key, Key: key, Rank: rankEncoded(e.out, key)})
	if i = skipSpace(text, i); i >= len(text) || text[i] != ':' {
		return e.unexpected(i)
	}
	return i + 1, n
}

// array writes the array whose first byte after the bracket is at i.
func (e *encoder) array(i, n int) (int, int) {
	text, from := e.text, n
	n++
	if i = skipSpace(text, i); i < len(text) && text[i] == ']' {
		e.out[from] = majorArray
		return i + 1, n
	}
	if e.depth++; e.depth > maxDepth {
		return e.tooDeep()
	}
	for count := 1; ; count++ {
		if i, n = e.value(i, n); i < 0 {
			return i, n
		}
		if i = skipSpace(text, i); i >= len(text) {
			return e.fail(errTruncated)
		}
		switch text[i] {
		case ',':
			i++
		case ']':
			e.depth--
			return i + 1, e.head(i+1, from, n, majorArray, count)
		default:
			return e.unexpected(i)
		}
	}
}

func (e *encoder) tooDeep() (int, int) {
	return e.fail(fmt.Errorf("cbor: the object nests more than %d levels deep", maxDepth))
}

// head replaces the byte at an offset, which is followed by the content of a container up to n,
// with the head of the container. The text continues at i.
func (e *encoder) head(i, at, n int, major byte, count int) int {
	if count < 24 {
		e.out[at] = major | byte(count)
		return n
	}
	var head [9]byte
	long := appendHead(head[:0], major, uint64(count))
	e.room(i, n, len(long))
	copy(e.out[at+len(long):], e.out[at+1:n])
	copy(e.out[at:], long)
	return n + len(long) - 1
}

// string writes the string whose first byte after the quote is at i.
func (e *encoder) string(i, n int) (int, int) {
	// A string of less than 24 bytes is copied during the search for its end. Excess bytes are
	// overwritten.
	if text := e.text; len(text)-i >= short {
		in, out := text[i:i+short], e.out[n+1:n+1+short]
		w := binary.LittleEndian.Uint64(in)
		binary.LittleEndian.PutUint64(out, w)
		size, m := 0, ending(w)
		if m == 0 {
			w = binary.LittleEndian.Uint64(in[8:])
			binary.LittleEndian.PutUint64(out[8:], w)
			if size, m = 8, ending(w); m == 0 {
				w = binary.LittleEndian.Uint64(in[16:])
				binary.LittleEndian.PutUint64(out[16:], w)
				size, m = 16, ending(w)
			}
		}
		if size += bits.TrailingZeros64(m) >> 3; m != 0 && in[size&31] == '"' {
			e.out[n] = majorBytes | byte(size)
			return i + size + 1, n + 1 + size
		}
	}
	return e.longString(i, n)
}

// longString is string for uncommon strings.
func (e *encoder) longString(i, n int) (int, int) {
	text := e.text
	size := bytes.IndexByte(text[i:], '"')
	if size < 0 {
		return e.fail(errTruncated)
	}
	s, end := text[i:i+size], i+size
	if bytes.IndexByte(s, '\\') >= 0 {
		for end = i; end < len(text) && text[end] != '"'; end++ {
			if text[end] == '\\' {
				end++
			}
		}
		if end >= len(text) {
			return e.fail(errTruncated)
		}
		e.arena = jsonwire.AppendUnescaped(e.arena[:0], text[i:end])
		s = e.arena
	}
	if len(s) != size || size > math.MaxUint16 {
		e.room(end, n, 9+len(s))
	}
	return end + 1, len(appendString(e.out[:n], s))
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

// ending sets the top bit of the bytes of a word that are a quote or a backslash. Only the lowest
// mark is certain.
func ending(w uint64) uint64 {
	return (((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) &^ w & tops
}
