package cbor

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"strconv"

	"github.com/askind/askind/internal/borrow"
	"github.com/askind/askind/serializer/internal/arrange"
	"github.com/askind/askind/wire/jsonwire"
)

// source passes the values of an item that was skimmed to the decoders of generated code, without
// an intermediate text. It is a fast path: uncommon items, and items with problems, are read by the
// reader, with the same result. If the reader reads every item, decode/cbor/pods-in-turn of
// bench/peers, in which all objects differ, takes 134 % longer, and the rows that decode one object
// 81 % to 115 %.
type source struct {
	data []byte // up to the end of the item
	pos  int
	left []int // stack of open containers: the number of remaining elements or members

	strict bool // a raw value with a repeated member is left to the reader, which reports it

	members arrange.Stack
}

var _ jsonwire.Source = (*source)(nil)

func (s *source) reset(data []byte, pos int) {
	s.data, s.pos, s.left, s.strict = data, pos, s.left[:0], false
}

// release discards the input and memory that has grown large.
func (s *source) release() {
	s.data = nil
	if cap(s.left) > 1024 {
		s.left = nil
	}
	s.members.Release(maxPooled)
}

// Kind implements [jsonwire.Source].
func (s *source) Kind() byte {
	if s.pos >= len(s.data) {
		return 0
	}
	switch c := s.data[s.pos]; c & 0xE0 {
	case majorUint, majorNint:
		return '0'
	case majorBytes, majorText, majorTag:
		return '"'
	case majorArray:
		return '['
	case majorMap:
		return '{'
	default:
		switch c {
		case headFalse, headTrue:
			return 't'
		case headNull:
			return 'n'
		}
		return '0'
	}
}

// Null implements [jsonwire.Source].
func (s *source) Null() bool {
	if s.pos < len(s.data) && s.data[s.pos] == headNull {
		s.pos++
		return true
	}
	return false
}

// head consumes the head of the next item if it has the given major type, and returns its argument.
// Otherwise it reports whether the item was null, which it consumes.
func (s *source) head(major byte) (int, jsonwire.Found) {
	if s.pos >= len(s.data) {
		return 0, jsonwire.Unusable
	}
	c := s.data[s.pos]
	if c&0xE0 != major {
		return 0, s.null(c)
	}
	if n := int(c & 0x1F); n < 24 {
		s.pos++
		return n, jsonwire.ValueFound
	}
	n, content, ok := headAt(s.data, s.pos)
	if !ok {
		return 0, jsonwire.Unusable
	}
	s.pos = content
	return int(n), jsonwire.ValueFound
}

func (s *source) null(c byte) jsonwire.Found {
	if c != headNull {
		return jsonwire.Unusable
	}
	s.pos++
	return jsonwire.NullFound
}

// Object implements [jsonwire.Source].
func (s *source) Object() ([]byte, jsonwire.Found) {
	n, found := s.head(majorMap)
	if found != jsonwire.ValueFound || n == 0 {
		return nil, found
	}
	s.left = append(s.left, n-1)
	return s.Text()
}

// NextKey implements [jsonwire.Source].
func (s *source) NextKey() ([]byte, jsonwire.Found) {
	top := len(s.left) - 1
	if top < 0 {
		return nil, jsonwire.Unusable
	}
	if s.left[top] == 0 {
		s.left = s.left[:top]
		return nil, jsonwire.ValueFound
	}
	s.left[top]--
	return s.Text()
}

// Array implements [jsonwire.Source].
func (s *source) Array() (bool, jsonwire.Found) {
	n, found := s.head(majorArray)
	if found != jsonwire.ValueFound || n == 0 {
		return false, found
	}
	s.left = append(s.left, n-1)
	return true, found
}

// NextElem implements [jsonwire.Source].
func (s *source) NextElem() (bool, jsonwire.Found) {
	top := len(s.left) - 1
	if top < 0 {
		return false, jsonwire.Unusable
	}
	if s.left[top] == 0 {
		s.left = s.left[:top]
		return false, jsonwire.ValueFound
	}
	s.left[top]--
	return true, jsonwire.ValueFound
}

// Text implements [jsonwire.Source]. A byte string with a tag is left to the reader.
func (s *source) Text() ([]byte, jsonwire.Found) {
	if data, pos := s.data, s.pos; pos < len(data) && data[pos]>>6 == majorBytes>>6 {
		if n := int(data[pos] & 0x1F); n < 24 && n < len(data)-pos {
			s.pos = pos + 1 + n
			return data[pos+1 : s.pos : s.pos], jsonwire.ValueFound
		}
	}
	return s.textSlow()
}

