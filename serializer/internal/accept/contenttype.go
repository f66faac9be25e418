package accept

import (
	"slices"
	"strings"
)

// MediaType is a media type without parameters.
type MediaType struct {
	Name string // type/subtype in lower case
	Type string // the part of the name before the slash
}

// ParseMediaType parses a media type without parameters.
func ParseMediaType(s string) (m MediaType, ok bool) {
	name := strings.ToLower(s)
	typ, subtype, ok := strings.Cut(name, "/")
	return MediaType{Name: name, Type: typ},
		ok && IsToken(typ) && IsToken(subtype) && typ != "*" && subtype != "*"
}

// ContentType is a parsed Content-Type header.
type ContentType struct {
	Name    string // type/subtype in lower case
	Charset string
}

// maxParameters bounds the parameters of a media type, because each is compared with all others.
const maxParameters = 64

// ParseContentType parses a Content-Type header (RFC 9110 8.3.1). Parameters other than charset are
// ignored but must be well-formed, and there may be at most 64. As in an Accept header (see the
// package comment), a comma that precedes a parameter is treated as a semicolon.
func ParseContentType(s string) (ct ContentType, ok bool) {
	i := skipSpace(s, 0)
	start := i
	for i < len(s) && s[i] != ';' && s[i] != ',' && s[i] != ' ' && s[i] != '\t' {
		i++
	}
	m, ok := ParseMediaType(s[start:i])
	if !ok {
		return ct, false
	}
	ct.Name = m.Name
	var seen []string
	for {
		i = skipSpace(s, i)
		if i == len(s) {
			return ct, true
		}
		comma := s[i] == ','
		if s[i] != ';' && !comma {
			return ct, false
		}
		i = skipSpace(s, i+1)
		end := tokenEnd(s, i)
		if end == i && comma {
			return ct, false
		}
		if end == i { // an empty parameter; the next round finds any error
			continue
		}
		name := strings.ToLower(s[i:end])
		if end == len(s) || s[end] != '=' || len(seen) == maxParameters || slices.Contains(seen, name) {
			return ct, false
		}
		seen = append(seen, name)
		var value string
		if value, i, ok = parseValue(s, end+1); !ok {
			return ct, false
		}
		if name == "charset" {
			ct.Charset = value
		}
	}
}
