package defaults

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// literal is a value in a marker: JSON with extensions: ref(Constant), text in back quotes,
// unquoted member names and, if lenient, unquoted text and lists in braces.
type literal struct {
	kind literalKind
	// text is the literal as written; value is the content of a string literal, or the name in
	// ref(name).
	text, value string
	items       []*literal
	members     []member
	// either says that an empty object may be an empty list: a kubebuilder marker writes both as
	// {}.
	either bool
	// at and end are offsets in the marker's value.
	at, end int
}

type member struct {
	name    string
	at, end int // of the name as written
	lit     *literal
}

type literalKind uint8

const (
	objectLiteral literalKind = iota
	listLiteral
	textLiteral
	numberLiteral
	boolLiteral
	nullLiteral
	refLiteral
)

var kindNames = [...]string{"an object", "a list", "a text", "a number", "true or false", "null", "a reference"}

// syntaxError is a malformed literal.
type syntaxError struct {
	at  int
	msg string
}

// maxDepth bounds the nesting of literals.
const maxDepth = 32

type scanner struct {
	s       string
	i       int
	lenient bool
	err     *syntaxError
}

// parse parses the whole text as one literal. Lenient parsing follows kubebuilder markers.
func parse(s string, lenient bool) (*literal, *syntaxError) {
	sc := &scanner{s: s, lenient: lenient}
	if lenient {
		if c := strings.TrimSpace(s); c != "" && !strings.ContainsRune("{[\"`", rune(c[0])) {
			return word(strings.Index(s, c), c), nil
		}
	}
	l := sc.value(0)
	sc.space()
	if sc.err == nil && sc.i < len(s) {
		sc.fail("unexpected text after the value")
	}
	return l, sc.err
}

func (sc *scanner) fail(msg string) {
	if sc.err == nil {
		sc.err = &syntaxError{sc.i, msg}
	}
}

func (sc *scanner) space() {
	for sc.i < len(sc.s) && (sc.s[sc.i] == ' ' || sc.s[sc.i] == '\t') {
		sc.i++
	}
}

func (sc *scanner) value(depth int) *literal {
	sc.space()
	l := &literal{at: sc.i}
	defer func() { l.end, l.text = sc.i, sc.s[l.at:sc.i] }()
	if depth > maxDepth {
		sc.fail("the value is nested too deeply")
		return l
	}
	if sc.i == len(sc.s) {
		sc.fail("a value is missing")
		return l
	}
	switch c := sc.s[sc.i]; c {
	case '{':
		sc.object(l, depth)
	case '[':
		l.kind = listLiteral
		sc.i++
		sc.list(l, ']', depth)
	case '"', '`':
		l.kind = textLiteral
		l.value = sc.quoted()
	default:
		from := sc.i
		for sc.i < len(sc.s) && !strings.ContainsRune(",:]}", rune(sc.s[sc.i])) {
			if sc.s[sc.i] == '(' {
				if n := strings.IndexByte(sc.s[sc.i:], ')'); n > 0 {
					sc.i += n
				}
			}
			sc.i++
		}
		text := strings.TrimRight(sc.s[from:sc.i], " \t")
		sc.i = from + len(text)
		*l = *word(from, text)
		if l.kind == textLiteral && !sc.lenient {
			sc.i = from
			sc.fail("a text needs quotes")
		}
	}
	return l
}

// word interprets an unquoted word.
func word(at int, text string) *literal {
	l := &literal{kind: textLiteral, text: text, value: text, at: at, end: at + len(text)}
	inner, isRef := strings.CutPrefix(text, "ref(")
	switch {
	case text == "true" || text == "false":
		l.kind = boolLiteral
	case text == "null":
		l.kind = nullLiteral
	case isRef && strings.HasSuffix(inner, ")"):
		l.kind, l.value = refLiteral, strings.TrimSpace(strings.TrimSuffix(inner, ")"))
	case isNumber(text):
		l.kind = numberLiteral
	}
	return l
}

// number parses a JSON number. Exponents are limited to the range of a float.
var number = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$`)

func isNumber(s string) bool { return number.MatchString(s) }

// quoted reads a string of Go or JSON, which has the escape \/ and pairs of surrogates.
func (sc *scanner) quoted() string {
	if lit, err := strconv.QuotedPrefix(sc.s[sc.i:]); err == nil {
		sc.i += len(lit)
		text, _ := strconv.Unquote(lit) // lit is a literal
		return text
	}
	var text string
	in := json.NewDecoder(strings.NewReader(sc.s[sc.i:]))
	err := in.Decode(&text)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || sc.s[sc.i] == '`':
		sc.fail("unterminated quoted text")
	case err != nil:
		sc.fail("the quoted text has an escape that neither Go nor JSON has")
	default:
		sc.i += int(in.InputOffset())
	}
	return text
}

func (sc *scanner) object(l *literal, depth int) {
	open := sc.i
	sc.i++
	sc.space()
	for sc.err == nil {
		if sc.i < len(sc.s) && sc.s[sc.i] == '}' {
			sc.i++
			l.either = sc.lenient && len(l.members) == 0
			return
		}
		if sc.lenient && len(l.members) == 0 && sc.i < len(sc.s) && (sc.s[sc.i] == '{' || sc.s[sc.i] == '[') {
			l.kind = listLiteral
			sc.list(l, '}', depth)
			return
		}
		m := member{at: sc.i}
		if sc.i < len(sc.s) && (sc.s[sc.i] == '"' || sc.s[sc.i] == '`') {
			m.name = sc.quoted()
		} else {
			from := sc.i
			for sc.i < len(sc.s) && !strings.ContainsRune(":,}", rune(sc.s[sc.i])) {
				sc.i++
			}
			m.name = strings.TrimSpace(sc.s[from:sc.i])
		}
		m.end = sc.i
		sc.space()
		if sc.err != nil {
			return
		}
		if sc.i == len(sc.s) || sc.s[sc.i] != ':' {
			if sc.lenient && len(l.members) == 0 {
				sc.i = open + 1
				l.kind = listLiteral
				sc.list(l, '}', depth)
				return
			}
			sc.fail("missing colon after the member name")
			return
		}
		sc.i++
		m.lit = sc.value(depth + 1)
		l.members = append(l.members, m)
		if !sc.more('}') {
			return
		}
	}
}

func (sc *scanner) list(l *literal, closing byte, depth int) {
	sc.space()
	if sc.i < len(sc.s) && sc.s[sc.i] == closing {
		sc.i++
		return
	}
	for sc.err == nil {
		l.items = append(l.items, sc.value(depth+1))
		if !sc.more(closing) {
			return
		}
	}
}

// more skips a comma and reports whether another element follows.
func (sc *scanner) more(closing byte) bool {
	sc.space()
	switch {
	case sc.err != nil:
		return false
	case sc.i == len(sc.s):
		sc.fail("a closing " + string(closing) + " is missing")
		return false
	case sc.s[sc.i] == closing:
		sc.i++
		return false
	case sc.s[sc.i] != ',':
		sc.fail("a comma is missing")
		return false
	}
	sc.i++
	sc.space()
	return true
}
