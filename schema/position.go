package schema

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Position is a position in a text. The zero value means that the position is unknown.
type Position struct {
	// Offset is the number of bytes before the position.
	Offset int
	// Line and Column count from 1. Columns count Unicode characters, not bytes or display cells.
	Line, Column int
}

// IsValid reports whether the position is known.
func (p Position) IsValid() bool { return p.Line > 0 }

// String returns "line:column", or "-" if the position is unknown.
func (p Position) String() string {
	if !p.IsValid() {
		return "-"
	}
	return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

var byteOrderMark = []byte("\uFEFF")

// PositionOf returns the position of a byte in a text. Lines end with LF or CRLF; both bytes of a
// CRLF belong to the line that they end and share one column. A byte order mark at the start of the
// text has no column. A byte inside a character has the column of the character, and each byte that
// is not valid UTF-8 is a character. An offset past the end means the end; a negative one gives the
// zero Position.
//
// The cost is one scan of the text up to the offset.
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

// characterStart returns the start of the character that contains the byte at an offset.
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
