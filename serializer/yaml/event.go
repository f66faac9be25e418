package yaml

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

// appendEvent appends a watch event as a document that begins with a line of hyphens and ends with
// a line of dots, so that a reader does not have to wait for the next event to know that this one
// is complete.
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
	dst, err = e.append(append(dst, "---\n"...), e.scratch)
	if err != nil {
		return dst[:from], err
	}
	return append(dst, "...\n"...), nil
}

// framer finds the documents of a stream. A frame ends after the three dots that end a document, or
// the three hyphens that begin the next one, so the text between two such lines is blank.
type framer struct {
	inLine bool
	mark   byte // a hyphen or a dot,
	count  int  // their number at the start of the line
}

// newFramer returns a framer for documents that begin with a line of hyphens or end with a line of
// dots. Without dots, the end of a document is known only when the next one begins or the stream
// ends.
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

// openEvent parses a watch event. The document is that of its object; it is nil, and the type
// blank, for a frame that contains only comments.
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
			return "", nil, d.second(" event")
		}
		if start, end, ok := jsonwire.OffsetOf(d.json, schema.NewPath("type")); ok {
			r := jsonwire.NewReader(d.json[start:end], jsonwire.Options{Annotated: true})
			eventType = r.String("")
		}
		if start, end, ok := jsonwire.OffsetOf(d.json, schema.NewPath("object")); ok {
			object = d.part(start, end)
		}
		if eventType == "" || object == nil {
			return "", nil, located.Failure(d.problem(0, runtime.ErrInvalidValue, "a watch event has a type and an object"))
		}
	}
	return eventType, object, nil
}
