package pbwire

import "strconv"

// Unknown skips the value of the current field, which the type does not have, and records it in strict mode. It is the default case of
// every decoder.
func (r *Reader) Unknown() {
	start := r.start
	r.skip(r.field, r.wire)
	if r.strict && !r.full() {
		r.record(Problem{Code: UnknownField, Offset: start, End: r.pos, Field: r.field, Message: "unknown field " + strconv.Itoa(r.field)})
	}
}

// Skip skips the value of the current field.
func (r *Reader) Skip() { r.skip(r.field, r.wire) }

func (r *Reader) skip(field int, wire uint8) {
	switch wire {
	case wireVarint:
		r.varint()
	case wireFixed64:
		r.fixed64()
	case wireFixed32:
		r.fixed32()
	case wireBytes:
		if n, ok := r.size(); ok {
			r.pos += n
		}
	case wireGroup:
		r.skipGroup(field)
	case wireEndGroup:
		r.fail(Syntax, r.pos, "a group ends that has not begun")
	default:
		r.fail(Syntax, r.pos, "wire type "+strconv.Itoa(int(wire))+" does not exist")
	}
}

// skipGroup skips a group, the form of nested messages that ends with a tag instead of stating a length.
func (r *Reader) skipGroup(number int) {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > r.maxDepth {
		r.failDepth()
		return
	}
	for r.err == nil {
		field, wire, ok := r.tag()
		switch {
		case !ok:
			return
		case wire != wireEndGroup:
			r.skip(field, wire)
		case field != number:
			r.fail(Syntax, r.pos, "group "+strconv.Itoa(number)+" ends as group "+strconv.Itoa(field))
		default:
			return
		}
	}
}
