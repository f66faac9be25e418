package cbor

import "math"

// scanner finds the end of an item in a sequence that arrives in pieces. It reads only heads;
// decoding checks the item. The zero scanner expects an item at the next byte.
type scanner struct {
	around []span // the open containers except the innermost
	in     span

	head    byte   // a head whose argument is incomplete
	missing int    // missing bytes of the argument
	value   uint64 // the argument so far
	content uint64 // remaining bytes of a string
}

// span is an open container.
type span struct {
	left   uint64 // remaining items; in a map keys count too
	opened bool   // whether a container is open
	broken bool   // indefinite length: a break code ends it
}

// next scans another piece and returns how many bytes of it belong to the item, and whether the
// item ends there. A byte that cannot begin an item ends it, as does excessive nesting.
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

// take processes the head c, whose argument is value, and reports whether the item ends with it.
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
				return true // no input is that long
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

// complete counts a finished item, and the containers that end with it. It reports whether the
// outermost item ended.
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
