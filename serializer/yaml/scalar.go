package yaml

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/askind/askind/wire/jsonwire"
)

// width is the column after which long scalars are folded at the next space.
const width = 80

// style is how a scalar is written.
type style int

const (
	plain style = iota
	singleQuoted
	doubleQuoted
	literal
)

// traits determine the styles in which a string may be written.
type traits struct {
	multiline bool // has line breaks, among them U+2028 and U+2029
	plain     bool // may be written without quotes in block context
	single    bool // may be written in single quotes
	block     bool // may be written as a literal block
}

// plainBytes has the bytes without special meaning after the first character of a plain scalar.
var plainBytes = func() (set [256]bool) {
	for c := '!'; c <= '~'; c++ {
		set[c] = c != '#' && c != ':'
	}
	return set
}()

// analyze determines how the string s, which is not empty, may be written.
func analyze(s []byte) traits {
	var (
		indicator  = opens(s) // has a character sequence with a meaning in YAML
		special    bool       // has characters that need an escape
		breaks     bool
		spaceBreak bool // a break after a space
		breakSpace bool // a space after a break
	)
	for i := 0; i < len(s); {
		c := s[i]
		if plainBytes[c] {
			i++
			continue
		}
		size := 1
		switch {
		case c == ' ':
			breakSpace = breakSpace || breakEndsAt(s, i)
		case c == ':':
			indicator = indicator || i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t'
		case c == '#':
			indicator = indicator || i == 0 || blankEndsAt(s, i)
		default:
			if n := breakAt(s, i); n > 0 && c != '\r' && c != 0xC2 {
				breaks, size = true, n
				spaceBreak = spaceBreak || i > 0 && s[i-1] == ' '
				break
			}
			if size = printable(s[i:]); size == 0 {
				special, size = true, 1
				if breakAt(s, i) > 0 {
					breaks = true
				}
			}
		}
		i += size
	}
	last := s[len(s)-1]
	edge := s[0] == ' ' || last == ' ' || breakAt(s, 0) > 0 || breakEndsAt(s, len(s))
	return traits{
		multiline: breaks,
		plain:     !indicator && !special && !breaks && !edge,
		single:    !special && !spaceBreak && !breakSpace,
		block:     !special && !spaceBreak && last != ' ',
	}
}

// opens reports whether the first characters of s prevent it from being a plain scalar.
func opens(s []byte) bool {
	switch s[0] {
	case '#', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return true
	case '?', ':', '-':
		if len(s) == 1 || s[1] == ' ' || s[1] == '\t' {
			return true
		}
	}
	return bytes.HasPrefix(s, []byte("---")) || bytes.HasPrefix(s, []byte("..."))
}

// breakAt returns the length of the line break at i, or 0 if no line break is there: LF, CR, and
// the Unicode line breaks U+0085, U+2028 and U+2029.
func breakAt(s []byte, i int) int {
	if i >= len(s) {
		return 0
	}
	switch s[i] {
	case '\n', '\r':
		return 1
	case 0xC2:
		if i+1 < len(s) && s[i+1] == 0x85 {
			return 2
		}
	case 0xE2:
		if i+2 < len(s) && s[i+1] == 0x80 && s[i+2]|1 == 0xA9 {
			return 3
		}
	}
	return 0
}

// breakEndsAt reports whether a line break ends before i.
func breakEndsAt(s []byte, i int) bool {
	for n := 1; n <= 3 && n <= i; n++ {
		if breakAt(s, i-n) == n {
			return true
		}
	}
	return false
}

// blankEndsAt reports whether a space, a tab, a NUL or a line break ends before i.
func blankEndsAt(s []byte, i int) bool {
	return i > 0 && (s[i-1] == ' ' || s[i-1] == '\t' || s[i-1] == 0) || breakEndsAt(s, i)
}

