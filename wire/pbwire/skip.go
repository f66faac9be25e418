package pbwire

import (
	"strconv"

	"github.com/askind/askind/wire"
)

// Unknown skips the value of the current field, which the type does not have, and records it in
// strict mode. It is the default case of every decoder.
func (r *Reader) Unknown() {
	start := r.start
	r.skip(r.tag)
	if r.strict && !r.full(wire.UnknownField) {
		r.record(Problem{
			Code: wire.UnknownField, Offset: start, End: r.pos, Field: r.Field(),
			Message: "unknown field " +
				strconv.Itoa(r.Field()),
		})
	}
}

// Skip skips the value of the current field.
func (r *Reader) Skip() { r.skip(r.tag) }

// skip skips the value that follows a tag.
func (r *Reader) skip(tag uint32) {
	switch typ := tag & 7; typ {
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
		r.skipGroup(tag >> 3)
	case wireEndGroup:
		r.fail(wire.Syntax, r.pos, "a group ends that has not begun")
	default:
		r.fail(wire.Syntax, r.pos, "wire type "+strconv.Itoa(int(typ))+" does not exist")
	}
}

// skipGroup skips a group, the form of nested messages that ends with a tag instead of having a
// length.
func (r *Reader) skipGroup(number uint32) {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > r.maxDepth {
		r.failDepth()
		return
	}
	for r.err == nil {
		tag, ok := r.readTag()
		switch {
		case !ok:
			return
		case tag&7 != wireEndGroup:
			r.skip(tag)
		case tag>>3 != number:
			r.fail(wire.Syntax, r.pos, "group "+strconv.Itoa(int(number))+" ends as group "+strconv.Itoa(int(tag>>3)))
		default:
			return
		}
	}
}
