package validation

import (
	"strings"

	"github.com/askind/askind/internal/names"
)

// The maximum lengths, in bytes.
const (
	MaxDNSLabel     = 63
	MaxDNSSubdomain = 253
	MaxLabelValue   = 63
)

// The rules in the words of Kubernetes, which people and scripts search for.
const (
	labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	textPattern  = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

	lowerEnds    = " must consist of lower case alphanumeric characters"
	alphanumeric = "must start and end with an alphanumeric character"

	labelRule = "a lowercase RFC 1123 label" + lowerEnds + " or '-', and " + alphanumeric +
		" (e.g. 'my-name',  or '123-abc', regex used for validation is '" + labelPattern + "')"
	subdomainRule = "a lowercase RFC 1123 subdomain" + lowerEnds + ", '-' or '.', and " + alphanumeric +
		" (e.g. 'example.com', regex used for validation is '" + labelPattern + `(\.` + labelPattern + ")*')"
	keyRule = "must consist of alphanumeric characters, '-', '_' or '.', and " + alphanumeric +
		" (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '" + textPattern + "')"
	valueRule = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and " +
		alphanumeric + " (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(" +
		textPattern + ")?')"

	// Kubernetes calls bytes characters in the rules for names.
	tooLong      = "must be no more than "
	tooLongName  = tooLong + "63 characters"
	tooLongLabel = tooLong + "63 bytes"
)

// NameFunc returns the violated rules for the name of an object. If prefix is set the text is the
// beginning of a name, from generateName, which may end in a dash.
type NameFunc func(name string, prefix bool) []string

// DNSSubdomain allows lower-case letters, digits, dashes and dots, with letters or digits around
// each dot and at both ends, of at most 253 bytes. It is the rule for the names of most kinds.
func DNSSubdomain(name string, prefix bool) (violated []string) {
	name = completed(name, prefix)
	if len(name) > MaxDNSSubdomain {
		violated = append(violated, tooLong+"253 characters")
	}
	if !names.IsSubdomain(name) {
		violated = append(violated, subdomainRule)
	}
	return violated
}

// DNSLabel allows lower-case letters, digits and dashes, with a letter or digit at both ends, of at
// most 63 bytes. It is the rule for namespaces.
func DNSLabel(name string, prefix bool) (violated []string) {
	name = completed(name, prefix)
	if len(name) > MaxDNSLabel {
		violated = append(violated, tooLongName)
	}
	switch {
	case names.IsLabel(name):
	case names.IsSubdomain(name):
		violated = append(violated, "must not contain dots")
	default:
		violated = append(violated, labelRule)
	}
	return violated
}

// PathSegment allows every text that can be one segment of a URL path. It is the rule for kinds
// whose names come from outside, such as the names of users.
func PathSegment(name string, prefix bool) (violated []string) {
	switch {
	case name == "" && !prefix:
		return []string{"must be non-empty"}
	case !prefix && (name == "." || name == ".."):
		return []string{"may not be '" + name + "'"}
	}
	for _, s := range []string{"/", "%"} {
		if strings.Contains(name, s) {
			violated = append(violated, "may not contain '"+s+"'")
		}
	}
	return violated
}

// completed replaces the dash at the end of a prefix by a letter, as the characters that the server
// appends do.
func completed(name string, prefix bool) string {
	if prefix && len(name) > 1 && name[len(name)-1] == '-' {
		return name[:len(name)-1] + "a"
	}
	return name
}

// QualifiedName allows keys of labels, annotations and finalizers: a name of letters, digits, '-',
// '_' and '.' with at most 63 bytes, optionally preceded by a DNS subdomain and a slash. It returns
// the violated rules.
func QualifiedName(key string) (violated []string) {
	prefix, name, prefixed := strings.Cut(key, "/")
	switch {
	case !prefixed:
		name = key
	case strings.Contains(name, "/"):
		return []string{"a valid label key " + keyRule +
			" with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	case prefix == "":
		violated = append(violated, "prefix part must be non-empty")
	default:
		if len(prefix) > MaxDNSSubdomain {
			violated = append(violated, "prefix part "+tooLong+"253 bytes")
		}
		if !names.IsSubdomain(prefix) {
			violated = append(violated, "prefix part "+subdomainRule)
		}
	}
	switch {
	case name == "":
		violated = append(violated, "name part must be non-empty")
	case len(name) > MaxDNSLabel:
		violated = append(violated, "name part "+tooLongLabel)
	}
	if !names.IsWord(name) {
		violated = append(violated, "name part "+keyRule)
	}
	return violated
}

// LabelValue allows blank texts, and texts of letters, digits, '-', '_' and '.' with a letter or
// digit at both ends, of at most 63 bytes. It returns the violated rules.
func LabelValue(value string) (violated []string) {
	if len(value) > MaxLabelValue {
		violated = append(violated, tooLongLabel)
	}
	if value != "" && !names.IsWord(value) {
		violated = append(violated, valueRule)
	}
	return violated
}
