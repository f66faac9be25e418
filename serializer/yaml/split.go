package yaml

import (
	"bytes"

	"github.com/askind/askind/schema"
)

// segment is the part of a stream that holds one document, with its directives and marks:
// text[from:to].
type segment struct {
	from, to int
	base     schema.Position // of from, in UTF-8
	units    int             // bytes before it in the user's text, if that is UTF-16
}

// split yields the documents of a stream that have content: more than comments, directives and
// blank lines. A line that begins with three hyphens or dots always ends a document, even inside
// quotes or a block. So split needs no other rule of YAML, and a malformed document does not affect
// the next one.
func split(text []byte, yield func(segment) bool) {
	from := 0
	if bytes.HasPrefix(text, byteOrderMark) {
		from = len(byteOrderMark)
	}
	marked, content := false, false // whether the current document has its three hyphens, and content
	ends := lineMarks{hyphens: -1, dots: -1}
	for i := from; i < len(text); {
		if content {
			if i = ends.next(text, i); i == len(text) {
				break
			}
		}
		line, next := lineAt(text, i)
		// Concatenated files have several byte order marks.
		body := bytes.TrimPrefix(line, byteOrderMark)
		at := i + len(line) - len(body)
		switch {
		case isMark(body, '-'):
			if marked || content {
				if content && !yield(segment{from: from, to: i}) {
					return
				}
				from = at
			}
			marked, content = true, hasContent(body[3:])
		case isMark(body, '.'):
			if content && !yield(segment{from: from, to: next}) {
				return
			}
			from, marked, content = next, false, false
		case !content:
			directive := !marked && len(body) > 0 && body[0] == '%'
			content = !directive && hasContent(body)
		}
		i = next
	}
	if content {
		yield(segment{from: from, to: len(text)})
	}
}

// lineMarks finds the lines of a text that may separate documents.
type lineMarks struct{ hyphens, dots int } // offsets of the next three of each

// next returns the start of the first line at or after i that begins with three hyphens or dots, or
// len(text). i is the start of a line.
func (m *lineMarks) next(text []byte, i int) int {
	for from := i; ; from = min(m.hyphens, m.dots) + 1 {
		if m.hyphens < from {
			m.hyphens = indexFrom(text, from, "---")
		}
		if m.dots < from {
			m.dots = indexFrom(text, from, "...")
		}
		at := min(m.hyphens, m.dots)
		if at == len(text) {
			return at
		}
		if bytes.HasSuffix(text[i:at], byteOrderMark) {
			at -= len(byteOrderMark)
		}
		if at == i || text[at-1] == '\n' || text[at-1] == '\r' {
			return at
		}
	}
}

// indexFrom returns the offset of the first occurrence of what at or after an index, or len(text).
func indexFrom(text []byte, from int, what string) int {
	if n := bytes.Index(text[from:], []byte(what)); n >= 0 {
		return from + n
	}
	return len(text)
}

// lineAt returns the line that starts at i, without its break, and where the next one starts. Lines
// end with LF, CRLF or CR.
func lineAt(text []byte, i int) (line []byte, next int) {
	const window = 256 // avoids searching the whole text for the other kind of break in every line
	for from := i; from < len(text); from += window {
		part := text[from:min(from+window, len(text))]
		n := bytes.IndexByte(part, '\n')
		if n >= 0 {
			part = part[:n]
		}
		if cr := bytes.IndexByte(part, '\r'); cr >= 0 {
			n = cr
		}
		if n < 0 {
			continue
		}
		end := from + n
		next = end + 1
		if text[end] == '\r' && next < len(text) && text[next] == '\n' {
			next++
		}
		return text[i:end], next
	}
	return text[i:], len(text)
}

// isMark reports whether a line separates documents.
func isMark(line []byte, c byte) bool {
	return len(line) >= 3 && line[0] == c && line[1] == c && line[2] == c && (len(line) == 3 || line[3] == ' ' ||
		line[3] == '\t')
}

// hasContent reports whether a line has more than blanks and a comment.
func hasContent(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && line[0] != '#'
}

// withoutVersion returns the text of a document with its %YAML directives turned into comments: the
// library rejects versions that it can read. Offsets do not change.
func withoutVersion(text []byte) []byte {
	copied := false
	for i := 0; i < len(text); {
		line, next := lineAt(text, i)
		switch {
		case bytes.HasPrefix(line, []byte("%YAML 1.")):
			if !copied {
				text, copied = bytes.Clone(text), true
			}
			text[i] = '#'
		case isMark(line, '-'), hasContent(line) && line[0] != '%':
			return text
		}
		i = next
	}
	return text
}

// maxTags is the maximum number of %TAG directives of a document. The library compares each of them
// with all others.
const maxTags = 100

// excessTag returns the offset of the first %TAG directive beyond maxTags, or -1.
func excessTag(text []byte) int {
	directive := []byte("%TAG")
	for i, count := 0, 0; ; i++ {
		next := bytes.Index(text[i:], directive)
		if next < 0 {
			return -1
		}
		if i += next; i > 0 && !breakEndsAt(text, i) {
			continue
		}
		if count++; count > maxTags {
			return i
		}
	}
}
