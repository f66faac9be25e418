package yaml

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// appendEvent appends a watch event as a document that begins with a line of hyphens and ends with
// a line of dots, so that a reader need not wait for the next event to know that this
// one is whole.
func (s *codec) appendEvent(dst []byte, eventType string, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	e := s.emitter()
	defer e.release()
	json := jsonwire.AppendString(append(e.scratch[:0], `{"type":`...), eventType)
	json, err := k.AppendJSON(append(json, `,"object":`...), obj)
	e.scratch = json
	if err != nil {
		return dst, err
	}
	e.scratch = append(json, '}')
	from := len(dst)
	dst, err = e.append(append(dst, "---\n"...), e.scratch, k.Name())
	if err != nil {
		return dst[:from], err
	}
	return append(dst, "...\n"...), nil
}

// framer finds the documents of a stream. A frame ends behind the three dots that end a document,
// or the three hyphens that begin the next, so what lies between two of these lines is blank.
type framer struct {
	inLine bool
	mark   byte // a hyphen or a dot,
	count  int  // so many of them at the start of the line
}

// newFramer returns a framer for documents that begin with a line of hyphens or end with a line of
// dots. Where there are no dots, it is known that a document has ended when the next one begins or
// the stream ends, not before.
func newFramer() format.Framer { return new(framer) }

// Next implements [format.Framer].
func (f *framer) Next(data []byte) (n int, done bool) {
	for i, c := range data {
		switch {
		case f.count == 3 && (c == '\n' || c == '\r' || c == ' ' || c == '\t'):
			f.count, f.inLine = 0, c == ' ' || c == '\t'
			return i + 1, true
		case c == '\n' || c == '\r':
			f.count, f.inLine = 0, false
		case (c == '-' || c == '.') && !f.inLine && f.count < 3 && (f.count == 0 || c == f.mark):
			f.mark = c
			f.count++
		default:
			f.count, f.inLine = 0, true
		}
	}
	return len(data), false
}

// openEvent takes a watch event apart. The document is that of its object; it is nil, with a blank
// type, for a frame that holds comments only.
func (s *codec) openEvent(frame []byte, l schema.Limits) (eventType string, object format.Document, err error) {
	for doc, err := range documents(frame, l.Or(s.limits)) {
		d, ok := doc.(*document)
		switch {
		case err != nil:
			return "", nil, err
		case !ok:
			continue
		case len(d.problems) > 0:
			return "", nil, &runtime.DecodeError{Problems: d.problems}
		case object != nil: // not of our framer
			p := d.source.problem(d.segment, d.text(0), runtime.ErrSyntax,
				"a second document begins here, expected one event only")
			return "", nil, &runtime.DecodeError{Problems: []runtime.Problem{p}}
		}
		if start, end, ok := jsonwire.OffsetOf(d.json, schema.NewPath("type")); ok {
			r := jsonwire.NewReader(d.json[start:end], jsonwire.Options{Annotated: true})
			eventType = r.String("")
		}
		if start, end, ok := jsonwire.OffsetOf(d.json, schema.NewPath("object")); ok {
			object = d.part(start, end)
		}
		if eventType == "" || object == nil {
			p := d.source.problem(d.segment, d.text(0), runtime.ErrInvalidValue,
				"a watch event has a type and an object")
			return "", nil, &runtime.DecodeError{Problems: []runtime.Problem{p}}
		}
	}
	return eventType, object, nil
}
