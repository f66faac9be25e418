package fieldset

const (
	ones uint64 = 0x0101010101010101
	tops uint64 = 0x8080808080808080
)

// Special sets the top bit of the bytes that a JSON string for web pages must escape, and of
// non-ASCII bytes. Only the lowest mark is certain: the subtraction may borrow from the bytes above
// a marked one.
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
