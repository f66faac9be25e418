// Package marker parses the comment markers that control the generator.
//
// A marker is a comment line that begins with "+", with at most one space before it, such as
//
//	// +optional
//	// +default=3
//	// +askind:to=spec.name
//	// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
//	// +k8s:tag(arg: value)=value
//
// [Parse] returns the [Marker] values in the comments of one declaration. The table of known
// markers ([Known]) has the form, place and meaning of each one; it is the source for checks,
// suggestions and documentation.
package marker

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Marker is one marker line.
type Marker struct {
	// Name is the part before the arguments: "askind:kind", "default". For a marker that is not in
	// the table it is everything up to the first "=", "(" or blank.
	Name string
	// Value is the text after "=" of a marker with a single value, unquoted if it was quoted.
	Value string
	// Raw is the same text as written.
	Raw string
	// HasValue distinguishes "+name=" from "+name".
	HasValue bool
	// Args are the named arguments, in order of writing. An argument without "=" has Value "true"
	// and Bare set.
	Args []Arg
	// Pos is the position of "+", ValuePos that of the value, End that of the end of the line.
	Pos, ValuePos, End token.Pos
	// Def is the entry of the table, nil for an unknown marker.
	Def *Def
	// Line is the whole marker as written, from "+" on.
	Line string

	problem *problem
}

// Arg is a named argument of a marker.
type Arg struct {
	Name, Value   string
	List          []string // quoted strings separated by semicolons; nil for a value without quotes
	Bare          bool
	Pos, ValuePos token.Pos
}

type problem struct {
	pos  token.Pos
	text string
}

// Arg returns the value of a named argument.
func (m *Marker) Arg(name string) (string, bool) {
	a := m.ArgAt(name)
	if a == nil {
		return "", false
	}
	return a.Value, true
}

// ArgAt returns a named argument with its positions, or nil.
func (m *Marker) ArgAt(name string) *Arg {
	for i := range m.Args {
		if m.Args[i].Name == name {
			return &m.Args[i]
		}
	}
	return nil
}

// Rules returns the rules that a marker +askind:nolint names.
func (m *Marker) Rules() []string {
	value, _ := m.Arg("rule")
	return strings.FieldsFunc(value, func(r rune) bool { return r == ';' || r == ' ' })
}

// List is the markers of one declaration in order of writing.
type List []*Marker

// Get returns the first marker with the name, or nil.
func (l List) Get(name string) *Marker {
	for _, m := range l {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Has reports whether a marker with the name is present and its value, if any, is not "false".
func (l List) Has(name string) bool {
	m := l.Get(name)
	return m != nil && m.Value != "false"
}

// All returns every marker with the name, in order of writing.
func (l List) All(name string) List {
	var out List
	for _, m := range l {
		if m.Name == name {
			out = append(out, m)
		}
	}
	return out
}

// Parse returns the markers of the comment groups, in order.
func Parse(groups ...*ast.CommentGroup) List {
	var out List
	for _, g := range groups {
		if g == nil {
			continue
		}
		for _, c := range g.List {
			if text, ok := strings.CutPrefix(c.Text, "//"); ok {
				out = appendLine(out, text, c.Slash+2)
				continue
			}
			text := strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/")
			pos := c.Slash + 2
			for line := range strings.SplitAfterSeq(text, "\n") {
				body := blockLine(line)
				out = appendLine(out, strings.TrimRight(body, "\r\n"), pos+token.Pos(len(line)-len(body)))
				pos += token.Pos(len(line))
			}
		}
	}
	return out
}

// blockLine returns a line of a block comment without its indentation and the star that may follow
// it as decoration.
func blockLine(line string) string {
	return strings.TrimPrefix(strings.TrimLeft(line, " \t"), "*")
}

// HasPlus reports whether a line of the text of a comment begins like a marker.
func HasPlus(line string, block bool) bool {
	if block {
		line = strings.TrimPrefix(blockLine(line), " ")
	}
	return strings.HasPrefix(line, "+")
}

// appendLine parses one comment line whose first byte stands at pos.
func appendLine(out List, text string, pos token.Pos) List {
	if strings.HasPrefix(text, " ") {
		text = text[1:]
		pos++
	}
	text = strings.TrimRight(text, " \t\r")
	if len(text) < 2 || text[0] != '+' || !isNameStart(text[1]) {
		return out
	}
	return append(out, parseLine(text, pos))
}

// Missed returns the lines of a comment group that would be known markers if they began with a plus
// after at most one blank: it is missing, or more blanks precede or follow it.
func Missed(g *ast.CommentGroup) List {
	var out List
	for _, c := range g.List {
		text, ok := strings.CutPrefix(c.Text, "//")
		if !ok || appendLine(nil, text, c.Slash) != nil {
			continue
		}
		rest := strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(text, " "), "+"), " ")
		if !strings.Contains(rest, ":") || !isNameStart(rest[0]) {
			continue
		}
		m := parseLine("+"+strings.TrimRight(rest, " \t\r"), c.Slash+token.Pos(len(c.Text)-len(rest)))
		if m.Def == nil || m.Def.Ignored || m.problem != nil || !strings.Contains(m.Name, ":") {
			continue
		}
		if m.HasValue || m.Args != nil || len(m.Line) == len(m.Name)+1 { // and is not the beginning of a sentence
			out = append(out, m)
		}
	}
	return out
}

