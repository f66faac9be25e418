package schema

import (
	"strconv"
	"strings"
)

const (
	whatPath   = "path"
	advicePath = "separate fields with dots and write indexes and map keys in brackets, such as " +
		"spec.containers[2].image or labels[app]"
)

// ParsePath reads the text that [Path.String] writes; the blank text is the root, a nil path.
// Brackets around an integer are an index, all others a map key. The error is a [*ParseError].
func ParsePath(s string) (*Path, error) {
	var p *Path
	for i := 0; i < len(s); {
		var n int
		var reason string
		switch {
		case s[i] == '[':
			p, n, reason = parseBracket(p, s[i:])
		case i == 0:
			p, n, reason = parseField(p, s)
		case s[i] == '.':
			i++
			p, n, reason = parseField(p, s[i:])
		default: // after a bracket or a quoted name
			reason = "'.' or '[' is missing"
		}
		if reason != "" {
			return nil, &ParseError{What: whatPath, Input: s, Offset: i + n, Reason: reason, Advice: advicePath}
		}
		i += n
	}
	return p, nil
}

// parseField reads a field name at the start of s. It returns the path with the field and the
// number of bytes read, or a problem and its byte offset.
func parseField(p *Path, s string) (*Path, int, string) {
	if strings.HasPrefix(s, `"`) {
		name, n, reason := parseQuoted(s)
		if reason != "" {
			return nil, n, reason
		}
		return p.Child(name), n, ""
	}
	n := strings.IndexAny(s, ".[")
	if n < 0 {
		n = len(s)
	}
	name := s[:n]
	switch {
	case name == "":
		return nil, 0, "a field name is missing"
	case !isPlainField(name):
		return nil, 0, "the field name needs quotes"
	}
	return p.Child(name), n, ""
}

// parseBracket reads an index or a map key in brackets at the start of s.
func parseBracket(p *Path, s string) (*Path, int, string) {
	if strings.HasPrefix(s, `["`) {
		key, n, reason := parseQuoted(s[1:])
		n++
		switch {
		case reason != "":
			return nil, n, reason
		case n >= len(s) || s[n] != ']':
			return nil, n, "']' is missing"
		}
		return p.Key(key), n + 1, ""
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return nil, len(s), "']' is missing"
	}
	inner := s[1:end]
	if inner == "" {
		return nil, 1, "the brackets are empty"
	}
	if looksLikeIndex(inner) {
		i, err := strconv.Atoi(inner)
		if err != nil || strconv.Itoa(i) != inner {
			return nil, 1, "this is not an index; a map key of digits needs quotes"
		}
		return p.Index(i), end + 1, ""
	}
	if !isPlainKey(inner) {
		return nil, 1, "the map key needs quotes"
	}
	return p.Key(inner), end + 1, ""
}

// parseQuoted reads a text quoted as in Go at the start of s, which begins with a quotation mark.
func parseQuoted(s string) (text string, n int, reason string) {
	quoted, err := strconv.QuotedPrefix(s)
	if err == nil {
		text, err = strconv.Unquote(quoted)
	}
	if err != nil {
		return "", 0, "the quoted text has a bad escape or no end"
	}
	return text, len(quoted), ""
}
