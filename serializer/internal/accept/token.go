package accept

import "strings"

// The lexical rules of header fields, RFC 9110 section 5.6. These functions work on the header
// itself and allocate only to remove the backslashes from a quoted string.

// tokenBytes are the bytes allowed in a token (RFC 9110 5.6.2): letters, digits and
// !#$%&'*+-.^_`|~.
var tokenBytes = func() (table [256]bool) {
	for c := byte('0'); c <= 'z'; c++ {
		table[c] = c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a'
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~") {
		table[c] = true
	}
	return table
}()

// IsToken reports whether s is a token.
func IsToken(s string) bool {
	for i := range len(s) {
		if !tokenBytes[s[i]] {
			return false
		}
	}
	return s != ""
}

// tokenEnd returns the end of the token that starts at s[i], or i if no token starts there.
func tokenEnd(s string, i int) int {
	for i < len(s) && tokenBytes[s[i]] {
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
// returns its value and the position after it. ok is false if the closing quote is missing or the
// string contains an invalid byte.
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

// isQuotable reports whether c is allowed in a quoted string, after a backslash if necessary.
func isQuotable(c byte) bool { return c == '\t' || c >= ' ' && c != 0x7f }

// unescape removes the backslashes from the content of a quoted string.
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

// AppendParameter appends `;name=value`, quoting the value unless it is a token.
func AppendParameter(dst []byte, name, value string) []byte {
	dst = append(dst, ';')
	dst = append(dst, name...)
	dst = append(dst, '=')
	if IsToken(value) {
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
