// Package accept reads the Accept and Content-Type headers of requests: their grammar, the
// parameters that askind knows, and the precedence of clauses by specificity. Package serializer
// decides what a clause requests and whether it is available.
//
// An Accept header is parsed into clauses, each a media range with its parameters. The grammar is
// that of RFC 9110 sections 5.6.1, 5.6.6 and 12.5.1, with three extensions for existing clients:
//
//   - A list element of the form name=value without a slash continues the previous clause, so that
//     "application/json;g=meta.k8s.io,v=v1,as=Table" has the intended meaning.
//   - "*" alone is read as "*/*", and a weight may be written ".2" for "0.2": Java's HTTP client
//     sent both for decades.
//   - A weight may be anywhere among the parameters.
//
// A clause that is malformed, or that has an unknown parameter or a bad value, is kept with its
// fault, so that an error can report it.
package accept

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/askind/askind/schema"
)

// MaxClauses bounds the clauses of one header, because negotiation compares them pairwise. Excess
// clauses are ignored.
const MaxClauses = 64

// maxText is the length from which on a clause does not keep the text of further lines. Each copies
// the text before it, and a header may have many lines.
const maxText = 1 << 10

// Level is the specificity of a media range.
type Level uint8

// The levels, from the least specific to the most specific.
const (
	AnyType    Level = iota // */*
	AnySubtype              // application/*
	Exact                   // application/json
)

// Parameters is the set of parameters in a clause.
type Parameters uint16

// The parameters of media ranges.
const (
	HasGroup Parameters = 1 << iota
	HasVersion
	HasAs
	HasServer
	HasExport
	HasPretty
	HasStream
	HasProfile
	HasInclude
	HasDrop
	HasQuality
	HasCharset

	// Transforming are the parameters that select the kind of the response.
	Transforming = HasGroup | HasVersion | HasAs
	// Choosing are the parameters that select a representation, and so make a clause more specific.
	Choosing = Transforming | HasServer | HasExport | HasPretty | HasStream | HasProfile | HasInclude | HasDrop
)

// FullQuality is the weight 1; weights are in thousandths.
const FullQuality = 1000

// Clause is one element of an Accept header. Its strings are parts of the header.
type Clause struct {
	Text        string // as the client sent it
	line, start int    // start of the text
	// Range is the media range in its original case: type/subtype, or only the type if the subtype
	// is a wildcard.
	Range          string
	Group, Version string
	As             string
	Server         string // the parameter sv
	Include        string // the parameter includeObject
	Profile        string
	Stream         string
	Has            Parameters
	Quality        uint16
	Level          Level
	Pretty, Export bool
	Drop           bool // managedFields are left out
	Fault          Fault
}

// Fault is the reason why a clause is ignored; the zero value means no fault.
type Fault struct {
	Kind        FaultKind
	Name, Value string // of the offending parameter, if any
}

// FaultKind classifies faults.
type FaultKind uint8

// The faults. Negotiation sets Unavailable: the clause is well-formed, but it requests something
// that does not exist.
const (
	NoFault FaultKind = iota
	Malformed
	UnknownParameter
	BadValue
	RepeatedParameter
	OrphanParameter
	Unavailable
)

// maxName bounds the name of a parameter in an error message.
const maxName = 64

// String returns the reason for an error message.
func (f Fault) String() string {
	name := schema.Shorten(f.Name, maxName)
	switch f.Kind {
	case Malformed:
		return "malformed"
	case UnknownParameter:
		return "unknown parameter " + name
	case BadValue:
		if f.Value == "" {
			return "bad value of the parameter " + name
		}
		return "bad value of the parameter " + name + ": " + schema.Quote(f.Value)
	case RepeatedParameter:
		return "the parameter " + name + " occurs twice"
	case OrphanParameter:
		return "no media type before the parameter " + name
	}
	return ""
}

// Specificity orders clauses that match the same representation: first by media range, then by the
// number of parameters (RFC 9110 12.5.1: "the most specific reference has precedence").
func (c *Clause) Specificity() int {
	return int(c.Level)<<4 | bits.OnesCount16(uint16(c.Has&Choosing))
}