func (s *source) textSlow() ([]byte, jsonwire.Found) {
	if s.pos >= len(s.data) {
		return nil, jsonwire.Unusable
	}
	c := s.data[s.pos]
	if c>>6 != majorBytes>>6 {
		return nil, s.null(c)
	}
	n, content, ok := headAt(s.data, s.pos)
	if !ok || n > uint64(len(s.data)-content) {
		return nil, jsonwire.Unusable
	}
	s.pos = content + int(n)
	return s.data[content:s.pos:s.pos], jsonwire.ValueFound
}

// Bool implements [jsonwire.Source].
func (s *source) Bool() (bool, jsonwire.Found) {
	switch v := s.Scalar(); v.Kind {
	case 't':
		return v.Bits != 0, jsonwire.ValueFound
	case 'n':
		return false, jsonwire.NullFound
	}
	return false, jsonwire.Unusable
}

// Int implements [jsonwire.Source]. Floats without a fraction are left to the reader.
func (s *source) Int() (int64, jsonwire.Found) {
	switch v := s.Scalar(); v.Kind {
	case 'i':
		return int64(v.Bits), jsonwire.ValueFound
	case 'n':
		return 0, jsonwire.NullFound
	}
	return 0, jsonwire.Unusable
}

// Uint implements [jsonwire.Source].
func (s *source) Uint() (uint64, jsonwire.Found) {
	switch v := s.Scalar(); {
	case v.Kind == 'u' || v.Kind == 'i' && int64(v.Bits) >= 0:
		return v.Bits, jsonwire.ValueFound
	case v.Kind == 'n':
		return 0, jsonwire.NullFound
	}
	return 0, jsonwire.Unusable
}

// Float implements [jsonwire.Source].
func (s *source) Float() (float64, jsonwire.Found) {
	switch v := s.Scalar(); v.Kind {
	case 'f':
		return math.Float64frombits(v.Bits), jsonwire.ValueFound
	case 'i':
		return float64(int64(v.Bits)), jsonwire.ValueFound
	case 'u':
		return float64(v.Bits), jsonwire.ValueFound
	case 'n':
		return 0, jsonwire.NullFound
	}
	return 0, jsonwire.Unusable
}

// AppendNumber implements [jsonwire.Source].
func (s *source) AppendNumber(dst []byte) ([]byte, jsonwire.Found) {
	switch v := s.Scalar(); v.Kind {
	case 'f':
		return appendFloatText(dst, math.Float64frombits(v.Bits)), jsonwire.ValueFound
	case 'i':
		return strconv.AppendInt(dst, int64(v.Bits), 10), jsonwire.ValueFound
	case 'u':
		return strconv.AppendUint(dst, v.Bits, 10), jsonwire.ValueFound
	case 'n':
		return dst, jsonwire.NullFound
	}
	return dst, jsonwire.Unusable
}

// Bytes implements [jsonwire.Source]: the content of a byte string with the tag 22. Base64 is left
// to the reader.
func (s *source) Bytes() ([]byte, jsonwire.Found) {
	if s.pos >= len(s.data) || s.data[s.pos] != headBase64 {
		return nil, jsonwire.Unusable
	}
	s.pos++
	return s.Text()
}

// Scalar implements [jsonwire.Source].
func (s *source) Scalar() jsonwire.Scalar {
	if s.pos >= len(s.data) {
		return jsonwire.Scalar{}
	}
	switch c := s.data[s.pos]; c & 0xE0 {
	case majorBytes, majorText:
		if text, found := s.Text(); found == jsonwire.ValueFound {
			return jsonwire.Scalar{Kind: '"', Text: text}
		}
	case majorArray:
		return jsonwire.Scalar{Kind: '['}
	case majorMap:
		return jsonwire.Scalar{Kind: '{'}
	case majorUint, majorNint, majorOther:
		n, content, ok := headAt(s.data, s.pos)
		if !ok {
			return jsonwire.Scalar{}
		}
		s.pos = content
		switch {
		case c == headNull:
			return jsonwire.Scalar{Kind: 'n'}
		case c == headFalse, c == headTrue:
			return jsonwire.Scalar{Kind: 't', Bits: uint64(c & 1)}
		case c&0xE0 == majorNint:
			return jsonwire.Scalar{Kind: 'i', Bits: ^n}
		case c&0xE0 == majorOther:
			return jsonwire.Scalar{Kind: 'f', Bits: math.Float64bits(floatOf(c&0x1F, n))}
		case n > math.MaxInt64:
			return jsonwire.Scalar{Kind: 'u', Bits: n}
		default:
			return jsonwire.Scalar{Kind: 'i', Bits: n}
		}
	}
	return jsonwire.Scalar{}
}

