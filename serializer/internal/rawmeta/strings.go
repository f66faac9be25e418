package rawmeta

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// stringEnd returns the index of the closing quote of a JSON string whose first byte is at i, or -1
// unless the string is written as jsonwire.AppendString would write it. plain reports whether it
// has no escapes.
func stringEnd(b []byte, i int) (end int, plain bool) {
	plain = true
	for i < len(b) {
		if len(b)-i >= 8 {
			m := special(binary.LittleEndian.Uint64(b[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
		} else if !isSpecial(b[i]) {
			i++
			continue
		}
		switch c := b[i]; {
		case c == '"':
			return i, plain
		case c == '\\':
			plain = false
			n := escape(b[i:])
			if n == 0 {
				return -1, false
			}
			i += n
		case c < utf8.RuneSelf:
			return -1, false
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 || r == '\u2028' || r == '\u2029' {
				return -1, false
			}
			i += n
		}
	}
	return -1, false
}

// escape returns the length of the escape at the start of b, or 0 unless its character is always
// written with that escape.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		return 0
	}
	if len(b) < 6 {
		return 0
	}
	switch code := string(b[2:6]); code {
	case "2028", "2029", "003c", "003e", "0026":
		return 6
	default:
		high, low := code[2], code[3]
		if code[:2] != "00" || high != '0' && high != '1' || !(low >= '0' && low <= '9' || low >= 'a' && low <= 'f') {
			return 0
		}
		if high == '0' {
			switch low {
			case '8', '9', 'a', 'c', 'd': // these have short forms
				return 0
			}
		}
		return 6
	}
}

const (
	ones uint64 = 0x0101010101010101
	tops uint64 = 0x8080808080808080
)

// special sets the top bit of the bytes that a JSON string for web pages must escape, and of
// non-ASCII bytes. Only the lowest mark is certain: the subtraction may borrow from the bytes above
// a marked one.
func special(w uint64) uint64 {
	const (
		quoteAmp  = ones * '&' // '"' | 4 == '&'
		lessMore  = ones * '>' // '<' | 2 == '>'
		backslash = ones * '\\'
	)
	return ((((w | ones*4) ^ quoteAmp) - ones) | (((w | ones*2) ^ lessMore) - ones) | ((w ^ backslash) - ones) |
		(w - ones*0x20) | w) & tops
}

// isSpecial is special for one byte.
func isSpecial(c byte) bool {
	switch c {
	case '"', '\\', '<', '>', '&':
		return true
	}
	return c-0x20 >= 0x60
}
