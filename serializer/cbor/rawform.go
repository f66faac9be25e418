package cbor

import (
	"errors"
	"math"
)

// appendRawForm appends one annotated JSON value in the form in which raw values are kept, see
// [source.AppendRaw]. It converts the text to CBOR, which has the keys without escapes.
func appendRawForm(dst, value []byte) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer e.release()
	e.highest = math.MaxUint64 // keep input exact
	item, err := e.append(e.scratch[:0], value)
	e.scratch = item[:0]
	if err != nil {
		return dst, err
	}
	x := decoders.Get().(*decoder)
	defer x.release()
	x.source.reset(item, 0)
	out, ok := x.source.AppendRaw(dst)
	if !ok {
		return dst, errNoRawForm
	}
	return out, nil
}

var errNoRawForm = errors.New("cbor: the value has no JSON representation")