// Skip implements [jsonwire.Source].
func (s *source) Skip() bool {
	for left := 1; left > 0; left-- {
		if s.pos >= len(s.data) {
			return false
		}
		c := s.data[s.pos]
		n, content, ok := headAt(s.data, s.pos)
		if !ok {
			return false
		}
		s.pos = content
		switch c & 0xE0 {
		case majorBytes, majorText:
			s.pos += int(n)
		case majorArray:
			left += int(n)
		case majorMap:
			left += 2 * int(n)
		case majorTag:
			left++
		}
	}
	return s.pos <= len(s.data)
}

// Offset implements [jsonwire.Source].
func (s *source) Offset() int { return s.pos }

// Rest implements [jsonwire.Source].
func (s *source) Rest() int { return len(s.data) - s.pos }

// AppendRaw implements [jsonwire.Source]: it appends the item as compact JSON, with the names of
// each object sorted by their bytes and the last of duplicate members. This is how encoding/json
// writes an untyped value.
func (s *source) AppendRaw(dst []byte) ([]byte, bool) {
	s.members.Reset()
	return s.raw(dst)
}

func (s *source) raw(dst []byte) ([]byte, bool) {
	if s.pos >= len(s.data) {
		return dst, false
	}
	switch s.data[s.pos] & 0xE0 {
	case majorMap:
		return s.rawObject(dst)
	case majorArray:
		n, _ := s.head(majorArray)
		dst = append(dst, '[')
		for i := range n {
			if i > 0 {
				dst = append(dst, ',')
			}
			var ok bool
			if dst, ok = s.raw(dst); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), true
	case majorTag:
		content, found := s.Bytes()
		if found != jsonwire.ValueFound {
			return dst, false
		}
		return jsonwire.AppendBytes(dst, content), true
	}
	switch v := s.Scalar(); v.Kind {
	case '"':
		return jsonwire.AppendString(dst, borrow.String(v.Text)), true
	case 'i':
		return strconv.AppendInt(dst, int64(v.Bits), 10), true
	case 'u':
		return strconv.AppendUint(dst, v.Bits, 10), true
	case 'f':
		start := len(dst)
		dst = appendFloatText(dst, math.Float64frombits(v.Bits))
		return dst[:start+len(bytes.TrimSuffix(dst[start:], []byte(".0")))], true
	case 't':
		return jsonwire.AppendBool(dst, v.Bits != 0), true
	case 'n':
		return append(dst, "null"...), true
	}
	return dst, false
}

func (s *source) rawObject(dst []byte) ([]byte, bool) {
	n, _ := s.head(majorMap)
	if n == 0 {
		return append(dst, '{', '}'), true
	}
	from, base := len(dst), s.members.Len()
	for range n {
		at := s.pos
		key, found := s.Text()
		if found != jsonwire.ValueFound {
			return dst, false
		}
		s.members.Push(arrange.Member{Start: len(dst), Key: at, Rank: arrange.Rank(key)})
		dst = append(jsonwire.AppendString(append(dst, ','), borrow.String(key)), ':')
		var ok bool
		if dst, ok = s.raw(dst); !ok {
			return dst, false
		}
	}
	end, kept := s.members.Close(dst, len(dst), base, s)
	return jsonwire.CloseObject(dst[:end], from), kept == n || !s.strict
}

// Compare implements [arrange.Keys] for offsets in the input.
func (s *source) Compare(a, b arrange.Member) int {
	if a.Rank != b.Rank {
		return cmp.Compare(a.Rank, b.Rank)
	}
	return bytes.Compare(keyAt(s.data, a.Key), keyAt(s.data, b.Key))
}

// appendRawForm appends one annotated JSON value in the form in which raw values are kept, see
// [source.AppendRaw]. It converts the text to CBOR, which has the keys without escapes.
func appendRawForm(dst, value []byte) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer e.release()
	e.highest = math.MaxUint64 // keep input exact
	item, err := e.append(e.scratch[:0], value)
	e.scratch = item[:0]
	if err != nil {
		return dst, err
	}
	x := decoders.Get().(*decoder)
	defer x.release()
	x.source.reset(item, 0)
	out, ok := x.source.AppendRaw(dst)
	if !ok {
		return dst, errNoRawForm
	}
	return out, nil
}

var errNoRawForm = errors.New("cbor: the value has no JSON representation")
