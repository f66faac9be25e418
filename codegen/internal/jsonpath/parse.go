package jsonpath

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxText bounds the length of a path. Real ones are far shorter, and the bound keeps generated
// code readable.
const maxText = 4096

// Parse reads one path. The error, if any, is an [*Error] for the first mistake.
func Parse(text string) (*Path, error) {
	p := parser{text: text}
	steps := p.path()
	if p.err != nil {
		return nil, p.err
	}
	return &Path{Text: text, Steps: steps}, nil
}

// parser makes one pass over text. After the first mistake err is set and every method returns at
// once.
type parser struct {
	text string
	pos  int
	err  *Error
}

func (p *parser) fail(offset, end int, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Offset: offset, End: end, Message: fmt.Sprintf(format, args...)}
	}
}

func (p *parser) failWith(offset, end int, suggestion, format string, args ...any) {
	if p.err == nil {
		p.fail(offset, end, format, args...)
		p.err.Suggestion = suggestion
	}
}

// peek returns the byte at the current position, or 0 at the end. A NUL in the text is always an
// error, so this is unambiguous.
func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) blanks() {
	for p.peek() == ' ' || p.peek() == '\t' {
		p.pos++
	}
}

// char returns the character at the current position, quoted for a message.
func (p *parser) char() string {
	if p.pos >= len(p.text) {
		return "the end"
	}
	_, n := utf8.DecodeRuneInString(p.text[p.pos:])
	return strconv.Quote(p.text[p.pos : p.pos+n])
}

func (p *parser) charEnd() int {
	_, n := utf8.DecodeRuneInString(p.text[p.pos:])
	return p.pos + n
}

func (p *parser) path() []Step {
	switch {
	case len(p.text) > maxText:
		p.fail(maxText, len(p.text), "the path is longer than %d bytes", maxText)
		return nil
	case !utf8.ValidString(p.text):
		for i, r := range p.text {
			if r == utf8.RuneError && !strings.HasPrefix(p.text[i:], string(r)) {
				p.fail(i, i+1, "the path is not valid UTF-8")
			}
		}
		return nil
	case strings.TrimSpace(p.text) == "":
		p.fail(0, len(p.text), "the path is empty; a path names a value, such as .status.phase")
		return nil
	case strings.HasPrefix(p.text, "{") && strings.HasSuffix(p.text, "}"):
		p.failWith(0, 1, p.text[1:len(p.text)-1], "a path stands here without braces")
		return nil
	}
	if p.peek() == '$' {
		p.pos++
	}
	if c := p.peek(); c != '.' && c != '[' && p.pos < len(p.text) {
		if plainNameByte(c) {
			p.failWith(p.pos, p.pos, "."+p.text[p.pos:], "a path starts with a dot")
		} else {
			p.fail(p.pos, p.charEnd(), "a path starts with a dot, not %s", p.char())
		}
		return nil
	}
	steps := p.steps(false)
	if p.err == nil && p.pos < len(p.text) {
		p.unexpected()
	}
	if p.err == nil && len(steps) == 0 {
		p.fail(0, len(p.text), "the path names the whole object; a column shows one value of it, such as .status.phase")
	}
	return steps
}

// unexpected reports the character at the current position as one that cannot stand after a
// complete step.
func (p *parser) unexpected() {
	switch c := p.peek(); c {
	case ' ', '\t', '\n', '\r':
		p.fail(p.pos, p.pos+1, "a blank inside a path; quote a name that holds one: ['two words']")
	case ']', ')', '}':
		p.fail(p.pos, p.pos+1, "%s without its opening bracket", p.char())
	case '(':
		p.fail(p.pos, p.pos+1, "a path calls no function but .length()")
	default:
		p.fail(p.pos, p.charEnd(), "%s cannot stand here; a step starts with . or [", p.char())
	}
}

// steps reads steps as long as there are any. A filter may contain only members and elements.
func (p *parser) steps(inFilter bool) []Step {
	var steps []Step
	for p.err == nil {
		start := p.pos
		var s Step
		switch p.peek() {
		case '.':
			p.pos++
			s = p.dotted(start)
		case '[':
			p.pos++
			s = p.bracket(start)
		default:
			return steps
		}
		if p.err != nil {
			return nil
		}
		s.Offset, s.End = start, p.pos
		if inFilter && s.Kind != Field && s.Kind != Index {
			p.fail(s.Offset, s.End, "a filter compares one value; %s cannot stand inside it", p.text[s.Offset:s.End])
			return nil
		}
		if n := len(steps); n > 0 && steps[n-1].Kind == Length {
			p.fail(s.Offset, s.End, ".length() is a number, nothing follows it")
			return nil
		}
		steps = append(steps, s)
	}
	return nil
}

