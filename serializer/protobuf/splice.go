package protobuf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/wire/pbwire"
)

// errNotSpliced is the error for bytes without a place for a change.
var errNotSpliced = errors.New("protobuf: the bytes are not an envelope with a message")

// objectField is the number of the object in an envelope.
const objectField = 2

// spliceMessage returns a copy of an object in its envelope in which the value of a field, a
// message, is changed by the differences between two encodings of it, before and after. Fields that
// are equal in both are preserved, including those in neither; added fields are inserted in the
// order of their numbers.
func spliceMessage(data []byte, number int, before, after []byte) ([]byte, error) {
	if !pbwire.HasMagic(data) {
		return nil, errNotSpliced
	}
	envelope, objects, ok := fieldsOf(data[len(pbwire.Magic):], objectField)
	if !ok {
		return nil, errNotSpliced
	}
	var object []byte
	if n := len(objects); n > 0 {
		object = objects[n-1] // the last one wins
	}
	inside, messages, ok := fieldsOf(object, number)
	if !ok {
		return nil, errNotSpliced
	}
	// A message that arrives in pieces is equivalent to the concatenated pieces.
	message, _, ok := fieldsOf(slices.Concat(messages...), 0)
	was, _, wasOK := fieldsOf(before, 0)
	is, _, isOK := fieldsOf(after, 0)
	if !ok || !wasOK || !isOK {
		return nil, errNotSpliced
	}
	for _, n := range slices.Compact(append(was.numbers(), is.numbers()...)) {
		if value := is.of(n); !bytes.Equal(was.of(n), value) {
			message = message.with(n, value)
		}
	}
	inside = inside.with(number, appendMessage(number, message))
	envelope = envelope.with(objectField, appendMessage(objectField, inside))
	return envelope.append([]byte(pbwire.Magic)), nil
}

// field is one field of a message: its number, and its bytes with tag and length.
type field struct {
	number int
	bytes  []byte
}

// fields holds the fields of one message, in their order.
type fields []field

// fieldsOf parses a message. It also returns the values of the fields with the given number, which
// must be messages. It returns false if the message is malformed.
func fieldsOf(message []byte, number int) (out fields, values [][]byte, ok bool) {
	r := pbwire.NewReader(message, pbwire.Options{})
	for from := 0; r.Next(); from = r.Offset() {
		f := field{number: r.Field()}
		if f.number == number {
			values = append(values, r.Text())
		} else {
			r.Skip()
		}
		if r.Err() != nil {
			break
		}
		f.bytes = message[from:r.Offset()]
		out = append(out, f)
	}
	return out, values, len(r.Problems()) == 0
}

// numbers returns the number of each field.
func (f fields) numbers() (out []int) {
	for _, one := range f {
		out = append(out, one.number)
	}
	return out
}

// of returns the bytes of all fields with a number.
func (f fields) of(number int) (out []byte) {
	for _, one := range f {
		if one.number == number {
			out = append(out, one.bytes...)
		}
	}
	return out
}

// with returns the fields with those of a number replaced by other bytes, which may be empty. The
// bytes replace the first such field, or are inserted before the first field with a higher number.
func (f fields) with(number int, value []byte) fields {
	at := slices.IndexFunc(f, func(one field) bool { return one.number == number })
	if at < 0 {
		if at = slices.IndexFunc(f, func(one field) bool { return one.number > number }); at < 0 {
			at = len(f)
		}
	}
	rest := sorted.Delete(slices.Clone(f[at:]), func(one field) bool { return one.number == number })
	return slices.Concat(f[:at], fields{{number, value}}, rest)
}

func (f fields) append(dst []byte) []byte {
	for _, one := range f {
		dst = append(dst, one.bytes...)
	}
	return dst
}

// appendMessage returns a field that contains a message.
func appendMessage(number int, message fields) []byte {
	content := message.append(nil)
	const withLength = 2
	tag := binary.AppendUvarint(nil, uint64(number)<<3|withLength)
	return append(binary.AppendUvarint(tag, uint64(len(content))), content...)
}
