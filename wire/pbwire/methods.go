package pbwire

import (
	"errors"
	"strconv"
)

// Marshaler is what types have that were given protobuf methods by other generators, or by hand.
// MarshalToSizedBuffer writes the fields at the end of a buffer of at least Size bytes and returns
// how many bytes it wrote.
type Marshaler interface {
	Size() int
	MarshalToSizedBuffer(buf []byte) (int, error)
}

// Unmarshaler is the other direction. Unmarshal must not keep its argument.
type Unmarshaler interface {
	Unmarshal(data []byte) error
}

// PrependByMethods writes the fields of a message by methods of its type, for types that have no
// functions of their own. The methods get a copy, because some keep results in their receiver, and
// in may be in use elsewhere. An error of the methods is one of the Writer.
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
		w.Fail(errors.New("pbwire: the method MarshalToSizedBuffer says that it wrote " + strconv.Itoa(n) +
			" bytes into a buffer of " + strconv.Itoa(size)))
	default:
		w.pos -= n
	}
}

// DecodeByMethods reads what is left of the current message by a method of its type, which does not
// tell unknown fields. An error of the method is a [Problem] of the field that holds the message.
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
