package yaml

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/askind/askind/wire/jsonwire"
)

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
