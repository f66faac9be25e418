package json

import (
	"math"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

// appendEvent appends a watch event on a line of its own: {"type":"ADDED","object":{...}}.
func appendEvent(dst []byte, eventType string, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	from := len(dst)
	dst = jsonwire.AppendString(append(dst, `{"type":`...), eventType)
	dst, err := k.AppendJSON(append(dst, `,"object":`...), obj)
	if err != nil {
		return dst[:from], err
	}
	return append(dst, "}\n"...), nil
}

// framer finds the objects of a stream of JSON texts.
type framer struct {
	scanner
	begun, any bool // after white space, after the first byte
}

// newFramer returns a framer for a sequence of JSON texts.
func newFramer() format.Framer { return new(framer) }

// Next implements [format.Framer].
func (f *framer) Next(data []byte) (n int, done bool) {
	if !f.begun {
		if n = skipSpace(data, 0); n == len(data) {
			return n, false
		}
		f.begun = true
	}
	more, done := f.scanner.next(data[n:])
	if done && more == 0 && !f.any {
		// a byte that cannot begin a value is a frame of its own, so that a malformed stream can be
		// read to its end
		more = 1
	}
	if f.any = true; done {
		*f = framer{}
	}
	return n + more, done
}

// openEvent parses a watch event. The document is that of its object; it is nil, and the type
// blank, for a frame of white space.
func openEvent(frame []byte, _ schema.Limits) (eventType string, object format.Document, err error) {
	if skipSpace(frame, 0) == len(frame) {
		return "", nil, nil
	}
	d := &document{text: frame, base: located.Start}
	from, to := 0, 0 // the last object
	// the limits of the object apply when it is decoded
	r := jsonwire.NewReader(frame, jsonwire.Options{Limits: schema.Limits{Depth: math.MaxInt}})
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "type":
			eventType = r.String("")
		case "object":
			r.Kind() // skips white space
			from = r.Offset()
			r.Skip()
			to = r.Offset()
		default:
			r.Skip()
		}
	}
	r.End()
	if problems := r.Problems(); len(problems) > 0 {
		p := &problems[0]
		return "", nil, failed(d.PositionAt(p.Offset), runtime.CauseOf(p.Code),
			jsonwire.PathAt(frame, p.Offset).String(), "%s", p.Message)
	}
	if eventType == "" || to == 0 {
		return "", nil, failed(d.base, runtime.ErrInvalidValue, "", "a watch event has a type and an object")
	}
	return eventType, &document{text: frame[from:to:to], base: d.PositionAt(from)}, nil
}
