package jsonwire

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Appender is implemented by values that write their own JSON. On an error the content of the
// returned slice beyond len(dst) is undefined.
type Appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

const hexDigits = "0123456789abcdef"

// htmlSpecial marks, as special does, the bytes that a JSON string must escape or that need a
// closer look: the quote, the backslash, control characters, non-ASCII bytes, and <, > and &. Two
// bytes that differ in one bit share a comparison.
func htmlSpecial(w uint64) uint64 {
	const (
		quoteAmp  = ones * '&' // '"' | 4 == '&'
		lessMore  = ones * '>' // '<' | 2 == '>'
		backslash = ones * '\\'
	)
	return ((((w | ones*4) ^ quoteAmp) - ones) | (((w | ones*2) ^ lessMore) - ones) | ((w ^ backslash) - ones) |
		(w - ones*0x20) | w) & tops
}

// load returns the first eight bytes of s as a word.
func load[T string | []byte](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// load4 returns the first four bytes of s.
func load4(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// htmlClean returns the index of the first byte at or after i that htmlSpecial marks, or len(s).
func htmlClean[T string | []byte](s T, i int) int {
	for len(s)-i >= 8 {
		if m := htmlSpecial(load(s[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(s) && isHTMLClean(s[i]) {
		i++
	}
	return i
}

func isHTMLClean(c byte) bool {
	switch c {
	case '"', '\\', '<', '>', '&':
		return false
	}
	return c-0x20 < 0x60
}

// maySpecial marks at least one byte of every word in which htmlSpecial marks one. It takes fewer
// steps, because it compares <, > and the backslash at once, and also marks ^, |, ~ and DEL.
func maySpecial(w uint64) uint64 {
	const (
		quoteAmp = ones * '&' // '"' | 4 == '&'
		others   = ones * '~' // '<' | 0x62 == '>' | 0x62 == '\\' | 0x62 == '~'
	)
	return (((w | ones*4) ^ quoteAmp) - ones) | (((w | ones*0x62) ^ others) - ones) | (w - ones*0x20) | w
}

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte { return AppendStringMember(dst, "", s) }

// AppendStringMember appends text, such as the name of a member with the comma before it and the
// colon after it, and a string.
//
// It is not inlined, because a package of many types calls it a thousand times. A string without
// special characters is copied while it is scanned, eight bytes at a time; steps may overlap.
//
//go:noinline
func AppendStringMember(dst []byte, text, s string) []byte {
	start := len(dst)
	n := len(text) + len(s) + 2
	if cap(dst)-start < n {
		dst = slices.Grow(dst, n)
	}
	dst = dst[:start+n]
	out := dst[start:]
	if len(text) >= 8 && len(text) <= 16 { // as most names have
		first, last := load(text), load(text[len(text)-8:])
		binary.LittleEndian.PutUint64(out, first)
		binary.LittleEndian.PutUint64(out[len(text)-8:], last)
	} else {
		copy(out, text)
	}
	out = out[len(text):]
	out[0], out[len(out)-1] = '"', '"'
	out = out[1:]
	var found uint64
	switch {
	case len(s) >= 8:
		first, last := load(s), load(s[len(s)-8:])
		binary.LittleEndian.PutUint64(out, first)
		binary.LittleEndian.PutUint64(out[len(s)-8:], last)
		found = maySpecial(first) | maySpecial(last)
		for i := 8; i < len(s)-8 && i < len(out)-8; i += 8 {
			w := load(s[i:])
			binary.LittleEndian.PutUint64(out[i:], w)
			found |= maySpecial(w)
		}
	case len(s) >= 4:
		first, last := load4(s), load4(s[len(s)-4:])
		binary.LittleEndian.PutUint32(out, first)
		binary.LittleEndian.PutUint32(out[len(s)-4:], last)
		found = maySpecial(uint64(first) | uint64(last)<<32)
	default:
		for i := range len(s) {
			if !isHTMLClean(s[i]) {
				found = tops
			}
			out[i] = s[i]
		}
	}
	if found&tops != 0 {
		return appendStringSlow(dst[:start+len(text)+1], s)
	}
	return dst
}

// appendStringSlow appends a string that may need escapes, and the closing quote.
func appendStringSlow(dst []byte, s string) []byte {
	start, i := 0, 0
	for {
		i = htmlClean(s, i)
		if i >= len(s) {
			break
		}
		c := s[i]
		if c < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		v, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case v == utf8.RuneError && n == 1:
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\ufffd`...)
			start = i + n
		case v == '\u2028' || v == '\u2029':
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\u202`...)
			dst = append(dst, hexDigits[v&0xF])
			start = i + n
		}
		i += n
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// appendEscape appends the escape of an ASCII character that must be escaped.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}

// AppendBytes appends b as a base64 string, or null for a nil slice.
func AppendBytes(dst, b []byte) []byte {
	if b == nil {
		return append(dst, "null"...)
	}
	if Annotated(dst) {
		dst = binary.LittleEndian.AppendUint64(append(dst, BytesMark), uint64(len(b)))
		return append(dst, b...)
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// AppendInt appends a signed integer.
func AppendInt(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }

// AppendUint appends an unsigned integer of an unsigned type. Numbers from untyped values are
// appended with package strconv instead, because [Annotate] distinguishes the two.
func AppendUint(dst []byte, v uint64) []byte {
	if v > math.MaxInt64 && Annotated(dst) && dst[len(dst)-1] != '"' { // the key of a map is a string
		dst = append(dst, UintMark)
	}
	return strconv.AppendUint(dst, v, 10)
}

// AppendBool appends true or false.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// AppendFloat64 appends a number in the shortest form that reads back as v. NaN and the infinities
// have no JSON representation: AppendFloat64 returns an [*UnsupportedError] and dst unchanged.
func AppendFloat64(dst []byte, v float64) ([]byte, error) { return appendFloat(dst, v, 64) }

// AppendFloat32 is [AppendFloat64] for float32.
func AppendFloat32(dst []byte, v float32) ([]byte, error) { return appendFloat(dst, float64(v), 32) }

func appendFloat(dst []byte, v float64, size int) ([]byte, error) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return dst, &UnsupportedError{What: "number " + strconv.FormatFloat(v, 'g', -1, size)}
	}
	exact := Annotated(dst)
	if exact {
		size = 64
	}
	// The exponent form is used for the same range as in ECMAScript.
	abs := math.Abs(v)
	format := byte('f')
	if abs != 0 {
		if size == 64 && (abs < 1e-6 || abs >= 1e21) || size == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			format = 'e'
		}
	}
	dst = strconv.AppendFloat(dst, v, format, -1, size)
	if format == 'e' {
		// e-09 is written e-9.
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst, nil
	}
	if exact && v == math.Trunc(v) {
		dst = append(dst, ".0"...)
	}
	return dst, nil
}

// AppendStringMap appends m as an object with sorted keys, or null for a nil map. Up to 16 entries
// are sorted without allocating.
func AppendStringMap(dst []byte, m map[string]string) []byte {
	if m == nil {
		return append(dst, "null"...)
	}
	start := len(dst)
	for _, key := range SortedKeys(m) {
		dst = AppendString(append(dst, ','), key)
		dst = AppendString(append(dst, ':'), m[key])
	}
	return CloseObject(dst, start)
}

// CloseObject completes an object whose members were appended as ',"name":value' each, the first of
// them at start: it turns the first comma into the opening brace and appends the closing one.
// Without members it appends {}. It is not inlined, to keep generated code small.
//
//go:noinline
func CloseObject(dst []byte, start int) []byte {
	if start == len(dst) {
		return append(dst, '{', '}')
	}
	dst[start] = '{'
	return append(dst, '}')
}

// SortedKeys returns the keys of m in the order in which they are written. It is small enough to be
// inlined, so that the keys of a small map can be on the caller's stack.
func SortedKeys[K ~string, V any](m map[K]V) []K {
	return sortedKeys(make([]K, 0, smallMap), m)
}

// smallMap is the maximum number of keys that need no allocation.
const smallMap = 16

// sortedKeys is not inlined, so that SortedKeys, which only calls it, can be inlined on every
// processor.
//
//go:noinline
func sortedKeys[K ~string, V any](keys []K, m map[K]V) []K {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// SortedIntKeys returns the keys of m in the order in which they are written: by their decimal
// text, so that 10 comes before 9. They are allocated like those of [SortedKeys].
func SortedIntKeys[K integer, V any](m map[K]V) []K {
	return sortedIntKeys(make([]K, 0, smallMap), m)
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

//go:noinline
func sortedIntKeys[K integer, V any](keys []K, m map[K]V) []K {
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b K) int {
		var x, y [24]byte
		return slices.Compare(appendDecimal(x[:0], a), appendDecimal(y[:0], b))
	})
	return keys
}

func appendDecimal[K integer](dst []byte, v K) []byte {
	if v < 0 {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return strconv.AppendUint(dst, uint64(v), 10)
}
