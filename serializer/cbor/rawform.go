package cbor

import (
	"bytes"

	"github.com/askind/askind/serializer/jsonwire"
)

// appendRawForm appends one annotated JSON value in the form in which raw values are kept: compact, the names of each object in order, of
// equal ones the last, and without the fraction .0 that keeps floats apart from integers while they are on the way. This is how encoding/json
// writes an untyped value.
func appendRawForm(dst, value []byte) ([]byte, error) {
	w := writers.Get().(*writer)
	defer w.release()
	if err := w.parse(value); err != nil {
		return dst, err
	}
	return w.json(dst, 0), nil
}

// json appends the value of node i as JSON.
func (w *writer) json(dst []byte, i uint32) []byte {
	n := &w.nodes[i]
	switch n.kind {
	case object:
		base := w.members(i, byBytes)
		start, end := len(dst), len(w.order)
		for o := base; o < end; o++ {
			key := w.order[o].key
			dst = jsonwire.AppendString(append(dst, ','), borrow(w.bytes(&w.nodes[key])))
			dst = w.json(append(dst, ':'), key+1)
		}
		dst = jsonwire.CloseObject(dst, start)
		w.order = w.order[:base]
	case array:
		dst = append(dst, '[')
		for c := i + 1; c < n.next; c = w.nodes[c].next {
			if c > i+1 {
				dst = append(dst, ',')
			}
			dst = w.json(dst, c)
		}
		dst = append(dst, ']')
	case text, unescaped:
		dst = jsonwire.AppendString(dst, borrow(w.bytes(n)))
	case content:
		dst = jsonwire.AppendBytes(dst, w.bytes(n))
	case integer, float:
		dst = append(dst, bytes.TrimSuffix(w.bytes(n), []byte(".0"))...)
	case isTrue, isFalse:
		dst = jsonwire.AppendBool(dst, n.kind == isTrue)
	case null:
		dst = append(dst, "null"...)
	}
	return dst
}
