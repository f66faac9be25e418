package cbor

import "math"

// scanner finds the end of an item in a sequence that comes in pieces. It looks at heads only;
// whether the item is sound is found out when it is decoded. The zero scanner expects an item that
// begins with the next byte.
type scanner struct {
	around []span // the containers that are open, but for the innermost
	in     span

	head    byte   // of which bytes of the argument are missing
	missing int    // how many
	value   uint64 // what is there of the argument
	content uint64 // bytes of a string that are yet to come
}

// span is a container that is being gone over.
type span struct {
	left   uint64 // items that are yet to come; in a map keys count as well
	opened bool   // it is a container at all
	broken bool   // it ends with a break code: an indefinite length
}

// next takes a further piece and returns how many bytes of it belong to the item, and whether the
// item ends there. A byte that begins no item ends it, as does nesting that nothing reads.
func (s *scanner) next(data []byte) (n int, done bool) {
	for n < len(data) {
		if s.content > 0 {
			take := min(s.content, uint64(len(data)-n))
			n += int(take)
			if s.content -= take; s.content > 0 {
				return n, false
			}
			if s.complete() {
				return n, true
			}
			continue
		}
		c := data[n]
		n++
		if s.missing > 0 {
			s.value = s.value<<8 | uint64(c)
			if s.missing--; s.missing > 0 {
				continue
			}
			c = s.head
		} else {
			info := c & 0x1F
			switch {
			case info < 24:
				s.value = uint64(info)
			case info < 28:
				s.head, s.missing, s.value = c, 1<<(info-24), 0
				continue
			case info < 31 || c&0xE0 == majorUint || c&0xE0 == majorNint || c&0xE0 == majorTag:
				return n, true
			case c == breakCode:
				if !s.in.broken {
					return n, true
				}
				s.close()
				if s.complete() {
					return n, true
				}
				continue
			default:
				s.value = 0 // an indefinite length
			}
		}
		if done := s.take(c); done {
			return n, true
		}
	}
	return n, false
}

// take takes the head c, whose argument is value, and reports whether the item ends with it.
func (s *scanner) take(c byte) (done bool) {
	indefinite := c&0x1F == 31
	switch c & 0xE0 {
	case majorTag:
		return false
	case majorBytes, majorText:
		if indefinite {
			return s.open(span{opened: true, broken: true})
		}
		if s.content = s.value; s.content > 0 {
			return false
		}
	case majorArray, majorMap:
		left := s.value
		if c&0xE0 == majorMap {
			if left > math.MaxUint64/2 {
				return true // there is no such input
			}
			left *= 2
		}
		if indefinite || left > 0 {
			return s.open(span{left: left, opened: true, broken: indefinite})
		}
	}
	return s.complete()
}

func (s *scanner) open(in span) (done bool) {
	if len(s.around) >= maxLevels {
		return true
	}
	s.around = append(s.around, s.in)
	s.in = in
	return false
}

func (s *scanner) close() {
	s.in = s.around[len(s.around)-1]
	s.around = s.around[:len(s.around)-1]
}

// complete counts an item, and those that end with it. It reports whether the outermost one does.
func (s *scanner) complete() bool {
	for s.in.opened {
		if s.in.broken {
			return false
		}
		if s.in.left--; s.in.left > 0 {
			return false
		}
		s.close()
	}
	return true
}
