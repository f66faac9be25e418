package rawmeta

import "math/bits"

// fieldsEnd returns where the set of fields at the start of a text ends, if it is as servers write it: one JSON object whose members are such
// objects again, without white space, in ASCII, and with no character that JSON in a web page may not have. Such a text is written as it is. It
// returns 0 for many texts that are sound; those take the longer way.
func fieldsEnd(b []byte) int {
	if len(b) < 2 || b[0] != '{' {
		return 0
	}
	if b[1] == '}' {
		return 2
	}
	for i, depth := 1, 1; ; {
		// A member, which begins with the quote of its name.
		if i >= len(b) || b[i] != '"' {
			return 0
		}
		if i = nameEnd(b, i+1); i < 0 || len(b)-i < 3 || b[i] != ':' || b[i+1] != '{' {
			return 0
		}
		i += 2
		if depth++; depth > maxFieldsDepth {
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

// maxFieldsDepth leaves what nests deep to those who have the limit.
const maxFieldsDepth = 100

// nameEnd returns the index behind the closing quote of a name whose first byte is at i, -1 if the name is not simple.
func nameEnd(b []byte, i int) int {
	for i < len(b) {
		if len(b)-i >= 8 {
			w := load(b[i:])
			m := special(w)
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
		} else if !isSpecial(b[i]) {
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

const (
	ones uint64 = 0x0101010101010101
	tops uint64 = 0x8080808080808080
)

// special marks by their top bit the bytes that a string of JSON in a web page cannot hold as they are, and everything outside ASCII. Only the lowest mark
// is certain: subtracting may borrow from the bytes above one that is marked.
func special(w uint64) uint64 {
	const (
		quoteAmp  = ones * '&' // '"' | 4 == '&'
		lessMore  = ones * '>' // '<' | 2 == '>'
		backslash = ones * '\\'
	)
	return ((((w | ones*4) ^ quoteAmp) - ones) | (((w | ones*2) ^ lessMore) - ones) | ((w ^ backslash) - ones) | (w - ones*0x20) | w) & tops
}

// isSpecial is special for one byte.
func isSpecial(c byte) bool {
	switch c {
	case '"', '\\', '<', '>', '&':
		return true
	}
	return c-0x20 >= 0x60
}

// load returns the first eight bytes of b as a word, the first of them lowest.
func load(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
