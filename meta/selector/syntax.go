package selector

import (
	"strings"

	"github.com/askind/askind/internal/names"
)

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
	case prefixed && (len(prefix) > maxLabelPrefix || !names.IsSubdomain(prefix)):
		return "the part before the slash must be a DNS name in lower case of at most 253 characters"
	case name == "":
		return "the name is blank"
	case len(name) > maxLabelName:
		return "the name must have at most 63 characters"
	case !names.IsWord(name):
		return "the name must consist of letters, digits, '-', '_' and '.', with letters or digits at both ends"
	}
	return ""
}

// checkLabelValue returns the problem of a label value, or "".
func checkLabelValue(value string) string {
	switch {
	case len(value) > maxLabelName:
		return "a value must have at most 63 characters"
	case value != "" && !names.IsWord(value):
		return "a value must be blank or consist of letters, digits, '-', '_' and '.', with letters or digits at both ends"
	}
	return ""
}
