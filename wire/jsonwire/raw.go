package jsonwire

import (
	"encoding/binary"
	"math/bits"
)

// AppendRaw appends one JSON value without its white space and with the escapes that [AppendString]
// writes for <, >, & and the separators U+2028 and U+2029. An empty raw is written as null. Text
// that is not one JSON value in valid UTF-8 returns an [*Error] with dst unchanged.
func AppendRaw(dst, raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return append(dst, "null"...), nil
	}
	return appendCompact(dst, raw, true)
}

// Compact appends one JSON value without its white space. Text that is not one JSON value in valid
// UTF-8 returns an [*Error] with dst unchanged.
func Compact(dst, src []byte) ([]byte, error) { return appendCompact(dst, src, false) }

func appendCompact(dst, src []byte, escape bool) ([]byte, error) {
	if isWritten(src) {
		return append(dst, src...), nil
	}
	return appendCompactSlow(dst, src, escape)
}

// isWritten reports whether a text is one JSON value exactly as this package would write it,
// without white space or characters to escape, so that it can be copied. Most raw values are,
// because this package or another server of the same API wrote them. It reads each byte once and
// returns false for rare forms, which are then checked again.
func isWritten(data []byte) bool {
	const room = 64
	var (
		objects uint64 // one bit per nesting level, the lowest for the innermost; set for objects
		depth   int
		i       int
	)
value:
	if i >= len(data) {
		return false
	}
	switch c := data[i]; c {
	case '{':
		if i++; i >= len(data) || depth == room {
			return false
		}
		if data[i] == '}' {
			i++
			break
		}
		objects = objects<<1 | 1
		depth++
		goto key
	case '[':
		if i++; i >= len(data) || depth == room {
			return false
		}
		if data[i] == ']' {
			i++
			break
		}
		objects <<= 1
		depth++
		goto value
	case '"':
		if i = writtenEnd(data, i+1); i < 0 {
			return false
		}
	case 't':
		if i++; len(data)-i < 3 || string(data[i:i+3]) != "rue" {
			return false
		}
		i += 3
	case 'f':
		if i++; len(data)-i < 4 || string(data[i:i+4]) != "alse" {
			return false
		}
		i += 4
	case 'n':
		if i++; len(data)-i < 3 || string(data[i:i+3]) != "ull" {
			return false
		}
		i += 3
	default:
		end, _, bad := scanNumber(data, i)
		if bad != "" {
			return false
		}
		i = end
	}

after:
	if depth == 0 {
		return i == len(data)
	}
	if i >= len(data) {
		return false
	}
	switch c := data[i]; {
	case c == ',':
		i++
		if objects&1 != 0 {
			goto key
		}
		goto value
	case c == '}' && objects&1 != 0, c == ']' && objects&1 == 0:
		i++
		objects >>= 1
		depth--
		goto after
	}
	return false

key:
	if i >= len(data) || data[i] != '"' {
		return false
	}
	if i = writtenEnd(data, i+1); i < 0 || i >= len(data) || data[i] != ':' {
		return false
	}
	if i+3 < len(data) && depth < room { // frequent in managed fields: an empty object, or one with a key
		switch next := data[i+1 : i+4]; {
		case string(next) == "{},":
			i += 4
			goto key
		case string(next[:2]) == `{"`:
			objects = objects<<1 | 1
			depth++
			i += 2
			goto key
		}
	}
	i++
	goto value
}

// writtenEnd returns the index after the closing quote of the string whose text begins at i, or -1
// if the string is not as this package would write it or has a rare form that is not checked here.
func writtenEnd(data []byte, i int) int {
	for i <= len(data)-8 {
		m := mayEnd(binary.LittleEndian.Uint64(data[i:i+8])) & tops
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case isHTMLClean(c):
			i++
		case c == '\\' && i+1 < len(data) && (data[i+1] == '"' || data[i+1] == '\\' || data[i+1] == 'n'):
			i += 2
		default:
			return -1
		}
	}
	for i < len(data) {
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case !isHTMLClean(c):
			return -1
		}
		i++
	}
	return -1
}

