package emit

import (
	"unicode"
	"unicode/utf8"
)

// UpperFirst returns a name with its first letter in upper case.
func UpperFirst(s string) string { return first(s, unicode.ToUpper) }

// LowerFirst returns a name with its first letter in lower case.
func LowerFirst(s string) string { return first(s, unicode.ToLower) }

func first(s string, to func(rune) rune) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(to(r)) + s[n:]
}