// Covers reports whether the parameters of c, except those in [Transforming], apply to what asked
// requests.
func (c *Clause) Covers(asked *Clause) bool {
	return (c.Has&HasServer == 0 || c.Server == asked.Server) &&
		(c.Has&HasInclude == 0 || c.Include == asked.Include) &&
		(c.Has&HasProfile == 0 || c.Profile == asked.Profile) &&
		(c.Has&HasExport == 0 || c.Export == asked.Export) &&
		(c.Has&HasDrop == 0 || c.Drop == asked.Drop) &&
		(c.Has&HasPretty == 0 || c.Pretty == asked.Pretty)
}

// Inherit adds parameters of another clause to c, which must not have them yet.
func (c *Clause) Inherit(from *Clause, add Parameters) {
	if add&HasGroup != 0 {
		c.Group = from.Group
	}
	if add&HasVersion != 0 {
		c.Version = from.Version
	}
	if add&HasAs != 0 {
		c.As = from.As
	}
	if add&HasServer != 0 {
		c.Server = from.Server
	}
	if add&HasExport != 0 {
		c.Export = from.Export
	}
	if add&HasPretty != 0 {
		c.Pretty = from.Pretty
	}
	if add&HasStream != 0 {
		c.Stream = from.Stream
	}
	if add&HasProfile != 0 {
		c.Profile = from.Profile
	}
	if add&HasInclude != 0 {
		c.Include = from.Include
	}
	if add&HasDrop != 0 {
		c.Drop = from.Drop
	}
	c.Has |= add
}

