package fieldset

import (
	"encoding/binary"
	"math/bits"

	"github.com/askind/askind/internal/plain"
)

// End returns the end of the field set at the start of a text, if it has the common form: one JSON
// object whose members are such objects again, without white space, in ASCII, and without
// characters that are escaped in JSON for web pages. Such a text is copied to the output. End
// returns 0 for many valid texts, which take the general path.
func End(b []byte) int {
	if len(b) < 2 || b[0] != '{' || plain.Enabled {
		return 0
	}
	if b[1] == '}' {
		return 2
	}
	for i, depth := 1, 1; ; {
		// A member; i is at the quote of its name.
		if i >= len(b) || b[i] != '"' {
			return 0
		}
		if i = nameEnd(b, i+1); i < 0 || len(b)-i < 3 || b[i] != ':' || b[i+1] != '{' {
			return 0
		}
		i += 2
		if depth++; depth > maxDepth {
			return 0
		}
		if b[i] != '}' {
			continue
		}
		for ; depth > 0 && i < len(b) && b[i] == '}'; i++ {
			depth--
		}
		if depth == 0 {
			return i
		}
		if i >= len(b) || b[i] != ',' {
			return 0
		}
		i++
	}
}

// maxDepth leaves deep nesting to readers that enforce the limit.
const maxDepth = 100

// nameEnd returns the index after the closing quote of a name whose first byte is at i, or -1 if
// the name is not simple.
func nameEnd(b []byte, i int) int {
	for i < len(b) {
		if len(b)-i >= 8 {
			m := Special(binary.LittleEndian.Uint64(b[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
		} else if !IsSpecial(b[i]) {
			i++
			continue
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i+1 >= len(b) || b[i+1] != '"' && b[i+1] != '\\' {
				return -1
			}
			i += 2
		default:
			return -1
		}
	}
	return -1
}
