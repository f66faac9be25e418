package jsonwire

// AppendRaw appends one JSON value without its white space and with the escapes that [AppendString]
// writes for <, >, & and the separators U+2028 and U+2029. An empty raw is written as null. Text
// that is not one JSON value in valid UTF-8 returns an [*Error] with dst unchanged.
func AppendRaw(dst, raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return append(dst, "null"...), nil
	}
	return appendCompact(dst, raw, true)
}

// Compact appends one JSON value without its white space. Text that is not one JSON value in valid
// UTF-8 returns an [*Error] with dst unchanged.
func Compact(dst, src []byte) ([]byte, error) { return appendCompact(dst, src, false) }

func appendCompact(dst, src []byte, escape bool) ([]byte, error) {
	var r Reader
	r.Reset(src, Options{})
	r.skip(nil, nil)
	r.End()
	if r.err != nil {
		return dst, r.Err()
	}
	// The text is valid, so quotes alone delimit strings, and each string has a closing one.
	start, i := 0, 0 // src[start:i] remains to be copied
	for i < len(src) {
		switch src[i] {
		case ' ', '\n', '\t', '\r':
			dst = append(dst, src[start:i]...)
			i = skipSpace(src, i)
			start = i
		case '"':
			if escape {
				dst, start, i = appendHTMLEscaped(dst, src, start, i+1)
			} else {
				i = looseString(src, i)
			}
		default:
			i++
		}
	}
	return append(dst, src[start:]...), nil
}

// appendHTMLEscaped scans the string whose first byte is at i and returns the index after it. For a
// character to escape it appends src[start:i] and the escape to dst, and returns the new start.
func appendHTMLEscaped(dst, src []byte, start, i int) ([]byte, int, int) {
	for {
		i = htmlClean(src, i)
		if i >= len(src) {
			return dst, start, i
		}
		switch c := src[i]; c {
		case '"':
			return dst, start, i + 1
		case '\\':
			i++
		case '<', '>', '&':
			dst = append(dst, src[start:i]...)
			dst = appendEscape(dst, c)
			start = i + 1
		case 0xE2:
			if i+2 < len(src) && src[i+1] == 0x80 && src[i+2]&^1 == 0xA8 {
				dst = append(dst, src[start:i]...)
				dst = append(dst, `\u202`...)
				dst = append(dst, hexDigits[src[i+2]&0xF])
				start = i + 3
				i += 2
			}
		}
		i++
	}
}

// maxIndent is the number of levels that are indented in pretty form.
const maxIndent = 64

// AppendIndent appends a JSON value in pretty form: each member and element on a line of its own
// that begins with prefix and one indent per level, like json.Indent. Empty objects and arrays stay
// on their line. compact must be valid JSON; the result for other text is undefined.
func AppendIndent(dst, compact []byte, prefix, indent string) []byte {
	depth := 0
	fresh := false // no content has been written since the last opening bracket
	newline := func() {
		dst = append(dst, '\n')
		dst = append(dst, prefix...)
		for range min(depth, maxIndent) {
			dst = append(dst, indent...)
		}
	}
	end := len(compact)
	for end > 0 && isSpace(compact[end-1]) {
		end--
	}
	for i := 0; i < end; {
		c := compact[i]
		if isSpace(c) {
			i++
			continue
		}
		if fresh && c != ']' && c != '}' {
			fresh = false
			depth++
			newline()
		}
		switch c {
		case '"':
			stop, _, _ := scanString(compact, i+1)
			stop = min(stop+1, end)
			dst = append(dst, compact[i:stop]...)
			i = stop
			continue
		case '{', '[':
			fresh = true
			dst = append(dst, c)
		case ',':
			dst = append(dst, c)
			newline()
		case ':':
			dst = append(dst, ':', ' ')
		case '}', ']':
			if fresh {
				fresh = false
			} else {
				depth = max(depth-1, 0)
				newline()
			}
			dst = append(dst, c)
		default:
			dst = append(dst, c)
		}
		i++
	}
	// White space after the value is kept, including a final line end.
	return append(dst, compact[end:]...)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