// Parse appends the clauses of the lines of an Accept header to dst, in order. Several lines are
// equivalent to one line with commas between them. Parameters whose lower-case names are in
// harmless are ignored.
func Parse(dst []Clause, lines, harmless []string) []Clause {
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
			// whether the element begins with a parameter rather than a media range
			continues := word > i && word < len(line) && line[word] == '='
			if len(dst) == MaxClauses && !continues {
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

// parseContinuation parses the list element that starts at line[i] of the line n with a parameter,
// whose name ends at word. The element continues the last clause. It returns the position after the
// element.
func parseContinuation(dst []Clause, line string, n, i, word int, harmless []string) ([]Clause, int) {
	start := i
	if len(dst) == 0 {
		dst = addClause(dst, n, i)
		dst[0].Fail(Fault{Kind: OrphanParameter, Name: line[i:word]})
	}
	c := &dst[len(dst)-1]
	i, ok := c.parseParameter(line, i, harmless)
	if ok {
		i = c.parseParameters(line, i, harmless)
	} else {
		i = skipElement(line, i)
	}
	if c.line == n {
		c.Text = trimRight(line[c.start:i])
	} else if len(c.Text) < maxText {
		c.Text += ", " + trimRight(line[start:i])
	}
	return dst, i
}

// parseElement parses the list element that starts at line[i] of the line n with a media range,
// whose type ends at word. The element begins a new clause. It returns the position after the
// element.
func parseElement(dst []Clause, line string, n, start, word int, harmless []string) ([]Clause, int) {
	dst = addClause(dst, n, start)
	c := &dst[len(dst)-1]
	i, ok := c.parseRange(line, start, word)
	if ok {
		i = c.parseParameters(line, i, harmless)
	} else {
		c.Fail(Fault{Kind: Malformed})
		i = skipElement(line, i)
	}
	c.Text = trimRight(line[start:i])
	return dst, i
}

// addClause appends a clause that begins at line[start] of the line n.
func addClause(dst []Clause, n, start int) []Clause {
	return append(dst, Clause{line: n, start: start, Quality: FullQuality})
}

func trimRight(s string) string { return strings.TrimRight(s, " \t") }

// parseRange parses a media range, whose type ends at slash.
func (c *Clause) parseRange(s string, i, slash int) (end int, ok bool) {
	c.Range = s[i:slash]
	if slash == len(s) || s[slash] != '/' {
		c.Level = AnyType
		return slash, c.Range == "*"
	}
	end = tokenEnd(s, slash+1)
	subtype := s[slash+1 : end]
	switch {
	case c.Range == "" || subtype == "":
		return end, false
	case subtype != "*":
		c.Level = Exact
		ok = c.Range != "*"
		c.Range = s[i:end]
		return end, ok
	case c.Range != "*":
		c.Level = AnySubtype
	default:
		c.Level = AnyType
	}
	return end, true
}

// parseParameters parses the text after a media range or a parameter, up to the end of the list
// element.
func (c *Clause) parseParameters(s string, i int, harmless []string) int {
	for {
		i = skipSpace(s, i)
		switch {
		case i == len(s) || s[i] == ',':
			return i
		case s[i] != ';':
			c.Fail(Fault{Kind: Malformed})
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

// parseParameter parses one name=value. If the text is not a parameter, it records the fault and
// returns false.
func (c *Clause) parseParameter(s string, i int, harmless []string) (end int, ok bool) {
	end = tokenEnd(s, i)
	name := s[i:end]
	if name == "" || end == len(s) || s[end] != '=' {
		c.Fail(Fault{Kind: Malformed})
		return end, false
	}
	value, end, ok := parseValue(s, end+1)
	if !ok {
		c.Fail(Fault{Kind: BadValue, Name: name})
		return end, false
	}
	c.set(name, value, harmless)
	return end, true
}

// parseValue parses the value of a parameter: a token or a quoted string.
func parseValue(s string, i int) (value string, end int, ok bool) {
	if i < len(s) && s[i] == '"' {
		if value, end, ok = quotedString(s, i); !ok {
			end = i // skipping must start here to recognize quoted text
		}
		return value, end, ok
	}
	end = tokenEnd(s, i)
	return s[i:end], end, end > i
}

// skipElement returns the position of the comma that ends the list element, skipping quoted
// strings. A string without a closing quote extends to the end of the line.
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

// set records a parameter of the clause.
func (c *Clause) set(name, value string, harmless []string) {
	var p Parameters
	valid := true
	switch lower := strings.ToLower(name); lower {
	case "g":
		p, c.Group = HasGroup, value
	case "v":
		p, c.Version, valid = HasVersion, value, value != ""
	case "as":
		p, c.As, valid = HasAs, value, value != ""
	case "sv":
		p, c.Server, valid = HasServer, value, value != ""
	case "export":
		p, c.Export, valid = HasExport, value == "1", value == "0" || value == "1"
	case "pretty":
		p, c.Pretty, valid = HasPretty, value == "1", value == "0" || value == "1"
	case "stream":
		p, c.Stream, valid = HasStream, value, value != ""
	case "profile":
		p, c.Profile, valid = HasProfile, value, value != ""
	case "includeobject":
		p, c.Include, valid = HasInclude, value, isIncludePolicy(value)
	case "drop":
		p, c.Drop, valid = HasDrop, dropsManagedFields(value), value != ""
	case "q":
		p = HasQuality
		c.Quality, valid = parseQuality(value)
	case "charset":
		p, valid = HasCharset, IsUTF8(value)
	default:
		if !slices.Contains(harmless, lower) {
			c.Fail(Fault{Kind: UnknownParameter, Name: name})
		}
		return
	}
	switch {
	case c.Has&p != 0:
		c.Fail(Fault{Kind: RepeatedParameter, Name: name})
	case !valid:
		c.Fail(Fault{Kind: BadValue, Name: name, Value: value})
	}
	c.Has |= p
}

// Fail records a fault, unless the clause has one already.
func (c *Clause) Fail(f Fault) {
	if c.Fault.Kind == NoFault {
		c.Fault = f
	}
}

// isIncludePolicy reports whether s is one of the values of includeObject.
func isIncludePolicy(s string) bool { return s == "None" || s == "Metadata" || s == "Object" }

// ManagedFields is the only value of the parameter drop with an effect (KEP-5958 of Kubernetes).
const ManagedFields = "metadata.managedFields"

// dropsManagedFields reports whether a value of the parameter drop names them. Other fields are
// ignored, as the proposal requires, so that clients can name fields that only later servers know.
func dropsManagedFields(value string) bool {
	for field := range strings.SplitSeq(value, "+") {
		if field == ManagedFields {
			return true
		}
	}
	return false
}

// IsUTF8 reports whether the name of a character encoding is that of UTF-8, the only one supported.
func IsUTF8(name string) bool { return strings.EqualFold(name, "utf-8") }

// parseQuality parses a weight in thousandths: "0" or "1" with up to three decimals, at most 1,
// with or without the digit before the point.
func parseQuality(s string) (uint16, bool) {
	q, i := uint16(0), 0
	if i < len(s) && s[i] != '.' {
		if s[i] > '1' || s[i] < '0' {
			return 0, false
		}
		q, i = uint16(s[i]-'0')*FullQuality, 1
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
	return q, q <= FullQuality
}
