package jsonwire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The scanners process eight bytes per step. A word holds eight text bytes, the first of them
// lowest. Subtracting a constant from each byte sets its top bit where the byte was smaller; a
// borrow can reach only bytes above such a hit, so the lowest hit is always correct, and only the
// lowest is used.
const (
	ones uint64 = 0x0101010101010101
	tops uint64 = 0x8080808080808080
)

// special sets the top bit of the bytes that end a clean run inside a string: the quote, the
// backslash, control characters and non-ASCII bytes.
func special(w uint64) uint64 {
	return (((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones) | (w - ones*0x20) | w) & tops
}

// cleanEnd returns the index of the first special byte at or after i, or len(data).
func cleanEnd(data []byte, i int) int {
	for len(data)-i >= 8 {
		if m := special(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(data) {
		if c := data[i]; c == '"' || c == '\\' || c-0x20 >= 0x60 {
			break
		}
		i++
	}
	return i
}

// scanString checks the string whose first byte after the opening quote is at i. It returns the
// index of the closing quote and whether the text between holds no escapes. bad describes a
// problem, with end at its position.
func scanString(data []byte, i int) (end int, plain bool, bad string) {
	plain = true
	for {
		i = cleanEnd(data, i)
		if i >= len(data) {
			return len(data), plain, "unexpected end of text in a string"
		}
		switch c := data[i]; {
		case c == '"':
			return i, plain, ""
		case c == '\\':
			plain = false
			n := escapeLen(data, i)
			if n == 0 {
				if i+1 >= len(data) {
					return len(data), plain, "unexpected end of text in a string"
				}
				return i, plain, "invalid escape in a string"
			}
			i += n
		case c < 0x20:
			return i, plain, "control character in a string, expected an escape"
		default:
			for i < len(data) && data[i] >= utf8.RuneSelf {
				_, n := utf8.DecodeRune(data[i:])
				if n == 1 {
					return i, plain, "invalid UTF-8 in a string"
				}
				i += n
			}
		}
	}
}

// escapeLen returns the length of the escape that starts with the backslash at i, or 0 if it is not
// valid.
func escapeLen(data []byte, i int) int {
	if i+1 >= len(data) {
		return 0
	}
	switch data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(data, i+2); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads four hexadecimal digits at i.
func hex4(data []byte, i int) (rune, bool) {
	if len(data)-i < 4 {
		return 0, false
	}
	var v rune
	for _, c := range data[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		v = v<<4 | rune(c)
	}
	return v, true
}

// AppendUnescaped appends the text of a JSON string, given the content between its quotes. An
// unpaired surrogate becomes U+FFFD. The result for an invalid string is undefined.
func AppendUnescaped(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		j := i
		for j < len(src) && src[j] != '\\' {
			j++
		}
		dst = append(dst, src[i:j]...)
		if j+1 >= len(src) {
			break
		}
		i = j + 2
		switch c := src[j+1]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			var v rune
			v, i = unescapeRune(src, j)
			dst = utf8.AppendRune(dst, v)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// unescapeRune reads the \u escape at i, and a second one if both form a surrogate pair, and
// returns the index after them.
func unescapeRune(src []byte, i int) (rune, int) {
	v, _ := hex4(src, i+2)
	i += 6
	if v < 0xD800 || v > 0xDFFF {
		return v, i
	}
	if v < 0xDC00 && i+1 < len(src) && src[i] == '\\' && src[i+1] == 'u' {
		if low, ok := hex4(src, i+2); ok && 0xDC00 <= low && low <= 0xDFFF {
			return (v-0xD800)<<10 | (low - 0xDC00) + 0x10000, i + 6
		}
	}
	return utf8.RuneError, i
}

// scanNumber returns the end of the number at i and whether it is an integer, without fraction and
// exponent. bad describes a problem, with end at its position.
func scanNumber(data []byte, i int) (end int, integer bool, bad string) {
	if i < len(data) && data[i] == '-' {
		i++
	}
	j := digits(data, i)
	switch {
	case j == i:
		return i, false, "a digit"
	case data[i] == '0':
		j = i + 1
	}
	i, integer = j, true
	if i < len(data) && data[i] == '.' {
		integer = false
		if j = digits(data, i+1); j == i+1 {
			return j, false, "a digit"
		}
		i = j
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		integer = false
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if j = digits(data, i); j == i {
			return j, false, "a digit"
		}
		i = j
	}
	return i, integer, ""
}

func digits(data []byte, i int) int {
	for i < len(data) && data[i]-'0' <= 9 {
		i++
	}
	return i
}

// skipSpace returns the index of the first byte at or after i that is not white space.
func skipSpace(data []byte, i int) int {
	if i < len(data) && data[i] > ' ' {
		return i
	}
	return skipSpaceSlow(data, i)
}

func skipSpaceSlow(data []byte, i int) int {
	for i < len(data) && isSpace(data[i]) {
		i++
	}
	return i
}

// wordOf returns the literal that begins with a letter.
func wordOf(c byte) string {
	switch c {
	case 't':
		return "true"
	case 'f':
		return "false"
	}
	return "null"
}

// literal returns the end of the word at i, or i if the text there differs.
func literal(data []byte, i int, word string) int {
	if len(data)-i >= len(word) && string(data[i:i+len(word)]) == word {
		return i + len(word)
	}
	return i
}
