package json

// scanner finds the end of a JSON value in a text that arrives in pieces. It examines only brackets
// and strings; decoding checks the value. The zero scanner expects a value at the next byte.
type scanner struct {
	depth        int
	text, escape bool // inside a string, after a backslash
	scalar       bool // inside a number or word, which ends before the first byte that does not belong to it
}

// next scans another piece and returns how many bytes of it belong to the value, and whether the
// value ends there.
func (s *scanner) next(data []byte) (n int, done bool) {
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case s.escape:
			s.escape = false
		case s.text:
			for c != '"' && c != '\\' {
				if i++; i == len(data) {
					return i, false
				}
				c = data[i]
			}
			s.escape, s.text = c == '\\', c != '"'
			if !s.text && s.depth == 0 {
				return i + 1, true
			}
		case c == '"':
			if s.scalar {
				return i, true
			}
			s.text = true
		case c == '{' || c == '[':
			if s.scalar {
				return i, true
			}
			s.depth++
		case c == '}' || c == ']':
			if s.depth == 0 {
				return i, true
			}
			if s.depth--; s.depth == 0 {
				return i + 1, true
			}
		case s.depth > 0:
		case c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t':
			return i, true
		default:
			s.scalar = true
		}
	}
	return len(data), false
}