// printable returns the length of the character at the start of s if it may be written unescaped,
// else 0. As in the Kubernetes output, characters outside of the basic plane are escaped.
func printable(s []byte) int {
	c := s[0]
	if c < utf8.RuneSelf {
		if c == '\n' || 0x20 <= c && c <= 0x7E {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeRune(s)
	switch {
	case r == utf8.RuneError && size == 1, r < 0xA0, r == 0xFEFF, r == 0xFFFE, r == 0xFFFF, r > 0xFFFF:
		return 0
	}
	return size
}

// choose returns the style in which s is written as a value, or as a key on one line.
func choose(s []byte, key bool) (style, traits) {
	if len(s) == 0 {
		return doubleQuoted, traits{}
	}
	t := analyze(s)
	switch {
	case bytes.IndexByte(s, '\n') >= 0:
		if t.block && !key {
			return literal, t
		}
		return doubleQuoted, t
	case ambiguous(s):
		return doubleQuoted, t
	case t.plain:
		return plain, t
	case t.single:
		return singleQuoted, t
	}
	return doubleQuoted, t
}

// scalar writes a string in a style. Further lines are indented by indent; fold reports whether a
// long text may be broken at spaces.
func (e *emitter) scalar(s []byte, st style, indent int, fold bool) {
	switch st {
	case plain:
		if fold && e.mayFold(s, 0) {
			e.folded(s, indent, 0)
			return
		}
		e.dst = append(e.dst, s...)
	case singleQuoted:
		e.dst = append(e.dst, '\'')
		e.single(s, indent, fold)
		e.dst = append(e.dst, '\'')
	case doubleQuoted:
		e.dst = append(e.dst, '"')
		e.double(s, indent, fold)
		e.dst = append(e.dst, '"')
	case literal:
		e.literal(s, indent)
	}
}

// mayFold reports whether a text that is written at the current position, plus more characters, can
// exceed the width and has a space to break at.
func (e *emitter) mayFold(s []byte, more int) bool {
	return len(e.dst)-e.line+len(s)+more > width && bytes.IndexByte(s, ' ') >= 0
}

// column returns how many characters there are on the current line.
func (e *emitter) column() int { return utf8.RuneCount(e.dst[e.line:]) }

// folded writes a text without escapes, broken at single spaces beyond the width; a break replaces
// the space. quote, if not 0, is doubled. The first and last character are never a place to break.
func (e *emitter) folded(s []byte, indent int, quote byte) {
	column := e.column()
	spaces := false
	for i, c := range s {
		if c == ' ' {
			inside := quote == 0 || i > 0 && i < len(s)-1
			if !spaces && column > width && inside && i+1 < len(s) && s[i+1] != ' ' {
				e.newLine(indent)
				column = indent
			} else {
				e.dst = append(e.dst, c)
				column++
			}
			spaces = true
			continue
		}
		spaces = false
		if c == quote && quote != 0 {
			e.dst = append(e.dst, c)
			column++
		}
		e.dst = append(e.dst, c)
		if utf8.RuneStart(c) {
			column++
		}
	}
}

// single writes the content of a single-quoted scalar.
func (e *emitter) single(s []byte, indent int, fold bool) {
	for len(s) > 0 {
		// Up to the next line break, which can only be U+2028 or U+2029: it is written unchanged,
		// and the next line is indented.
		n := 0
		for n < len(s) && breakAt(s, n) == 0 {
			n++
		}
		line := s[:n]
		if fold && e.mayFold(line, bytes.Count(line, []byte("'"))) {
			e.folded(line, indent, '\'')
		} else {
			for _, c := range line {
				if c == '\'' {
					e.dst = append(e.dst, c)
				}
				e.dst = append(e.dst, c)
			}
		}
		s = s[n:]
		broken := false
		for size := breakAt(s, 0); size > 0; size = breakAt(s, 0) {
			e.dst = append(e.dst, s[:size]...)
			e.line = len(e.dst)
			s = s[size:]
			broken = true
		}
		if broken && len(s) > 0 {
			e.pad(indent)
		}
	}
}

// double writes the content of a double-quoted scalar.
func (e *emitter) double(s []byte, indent int, fold bool) {
	if bytes.HasPrefix(s, byteOrderMark) {
		// The Kubernetes output escapes every character of such a text.
		for _, r := range string(s) {
			e.dst = appendEscape(e.dst, r)
		}
		return
	}
	fold = fold && bytes.IndexByte(s, ' ') >= 0
	column := 0
	if fold {
		column = e.column()
	}
	spaces := false
	for i := 0; i < len(s); {
		c := s[i]
		if c == ' ' {
			if fold && !spaces && column > width && i > 0 && i < len(s)-1 {
				e.newLine(indent)
				column = indent
				if s[i+1] == ' ' {
					e.dst = append(e.dst, '\\')
					column++
				}
			} else {
				e.dst = append(e.dst, c)
				column++
			}
			spaces = true
			i++
			continue
		}
		spaces = false
		if plainBytes[c] && c != '"' && c != '\\' || c == ':' || c == '#' {
			e.dst = append(e.dst, c)
			column++
			i++
			continue
		}
		if size := printable(s[i:]); size > 0 && c != '"' && c != '\\' && breakAt(s, i) == 0 {
			e.dst = append(e.dst, s[i:i+size]...)
			column++
			i += size
			continue
		}
		from := len(e.dst)
		r, size := utf8.DecodeRune(s[i:])
		e.dst = appendEscape(e.dst, r)
		column += len(e.dst) - from
		i += size
	}
}

// appendEscape appends the escape of r in a double-quoted scalar.
func appendEscape(dst []byte, r rune) []byte {
	dst = append(dst, '\\')
	switch r {
	case 0:
		return append(dst, '0')
	case 7:
		return append(dst, 'a')
	case 8:
		return append(dst, 'b')
	case '\t':
		return append(dst, 't')
	case '\n':
		return append(dst, 'n')
	case 0x0B:
		return append(dst, 'v')
	case 0x0C:
		return append(dst, 'f')
	case '\r':
		return append(dst, 'r')
	case 0x1B:
		return append(dst, 'e')
	case '"', '\\':
		return append(dst, byte(r))
	case 0x85:
		return append(dst, 'N')
	case 0xA0:
		return append(dst, '_')
	case 0x2028:
		return append(dst, 'L')
	case 0x2029:
		return append(dst, 'P')
	}
	digits := 2
	letter := byte('x')
	switch {
	case r > 0xFFFF:
		digits, letter = 8, 'U'
	case r > 0xFF:
		digits, letter = 4, 'u'
	}
	dst = append(dst, letter)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789ABCDEF"[r>>shift&0xF])
	}
	return dst
}

// literal writes a literal block from its bar on.
func (e *emitter) literal(s []byte, indent int) {
	e.dst = append(e.dst, '|')
	if s[0] == ' ' || breakAt(s, 0) > 0 {
		e.dst = append(e.dst, '2') // the first line does not show the indentation
	}
	switch first := breakAt(s, 0); {
	case !breakEndsAt(s, len(s)):
		e.dst = append(e.dst, '-')
	case first == len(s), breakEndsAt(s, len(s)-lastBreak(s)):
		e.dst = append(e.dst, '+')
	}
	e.dst = append(e.dst, '\n')
	e.line = len(e.dst)
	for len(s) > 0 {
		n := 0
		for n < len(s) && breakAt(s, n) == 0 {
			n++
		}
		if n > 0 {
			e.pad(indent)
			e.dst = append(e.dst, s[:n]...)
		}
		if size := breakAt(s, n); size > 0 {
			e.dst = append(e.dst, s[n:n+size]...)
			e.line = len(e.dst)
			n += size
		}
		s = s[n:]
	}
}

// lastBreak returns the length of the line break at the end of s.
func lastBreak(s []byte) int {
	for n := 1; n <= 3; n++ {
		if len(s) >= n && breakAt(s, len(s)-n) == n {
			return n
		}
	}
	return 0
}

// appendNumber appends a JSON number in the form of YAML output: integers of up to 64 bits, and
// larger ones that a float would round, unchanged; everything else as the shortest float.
func appendNumber(dst, num []byte) []byte {
	integer := true
	for i, c := range num {
		if !isDigit(c) && (c != '-' || i > 0) {
			integer = false
			break
		}
	}
	if integer {
		if string(num) == "-0" {
			return append(dst, '0')
		}
		if len(num) < 19 {
			return append(dst, num...)
		}
		text := string(num)
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return append(dst, num...)
		}
		if _, err := strconv.ParseUint(text, 10, 64); err == nil {
			return append(dst, num...)
		}
		if exact := jsonwire.ExactInteger(num); exact != nil {
			return append(dst, exact...)
		}
	}
	f, err := strconv.ParseFloat(string(num), 64)
	if err != nil {
		return append(dst, num...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
