package protobuf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/askind/askind/wire/pbwire"
)

// errNotSpliced is the error for bytes that have no place for a change.
var errNotSpliced = errors.New("protobuf: the bytes are not an envelope with a message")

// objectField is the number of the object in an envelope.
const objectField = 2

// spliceMessage returns a copy of an object in its envelope in which one of the messages in it, the
// value of a field, is changed as it differs between two encodings of it, before and after. Fields
// of a number for which the two have the same bytes stay as they are, those that neither has among
// them; fields that are added stand in the order of their numbers.
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
		object = objects[n-1] // of several the last one counts
	}
	inside, messages, ok := fieldsOf(object, number)
	if !ok {
		return nil, errNotSpliced
	}
	// A message that comes in pieces means the same as the pieces one after the other.
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

// fields are those of one message, in their order.
type fields []field

// fieldsOf takes a message apart. It also returns the values of the fields with one of the numbers,
// which are to be messages. It reports false if the message is broken.
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

// with returns the fields with those of a number replaced by other bytes, which may be none. They
// take the place of the first, or stand before the first field of a higher number.
func (f fields) with(number int, value []byte) fields {
	at := slices.IndexFunc(f, func(one field) bool { return one.number == number })
	if at < 0 {
		if at = slices.IndexFunc(f, func(one field) bool { return one.number > number }); at < 0 {
			at = len(f)
		}
	}
	rest := slices.DeleteFunc(slices.Clone(f[at:]), func(one field) bool { return one.number == number })
	return slices.Concat(f[:at], fields{{number, value}}, rest)
}

func (f fields) append(dst []byte) []byte {
	for _, one := range f {
		dst = append(dst, one.bytes...)
	}
	return dst
}

// appendMessage returns a field that holds a message.
func appendMessage(number int, message fields) []byte {
	content := message.append(nil)
	const withLength = 2
	tag := binary.AppendUvarint(nil, uint64(number)<<3|withLength)
	return append(binary.AppendUvarint(tag, uint64(len(content))), content...)
}
