package yaml

import "bytes"

// block reads the collection that starts on the current line, with all of its lines.
func (s *scanner) block() bool {
	if s.text[s.pos] == '-' && s.isBlank(s.pos+1) {
		return s.sequence(s.indent, false)
	}
	return s.mapping(s.indent)
}

// enter counts one level of nesting.
func (s *scanner) enter() bool {
	s.depth++
	return s.depth <= s.maxDepth
}

// sequence reads a list whose hyphens are in a column. shared reports whether that is also the
// column of the mapping that contains the list.
func (s *scanner) sequence(column int, shared bool) bool {
	if !s.enter() {
		return false
	}
	s.mark(s.pos)
	s.put('[')
	outer := s.element()
	for {
		s.separate('[')
		s.pos++ // the hyphen
		if !s.item(column) {
			return false
		}
		if s.indent != column {
			break
		}
		if s.text[s.pos] != '-' || !s.isBlank(s.pos+1) {
			if shared {
				break
			}
			return false
		}
	}
	s.wanted = outer
	s.put(']')
	s.depth--
	return s.indent < column || shared && s.indent == column
}

// item reads an element of a list; pos is after its hyphen.
func (s *scanner) item(column int) bool {
	hyphen := s.pos
	s.spaces()
	if s.isEnd(s.pos) || s.text[s.pos] == '#' {
		s.pos = hyphen
		return s.below(hyphen, column, false)
	}
	// The content of the line is treated like a line of its own.
	s.indent = column + 1 + s.pos - hyphen
	if s.text[s.pos] == '-' && s.isBlank(s.pos+1) {
		return s.sequence(s.indent, false)
	}
	if s.hasKey() {
		return s.mapping(s.indent)
	}
	return s.value(column)
}

// below reads a value that begins on a line of its own, deeper than a column, or in that column if
// it is a list in a mapping. Without such a line the value is empty and its position is the offset
// at. pos is at that line.
func (s *scanner) below(at, column int, inMapping bool) bool {
	if !s.endOfLine() || !s.nextLine() {
		return false
	}
	switch {
	case s.indent > column:
		if s.text[s.pos] == '-' && s.isBlank(s.pos+1) || s.hasKey() {
			return s.block()
		}
		return false
	case inMapping && s.indent == column && s.text[s.pos] == '-' && s.isBlank(s.pos+1):
		return s.sequence(column, true)
	}
	s.mark(at)
	s.put(plainMark)
	s.quote(nil)
	return true
}

// hasKey reports whether the text at pos is a key on this line.
func (s *scanner) hasKey() bool {
	switch c := s.text[s.pos]; c {
	case '"', '\'':
		i := s.pos + 1
		for !s.isEnd(i) && s.text[i] != c {
			if s.text[i] == '\\' && c == '"' {
				i++
			}
			i++
		}
		return s.at(i) == c && s.at(i+1) == ':' && s.isBlank(i+2)
	}
	_, colon, ok := s.plain(s.pos, false)
	return ok && colon
}

// mapping reads a mapping whose keys are in a column.
func (s *scanner) mapping(column int) bool {
	if !s.enter() {
		return false
	}
	s.mark(s.pos)
	s.put('{')
	first, outer := len(s.keys), s.wanted
	for {
		if !s.key(first, false) {
			return false
		}
		if s.at(s.pos) != ':' || !s.isBlank(s.pos+1) {
			return false
		}
		s.pos++
		colon := s.pos
		s.spaces()
		if s.isEnd(s.pos) || s.text[s.pos] == '#' {
			s.pos = colon
			if !s.below(colon, column, true) {
				return false
			}
		} else if !s.value(column) {
			return false
		}
		s.wanted = outer
		if s.indent != column {
			break
		}
	}
	s.put('}')
	s.forget(first)
	s.depth--
	return s.indent < column
}

// key reads a key and writes it with its colon. The wanted part becomes that of its value. first is
// the start of this mapping's keys.
func (s *scanner) key(first int, inFlow bool) bool {
	before := len(s.json)
	s.separate('{')
	s.mark(s.pos)
	from := len(s.json)
	switch c := s.text[s.pos]; c {
	case '"', '\'':
		start := s.pos
		if !s.quoted(c, -1) || s.pos-start > maxFastKey {
			return false
		}
	default:
		end, colon, ok := s.plain(s.pos, inFlow)
		if !ok || !colon || s.text[end-1] == ' ' || end-s.pos > maxFastKey {
			return false
		}
		name := s.text[s.pos:end]
		if string(name) == mergeKey {
			return false
		}
		s.quote(name)
		s.pos = end
	}
	if s.skip {
		return true
	}
	key := span{from, len(s.json)}
	if s.fields != nil {
		below, known := s.member(s.json[key.from:key.to])
		if !known {
			return false
		}
		if s.wanted = below; s.skip {
			s.json = s.json[:before]
			return true
		}
	}
	s.put(':')
	if len(s.keys)-first >= maxFastKeys {
		return s.isNew(first, key)
	}
	for _, k := range s.keys[first:] {
		if bytes.Equal(s.json[k.from:k.to], s.json[key.from:key.to]) {
			return false
		}
	}
	s.keys = append(s.keys, key)
	return true
}

// value reads a value that begins on the current line, at pos, inside a collection in a column, and
// moves to the next line.
func (s *scanner) value(column int) bool {
	c := s.text[s.pos]
	switch c {
	case '|':
		return s.literal(column)
	case '"', '\'':
		s.mark(s.pos)
		if !s.quoted(c, column) {
			return false
		}
	case '[', '{':
		if !s.flow() {
			return false
		}
	default:
		return s.plainValue(column)
	}
	return s.endOfLine() && s.nextLine() && s.indent <= column
}
