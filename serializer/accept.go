package serializer

import (
	"math/bits"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// An Accept header is read into clauses: one media range with its parameters each. The grammar is
// that of RFC 9110 sections 5.6.1, 5.6.6 and 12.5.1, with three liberties, each for the sake of
// clients that exist:
//
//   - A list element without a slash that has the form name=value continues the clause before it,
//     so that "application/json;g=meta.k8s.io,v=v1,as=Table" means what its author meant.
//   - "*" alone is read as "*/*", and a weight may be written ".2" for "0.2": Java's HTTP client
//     sent both for decades.
//   - A weight is read wherever it stands among the parameters.
//
// A clause that is malformed, or that has a parameter or a value that nobody here understands, is
// kept with its fault: it takes no part in the choice, but an error about the header can name it.

// maxClauses bounds the clauses of one header, because the choice compares each with each. Those
// behind are ignored.
const maxClauses = 64

// level says how much of a media range is wildcard.
type level uint8

const (
	anyType    level = iota // */*
	anySubtype              // application/*
	exact                   // application/json
)

// parameters is the set of parameters that a clause states.
type parameters uint16

const (
	hasGroup parameters = 1 << iota
	hasVersion
	hasAs
	hasServer
	hasExport
	hasPretty
	hasStream
	hasProfile
	hasInclude
	hasDrop
	hasQuality
	hasCharset

	// transforming are the parameters that choose the kind that is shown.
	transforming = hasGroup | hasVersion | hasAs
	// choosing are all that tell one representation from another, and so make a clause more
	// specific.
	choosing = transforming | hasServer | hasExport | hasPretty | hasStream | hasProfile | hasInclude | hasDrop
)

// fullQuality is the weight 1; weights are kept in thousandths.
const fullQuality = 1000

// clause is one element of an Accept header. Its strings are parts of the header.
type clause struct {
	text        string // as the client wrote it
	line, start int    // where the text begins
	// of the media range: type/subtype, or the type where the subtype is a wildcard; case as
	// written
	typ            string
	group, version string
	as             string
	server         string // the parameter sv
	include        string // the parameter includeObject
	profile        string
	stream         string
	has            parameters
	quality        uint16
	level          level
	pretty, export bool
	drop           bool // managedFields are left out
	fault          fault

	// Found in the course of a negotiation:
	name   *name                   // of an exact range, nil if it is neither a media type of the factory nor an alias
	target schema.GroupVersionKind // what the parameters ask for
	media  mediaSet                // the media types on offer that the range covers
	rank   int                     // how specific the clause is
}

// fault is the reason why a clause is not considered; the zero fault is none.
type fault struct {
	kind        faultKind
	name, value string // of the parameter, where one is at fault
}

type faultKind uint8

const (
	noFault faultKind = iota
	malformed
	unknownParameter
	badValue
	repeatedParameter
	orphanParameter
	unavailable // well-formed, but what it asks for does not exist
)

// String is the reason as the error about a header shows it.
func (f fault) String() string {
	switch f.kind {
	case malformed:
		return "malformed"
	case unknownParameter:
		return "unknown parameter " + f.name
	case badValue:
		if f.value == "" {
			return "bad value of the parameter " + f.name
		}
		return "bad value of the parameter " + f.name + ": " + quote(f.value)
	case repeatedParameter:
		return "the parameter " + f.name + " is stated twice"
	case orphanParameter:
		return "no media type before the parameter " + f.name
	}
	return ""
}

// specificity orders clauses that match the same representation by how much they say about it:
// first by media range, then by the number of parameters (RFC 9110 12.5.1: "the most specific
// reference has precedence").
func (c *clause) specificity() int {
	return int(c.level)<<4 | bits.OnesCount16(uint16(c.has&choosing))
}

// parseAccept appends the clauses of the lines of an Accept header to dst, in order. Several lines
// mean the same as one with commas between them. Parameters named in harmless, in lower case, are
// as if they were not there.
func parseAccept(dst []clause, lines, harmless []string) []clause {
	for n, line := range lines {
		for i := 0; ; {
			i = skipSpace(line, i)
			if i < len(line) && line[i] == ',' {
				i++
				continue
			}
			if i == len(line) {
				break
			}
			word := tokenEnd(line, i)
			// with a parameter, rather than a media range
			continues := word > i && word < len(line) && line[word] == '='
			if len(dst) == maxClauses && !continues {
				return dst
			}
			if continues {
				dst, i = parseContinuation(dst, line, n, i, word, harmless)
			} else {
				dst, i = parseElement(dst, line, n, i, word, harmless)
			}
		}
	}
	return dst
}

// parseContinuation reads the list element that starts at line[i] of the line n with a parameter,
// whose name ends at word, up to the comma that ends the element: it continues the last clause. It
// returns the position behind the element.
func parseContinuation(dst []clause, line string, n, i, word int, harmless []string) ([]clause, int) {
	start := i
	if len(dst) == 0 {
		dst = addClause(dst, n, i)
		dst[0].fail(fault{kind: orphanParameter, name: line[i:word]})
	}
	c := &dst[len(dst)-1]
	i, ok := c.parseParameter(line, i, harmless)
	if ok {
		i = c.parseParameters(line, i, harmless)
	} else {
		i = skipElement(line, i)
	}
	if c.line == n {
		c.text = trimRight(line[c.start:i])
	} else {
		c.text += ", " + trimRight(line[start:i])
	}
	return dst, i
}

// parseElement reads the list element that starts at line[i] of the line n with a media range,
// whose type ends at word: a new clause. It returns the position behind the element.
func parseElement(dst []clause, line string, n, start, word int, harmless []string) ([]clause, int) {
	dst = addClause(dst, n, start)
	c := &dst[len(dst)-1]
	i, ok := c.parseRange(line, start, word)
	if ok {
		i = c.parseParameters(line, i, harmless)
	} else {
		c.fail(fault{kind: malformed})
		i = skipElement(line, i)
	}
	c.text = trimRight(line[start:i])
	return dst, i
}

// addClause appends a clause that begins at line[start] of the line n. What lies behind the end of
// dst is zero: it was never used, or cleared.
func addClause(dst []clause, n, start int) []clause {
	if len(dst) < cap(dst) {
		dst = dst[:len(dst)+1]
	} else {
		dst = append(dst, clause{})
	}
	c := &dst[len(dst)-1]
	c.line, c.start, c.quality = n, start, fullQuality
	return dst
}

func trimRight(s string) string {
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// parseRange reads a media range, whose type ends at slash.
func (c *clause) parseRange(s string, i, slash int) (end int, ok bool) {
	c.typ = s[i:slash]
	if slash == len(s) || s[slash] != '/' {
		c.level = anyType
		return slash, c.typ == "*"
	}
	end = tokenEnd(s, slash+1)
	subtype := s[slash+1 : end]
	switch {
	case c.typ == "" || subtype == "":
		return end, false
	case subtype != "*":
		c.level = exact
		ok = c.typ != "*"
		c.typ = s[i:end]
		return end, ok
	case c.typ != "*":
		c.level = anySubtype
	default:
		c.level = anyType
	}
	return end, true
}

// parseParameters reads what follows a media range or a parameter, up to the end of the list
// element.
func (c *clause) parseParameters(s string, i int, harmless []string) int {
	for {
		i = skipSpace(s, i)
		switch {
		case i == len(s) || s[i] == ',':
			return i
		case s[i] != ';':
			c.fail(fault{kind: malformed})
			return skipElement(s, i)
		}
		i = skipSpace(s, i+1)
		if i == len(s) || s[i] == ',' || s[i] == ';' { // empty parameters are allowed
			continue
		}
		var ok bool
		if i, ok = c.parseParameter(s, i, harmless); !ok {
			return skipElement(s, i)
		}
	}
}

// parseParameter reads one name=value. ok is false where that is not what stands there; the fault
// is noted then.
func (c *clause) parseParameter(s string, i int, harmless []string) (end int, ok bool) {
	end = tokenEnd(s, i)
	name := s[i:end]
	if name == "" || end == len(s) || s[end] != '=' {
		c.fail(fault{kind: malformed})
		return end, false
	}
	value, end, ok := parseValue(s, end+1)
	if !ok {
		c.fail(fault{kind: badValue, name: name})
		return end, false
	}
	c.set(name, value, harmless)
	return end, true
}

// parseValue reads the value of a parameter: a token or a quoted string.
func parseValue(s string, i int) (value string, end int, ok bool) {
	if i < len(s) && s[i] == '"' {
		if value, end, ok = quotedString(s, i); !ok {
			end = i // where skipping must begin to know what is inside quotes
		}
		return value, end, ok
	}
	end = tokenEnd(s, i)
	return s[i:end], end, end > i
}

// skipElement returns the position of the comma that ends the list element, passing over quoted
// strings. A string without its closing quote takes the rest of the line.
func skipElement(s string, i int) int {
	for i < len(s) && s[i] != ',' {
		if s[i] != '"' {
			i++
			continue
		}
		for i++; i < len(s) && s[i] != '"'; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		i = min(i+1, len(s))
	}
	return i
}

// set notes a parameter of the clause.
func (c *clause) set(name, value string, harmless []string) {
	var p parameters
	valid := true
	switch len(name) {
	case 1:
		switch name[0] | 0x20 {
		case 'g':
			p, c.group = hasGroup, value
		case 'v':
			p, c.version, valid = hasVersion, value, value != ""
		case 'q':
			p = hasQuality
			c.quality, valid = parseQuality(value)
		}
	case 2:
		switch {
		case equalFold(name, "as"):
			p, c.as, valid = hasAs, value, value != ""
		case equalFold(name, "sv"):
			p, c.server, valid = hasServer, value, value != ""
		}
	case 4:
		if equalFold(name, "drop") {
			p, c.drop, valid = hasDrop, dropsManagedFields(value), value != ""
		}
	case 6:
		switch {
		case equalFold(name, "pretty"):
			p, c.pretty, valid = hasPretty, value == "1", value == "0" || value == "1"
		case equalFold(name, "export"):
			p, c.export, valid = hasExport, value == "1", value == "0" || value == "1"
		case equalFold(name, "stream"):
			p, c.stream, valid = hasStream, value, value != ""
		}
	case 7:
		switch {
		case equalFold(name, "charset"):
			p, valid = hasCharset, isUTF8Label(value)
		case equalFold(name, "profile"):
			p, c.profile, valid = hasProfile, value, value != ""
		}
	case 13:
		if equalFold(name, "includeObject") {
			p, c.include, valid = hasInclude, value, isIncludePolicy(value)
		}
	}
	switch {
	case p == 0:
		if len(harmless) == 0 || !slices.Contains(harmless, strings.ToLower(name)) {
			c.fail(fault{kind: unknownParameter, name: name})
		}
	case c.has&p != 0:
		c.fail(fault{kind: repeatedParameter, name: name})
	case !valid:
		c.fail(fault{kind: badValue, name: name, value: value})
	}
	c.has |= p
}

// equalFold is strings.EqualFold for texts in ASCII that are not empty, with short ways for what is
// equal and for most of what is not.
func equalFold(s, t string) bool {
	if len(s) != len(t) {
		return false
	}
	last := len(s) - 1
	return s == t || ((s[0]^t[0])|(s[last]^t[last]))&^0x20 == 0 && strings.EqualFold(s, t)
}

// fail notes the first fault.
func (c *clause) fail(f fault) {
	if c.fault.kind == noFault {
		c.fault = f
	}
}

// isIncludePolicy reports whether s is one of the values of includeObject.
func isIncludePolicy(s string) bool {
	switch metav1.IncludeObjectPolicy(s) {
	case metav1.IncludeNone, metav1.IncludeMetadata, metav1.IncludeObject:
		return true
	}
	return false
}

// isUTF8Label reports whether the name of a character encoding is that of UTF-8, the only one
// spoken here.
func isUTF8Label(name string) bool { return equalFold(name, "utf-8") }

// parseQuality reads a weight in thousandths: "0" or "1" with up to three decimals, at most 1, with
// or without the digit before the point.
func parseQuality(s string) (uint16, bool) {
	q, i := uint16(0), 0
	if i < len(s) && s[i] != '.' {
		if s[i] > '1' || s[i] < '0' {
			return 0, false
		}
		q, i = uint16(s[i]-'0')*fullQuality, 1
	}
	if i == len(s) {
		return q, i > 0
	}
	if s[i] != '.' || len(s) == 1 || len(s) > i+4 {
		return 0, false
	}
	unit := uint16(100)
	for i++; i < len(s); i++ {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		q += uint16(d) * unit
		unit /= 10
	}
	return q, q <= fullQuality
}

// mediaType is a media type without parameters.
type mediaType struct {
	name         string // type/subtype in lower case
	typ, subtype string
	format       int                      // index of the format among those of the factory
	index        int                      // of the media type among those of the factory
	encodes      func(*runtime.Kind) bool // of the format; nil if it writes every kind
	events       bool                     // the format has frames for events
}

// mediaSet is a set of media types, by their indexes in an offer.
type mediaSet uint64

// maxMediaTypes is how many media types an offer can have.
const maxMediaTypes = 64

// parseMediaType takes a bare media type apart.
func parseMediaType(s string) (mediaType, bool) {
	name := strings.ToLower(s)
	typ, subtype, ok := strings.Cut(name, "/")
	return mediaType{name: name, typ: typ, subtype: subtype}, ok && isToken(typ) && isToken(subtype) && typ != "*" &&
		subtype != "*"
}

// contentType is a Content-Type header, taken apart.
type contentType struct {
	name    string // type/subtype in lower case
	charset string
}

// parseContentType reads a Content-Type header (RFC 9110 8.3.1). Parameters other than charset are
// of no interest; they must be well-formed. A comma in place of a semicolon is understood as it is
// in an Accept header, see [clause], if a parameter follows.
func parseContentType(s string) (ct contentType, ok bool) {
	i := skipSpace(s, 0)
	start := i
	for i < len(s) && s[i] != ';' && s[i] != ',' && s[i] != ' ' && s[i] != '\t' {
		i++
	}
	m, ok := parseMediaType(s[start:i])
	if !ok {
		return ct, false
	}
	ct.name = m.name
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
		if end == i { // an empty parameter, or the next round finds what is wrong
			continue
		}
		name := strings.ToLower(s[i:end])
		if end == len(s) || s[end] != '=' || slices.Contains(seen, name) {
			return ct, false
		}
		seen = append(seen, name)
		var value string
		if value, i, ok = parseValue(s, end+1); !ok {
			return ct, false
		}
		if name == "charset" {
			ct.charset = value
		}
	}
}
