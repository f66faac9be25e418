package yaml

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/located"
)

var byteOrderMark = []byte("\xEF\xBB\xBF")

// source is the user's text.
type source struct {
	text []byte // in UTF-8
	wide bool   // the user's text was UTF-16, so its offsets differ

	limits schema.Limits // of parsing, with defaults

	// For a list that is read piece by piece, text[:cut] contains a placeholder for the items
	// already read. The text after it is at another position of the user's text, at the start of a
	// line.
	cut   int
	after schema.Position
}

// newSource determines the encoding from the byte order mark, as YAML specifies, and converts
// UTF-16. An unpaired surrogate and a truncated character at the end become U+FFFF, which is
// reported at its position. limits has its defaults.
func newSource(data []byte, limits schema.Limits) *source {
	var order binary.ByteOrder
	switch {
	case len(data) >= 2 && data[0] == 0xFF && data[1] == 0xFE:
		order = binary.LittleEndian
	case len(data) >= 2 && data[0] == 0xFE && data[1] == 0xFF:
		order = binary.BigEndian
	default:
		return &source{text: data, limits: limits}
	}
	s := &source{text: make([]byte, 0, len(data)), wide: true, limits: limits}
	data = data[2:]
	for len(data) >= 2 {
		r := rune(order.Uint16(data))
		data = data[2:]
		if utf16.IsSurrogate(r) {
			var low rune
			if len(data) >= 2 {
				low = rune(order.Uint16(data))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				r = 0xFFFF
			} else {
				data = data[2:]
			}
		}
		s.text = utf8.AppendRune(s.text, r)
	}
	if len(data) > 0 {
		s.text = utf8.AppendRune(s.text, 0xFFFF)
	}
	return s
}

// segments yields the documents of the text, see split, with their positions.
func (s *source) segments(yield func(segment) bool) {
	last := segment{base: located.Start}
	if s.wide {
		last.units = 2 // the byte order mark
	}
	split(s.text, func(seg segment) bool {
		seg.base = s.place(last, seg.from)
		seg.units = last.units
		if s.wide {
			seg.units += utf16Bytes(s.text[last.from:seg.from])
		}
		last = seg
		return yield(seg)
	})
}

// position returns the position in the user's text of a byte of a document.
func (s *source) position(seg segment, offset int) schema.Position {
	offset = min(offset, len(s.text))
	p := s.place(seg, offset)
	if s.wide {
		p.Offset = seg.units + utf16Bytes(s.text[seg.from:offset])
	}
	return p
}

// place is position for a UTF-8 text.
func (s *source) place(seg segment, offset int) schema.Position {
	if seg.from >= s.cut || offset < s.cut {
		return located.At(seg.base, s.text[seg.from:], offset-seg.from)
	}
	// The line feed before the cut counts as one more line. It also prevents a byte order mark
	// after it from being taken for that of the file.
	p := schema.PositionOf(s.text[s.cut-1:], offset-s.cut+1)
	p.Line += s.after.Line - 2
	p.Offset += s.after.Offset - 1
	return p
}

// utf16Bytes returns the size of a text in UTF-16.
func utf16Bytes(text []byte) int {
	n := 0
	for _, r := range string(text) {
		n += 2 * utf16.RuneLen(r)
	}
	return n
}

// exceeded returns the problem of exceeding a limit at an offset of the text.
func (s *source) exceeded(seg segment, offset int, e *schema.LimitError) *runtime.Problem {
	p := located.Exceeded(s.position(seg, offset), "", e)
	return &p
}

// problem returns a problem at a byte of the text.
func (s *source) problem(seg segment, offset int, cause error, format string, args ...any) *runtime.Problem {
	return &runtime.Problem{Position: s.position(seg, offset), Cause: cause, Message: fmt.Sprintf(format, args...)}
}

