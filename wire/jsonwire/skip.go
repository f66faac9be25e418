package jsonwire

// Skip consumes the next value of any type, checking its syntax, its depth and its UTF-8.
func (r *Reader) Skip() {
	if r.source != nil {
		if !r.source.Skip() {
			r.abandon()
		}
		return
	}
	r.skip(nil, nil)
}

// levels has one bit for each enclosing object and array, set for objects.
type levels struct {
	object bool // the innermost one is an object
	depth  int
	first  uint64   // the levels around it, up to 64
	more   []uint64 // those beyond
}

func (l *levels) push(object bool) {
	bit := uint64(0)
	if l.object {
		bit = 1
	}
	if l.depth&63 == 0 && l.depth > 0 {
		l.more = append(l.more, l.first)
	}
	l.first = l.first<<1 | bit
	l.depth++
	l.object = object
}

func (l *levels) pop() {
	l.object = l.first&1 != 0
	l.first >>= 1
	if l.depth--; l.depth&63 == 0 && l.depth > 0 {
		l.first, l.more = l.more[len(l.more)-1], l.more[:len(l.more)-1]
	}
}

// skip consumes one value and reports whether it contained plain scalars. It keeps one bit per
// level instead of recursing. It passes the names of members to seen, which may be nil, until that
// suspects duplicates, and objects and arrays to found, which may be nil.
func (r *Reader) skip(seen *nameSet, found *extents) (plain bool) {
	var (
		in   levels
		data = r.data
		i    = skipSpace(data, r.pos)
		room = r.maxDepth - r.depth
		end  int // of a member name
	)
	r.start = i

value:
	if i = skipSpace(data, i); i >= len(data) {
		r.failChar(i, "a value")
		return plain
	}
	switch c := data[i]; c {
	case '"':
		end := stringEnd(data, i+1)
		if end < 0 {
			return r.badString(i+1, plain)
		}
		i = end
	case '{':
		if in.depth >= room {
			r.failDepth(i)
			return plain
		}
		begin := i
		if i = skipSpace(data, i+1); i < len(data) && data[i] == '}' {
			i++
			if found != nil {
				found.add(begin, i)
			}
			break
		}
		if i >= len(data) || data[i] != '"' {
			r.failChar(i, "a member name or '}'")
			return plain
		}
		in.push(true)
		if seen != nil {
			seen.open()
		}
		if found != nil {
			found.open(begin)
		}
		goto key
	case '[':
		if in.depth >= room {
			r.failDepth(i)
			return plain
		}
		begin := i
		if i = skipSpace(data, i+1); i < len(data) && data[i] == ']' {
			i++
			if found != nil {
				found.add(begin, i)
			}
			break
		}
		in.push(false)
		if found != nil {
			found.open(begin)
		}
		goto value
	case 't', 'f', 'n':
		word := wordOf(c)
		end := literal(data, i, word)
		if end == i {
			r.fail(i, min(i+len(word), len(data)), "invalid literal, expected "+word)
			return plain
		}
		i = end
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end, _, bad := scanNumber(data, i)
		if bad != "" {
			r.failChar(end, bad)
			return plain
		}
		i = end
	default:
		if c == plainMark && r.annotated {
			plain = true
			if i+1 >= len(data) || data[i+1] != '"' {
				r.failChar(i+1, "a string after the plain scalar mark")
				return plain
			}
			end := stringEnd(data, i+2)
			if end < 0 {
				return r.badString(i+2, plain)
			}
			i = end
			break
		}
		r.failChar(i, "a value")
		return plain
	}

after:
	if in.depth == 0 {
		r.pos = i
		return plain
	}
	if i = skipSpace(data, i); i < len(data) {
		switch c := data[i]; {
		case c == ',':
			i++
			if !in.object {
				goto value
			}
			if i >= len(data) || data[i] != '"' {
				if i = skipSpace(data, i); i >= len(data) || data[i] != '"' {
					r.failChar(i, "a member name")
					return plain
				}
			}
			goto key
		case c == '}' && in.object, c == ']' && !in.object:
			if seen != nil && in.object {
				seen.close()
			}
			i++
			if found != nil {
				found.close(i)
			}
			in.pop()
			goto after
		}
	}
	if in.object {
		r.failChar(i, "',' or '}'")
	} else {
		r.failChar(i, "',' or ']'")
	}
	return plain

key:
	// The quote of a member name is at i.
	i++
	if seen == nil {
		end = stringEnd(data, i)
	} else if end = seen.add(data, i); seen.suspect {
		seen = nil
	}
	if end < 0 {
		return r.badString(i, plain)
	}
	i = end
	if i >= len(data) || data[i] != ':' {
		if i = skipSpace(data, i); i >= len(data) || data[i] != ':' {
			r.failChar(i, "':' after a member name")
			return plain
		}
	}
	// as in most members of a field set
	if i++; i+1 < len(data) && data[i] == '{' && data[i+1] == '}' && in.depth < room {
		if i += 2; found != nil {
			found.add(i-2, i)
		}
		goto after
	}
	goto value
}

// stringEnd returns the index after the closing quote of the string whose text begins at i, or -1
// if the string is malformed.
func stringEnd(data []byte, i int) int {
	end, _, bad := scanString(data, i)
	if bad != "" {
		return -1
	}
	return end + 1
}

// badString records the problem of the string whose text begins at i. It returns plain for the
// convenience of its callers.
func (r *Reader) badString(i int, plain bool) bool {
	end, _, bad := scanString(r.data, i)
	r.fail(end, min(end+1, len(r.data)), bad)
	return plain
}

// Valid reports whether data is one JSON value in valid UTF-8 that nests no deeper than the default
// limit.
func Valid(data []byte) bool {
	var r Reader
	r.Reset(data, Options{})
	r.skip(nil, nil)
	r.End()
	return r.err == nil
}