// dotted reads what follows a dot.
func (p *parser) dotted(start int) Step {
	switch p.peek() {
	case '.':
		p.fail(start, p.pos+1, "recursive descent (..) is not supported; name each step")
		return Step{}
	case '*':
		p.pos++
		return Step{Kind: Wildcard}
	case '[':
		rest := p.text[:start] + p.text[p.pos:]
		p.failWith(start, p.pos, rest, "a dot before a bracket")
		return Step{}
	}
	name, escaped := p.name()
	if p.err != nil {
		return Step{}
	}
	if name == "" {
		switch {
		case p.pos >= len(p.text):
			p.fail(start, p.pos, "a name is missing after the last dot")
		default:
			p.fail(p.pos, p.charEnd(), "a name is missing before %s", p.char())
		}
		return Step{}
	}
	if p.peek() != '(' {
		return Step{Kind: Field, Name: name}
	}
	if name == "length" && !escaped && strings.HasPrefix(p.text[p.pos:], "()") {
		p.pos += 2
		return Step{Kind: Length}
	}
	// length is the only function, so any call must mean it.
	if name == "length" {
		p.failWith(start, p.pos, p.text[:start]+".length()", "length takes no argument")
	} else {
		p.failWith(start, p.pos, p.text[:start]+".length()", "unknown function %q", name)
	}
	return Step{}
}

// name reads an unquoted name, in which a backslash takes the next character as it is.
func (p *parser) name() (name string, escaped bool) {
	var b strings.Builder
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c == '\\' {
			at := p.pos
			p.pos++
			if p.pos >= len(p.text) {
				p.fail(at, p.pos, "a character is missing after the backslash")
				return "", false
			}
			if c := p.peek(); c < ' ' || c == 0x7f {
				p.fail(p.pos, p.pos+1, "a control character inside a path")
				return "", false
			}
			end := p.charEnd()
			b.WriteString(p.text[p.pos:end])
			p.pos, escaped = end, true
			continue
		}
		if !plainNameByte(c) {
			break
		}
		b.WriteByte(c)
		p.pos++
	}
	return b.String(), escaped
}

// bracket reads what follows an opening bracket, up to and with the closing one.
func (p *parser) bracket(start int) Step {
	p.blanks()
	at := p.pos
	var s Step
	switch c := p.peek(); {
	case c == '\'' || c == '"':
		name := p.quoted()
		if name == "" && p.err == nil {
			p.fail(at, p.pos, "the name between the quotes is empty")
		}
		s = Step{Kind: Field, Name: name}
	case c == '*':
		p.pos++
		s = Step{Kind: Wildcard}
	case c == '?':
		p.pos++
		s = Step{Kind: Filter, Filter: p.filter()}
	case c == '-' || c >= '0' && c <= '9':
		s = Step{Kind: Index, Index: p.index()}
	case c == ':':
		p.fail(start, p.pos+1, "slices are not supported; name one element or all of them: [0], [-1], [*]")
	case c == ']':
		p.fail(start, p.pos+1, "nothing between the brackets; name an element: [0], [-1], [*]")
	case c == 0:
		p.fail(start, len(p.text), "the bracket is not closed")
	case plainNameByte(c):
		name, _ := p.name()
		p.failWith(at, p.pos, p.text[:at]+"'"+strings.ReplaceAll(name, ".", `\.`)+"'"+p.text[p.pos:],
			"the name %q needs quotes", name)
	default:
		p.fail(p.pos, p.charEnd(), "%s cannot stand here; brackets hold a number, *, a quoted name or a filter ?(…)",
			p.char())
	}
	p.blanks()
	if p.err != nil {
		return Step{}
	}
	switch p.peek() {
	case ']':
		p.pos++
	case ',':
		p.fail(p.pos, p.pos+1, "unions are not supported; a path names one value")
	case ':':
		p.fail(start, p.pos+1, "slices are not supported; name one element or all of them: [0], [-1], [*]")
	case 0:
		p.fail(start, len(p.text), "the bracket is not closed")
	default:
		p.fail(p.pos, p.charEnd(), "expected ] before %s", p.char())
	}
	return s
}

func (p *parser) index() int {
	at := p.pos
	if p.peek() == '-' {
		p.pos++
	}
	p.digits()
	n, err := strconv.ParseInt(p.text[at:p.pos], 10, 32)
	if err != nil || n == math.MinInt32 { // which cannot be negated on every platform
		p.fail(at, p.pos, "%s is not an element number", strconv.Quote(p.text[at:p.pos]))
	}
	return int(n)
}

// digits skips digits and reports whether there are any.
func (p *parser) digits() bool {
	from := p.pos
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.pos++
	}
	return p.pos > from
}