// badCharacter returns the offset of the first byte of text[from:to] that YAML does not allow, and
// a message. The offset is -1 if all bytes are allowed.
func badCharacter(text []byte, from, to int) (offset int, message string) {
	for i := from; i < to; {
		c := text[i]
		if 0x20 <= c && c < utf8.RuneSelf || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			return i, fmt.Sprintf(
				"the control character U+%04X is not allowed in YAML text; in double quotes it can be written as \"\\x%02x\"", c, c,
			)
		}
		r, size := utf8.DecodeRune(text[i:to])
		switch {
		case r == utf8.RuneError && size == 1:
			return i, fmt.Sprintf("the byte %#02x is not valid UTF-8", c)
		case r == 0xFFFE, r == 0xFFFF:
			return i, fmt.Sprintf("the character U+%04X is not allowed in YAML text", r)
		}
		i += size
	}
	return -1, ""
}

// lines maps the lines and columns of the YAML library to offsets. The library also counts Unicode
// line breaks, unlike editors.
type lines struct {
	text   []byte // one document, as the library reads it
	starts []int  // start of each line
	// Every 128th column of a line is recorded, so that finding a position in a long line does not
	// require reading it from its start. checks has their offsets, and first the index of each
	// line's first one.
	first, checks []int
	pairs         []int // offsets in text of the escapes that replace two others, see joinPairs
}

const columnsPerCheck = 128

func newLines(text []byte) *lines {
	text, pairs := joinPairs(text)
	// Most breaks are line feeds. Counting them allows a single allocation.
	n := 1 + bytes.Count(text, []byte{'\n'})
	l := &lines{text: text, starts: append(make([]int, 0, n), 0), first: append(make([]int, 0, n), 0), pairs: pairs}
	column := 0
	for i := 0; i < len(text); {
		c := text[i]
		size := 1
		if c < 0x20 || c >= utf8.RuneSelf {
			if size = breakAt(text, i); size > 0 {
				if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
					size = 2
				}
				i += size
				column = 0
				l.starts = append(l.starts, i)
				l.first = append(l.first, len(l.checks))
				continue
			}
			_, size = utf8.DecodeRune(text[i:])
		}
		i += size
		if column++; column%columnsPerCheck == 0 {
			l.checks = append(l.checks, i)
		}
	}
	return l
}

// joinPairs replaces each surrogate pair in a JSON document, which is two escapes of six bytes, by
// one escape of ten bytes, because the library does not accept pairs. JSON writers whose output is
// ASCII use them; YAML writers do not. It also returns the offsets of the replaced pairs.
func joinPairs(text []byte) ([]byte, []int) {
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) || located.CheckJSON(text) != nil {
		return text, nil
	}
	var pairs []int
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		if r := utf16.DecodeRune(escapedUnit(text[i:]), escapedUnit(text[min(i+6, len(text)):])); r != utf8.RuneError {
			pairs = append(pairs, len(out))
			out = fmt.Appendf(out, `\U%08X`, r)
			i += 11
			continue
		}
		out = append(out, text[i], text[i+1]) // in JSON, a backslash does not end the text
		i++
	}
	return out, pairs
}

// escapedUnit returns the UTF-16 code unit whose escape text begins with, or 0.
func escapedUnit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n)
}

// offset returns where a line and column, counted from 1, are in the text. A position that does not
// exist gives the end of its line or of the text.
func (l *lines) offset(line, column int) int {
	at := l.joined(line, column)
	replaced, _ := slices.BinarySearch(l.pairs, at)
	return at + 2*replaced
}

// joined is offset for the text as the library reads it.
func (l *lines) joined(line, column int) int {
	if line < 1 {
		return 0
	}
	if line > len(l.starts) {
		return len(l.text)
	}
	i, end, checks := l.starts[line-1], len(l.text), l.checks[l.first[line-1]:]
	if line < len(l.starts) {
		end = l.starts[line]
		checks = l.checks[l.first[line-1]:l.first[line]]
	}
	column--
	if n := min(column/columnsPerCheck, len(checks)); n > 0 {
		i = checks[n-1]
		column -= n * columnsPerCheck
	}
	for ; column > 0 && i < end; column-- {
		_, size := utf8.DecodeRune(l.text[i:end])
		i += size
	}
	return i
}
