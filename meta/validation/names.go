package validation

import "strings"

// The longest texts that the rules admit, in bytes.
const (
	MaxDNSLabel     = 63
	MaxDNSSubdomain = 253
	MaxLabelValue   = 63
)

// NameFunc says what is wrong with the name of an object; blank if nothing is. With prefix set the
// text is the beginning of a name, from generateName, which may end in a dash.
type NameFunc func(name string, prefix bool) string

// DNSSubdomain admits lower-case letters, digits, dashes and dots, with letters or digits around
// each dot and at both ends, of at most 253 bytes. It is the rule for the names of most kinds.
func DNSSubdomain(name string, prefix bool) string {
	name = withoutDash(name, prefix)
	switch {
	case len(name) > MaxDNSSubdomain:
		return "must have at most 253 characters"
	case !isSubdomain(name):
		return "must consist of lower-case letters, digits, '-' and '.', and begin and end with a letter or digit (such as example.com)"
	}
	return ""
}

// DNSLabel admits lower-case letters, digits and dashes, with a letter or digit at both ends, of at
// most 63 bytes. It is the rule for namespaces.
func DNSLabel(name string, prefix bool) string {
	name = withoutDash(name, prefix)
	switch {
	case len(name) > MaxDNSLabel:
		return "must have at most 63 characters"
	case !isDNSLabel(name):
		return "must consist of lower-case letters, digits and '-', and begin and end with a letter or digit (such as my-name)"
	}
	return ""
}

// PathSegment admits every text that can stand between two slashes of a URL. It is the rule for
// kinds whose names come from outside, such as the names of users.
func PathSegment(name string, prefix bool) string {
	switch {
	case name == "" && !prefix:
		return "must not be blank"
	case !prefix && (name == "." || name == ".."):
		return "must not be '.' or '..'"
	case strings.ContainsAny(name, "/%"):
		return "must not contain '/' or '%'"
	}
	return ""
}

// withoutDash returns a prefix as a name that could begin with it.
func withoutDash(name string, prefix bool) string {
	if prefix && len(name) > 1 {
		return strings.TrimSuffix(name, "-")
	}
	return name
}

// QualifiedName admits keys of labels, annotations and finalizers: a name of letters, digits, '-',
// '_' and '.' with at most 63 bytes, perhaps with a DNS subdomain and a slash before it.
func QualifiedName(key string) string {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		prefix, name = "", key
	}
	switch {
	case prefixed && (prefix == "" || len(prefix) > MaxDNSSubdomain || !isSubdomain(prefix)):
		return "must have a DNS subdomain in lower case of at most 253 characters before the slash"
	case name == "":
		return "must have a name that is not blank"
	case len(name) > MaxDNSLabel:
		return "must have a name of at most 63 characters"
	case !isLabelText(name):
		return "must have a name of letters, digits, '-', '_' and '.', with a letter or digit at both ends"
	}
	return ""
}

// LabelValue admits blank texts, and texts of letters, digits, '-', '_' and '.' with a letter or
// digit at both ends, of at most 63 bytes.
func LabelValue(value string) string {
	switch {
	case len(value) > MaxLabelValue:
		return "must have at most 63 characters"
	case value != "" && !isLabelText(value):
		return "must consist of letters, digits, '-', '_' and '.', with a letter or digit at both ends"
	}
	return ""
}

func isSubdomain(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if !isDNSLabel(label) {
			return false
		}
	}
	return true
}

func isDNSLabel(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		case c == '-' && i > 0 && i < len(s)-1:
		default:
			return false
		}
	}
	return s != ""
}

func isLabelText(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
		case (c == '-' || c == '_' || c == '.') && i > 0 && i < len(s)-1:
		default:
			return false
		}
	}
	return s != ""
}