// quoted reads a string in single or double quotes.
func (p *parser) quoted() string {
	start := p.pos
	quote := p.peek()
	p.pos++
	var b strings.Builder
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == quote:
			p.pos++
			return b.String()
		case c < ' ' || c == 0x7f:
			p.fail(p.pos, p.pos+1, "a control character inside a path")
			return ""
		case c != '\\':
			b.WriteByte(c)
			p.pos++
		default:
			p.escape(&b)
			if p.err != nil {
				return ""
			}
		}
	}
	p.fail(start, len(p.text), "the quoted text is not closed")
	return ""
}

// escape reads an escape sequence. Besides the usual letters, a backslash before punctuation means
// that character; Kubernetes needs it before a dot even inside quotes.
func (p *parser) escape(b *strings.Builder) {
	at := p.pos
	p.pos++
	switch c := p.peek(); {
	case c == 'n':
		b.WriteByte('\n')
	case c == 'r':
		b.WriteByte('\r')
	case c == 't':
		b.WriteByte('\t')
	case c > ' ' && c < 0x7f && !alphanumeric(c):
		b.WriteByte(c)
	default:
		end := p.pos
		if end < len(p.text) {
			end = p.charEnd()
		}
		p.fail(at, end, "unknown escape %s", p.text[at:end])
		return
	}
	p.pos++
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// filter reads what follows the question mark: a test in parentheses.
func (p *parser) filter() *Test {
	start := p.pos
	if p.peek() != '(' {
		p.fail(p.pos, p.pos, "a filter stands in parentheses: [?(@.type==\"Ready\")]")
		return nil
	}
	p.pos++
	p.blanks()
	if p.peek() != '@' {
		p.fail(p.pos, max(p.pos, min(p.pos+1, len(p.text))), "a filter starts with @, the element: @.type==\"Ready\"")
		return nil
	}
	p.pos++
	t := &Test{Steps: p.steps(true)}
	p.blanks()
	if p.err != nil {
		return nil
	}
	if p.peek() == ')' {
		p.pos++
		return t
	}
	t.OpOffset = p.pos
	t.Op = p.operator()
	p.blanks()
	if p.err == nil {
		t.Value = p.literal()
	}
	p.blanks()
	if p.err != nil {
		return nil
	}
	switch p.peek() {
	case ')':
		p.pos++
	case '&', '|':
		p.fail(p.pos, p.pos+1, "a filter makes one comparison; && and || are not supported")
	case 0:
		p.fail(start, len(p.text), "the filter's parenthesis is not closed")
	default:
		p.fail(p.pos, p.charEnd(), "expected ) before %s", p.char())
	}
	return t
}

func (p *parser) operator() string {
	at := p.pos
	for strings.IndexByte("=!<>~", p.peek()) >= 0 && p.pos < len(p.text) {
		p.pos++
	}
	switch op := p.text[at:p.pos]; op {
	case "==", "!=", "<", "<=", ">", ">=":
		return op
	case "":
		if p.pos >= len(p.text) {
			p.fail(at, at, "the filter is not closed: )] is missing")
		} else {
			p.fail(at, p.charEnd(), "expected a comparison or ) before %s", p.char())
		}
	case "=", "===":
		p.failWith(at, p.pos, p.text[:at]+"=="+p.text[p.pos:], "a comparison is written ==")
	default:
		p.fail(at, p.pos, "unknown comparison %s; the known ones are == != < <= > >=", op)
	}
	return ""
}

func (p *parser) literal() Literal {
	at := p.pos
	switch c := p.peek(); {
	case c == '\'' || c == '"':
		text := p.quoted()
		return Literal{Kind: String, Text: text, Offset: at, End: p.pos}
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == '@' || c == '$':
		p.fail(at, at+1, "a filter compares with a constant, not with another value")
	case c == 0 || c == ')':
		p.fail(at, at, "a constant is missing after the comparison")
	case !plainNameByte(c):
		p.fail(at, p.charEnd(), "%s cannot stand here; a filter compares with a string, a number, true or false",
			p.char())
	default:
		word, _ := p.name()
		if word == "true" || word == "false" {
			return Literal{Kind: Bool, Text: word, Offset: at, End: p.pos}
		}
		if p.err == nil {
			p.failWith(at, p.pos, p.text[:at]+strconv.Quote(word)+p.text[p.pos:], "the string %s needs quotes", word)
		}
	}
	return Literal{}
}

// number reads a JSON number.
func (p *parser) number() Literal {
	at := p.pos
	if p.peek() == '-' {
		p.pos++
	}
	ok := p.digits()
	whole := strings.TrimPrefix(p.text[at:p.pos], "-")
	ok = ok && (len(whole) == 1 || whole[0] != '0')
	if p.peek() == '.' {
		p.pos++
		ok = p.digits() && ok
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		ok = p.digits() && ok
	}
	if !ok {
		p.fail(at, p.pos, "%s is not a number", p.text[at:p.pos])
	}
	return Literal{Kind: Number, Text: p.text[at:p.pos], Offset: at, End: p.pos}
}
