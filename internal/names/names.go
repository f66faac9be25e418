// Package names holds the rules of the Kubernetes API for the characters of names. It does not
// bound their lengths.
package names

import "strings"

// IsSubdomain reports whether a text consists of labels, see [IsLabel], separated by dots.
func IsSubdomain(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if !IsLabel(label) {
			return false
		}
	}
	return true
}

// IsLabel reports whether a text consists of lower-case letters, digits and dashes, with a letter
// or digit at both ends.
func IsLabel(s string) bool { return consists(s, "-", false) }

// IsWord reports whether a text consists of letters, digits, dashes, dots and underscores, with a
// letter or digit at both ends, like the names and values of labels.
func IsWord(s string) bool { return consists(s, "-._", true) }

// consists reports whether a text consists of letters and digits, and of marks except at both ends.
func consists(s, marks string, capitals bool) bool {
	for i := range len(s) {
		c := s[i]
		inside := i > 0 && i < len(s)-1 && strings.IndexByte(marks, c) >= 0
		if !inside && (!IsAlphanumeric(c) || !capitals && 'A' <= c && c <= 'Z') {
			return false
		}
	}
	return s != ""
}

// IsAlphanumeric reports whether a character is a letter or a digit of ASCII.
func IsAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