// mayEnd marks the first byte of a word in which htmlSpecial marks one, or an earlier byte. It
// takes fewer steps than maySpecial, because it marks every byte less than a comma, and field names
// have none of these.
func mayEnd(w uint64) uint64 {
	return (((w | ones*0x62) ^ ones*'~') - ones) | (w - ones*',') | w
}

func appendCompactSlow(dst, src []byte, escape bool) ([]byte, error) {
	var r Reader
	r.Reset(src, Options{})
	r.skip(nil, nil)
	r.End()
	if r.err != nil {
		return dst, r.Err()
	}
	// The text is valid, so quotes alone delimit strings, and each string has a closing one.
	start, i := 0, 0 // src[start:i] remains to be copied
	for i < len(src) {
		switch src[i] {
		case ' ', '\n', '\t', '\r':
			dst = append(dst, src[start:i]...)
			i = skipSpace(src, i)
			start = i
		case '"':
			if escape {
				dst, start, i = appendHTMLEscaped(dst, src, start, i+1)
			} else {
				i = looseString(src, i)
			}
		default:
			i++
		}
	}
	return append(dst, src[start:]...), nil
}

// appendHTMLEscaped scans the string whose first byte is at i and returns the index after it. For a
// character to escape it appends src[start:i] and the escape to dst, and returns the new start.
func appendHTMLEscaped(dst, src []byte, start, i int) ([]byte, int, int) {
	for {
		i = htmlClean(src, i)
		if i >= len(src) {
			return dst, start, i
		}
		switch c := src[i]; c {
		case '"':
			return dst, start, i + 1
		case '\\':
			i++
		case '<', '>', '&':
			dst = append(dst, src[start:i]...)
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
			start = i + 1
		case 0xE2:
			if i+2 < len(src) && src[i+1] == 0x80 && src[i+2]&^1 == 0xA8 {
				dst = append(dst, src[start:i]...)
				dst = append(dst, `\u202`...)
				dst = append(dst, hexDigits[src[i+2]&0xF])
				start = i + 3
				i += 2
			}
		}
		i++
	}
}

// maxIndent is the number of levels that are indented in pretty form.
const maxIndent = 64

// AppendIndent appends a JSON value in pretty form: each member and element on a line of its own
// that begins with prefix and one indent per level, like json.Indent. Empty objects and arrays stay
// on their line. compact must be valid JSON; the result for other text is undefined.
func AppendIndent(dst, compact []byte, prefix, indent string) []byte {
	depth := 0
	fresh := false // no content has been written since the last opening bracket
	newline := func() {
		dst = append(dst, '\n')
		dst = append(dst, prefix...)
		for range min(depth, maxIndent) {
			dst = append(dst, indent...)
		}
	}
	end := len(compact)
	for end > 0 && isSpace(compact[end-1]) {
		end--
	}
	for i := 0; i < end; {
		c := compact[i]
		if isSpace(c) {
			i++
			continue
		}
		if fresh && c != ']' && c != '}' {
			fresh = false
			depth++
			newline()
		}
		switch c {
		case '"':
			stop, _, _ := scanString(compact, i+1)
			stop = min(stop+1, end)
			dst = append(dst, compact[i:stop]...)
			i = stop
			continue
		case '{', '[':
			fresh = true
			dst = append(dst, c)
		case ',':
			dst = append(dst, c)
			newline()
		case ':':
			dst = append(dst, ':', ' ')
		case '}', ']':
			if fresh {
				fresh = false
			} else {
				depth = max(depth-1, 0)
				newline()
			}
			dst = append(dst, c)
		default:
			dst = append(dst, c)
		}
		i++
	}
	// White space after the value is kept, including a final line end.
	return append(dst, compact[end:]...)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
