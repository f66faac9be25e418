package fieldset

const (
	ones uint64 = 0x0101010101010101
	tops uint64 = 0x8080808080808080
)

// Special marks by their top bit the bytes that a string of JSON in a web page cannot hold as they
// are, and everything outside ASCII. Only the lowest mark is certain: subtracting may borrow from
// the bytes above one that is marked.
func Special(w uint64) uint64 {
	const (
		quoteAmp  = ones * '&' // '"' | 4 == '&'
		lessMore  = ones * '>' // '<' | 2 == '>'
		backslash = ones * '\\'
	)
	return ((((w | ones*4) ^ quoteAmp) - ones) | (((w | ones*2) ^ lessMore) - ones) | ((w ^ backslash) - ones) |
		(w - ones*0x20) | w) & tops
}

// IsSpecial is Special for one byte.
func IsSpecial(c byte) bool {
	switch c {
	case '"', '\\', '<', '>', '&':
		return true
	}
	return c-0x20 >= 0x60
}
