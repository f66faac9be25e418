package cbor

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/input"
	"github.com/askind/askind/serializer/internal/located"
)

// FromJSON appends one JSON text to dst as an item with the tag 55799, in the form in which objects
// are written: strings are byte strings, numbers without fraction and exponent are integers if they
// fit into an int64, and all others are floats. The last of several equal names wins. Invalid JSON
// is a [*runtime.DecodeError], and dst is returned unchanged.
func FromJSON(dst, json []byte) ([]byte, error) {
	if err := located.CheckJSON(json); err != nil {
		return dst, err
	}
	e := encoders.Get().(*encoder)
	defer e.release()
	out, err := e.append(append(dst, selfDescribed...), json)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// transcode returns the single object in raw as JSON.
func transcode(raw []byte, l schema.Limits) ([]byte, error) {
	return located.Object(documents(raw), l)
}

// ToJSON returns the one item in data as compact JSON, with the names of each map sorted by their
// bytes. The last of several equal names wins. Byte strings with the tag 22 are base64 text. The
// error is a [*runtime.DecodeError]; it is an error if there is a second item.
func ToJSON(data []byte) ([]byte, error) {
	r, err := read(data, 0, input.Place{})
	if err != nil {
		return nil, err
	}
	d := document{data: data[:r.pos], reader: r}
	defer d.release()
	if end := r.pos; end < len(data) {
		return nil, failed(newProblem(end, runtime.ErrSyntax, "a second item begins here, expected only one"))
	}
	raw, problems := d.raw()
	if problems != nil {
		return nil, failed(problems...)
	}
	return raw, nil
}
