package jsonwire

import "bytes"

// The functions of this file navigate a text without checking it: they examine only quotes and
// brackets. On a malformed text they stop at or before its end, never beyond.

// looseString returns the index after the string whose opening quote is at i.
func looseString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(data)
}

// looseValue returns the index after the value at i, at least i.
func looseValue(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			i = looseString(data, i)
			if depth == 0 {
				return i
			}
		case plainMark:
			i++ // the string that follows is the value
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
			if depth == 0 {
				return i
			}
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			i++
		default:
			i = looseScalar(data, i)
			if depth == 0 {
				return i
			}
		}
	}
	return len(data)
}

// looseScalar returns the index after the number or literal at i.
func looseScalar(data []byte, i int) int {
	for i < len(data) {
		switch data[i] {
		case ',', ':', ' ', '\n', '\t', '\r', '{', '}', '[', ']', '"', plainMark:
			return i
		}
		i++
	}
	return i
}

// textOf returns the text of a string token, which begins with its quote and may be truncated. The
// result aliases the token unless that has escapes.
func textOf(token []byte) []byte {
	inside := token[1:]
	if n := len(inside); n > 0 && inside[n-1] == '"' {
		inside = inside[:n-1]
	}
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	return AppendUnescaped(nil, inside)
}

// isName reports whether the text of a string token is the name.
func isName(token []byte, name string) bool {
	if len(token) < 2 || len(token) < len(name)+2 {
		return false
	}
	if len(token) == len(name)+2 {
		return string(token[1:len(token)-1]) == name
	}
	// Escapes make a token at most six times as long as its text.
	return len(token) <= 6*len(name)+2 && string(textOf(token)) == name
}
