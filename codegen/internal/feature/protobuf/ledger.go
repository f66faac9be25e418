package protobuf

import (
	"cmp"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
)

// ledger is the content of a file generated.proto: the present and former field numbers of each
// message.
type ledger struct {
	// pkg is the package of the .proto file, the prefix of the names of its messages.
	pkg      string
	messages []*ledgerMessage
}

type ledgerMessage struct {
	name     string
	pos      token.Position
	fields   []ledgerField
	reserved []reservation
}

type ledgerField struct {
	// typ is the type as written, "map<key, value>" for maps; label optional, repeated, required or
	// blank.
	label, typ string
	name       string
	// identity is the name in JSON, which identifies the field across runs.
	identity string
	number   int
	pos      token.Position
}

// reservation is a number that was in use, and its name.
type reservation struct {
	number int
	name   string
	// typ is the former type of the field, with its label; blank if it is not recorded.
	typ string
}

// was is the prefix of the comment with the type of a reserved number.
const was = "// was "

func (l *ledger) message(name string) *ledgerMessage {
	if l == nil {
		return nil
	}
	i := slices.IndexFunc(l.messages, func(m *ledgerMessage) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return l.messages[i]
}

func (m *ledgerMessage) field(identity string) *ledgerField {
	if m == nil {
		return nil
	}
	i := slices.IndexFunc(m.fields, func(f ledgerField) bool { return f.identity == identity })
	if i < 0 {
		return nil
	}
	return &m.fields[i]
}

func (m *ledgerMessage) reservedName(name string) *reservation {
	if m == nil {
		return nil
	}
	i := slices.IndexFunc(m.reserved, func(r reservation) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	return &m.reserved[i]
}

// Number returns the recorded number of a field by its message and JSON name.
func Number(ledgerFile, message, jsonName string) (int, bool) {
	src, err := os.ReadFile(ledgerFile)
	if err != nil {
		return 0, false
	}
	l, _ := parseLedger(ledgerFile, string(src)) // nil if it cannot be read
	f := l.message(message).field(jsonName)
	if f == nil {
		return 0, false
	}
	return f.number, true
}

// A ledgerError is a syntax error in a ledger.
type ledgerError struct {
	pos     token.Position
	message string
}

// parseLedger parses the subset of the .proto language that ledgers use: messages of fields and
// reservations. It ignores the rest of a file, which does not affect numbers.
func parseLedger(filename, src string) (l *ledger, problem *ledgerError) {
	s := &scanner{src: src, line: 1, filename: filename}
	defer func() {
		if s.problem != nil {
			l, problem = nil, s.problem
		}
	}()
	l = &ledger{}
	for s.next(); s.tok != ""; {
		if s.tok == "message" {
			s.next()
			l.messages = append(l.messages, s.message())
			continue
		}
		switch s.tok {
		case "package":
			s.next()
			l.pkg = s.word()
			s.expect(";")
		case "syntax", "import", "option":
			for s.tok != ";" && s.tok != "" {
				s.next()
			}
			s.expect(";")
		case ";":
			s.next()
		default:
			s.fail("expected a message, found %q", s.tok)
		}
	}
	return l, nil
}

// parseFields reads the fields of one message, without the braces.
func parseFields(src string) ([]ledgerField, *ledgerError) {
	if t := strings.TrimSpace(src); !strings.HasSuffix(t, ";") && t != "" {
		src += ";"
	}
	s := &scanner{src: src, line: 1}
	var out []ledgerField
	for s.next(); s.tok != ""; {
		out = append(out, s.field())
	}
	return out, s.problem
}

// scanner splits the text into words, numbers, quoted strings and punctuation. After an error it
// returns no more tokens.
type scanner struct {
	src      string
	filename string
	at       int
	line     int
	lineFrom int

	tok     string
	pos     token.Position
	problem *ledgerError
}

func (s *scanner) fail(format string, args ...string) {
	if s.problem == nil {
		message := format
		for _, a := range args {
			message = strings.Replace(message, "%q", strconv.Quote(a), 1)
		}
		s.problem = &ledgerError{pos: s.pos, message: message}
	}
	s.tok, s.at = "", len(s.src)
}

func (s *scanner) next() {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '\n':
			s.at++
			s.line, s.lineFrom = s.line+1, s.at
		case c == ' ' || c == '\t' || c == '\r':
			s.at++
		case strings.HasPrefix(s.src[s.at:], "//"):
			for s.at < len(s.src) && s.src[s.at] != '\n' {
				s.at++
			}
		case strings.HasPrefix(s.src[s.at:], "/*"):
			end := strings.Index(s.src[s.at:], "*/")
			if end < 0 {
				end = len(s.src) - s.at - 2
			}
			comment := s.src[s.at : s.at+end+2]
			if n := strings.Count(comment, "\n"); n > 0 {
				s.line += n
				s.lineFrom = s.at + strings.LastIndexByte(comment, '\n') + 1
			}
			s.at += len(comment)
		default:
			s.token()
			return
		}
	}
	s.tok = ""
	s.place()
}

