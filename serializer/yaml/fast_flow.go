package yaml

// flow reads a flow collection that ends on the current line.
func (s *scanner) flow() bool {
	if !s.enter() {
		return false
	}
	s.mark(s.pos)
	open := s.text[s.pos]
	end := open + 2
	s.put(open)
	s.pos++
	s.spaces()
	first, outer := len(s.keys), s.wanted
	if open == '[' {
		s.element()
	}
	inside := s.wanted
	for n := 0; s.at(s.pos) != end; n++ {
		if n > 0 {
			if s.at(s.pos) != ',' {
				return false
			}
			s.pos++
			s.spaces()
		}
		if s.isEnd(s.pos) {
			return false
		}
		if open == '[' {
			s.separate('[')
		} else if !s.flowKey(first) {
			return false
		}
		if !s.flowValue() {
			return false
		}
		s.wanted = inside
		s.spaces()
	}
	s.wanted = outer
	s.put(end)
	s.forget(first)
	s.pos++
	s.depth--
	// A collection before a colon is a key.
	return s.at(s.pos) != ':'
}

// flowKey reads a key in braces and its colon. After a key in quotes, no space has to follow, as in
// JSON.
func (s *scanner) flowKey(first int) bool {
	c := s.text[s.pos]
	quoted := c == '"' || c == '\''
	if !s.key(first, true) || s.at(s.pos) != ':' || !quoted && s.at(s.pos+1) != ' ' {
		return false
	}
	s.pos++
	s.spaces()
	return true
}

func (s *scanner) flowValue() bool {
	if s.isEnd(s.pos) {
		return false
	}
	switch c := s.text[s.pos]; c {
	case '[', '{':
		return s.flow()
	case '"', '\'':
		s.mark(s.pos)
		return s.quoted(c, -1) && s.at(s.pos) != ':'
	}
	s.mark(s.pos)
	end, colon, ok := s.plain(s.pos, true)
	if !ok || colon || s.isEnd(end) {
		return false
	}
	s.put(plainMark)
	s.quote(s.text[s.pos:end])
	s.pos = end
	return true
}
