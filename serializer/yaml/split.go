package yaml

import "bytes"

// segment is the part of a stream that holds one document, with its directives and marks: text[from:to].
type segment struct{ from, to int }

// split yields the documents of a stream that have content: more than comments, directives and blank lines. A line that begins with three
// hyphens or dots ends a document wherever it stands, also inside of quotes or a block, so no other rule of YAML has to be known here, and
// one broken document does not keep the next from being read.
func split(text []byte, yield func(segment) bool) {
	from := 0
	if bytes.HasPrefix(text, byteOrderMark) {
		from = len(byteOrderMark)
	}
	marked, content := false, false // whether the document at hand has its three hyphens, and anything that counts
	for i := from; i < len(text); {
		line, next := lineAt(text, i)
		// Files that were put behind each other bring their byte order marks with them.
		body := bytes.TrimPrefix(line, byteOrderMark)
		at := i + len(line) - len(body)
		switch {
		case isMark(body, '-'):
			if marked || content {
				if content && !yield(segment{from, i}) {
					return
				}
				from = at
			}
			marked, content = true, hasContent(body[3:])
		case isMark(body, '.'):
			if content && !yield(segment{from, next}) {
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
		yield(segment{from, len(text)})
	}
}

// lineAt returns the line that starts at i, without its break, and where the next one starts. Lines end with LF, CRLF or CR.
func lineAt(text []byte, i int) (line []byte, next int) {
	line, next = text[i:], len(text)
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line, next = line[:n], i+n+1
	}
	if n := bytes.IndexByte(line, '\r'); n >= 0 {
		if i+n+2 != next || n+1 != len(line) {
			next = i + n + 1
		}
		line = line[:n]
	}
	return line, next
}

// isMark reports whether a line is a mark between documents.
func isMark(line []byte, c byte) bool {
	return len(line) >= 3 && line[0] == c && line[1] == c && line[2] == c && (len(line) == 3 || line[3] == ' ' || line[3] == '\t')
}

// hasContent reports whether a line has more than blanks and a comment.
func hasContent(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && line[0] != '#'
}

// withoutVersion returns the text of a document with its %YAML directive made a comment: the library refuses versions that it reads well.
// Offsets stay what they are.
func withoutVersion(text []byte) []byte {
	for i := 0; i < len(text); {
		line, next := lineAt(text, i)
		switch {
		case bytes.HasPrefix(line, []byte("%YAML 1.")):
			text = bytes.Clone(text)
			text[i] = '#'
		case isMark(line, '-'), hasContent(line) && line[0] != '%':
			return text
		}
		i = next
	}
	return text
}