func (s *scanner) place() {
	s.pos = token.Position{Filename: s.filename, Offset: s.at, Line: s.line, Column: s.at - s.lineFrom + 1}
}

func (s *scanner) token() {
	s.place()
	from := s.at
	switch c := s.src[s.at]; {
	case c == '"' || c == '\'':
		for s.at++; s.at < len(s.src) && s.src[s.at] != c && s.src[s.at] != '\n'; s.at++ {
			if s.src[s.at] == '\\' {
				s.at++
			}
		}
		if s.at >= len(s.src) || s.src[s.at] != c {
			s.fail("unterminated quoted text")
			return
		}
		s.at++
	case isWord(c):
		for s.at < len(s.src) && isWord(s.src[s.at]) {
			s.at++
		}
	default:
		s.at++
	}
	s.tok = s.src[from:s.at]
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.'
}

func (s *scanner) expect(tok string) {
	if s.tok != tok {
		s.fail("expected %q, found %q", tok, s.tok)
		return
	}
	s.next()
}

func (s *scanner) word() string {
	tok := s.tok
	if tok == "" || !isWord(tok[0]) {
		s.fail("expected a name, found %q", tok)
		return ""
	}
	s.next()
	return tok
}

func (s *scanner) number() int {
	n, err := strconv.Atoi(s.tok)
	if err != nil || n < 1 || n > maxNumber {
		s.fail("expected a field number, found %q", s.tok)
		return 0
	}
	s.next()
	return n
}

func (s *scanner) quoted() string {
	v, err := strconv.Unquote(s.tok)
	if err != nil {
		s.fail("expected a quoted name, found %q", s.tok)
		return ""
	}
	s.next()
	return v
}

func (s *scanner) message() *ledgerMessage {
	m := &ledgerMessage{pos: s.pos}
	m.name = s.word()
	s.expect("{")
	paired := true
	for s.tok != "}" && s.problem == nil {
		switch s.tok {
		case "":
			s.fail("unterminated message")
		case ";":
			s.next()
		case "reserved":
			s.next()
			paired = s.reservation(m, paired)
		case "option":
			for s.tok != ";" && s.tok != "" {
				s.next()
			}
		default:
			m.fields = append(m.fields, s.field())
			paired = true
		}
	}
	s.expect("}")
	return m
}

// reservation reads a list of numbers and ranges, or of names. A single name that follows a single
// number belongs to it, unless paired says that the number has its name already.
func (s *scanner) reservation(m *ledgerMessage, paired bool) bool {
	var numbers []int
	var names []string
	for s.problem == nil {
		if s.tok != "" && (s.tok[0] == '"' || s.tok[0] == '\'') {
			names = append(names, s.quoted())
		} else {
			n := s.number()
			numbers = append(numbers, n)
			if s.tok == "to" {
				s.next()
				last := s.number()
				if last-n > 1<<16 {
					s.fail("too many reserved numbers")
					break
				}
				for n++; n <= last; n++ {
					numbers = append(numbers, n)
				}
			}
		}
		if s.tok != "," {
			break
		}
		s.next()
	}
	typ := ""
	if s.tok == ";" {
		line, _, _ := strings.Cut(s.src[s.at:], "\n")
		typ, _ = strings.CutPrefix(strings.TrimSpace(line), was)
		if !strings.Contains(line, was) {
			typ = ""
		}
	}
	s.expect(";")
	if len(names) == 1 && len(numbers) == 0 && !paired {
		m.reserved[len(m.reserved)-1].name = names[0]
		return true
	}
	for _, n := range numbers {
		m.reserved = append(m.reserved, reservation{number: n, typ: typ})
	}
	for _, name := range names {
		m.reserved = append(m.reserved, reservation{name: name})
	}
	return len(numbers) != 1 || len(names) > 0
}

