package serializer

import "strings"

// The lexical rules of header fields, RFC 9110 section 5.6. Everything here works on the header
// string itself and allocates only to take the backslashes out of a quoted string.

// isTokenByte reports whether c may stand in a token (RFC 9110 5.6.2): letters, digits and
// !#$%&'*+-.^_`|~.
func isTokenByte(c byte) bool { return tokenBytes[c] }

// tokenBytes tells which bytes may stand in a token.
var tokenBytes = func() (table [256]bool) {
	for c := byte('0'); c <= 'z'; c++ {
		table[c] = c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a'
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~") {
		table[c] = true
	}
	return table
}()

// isToken reports whether s is a token.
func isToken(s string) bool {
	for i := range len(s) {
		if !isTokenByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// tokenEnd returns the end of the token that starts at s[i]; i itself if there is none.
func tokenEnd(s string, i int) int {
	for i < len(s) && isTokenByte(s[i]) {
		i++
	}
	return i
}

// skipSpace returns the first position from i on that is neither a space nor a tab.
func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// quotedString reads the quoted string that starts with the quote at s[i] (RFC 9110 5.6.4) and
// returns its value and the position behind it. ok is false when the closing quote is missing or a
// byte stands in it that may not.
func quotedString(s string, i int) (value string, end int, ok bool) {
	i++
	start, escaped := i, false
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			value = s[start:i]
			if escaped {
				value = unescape(value)
			}
			return value, i + 1, true
		case c == '\\':
			escaped = true
			i++
			if i == len(s) || !isQuotable(s[i]) {
				return "", i, false
			}
		case !isQuotable(c):
			return "", i, false
		}
	}
	return "", i, false
}

// isQuotable reports whether c may stand in a quoted string, with a backslash before it where it
// needs one.
func isQuotable(c byte) bool { return c == '\t' || c >= ' ' && c != 0x7f }

// unescape takes the backslashes out of the inside a quoted string.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// appendParameter appends `;name=value` and quotes the value where it is not a token.
func appendParameter(dst []byte, name, value string) []byte {
	dst = append(dst, ';')
	dst = append(dst, name...)
	dst = append(dst, '=')
	if isToken(value) {
		return append(dst, value...)
	}
	dst = append(dst, '"')
	for i := range len(value) {
		if value[i] == '"' || value[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, value[i])
	}
	return append(dst, '"')
}
