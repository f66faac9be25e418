package yaml

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"strings"
	"unicode/utf8"

	plainbuild "github.com/askind/askind/internal/plain"
	"github.com/askind/askind/wire/jsonwire"
)

// useFast enables the scanner of this file. The library reads every document that the scanner
// accepts to the same annotated text, only slower; tests verify this.
const useFast = !plainbuild.Enabled

// scanner converts the common subset of YAML to annotated JSON in one pass, without nodes: block
// mappings and lists, plain and quoted scalars, literal blocks without an indentation indicator,
// flow collections on one line, comments. At anything else, such as an anchor, a tag, a repeated
// key or an error, it gives up and leaves the document to the library, so it never has to report a
// problem.
type scanner struct {
	text []byte
	pos  int
	end  int

	// indent is the column of the current line, counted from 0, or -1 at the end of the document.
	// pos is at its first character.
	indent int

	json  []byte
	track bool // record marks
	marks []mark

	keys     []span // keys of the open mappings, to find repeated ones
	sets     []keySet
	depth    int
	maxDepth int
	scratch  []byte // scratch for scalars whose value differs from their text

	wanted // part of the current value
}

// span is a part of the JSON text.
type span struct{ from, to int }

const (
	// maxFastDepth is the nesting beyond which the scanner leaves documents to the library, which
	// enforces the limit.
	maxFastDepth = 500
	// maxFastKey is the maximum length of a key that the scanner accepts. YAML limits keys on one
	// line as well.
	maxFastKey = 256
	// maxFastKeys is the maximum number of keys of one mapping that are searched linearly.
	maxFastKeys = 64
)

// keySet has the keys of an open mapping with more than maxFastKeys.
type keySet struct {
	first  int // the start of the mapping's keys
	hashes map[uint64]bool
}

var keySeed = maphash.MakeSeed()

// isNew adds a key to those of a mapping with many. It returns false if the key may be repeated.
func (s *scanner) isNew(first int, key span) bool {
	hash := func(k span) uint64 { return maphash.Bytes(keySeed, s.json[k.from:k.to]) }
	if n := len(s.sets); n == 0 || s.sets[n-1].first != first {
		set := keySet{first, make(map[uint64]bool, 4*maxFastKeys)}
		for _, k := range s.keys[first:] {
			set.hashes[hash(k)] = true
		}
		s.sets = append(s.sets, set)
	}
	seen, h := s.sets[len(s.sets)-1].hashes, hash(key)
	if seen[h] {
		return false
	}
	seen[h] = true
	return true
}

// forget removes the keys of a mapping that ends.
func (s *scanner) forget(first int) {
	s.keys = s.keys[:first]
	if n := len(s.sets); n > 0 && s.sets[n-1].first == first {
		s.sets = s.sets[:n-1]
	}
}

// scan reads a document into the scanner's memory for JSON. ok is false if the library has to read
// it.
func (s *scanner) scan(text []byte, seg segment, track bool) (a annotated, ok bool) {
	*s = scanner{
		text: text, pos: seg.from, end: seg.to, track: track, maxDepth: maxFastDepth, json: s.json[:0],
		keys: s.keys[:0], scratch: s.scratch[:0],
	}
	if need := 64 + (seg.to-seg.from)*9/8; cap(s.json) < need {
		s.json = make([]byte, 0, need)
	}
	if !s.document() {
		return a, false
	}
	return annotated{json: s.json, marks: s.marks}, true
}

// document reads the document from its start to its end.
func (s *scanner) document() bool {
	ok := false
	if line, _ := lineAt(s.text[:s.end], s.pos); isMark(line, '-') {
		s.pos += 3
		ok = s.endOfLine() && s.nextLine()
	} else {
		ok = s.line()
	}
	if !ok || s.indent < 0 {
		return false
	}
	if c := s.text[s.pos]; c == '{' || c == '[' { // as in JSON
		return s.flow() && s.endOfLine() && s.nextLine() && s.indent < 0
	}
	return s.block() && s.indent < 0
}

// put appends a byte to the JSON text.
func (s *scanner) put(c byte) {
	if !s.skip {
		s.json = append(s.json, c)
	}
}

