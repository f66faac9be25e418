package fieldset

import (
	"encoding/binary"
	"math/bits"
)

// Alike reports whether a text differs from a set of fields, as [End] takes them, at most inside of names and only in characters that need no escape. Such a text is
// a set of fields, too. In a set, plain characters are inside of names always.
func Alike(known, text []byte) bool {
	i, j := 0, 0 // the next bytes of known and text
	for {
		for len(known)-i >= 8 && len(text)-j >= 8 {
			if x := binary.LittleEndian.Uint64(known[i:]) ^ binary.LittleEndian.Uint64(text[j:]); x != 0 {
				n := bits.TrailingZeros64(x) >> 3
				i, j = i+n, j+n
				goto differ
			}
			i, j = i+8, j+8
		}
		for i < len(known) && j < len(text) && known[i] == text[j] {
			i, j = i+1, j+1
		}
		if i == len(known) || j == len(text) {
			return i == len(known) && j == len(text) && i > 0
		}
	differ:
		// Before or at the difference there must be a plain character of the set. A backslash before it is no escape of what the text has there instead.
		if !plain[known[i]] && (i == 0 || !plain[known[i-1]]) || i > 0 && known[i-1] == '\\' {
			return false
		}
		for i < len(known) && plain[known[i]] {
			i++
		}
		for j < len(text) && plain[text[j]] {
			j++
		}
		if i == len(known) || j == len(text) || known[i] != text[j] {
			return false
		}
	}
}

// plain has the characters that a set of fields has nowhere but inside of names, where they stand for themselves.
var plain = func() (t [256]bool) {
	for c := byte(0x20); c < 0x7F; c++ {
		switch c {
		case '{', '}', ':', ',', '"', '\\', '<', '>', '&':
		default:
			t[c] = true
		}
	}
	return t
}()