func (s *scanner) field() ledgerField {
	f := ledgerField{pos: s.pos}
	switch s.tok {
	case "optional", "repeated", "required":
		f.label = s.word()
	case "message", "enum", "oneof", "extensions", "extend", "group":
		s.fail("%q is not part of a ledger", s.tok)
	}
	f.typ = s.word()
	if f.typ == "map" && s.tok == "<" {
		s.next()
		key := s.word()
		s.expect(",")
		f.typ = "map<" + key + ", " + s.word() + ">"
		s.expect(">")
	}
	f.name = s.word()
	s.expect("=")
	if n, err := strconv.Atoi(s.tok); err == nil && n >= firstForbidden && n <= lastForbidden {
		s.fail("field number %q is reserved by protobuf", s.tok)
	}
	f.number = s.number()
	f.identity = jsonName(f.name)
	if s.tok == "[" {
		for s.next(); s.tok != "]" && s.tok != ""; {
			option := s.tok
			s.next()
			if option == "json_name" && s.tok == "=" {
				s.next()
				f.identity = s.quoted()
			}
		}
		s.expect("]")
	}
	s.expect(";")
	return f
}

// jsonName returns protobuf's default name of a field in JSON.
func jsonName(name string) string {
	var b strings.Builder
	upper := false
	for i := range len(name) {
		c := name[i]
		if c == '_' {
			upper = true
			continue
		}
		if upper && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper = false
		b.WriteByte(c)
	}
	return b.String()
}

// declaration returns the type of a field with its label.
func declaration(label, typ string) string { return strings.TrimSpace(label + " " + typ) }

// readsAll reports whether a field of a declaration reads all data of an earlier one without a
// loss. A singular field reads only the last element of a repeated one, so both or neither must be
// repeated.
func readsAll(old, now string) bool {
	labelA, old := cutLabel(old)
	labelB, now := cutLabel(now)
	return (labelA == "repeated") == (labelB == "repeated") && holds(old, now)
}

// cutLabel returns the label and the type of a declaration.
func cutLabel(declared string) (label, typ string) {
	label, typ, ok := strings.Cut(declared, " ")
	if !ok || strings.HasPrefix(declared, "map<") {
		return "", declared
	}
	return label, typ
}

// cutMap returns the types of the keys and the values of a map.
func cutMap(typ string) (key, value string, ok bool) {
	inner, ok := strings.CutPrefix(typ, "map<")
	key, value, _ = strings.Cut(strings.TrimSuffix(inner, ">"), ", ")
	return key, value, ok
}

// moved returns a recorded type of a package whose path has changed since, for example because its
// module was renamed: it replaces the part in which the two paths differ.
func moved(typ, from, to string) string {
	if key, value, ok := cutMap(typ); ok {
		return "map<" + key + ", " + moved(value, from, to) + ">"
	}
	a, b := strings.Split(from, "."), strings.Split(to, ".")
	for len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	dot := ""
	if strings.HasPrefix(typ, ".") {
		dot, typ = ".", typ[1:]
	}
	if rest, ok := strings.CutPrefix(typ, strings.Join(a, ".")+"."); ok && from != "" {
		typ = strings.Join(b, ".") + "." + rest
	}
	return dot + typ
}

// holds reports whether a type has every value of an earlier one, in the same bytes. Larger numbers
// would be cut, negative ones become large, and JSON replaces what is not UTF-8 in a text.
func holds(old, now string) bool {
	keyA, valueA, wasMap := cutMap(old)
	keyB, valueB, isMap := cutMap(now)
	if wasMap && isMap {
		return holds(keyA, keyB) && holds(valueA, valueB)
	}
	return old == now || slices.Contains(wider[old], now)
}

var wider = map[string][]string{
	"bool":   {"int32", "int64", "uint32", "uint64"},
	"int32":  {"int64"},
	"uint32": {"int64", "uint64"},
	"string": {"bytes"},
}

// sortReserved sorts reservations by number and name, and drops duplicates. Names without a number
// are first, because behind a number they would be read as its name.
func sortReserved(list []reservation) []reservation {
	slices.SortFunc(list, func(a, b reservation) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.name, b.name))
	})
	return slices.Compact(list)
}
