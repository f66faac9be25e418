package schema

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Position is a place in a text. The zero value means that the place is not known.
type Position struct {
	// Offset is the number of bytes before the place.
	Offset int
	// Line and Column count from 1. Columns count Unicode characters, not bytes and not what they
	// look like on a screen.
	Line, Column int
}

// IsValid reports whether the place is known.
func (p Position) IsValid() bool { return p.Line > 0 }

// String returns "line:column", or "-" if the place is not known.
func (p Position) String() string {
	if !p.IsValid() {
		return "-"
	}
	return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

var byteOrderMark = []byte("\uFEFF")

// PositionOf returns the place of a byte in a text. Lines end with LF or CRLF, whose two bytes both
// belong to the line that they end and have one column together. A byte order mark at the start of
// the text has no column. A byte inside a character has that of the character, and each byte
// that is not valid UTF-8 is a character. An offset past the end is taken for the end; a negative
// one gives the zero Position.
//
// The cost is one scan of the text before the place.
func PositionOf(text []byte, offset int) Position {
	if offset < 0 {
		return Position{}
	}
	offset = min(offset, len(text))
	place := characterStart(text, offset)
	if place > 0 && place < len(text) && text[place] == '\n' && text[place-1] == '\r' {
		place--
	}
	before := text[:place]
	start := bytes.LastIndexByte(before, '\n') + 1
	line := before[start:]
	if start == 0 {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	return Position{
		Offset: offset,
		Line:   1 + bytes.Count(before, []byte{'\n'}),
		Column: 1 + utf8.RuneCount(line),
	}
}

// characterStart returns where the character starts that the byte at an offset is part of.
func characterStart(text []byte, offset int) int {
	for back := range min(utf8.UTFMax, offset+1) {
		start := offset - back
		if start < len(text) && utf8.RuneStart(text[start]) {
			if _, size := utf8.DecodeRune(text[start:]); start+size > offset {
				return start
			}
			break
		}
	}
	return offset
}