// separate writes the comma before every element and member except the first one, which follows its
// bracket.
func (s *scanner) separate(bracket byte) {
	if !s.skip && s.json[len(s.json)-1] != bracket {
		s.json = append(s.json, ',')
	}
}

func (s *scanner) mark(text int) {
	if s.track {
		s.marks = append(s.marks, mark{len(s.json), text})
	}
}

// at returns the character at i, or a line feed at the end of the document.
func (s *scanner) at(i int) byte {
	if i < s.end {
		return s.text[i]
	}
	return '\n'
}

// isEnd reports whether a line ends at i, with LF or CRLF.
func (s *scanner) isEnd(i int) bool {
	c := s.at(i)
	return c == '\n' || c == '\r' && i+1 < s.end && s.text[i+1] == '\n'
}

// isBlank reports whether a space or the end of the line is at i.
func (s *scanner) isBlank(i int) bool { return s.at(i) == ' ' || s.isEnd(i) }

// spaces skips the spaces at pos.
func (s *scanner) spaces() {
	for s.pos < s.end && s.text[s.pos] == ' ' {
		s.pos++
	}
}

// endOfLine skips spaces and a comment up to the end of the line. It returns false if it finds
// anything else.
func (s *scanner) endOfLine() bool {
	from := s.pos
	s.spaces()
	if s.at(s.pos) == '#' && s.pos > from {
		return s.comment()
	}
	return s.isEnd(s.pos)
}

// comment moves to the end of the line.
func (s *scanner) comment() bool {
	for !s.isEnd(s.pos) {
		if c := s.text[s.pos]; c >= 0x20 && c < utf8.RuneSelf || c == '\t' {
			s.pos++
			continue
		}
		n := s.wide(s.pos)
		if n == 0 {
			return false
		}
		s.pos += n
	}
	return true
}

// wide returns the length of the non-ASCII character at i, or 0 for one that the scanner does not
// accept, such as a line break.
func (s *scanner) wide(i int) int {
	if s.text[i] < utf8.RuneSelf {
		return 0
	}
	r, n := utf8.DecodeRune(s.text[i:s.end])
	switch {
	case r == utf8.RuneError && n == 1, r == 0x85, r == 0x2028, r == 0x2029, r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
		return 0
	}
	return n
}

// nextLine moves from the end of a line to the next one that has content and sets indent.
func (s *scanner) nextLine() bool {
	s.lineBreak()
	return s.line()
}

// lineBreak skips the end of a line.
func (s *scanner) lineBreak() {
	if s.pos < s.end && s.text[s.pos] == '\r' {
		s.pos++
	}
	if s.pos < s.end {
		s.pos++
	}
}

// line moves from the start of a line to the first one that has content and sets indent.
func (s *scanner) line() bool {
	for s.pos < s.end {
		start := s.pos
		s.spaces()
		switch {
		case s.isEnd(s.pos):
			s.lineBreak()
			continue
		case s.text[s.pos] == '#':
			if !s.comment() {
				return false
			}
			s.lineBreak()
			continue
		case s.text[s.pos] == '\t':
			return false
		}
		s.indent = s.pos - start
		if s.indent == 0 && s.end-s.pos >= 3 {
			if mark := string(s.text[s.pos : s.pos+3]); mark == "---" || mark == "..." {
				return false
			}
		}
		return true
	}
	s.indent = -1
	return true
}

// block reads the collection that starts on the current line, with all of its lines.
func (s *scanner) block() bool {
	if s.text[s.pos] == '-' && s.isBlank(s.pos+1) {
		return s.sequence(s.indent, false)
	}
	return s.mapping(s.indent)
}

// enter counts one level of nesting.
func (s *scanner) enter() bool {
	s.depth++
	return s.depth <= s.maxDepth
}

// sequence reads a list whose hyphens are in a column. shared reports whether that is also the
// column of the mapping that contains the list.
func (s *scanner) sequence(column int, shared bool) bool {
	if !s.enter() {
		return false
	}
	s.mark(s.pos)
	s.put('[')
	outer := s.element()
	for {
		s.separate('[')
		s.pos++ // the hyphen
		if !s.item(column) {
			return false
		}
		if s.indent != column {
			break
		}
		if s.text[s.pos] != '-' || !s.isBlank(s.pos+1) {
			if shared {
				break
			}
			return false
		}
	}
	s.wanted = outer
	s.put(']')
	s.depth--
	return s.indent < column || shared && s.indent == column
}

