package selector

import "strings"

const (
	maxLabelName   = 63
	maxLabelPrefix = 253
)

// checkLabelKey returns the problem of a label key, a name with an optional prefix, or "".
func checkLabelKey(key string) string {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		prefix, name = "", key
	}
	switch {
	case prefixed && prefix == "":
		return "the part before the slash is blank"
	case prefixed && (len(prefix) > maxLabelPrefix || !isDomain(prefix)):
		return "the part before the slash must be a DNS name in lower case of at most 253 characters"
	case name == "":
		return "the name is blank"
	case len(name) > maxLabelName:
		return "the name must have at most 63 characters"
	case !isLabelWord(name):
		return "the name must consist of letters, digits, '-', '_' and '.', with letters or digits at both ends"
	}
	return ""
}

// checkLabelValue returns the problem of a label value, or "".
func checkLabelValue(value string) string {
	switch {
	case len(value) > maxLabelName:
		return "a value must have at most 63 characters"
	case value != "" && !isLabelWord(value):
		return "a value must be blank or consist of letters, digits, '-', '_' and '.', with letters or digits at both ends"
	}
	return ""
}

// isLabelWord reports whether s is a valid name or value of a label.
func isLabelWord(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case isAlphanumeric(c):
		case (c == '-' || c == '_' || c == '.') && i > 0 && i < len(s)-1:
		default:
			return false
		}
	}
	return s != ""
}

// isDomain reports whether s is a lower-case RFC 1123 subdomain.
func isDomain(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; c != '-' && (!isAlphanumeric(c) || 'A' <= c && c <= 'Z') {
				return false
			}
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