// ParseLine parses the text of one marker, which begins with "+" at pos, for example the value of
// another marker. It returns nil if the text is not a marker.
func ParseLine(text string, pos token.Pos) *Marker {
	if l := appendLine(nil, text, pos); len(l) > 0 {
		return l[0]
	}
	return nil
}

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isNameByte(c byte) bool {
	return isNameStart(c) || c >= '0' && c <= '9' || c == ':' || c == '-' || c == '_' || c == '.' || c == '/'
}

func parseLine(line string, pos token.Pos) *Marker {
	m := &Marker{Pos: pos, End: pos + token.Pos(len(line)), Line: line}
	body := line[1:]
	at := pos + 1
	n := 0
	if m.Def = lookup(body); m.Def != nil {
		n = len(m.Def.Name)
	} else {
		for n < len(body) && isNameByte(body[n]) {
			n++
		}
	}
	m.Name = strings.TrimSuffix(body[:n], ":")
	body, at = body[n:], at+token.Pos(n)
	switch {
	case body == "":
	case m.Def != nil && m.Def.Ignored:
		// Other tools parse the rest.
		m.Raw = body
	case body[0] == '(':
		m.parseCall(body, at)
	case m.Def != nil && m.Def.Form == Args && strings.IndexByte(":=,", body[0]) >= 0:
		// The value form "+name=true" enables such a marker; otherwise a list of arguments follows.
		if body[0] == '=' {
			m.setValue(body[1:], at+1)
			break
		}
		m.parseArgs(body[1:], at+1, 0)
	case body[0] == '=':
		m.setValue(body[1:], at+1)
	case strings.HasPrefix(body, ":="):
		m.setValue(body[2:], at+2)
	case body[0] == ' ' || body[0] == '\t':
		// Text after a blank is ignored.
	default:
		m.fail(at, "unexpected %q after the marker name", body[:1])
	}
	return m
}

// setValue sets the value to the rest of a line. A quoted string is unquoted; anything else is kept
// as written.
func (m *Marker) setValue(text string, pos token.Pos) {
	m.HasValue, m.Raw, m.ValuePos = true, text, pos
	m.Value = text
	if text != "" && (text[0] == '"' || text[0] == '`') && (m.Def == nil || m.Def.Form != JSON) {
		v, n, err := quoted(text)
		if err != "" {
			m.fail(pos, "%s", err)
			return
		}
		if strings.TrimSpace(text[n:]) == "" {
			m.Value = v
		}
	}
}

// parseCall reads "(args)" and the "=value" that may follow it.
func (m *Marker) parseCall(text string, pos token.Pos) {
	n := m.parseArgs(text[1:], pos+1, ')')
	if n < 0 {
		return
	}
	rest := text[1+n:]
	pos += token.Pos(1 + n)
	if rest == "" || rest[0] != ')' {
		m.fail(pos, "missing ) in marker arguments")
		return
	}
	if value, ok := strings.CutPrefix(rest[1:], "="); ok {
		m.setValue(value, pos+2)
	}
}

// parseArgs reads comma-separated arguments up to the closing byte, or up to the end of the text if
// it is 0. It returns the number of bytes read, or -1 after an error.
func (m *Marker) parseArgs(text string, pos token.Pos, closing byte) int {
	i := 0
	for i < len(text) && (closing == 0 || text[i] != closing) {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		start := i
		for i < len(text) && isNameByte(text[i]) && text[i] != ':' {
			i++
		}
		arg := Arg{Name: text[start:i], Pos: pos + token.Pos(start)}
		if arg.Name == "" {
			m.fail(pos+token.Pos(i), "an argument name is missing")
			return -1
		}
		if i < len(text) && (text[i] == '=' || text[i] == ':') {
			i++
			for closing != 0 && i < len(text) && text[i] == ' ' {
				i++
			}
			arg.ValuePos = pos + token.Pos(i)
			if i < len(text) && (text[i] == '"' || text[i] == '`') {
				v, n, err := quoted(text[i:])
				if err != "" {
					m.fail(arg.ValuePos, "%s", err)
					return -1
				}
				arg.Value, arg.List = v, []string{v}
				for i += n; i+1 < len(text) && text[i] == ';' && (text[i+1] == '"' || text[i+1] == '`'); i += n {
					i++
					if v, n, err = quoted(text[i:]); err != "" {
						m.fail(pos+token.Pos(i), "%s", err)
						return -1
					}
					arg.Value, arg.List = arg.Value+";"+v, append(arg.List, v)
				}
			} else {
				from, depth := i, 0
				for i < len(text) && (depth > 0 || text[i] != ',' && (closing == 0 || text[i] != closing)) {
					switch text[i] {
					case '{', '[', '(':
						depth++
					case '}', ']', ')':
						depth--
					}
					i++
				}
				arg.Value = strings.TrimSpace(text[from:i])
			}
		} else {
			arg.Bare, arg.Value, arg.ValuePos = true, "true", arg.Pos
		}
		m.Args = append(m.Args, arg)
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		if i < len(text) && text[i] == ',' {
			i++
			continue
		}
		if i < len(text) && (closing == 0 || text[i] != closing) {
			m.fail(pos+token.Pos(i), "a comma is missing between marker arguments")
			return -1
		}
	}
	return i
}

// quoted reads a Go string literal at the start of text and returns its value and length.
func quoted(text string) (value string, n int, problem string) {
	lit, err := strconv.QuotedPrefix(text)
	if err != nil {
		for i := 1; i < len(text) && text[0] == '"'; i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return "", 0, "the quoted text has an escape that Go does not have; write \\\\ for a backslash, or use backquotes,"
			}
		}
		return "", 0, "unterminated quoted text"
	}
	v, _ := strconv.Unquote(lit) // lit is a literal
	return v, len(lit), ""
}
