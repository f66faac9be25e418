package text

import (
	"strings"
	"unicode/utf8"
)

// visible shows control characters, which a terminal could interpret as commands, in caret
// notation: ^[ for escape. Non-ASCII control characters become the replacement character, as do
// characters that end the line or change the writing direction.
func visible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !isClean(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < ' ' || r == 0x7f:
			b.WriteByte('^')
			b.WriteByte(byte(r) ^ 0x40)
		case isClean(r):
			b.WriteRune(r)
		default:
			b.WriteRune(utf8.RuneError)
		}
	}
	return b.String()
}

// isClean reports whether a character has no effect on a terminal other than being shown.
func isClean(r rune) bool {
	switch {
	case r < 0x7f:
		return r >= ' '
	case r <= 0x9f, r == utf8.RuneError:
		return false
	case r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x61c:
		return false
	}
	return true
}
