package pbwire

import (
	"errors"
	"strconv"
)

// Marshaler is implemented by types with protobuf methods from other generators, or hand-written
// ones. MarshalToSizedBuffer writes the fields at the end of a buffer of at least Size bytes and
// returns how many bytes it wrote.
type Marshaler interface {
	Size() int
	MarshalToSizedBuffer(buf []byte) (int, error)
}

// Unmarshaler is the reverse. Unmarshal must not retain its argument.
type Unmarshaler interface {
	Unmarshal(data []byte) error
}

// PrependByMethods writes the fields of a message by methods of its type, for types without
// functions of their own. The methods get a copy, because some store results in their receiver, and
// in may be in use elsewhere. The Writer records their errors.
func PrependByMethods[T any, P interface {
	*T
	Marshaler
}](w *Writer, in *T) {
	value := *in
	w.marshaler(P(&value))
}

func (w *Writer) marshaler(m Marshaler) {
	size := m.Size()
	if size <= 0 {
		return
	}
	w.room(size)
	var buf []byte
	if w.measures { // the method may fail, or write less
		buf = make([]byte, size)
	} else {
		buf = w.buf[w.pos-size : w.pos]
	}
	n, err := m.MarshalToSizedBuffer(buf)
	switch {
	case err != nil:
		w.Fail(err)
	case n < 0 || n > size:
		w.Fail(errors.New("pbwire: the method MarshalToSizedBuffer claims to have written " + strconv.Itoa(n) +
			" bytes into a buffer of " + strconv.Itoa(size)))
	default:
		w.pos -= n
	}
}

// DecodeByMethods reads the rest of the current message with a method of its type, which does not
// report unknown fields. An error of the method is a [Problem] of the field that holds the message.
func DecodeByMethods[T any, P interface {
	*T
	Unmarshaler
}](r *Reader, out *T) {
	r.unmarshaler(P(out))
}

func (r *Reader) unmarshaler(out Unmarshaler) {
	data := r.rest()
	r.pos += len(data)
	if r.err == nil {
		r.Invalid(out.Unmarshal(data[:len(data):len(data)]))
	}
}