// item reads an element of a list; pos is after its hyphen.
func (s *scanner) item(column int) bool {
	hyphen := s.pos
	s.spaces()
	if s.isEnd(s.pos) || s.text[s.pos] == '#' {
		s.pos = hyphen
		return s.below(hyphen, column, false)
	}
	// The content of the line is treated like a line of its own.
	s.indent = column + 1 + s.pos - hyphen
	if s.text[s.pos] == '-' && s.isBlank(s.pos+1) {
		return s.sequence(s.indent, false)
	}
	if s.hasKey() {
		return s.mapping(s.indent)
	}
	return s.value(column)
}

// below reads a value that begins on a line of its own, deeper than a column, or in that column if
// it is a list in a mapping. Without such a line the value is empty and its position is the offset
// at. pos is at that line.
func (s *scanner) below(at, column int, inMapping bool) bool {
	if !s.endOfLine() || !s.nextLine() {
		return false
	}
	switch {
	case s.indent > column:
		if s.text[s.pos] == '-' && s.isBlank(s.pos+1) || s.hasKey() {
			return s.block()
		}
		return false
	case inMapping && s.indent == column && s.text[s.pos] == '-' && s.isBlank(s.pos+1):
		return s.sequence(column, true)
	}
	s.mark(at)
	s.put(plainMark)
	s.quote(nil)
	return true
}

// hasKey reports whether the text at pos is a key on this line.
func (s *scanner) hasKey() bool {
	switch c := s.text[s.pos]; c {
	case '"', '\'':
		i := s.pos + 1
		for !s.isEnd(i) && s.text[i] != c {
			if s.text[i] == '\\' && c == '"' {
				i++
			}
			i++
		}
		return s.at(i) == c && s.at(i+1) == ':' && s.isBlank(i+2)
	}
	_, colon, ok := s.plain(s.pos, false)
	return ok && colon
}

// mapping reads a mapping whose keys are in a column.
func (s *scanner) mapping(column int) bool {
	if !s.enter() {
		return false
	}
	s.mark(s.pos)
	s.put('{')
	first, outer := len(s.keys), s.wanted
	for {
		if !s.key(first, false) {
			return false
		}
		if s.at(s.pos) != ':' || !s.isBlank(s.pos+1) {
			return false
		}
		s.pos++
		colon := s.pos
		s.spaces()
		if s.isEnd(s.pos) || s.text[s.pos] == '#' {
			s.pos = colon
			if !s.below(colon, column, true) {
				return false
			}
		} else if !s.value(column) {
			return false
		}
		s.wanted = outer
		if s.indent != column {
			break
		}
	}
	s.put('}')
	s.forget(first)
	s.depth--
	return s.indent < column
}

// key reads a key and writes it with its colon. The wanted part becomes that of its value. first is
// the start of this mapping's keys.
func (s *scanner) key(first int, inFlow bool) bool {
	before := len(s.json)
	s.separate('{')
	s.mark(s.pos)
	from := len(s.json)
	switch c := s.text[s.pos]; c {
	case '"', '\'':
		start := s.pos
		if !s.quoted(c, -1) || s.pos-start > maxFastKey {
			return false
		}
	default:
		end, colon, ok := s.plain(s.pos, inFlow)
		if !ok || !colon || s.text[end-1] == ' ' || end-s.pos > maxFastKey {
			return false
		}
		name := s.text[s.pos:end]
		if string(name) == mergeKey {
			return false
		}
		s.quote(name)
		s.pos = end
	}
	if s.skip {
		return true
	}
	key := span{from, len(s.json)}
	if s.fields != nil {
		below, known := s.member(s.json[key.from:key.to])
		if !known {
			return false
		}
		if s.wanted = below; s.skip {
			s.json = s.json[:before]
			return true
		}
	}
	s.put(':')
	if len(s.keys)-first >= maxFastKeys {
		return s.isNew(first, key)
	}
	for _, k := range s.keys[first:] {
		if bytes.Equal(s.json[k.from:k.to], s.json[key.from:key.to]) {
			return false
		}
	}
	s.keys = append(s.keys, key)
	return true
}

