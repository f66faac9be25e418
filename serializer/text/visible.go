package text

import (
	"strings"
	"unicode/utf8"
)

// visible shows control characters, which a terminal could take for commands, in caret notation: ^[
// for escape. Those beyond ASCII become the replacement character, as do those that would end the
// line or turn the direction of what follows.
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

// isClean reports whether a terminal shows a character and does nothing else.
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
