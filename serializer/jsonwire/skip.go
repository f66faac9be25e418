package jsonwire

// Skip consumes the next value whatever it is, checking its syntax, its depth and its UTF-8.
func (r *Reader) Skip() {
	if r.source != nil {
		if !r.source.Skip() {
			r.abandon()
		}
		return
	}
	r.skip()
}

// skip consumes one value and reports whether it held plain scalars. It keeps one bit a level, set inside an
// object, instead of recursing.
func (r *Reader) skip() (plain bool) {
	var buf [4]uint64
	var (
		levels = buf[:]
		data   = r.data
		i      = r.pos
		depth  = 0
		object = false
	)
	push := func(isObject bool) {
		word, bit := depth>>6, uint(depth&63)
		if word == len(levels) {
			levels = append(levels, 0)
		}
		if object {
			levels[word] |= 1 << bit
		} else {
			levels[word] &^= 1 << bit
		}
		depth++
		object = isObject
	}
	pop := func() {
		depth--
		object = levels[depth>>6]&(1<<uint(depth&63)) != 0
	}
	first := true

value:
	i = skipSpace(data, i)
	if first {
		r.start = i
		first = false
	}
	if i >= len(data) {
		r.failChar(i, "a value")
		return plain
	}
	switch c := data[i]; c {
	case '"':
		end, _, bad := scanString(data, i+1)
		if bad != "" {
			r.fail(Syntax, end, min(end+1, len(data)), bad)
			return plain
		}
		i = end + 1
	case '{', '[':
		if r.depth+depth >= r.maxDepth {
			r.failDepth(i)
			return plain
		}
		push(c == '{')
		i = skipSpace(data, i+1)
		if i < len(data) && data[i] == c+2 {
			pop()
			i++
			break
		}
		if c == '{' {
			if i >= len(data) || data[i] != '"' {
				r.failChar(i, "a member name or '}'")
				return plain
			}
			goto key
		}
		goto value
	case 't', 'f', 'n':
		word := "null"
		switch c {
		case 't':
			word = "true"
		case 'f':
			word = "false"
		}
		end := literal(data, i, word)
		if end == i {
			r.fail(Syntax, i, min(i+len(word), len(data)), "invalid literal, expected "+word)
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
				r.failChar(i+1, "a string after the mark of a plain scalar")
				return plain
			}
			end, _, bad := scanString(data, i+2)
			if bad != "" {
				r.fail(Syntax, end, min(end+1, len(data)), bad)
				return plain
			}
			i = end + 1
			break
		}
		r.failChar(i, "a value")
		return plain
	}

after:
	if depth == 0 {
		r.pos = i
		return plain
	}
	i = skipSpace(data, i)
	if i < len(data) {
		switch c := data[i]; {
		case c == ',':
			i++
			if object {
				goto key
			}
			goto value
		case c == '}' && object, c == ']' && !object:
			i++
			pop()
			goto after
		}
	}
	if object {
		r.failChar(i, "',' or '}'")
	} else {
		r.failChar(i, "',' or ']'")
	}
	return plain

key:
	i = skipSpace(data, i)
	if i >= len(data) || data[i] != '"' {
		r.failChar(i, "a member name")
		return plain
	}
	end, _, bad := scanString(data, i+1)
	if bad != "" {
		r.fail(Syntax, end, min(end+1, len(data)), bad)
		return plain
	}
	i = skipSpace(data, end+1)
	if i >= len(data) || data[i] != ':' {
		r.failChar(i, "':' after a member name")
		return plain
	}
	i++
	goto value
}

// Valid reports whether data is one JSON value in valid UTF-8 that nests no deeper than the default limit.
func Valid(data []byte) bool {
	var r Reader
	r.Reset(data, Options{})
	r.skip()
	r.End()
	return r.err == nil
}