// value reads a value that begins on the current line, at pos, inside a collection in a column, and
// moves to the next line.
func (s *scanner) value(column int) bool {
	c := s.text[s.pos]
	switch c {
	case '|':
		return s.literal(column)
	case '"', '\'':
		s.mark(s.pos)
		if !s.quoted(c, column) {
			return false
		}
	case '[', '{':
		if !s.flow() {
			return false
		}
	default:
		return s.plainValue(column)
	}
	return s.endOfLine() && s.nextLine() && s.indent <= column
}

// plainFirst has the characters that can always begin a plain scalar; a hyphen can if it does not
// begin a list element.
var plainFirst = func() (set [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		set[c] = isLetter(c) || isDigit(c) || strings.IndexByte(`$()+./;<=\^_~`, c) >= 0
	}
	return set
}()

// plain finds the end of the plain scalar that begins at i. colon reports whether it is a key, with
// its colon at end.
func (s *scanner) plain(i int, inFlow bool) (end int, colon, ok bool) {
	if c := s.text[i]; !plainFirst[c] && (c != '-' || s.isBlank(i+1) || inFlow && flowMark(s.at(i+1))) &&
		c < utf8.RuneSelf {
		return 0, false, false
	}
	return s.plainRest(i, inFlow)
}

// flowMark reports whether c is a flow indicator.
func flowMark(c byte) bool { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' }

// plainRest is plain without checking the first character.
func (s *scanner) plainRest(i int, inFlow bool) (end int, colon, ok bool) {
	for i < s.end {
		for !inFlow && s.end-i >= 8 {
			if m := outsideWord(binary.LittleEndian.Uint64(s.text[i:])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i == s.end {
			break
		}
		c := s.text[i]
		if plainBytes[c] && !(inFlow && flowMark(c)) {
			i++
			continue
		}
		switch c {
		case ' ':
			end = i
			for i < s.end && s.text[i] == ' ' {
				i++
			}
			if s.isEnd(i) || s.text[i] == '#' {
				return end, false, true
			}
			if inFlow && flowMark(s.text[i]) {
				return end, false, true
			}
		case ':':
			if s.isBlank(i + 1) {
				return i, true, true
			}
			if s.text[i+1] == '\t' || inFlow && flowMark(s.text[i+1]) {
				return 0, false, false
			}
			i++
		case '#', 0x7F:
			i++
		case '\n', '\r':
			return i, false, s.isEnd(i)
		case ',', '[', ']', '{', '}': // in flow
			return i, false, true
		default:
			n := s.wide(i)
			if n == 0 {
				return 0, false, false
			}
			i += n
		}
	}
	return i, false, true
}

// plainValue reads a plain scalar, which may span several lines.
func (s *scanner) plainValue(column int) bool {
	s.mark(s.pos)
	end, colon, ok := s.plain(s.pos, false)
	if !ok || colon {
		return false
	}
	text := s.text[s.pos:end]
	s.pos = end
	folded := false
	for {
		// A deeper line continues the scalar if it follows immediately. Blank lines and comments
		// are left to the library.
		here := s.pos
		if !s.endOfLine() {
			return false
		}
		eol := s.pos
		if !s.nextLine() {
			return false
		}
		if s.indent <= column {
			break
		}
		if bytes.IndexByte(s.text[here:eol], '#') >= 0 || bytes.Count(s.text[eol:s.pos], []byte{'\n'}) != 1 {
			return false
		}
		end, colon, ok := s.plainRest(s.pos, false)
		if !ok || colon || s.text[s.pos] == ':' || s.text[s.pos] == '?' {
			return false
		}
		if !folded {
			s.scratch = append(s.scratch[:0], text...)
			folded = true
		}
		if !s.skip {
			s.scratch = append(s.scratch, ' ')
			s.scratch = append(s.scratch, s.text[s.pos:end]...)
		}
		s.pos = end
	}
	if folded {
		text = s.scratch
	}
	s.put(plainMark)
	s.quote(text)
	return true
}

// escaped has the bytes that are, or may be, escaped in a JSON string: U+2028 and U+2029 begin with
// 0xE2.
var escaped = func() (set [256]bool) {
	for i := range set {
		set[i] = i < 0x20 || strings.IndexByte("\"\\<>&\xE2", byte(i)) >= 0
	}
	return set
}()

// usual reports whether a text is ASCII and needs no escapes. It may return false for other texts,
// such as those of less than eight bytes.
func usual(text []byte) bool {
	if len(text) < 8 {
		return false
	}
	found := mayEscape(binary.LittleEndian.Uint64(text[len(text)-8:]))
	for ; len(text) > 8; text = text[8:] {
		found |= mayEscape(binary.LittleEndian.Uint64(text))
	}
	return found&tops == 0
}

const (
	ones uint64 = 0x0101010101010101
	tops uint64 = 0x8080808080808080
)

// mayEscape marks at least one byte of a word that contains a byte to escape or a non-ASCII byte.
// Two characters that differ in one bit share a comparison.
func mayEscape(w uint64) uint64 {
	// '"' | 4 == '&', '<' | 2 == '>'
	return (((w | ones*4) ^ ones*'&') - ones) | (((w | ones*2) ^ ones*'>') - ones) | ((w ^ ones*'\\') - ones) |
		(w - ones*' ') | w
}

// quote writes a JSON string, as jsonwire does.
func (s *scanner) quote(text []byte) {
	if s.skip {
		return
	}
	if !usual(text) {
		for _, c := range text {
			if escaped[c] {
				s.json = jsonwire.AppendString(s.json, string(text))
				return
			}
		}
	}
	s.json = append(s.json, '"')
	s.json = append(s.json, text...)
	s.json = append(s.json, '"')
}

// quoted reads a quoted scalar, in a collection in a column. It may continue on deeper lines,
// without blank ones, unless the column is negative. pos moves past the closing quote.
func (s *scanner) quoted(quote byte, column int) bool {
	multiline := column >= 0
	from := s.pos + 1
	i := from
	copied := false // whether the text so far is in scratch
	for {
		switch c := s.at(i); {
		case i >= s.end:
			return false
		case c == quote:
			if quote == '\'' && s.at(i+1) == '\'' {
				s.keep(&copied, from, i+1)
				i += 2
				from = i
				continue
			}
			text := s.text[from:i]
			if copied {
				s.keep(&copied, from, i)
				text = s.scratch
			}
			s.quote(text)
			s.pos = i + 1
			return true
		case c == '\\' && quote == '"':
			s.keep(&copied, from, i)
			n := s.escape(i + 1)
			if n == 0 {
				return false
			}
			i += 1 + n
			from = i
		case s.isEnd(i):
			if !multiline {
				return false
			}
			last := i
			for last > from && s.text[last-1] == ' ' {
				last--
			}
			if last == from {
				return false // an escape or blanks before the break: left to the library
			}
			s.keep(&copied, from, last)
			s.scratch = append(s.scratch, ' ')
			s.pos = i
			eol := i
			s.pos += bytes.IndexByte(s.text[eol:s.end], '\n') + 1
			if s.pos == eol {
				return false
			}
			start := s.pos
			s.spaces()
			i = s.pos
			from = i
			if i >= s.end || i-start <= column || s.isEnd(i) || s.text[i] == '\t' || s.text[i] == quote {
				return false
			}
		case c >= 0x20 && c < utf8.RuneSelf:
			i++
		default:
			n := s.wide(i)
			if n == 0 {
				return false
			}
			i += n
		}
	}
}

// keep appends a part of the text to the scratch text, which it starts if necessary.
func (s *scanner) keep(copied *bool, from, to int) {
	if !*copied || s.skip {
		s.scratch = s.scratch[:0]
		*copied = true
	}
	if s.skip {
		return
	}
	s.scratch = append(s.scratch, s.text[from:to]...)
}

// escape appends the character of an escape to the scratch text; i is after its backslash. It
// returns the length of the escape, or 0 for one that is left to the library.
func (s *scanner) escape(i int) int {
	c := s.at(i)
	switch c {
	case '"', '\\', '/':
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	default:
		return 0
	}
	s.scratch = append(s.scratch, c)
	return 1
}

// literal reads a literal block in a collection in a column; pos is at its bar.
func (s *scanner) literal(column int) bool {
	s.mark(s.pos)
	s.pos++
	chomp := s.at(s.pos)
	if chomp == '-' || chomp == '+' {
		s.pos++
	} else {
		chomp = 0
	}
	if !s.endOfLine() || s.pos >= s.end {
		return false
	}
	s.scratch = s.scratch[:0]
	indent := -1
	kept := 0 // the length of the text up to the end of the last line that is not blank
	for s.pos < s.end {
		s.lineBreak()
		start := s.pos
		for s.pos < s.end && s.text[s.pos] == ' ' && (indent < 0 || s.pos-start < indent) {
			s.pos++
		}
		if s.pos >= s.end {
			if indent < 0 || s.pos > start {
				return false // trailing blanks
			}
			break
		}
		if s.isEnd(s.pos) {
			if indent < 0 && s.pos-start > column+1 {
				return false // a blank line that is deeper than the first line with content
			}
			s.scratch = append(s.scratch, '\n')
			continue
		}
		if n := s.pos - start; indent < 0 {
			if n <= column || s.text[s.pos] == '\t' {
				return false
			}
			indent = n
		} else if n < indent {
			if s.text[s.pos] == '\t' {
				return false
			}
			s.pos = start // this line is the next one after the block
			break
		}
		from := s.pos
		if !s.comment() { // the rest of the line may have the characters of a comment
			return false
		}
		if s.skip {
			s.scratch = s.scratch[:0]
		}
		s.scratch = append(s.scratch, s.text[from:s.pos]...)
		kept = len(s.scratch)
		if s.pos >= s.end {
			if len(bytes.Trim(s.text[from:s.pos], " \t")) == 0 {
				return false // trailing blanks
			}
			break
		}
		s.scratch = append(s.scratch, '\n')
	}
	if indent < 0 {
		return false
	}
	switch chomp {
	case '-':
		s.scratch = s.scratch[:kept]
	case 0:
		s.scratch = s.scratch[:min(kept+1, len(s.scratch))]
	}
	if !s.skip {
		s.json = jsonwire.AppendString(s.json, string(s.scratch))
	}
	if s.pos >= s.end {
		s.indent = -1
		return true
	}
	return s.line() && s.indent <= column
}

// flow reads a flow collection that ends on the current line.
func (s *scanner) flow() bool {
	if !s.enter() {
		return false
	}
	s.mark(s.pos)
	open := s.text[s.pos]
	end := open + 2
	s.put(open)
	s.pos++
	s.spaces()
	first, outer := len(s.keys), s.wanted
	if open == '[' {
		s.element()
	}
	inside := s.wanted
	for n := 0; s.at(s.pos) != end; n++ {
		if n > 0 {
			if s.at(s.pos) != ',' {
				return false
			}
			s.pos++
			s.spaces()
		}
		if s.isEnd(s.pos) {
			return false
		}
		if open == '[' {
			s.separate('[')
		} else if !s.flowKey(first) {
			return false
		}
		if !s.flowValue() {
			return false
		}
		s.wanted = inside
		s.spaces()
	}
	s.wanted = outer
	s.put(end)
	s.forget(first)
	s.pos++
	s.depth--
	// A collection before a colon is a key.
	return s.at(s.pos) != ':'
}

// flowKey reads a key in braces and its colon. After a key in quotes, no space has to follow, as in
// JSON.
func (s *scanner) flowKey(first int) bool {
	c := s.text[s.pos]
	quoted := c == '"' || c == '\''
	if !s.key(first, true) || s.at(s.pos) != ':' || !quoted && s.at(s.pos+1) != ' ' {
		return false
	}
	s.pos++
	s.spaces()
	return true
}

func (s *scanner) flowValue() bool {
	if s.isEnd(s.pos) {
		return false
	}
	switch c := s.text[s.pos]; c {
	case '[', '{':
		return s.flow()
	case '"', '\'':
		s.mark(s.pos)
		return s.quoted(c, -1) && s.at(s.pos) != ':'
	}
	s.mark(s.pos)
	end, colon, ok := s.plain(s.pos, true)
	if !ok || colon || s.isEnd(end) {
		return false
	}
	s.put(plainMark)
	s.quote(s.text[s.pos:end])
	s.pos = end
	return true
}
