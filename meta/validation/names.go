package validation

import "strings"

// The maximum lengths, in bytes.
const (
	MaxDNSLabel     = 63
	MaxDNSSubdomain = 253
	MaxLabelValue   = 63
)

// NameFunc returns the violated rule for the name of an object, or "". If prefix is set the text is
// the beginning of a name, from generateName, which may end in a dash.
type NameFunc func(name string, prefix bool) string

// DNSSubdomain allows lower-case letters, digits, dashes and dots, with letters or digits around
// each dot and at both ends, of at most 253 bytes. It is the rule for the names of most kinds.
func DNSSubdomain(name string, prefix bool) string {
	name = withoutDash(name, prefix)
	switch {
	case len(name) > MaxDNSSubdomain:
		return "must be no more than 253 characters"
	case !isSubdomain(name):
		return "must be a lowercase RFC 1123 subdomain: letters, digits, '-' and '.', with a letter or digit at both " +
			"ends (such as example.com)"
	}
	return ""
}

// DNSLabel allows lower-case letters, digits and dashes, with a letter or digit at both ends, of at
// most 63 bytes. It is the rule for namespaces.
func DNSLabel(name string, prefix bool) string {
	name = withoutDash(name, prefix)
	switch {
	case len(name) > MaxDNSLabel:
		return "must be no more than 63 characters"
	case !isDNSLabel(name):
		return "must be a lowercase RFC 1123 label: letters, digits and '-', with a letter or digit at both ends " +
			"(such as my-name)"
	}
	return ""
}

// PathSegment allows every text that can be one segment of a URL path. It is the rule for kinds
// whose names come from outside, such as the names of users.
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

// withoutDash converts a prefix to a possible name.
func withoutDash(name string, prefix bool) string {
	if prefix && len(name) > 1 {
		return strings.TrimSuffix(name, "-")
	}
	return name
}

// QualifiedName allows keys of labels, annotations and finalizers: a name of letters, digits, '-',
// '_' and '.' with at most 63 bytes, optionally preceded by a DNS subdomain and a slash.
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

// LabelValue allows blank texts, and texts of letters, digits, '-', '_' and '.' with a letter or
// digit at both ends, of at most 63 bytes.
func LabelValue(value string) string {
	switch {
	case len(value) > MaxLabelValue:
		return "must be no more than 63 characters"
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
