package cbor

import (
	"unicode/utf8"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/input"
	"github.com/askind/askind/wire/jsonwire"
)

// The members of a watch event.
const (
	eventType   = "type"
	eventObject = "object"
)

// appendEvent appends a watch event as an item of a sequence: a map of the type and the object,
// which has a tag of its own.
func appendEvent(dst []byte, typ string, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	from := len(dst)
	dst = append(dst, selfDescribed...)
	dst = appendString(append(dst, majorMap|2), []byte(eventType))
	dst = appendString(dst, []byte(typ))
	dst = appendString(dst, []byte(eventObject))
	dst, err := appendObject(dst, k, obj, format.Options{})
	if err != nil {
		return dst[:from], err
	}
	return dst, nil
}

// framer finds the items of a sequence.
type framer struct{ scanner }

// newFramer returns a framer for a sequence of items.
func newFramer() format.Framer { return new(framer) }

// Next implements [format.Framer].
func (f *framer) Next(data []byte) (n int, done bool) {
	n, done = f.scanner.next(data)
	if done {
		f.scanner = scanner{around: f.around[:0]}
	}
	return n, done
}

// openEvent parses a watch event.
func openEvent(frame []byte, _ schema.Limits) (typ string, object format.Document, err error) {
	if typ, d, ok := usualEvent(frame); ok {
		return typ, d, nil
	}
	// An uncommon event is read completely, to report its problems.
	r, err := read(frame, 0, input.Place{})
	if err != nil {
		return "", nil, err
	}
	whole := &document{data: frame[:r.pos], reader: r}
	defer whole.release()
	if len(frame) > r.pos {
		return "", nil, failed(newProblem(r.pos, runtime.ErrSyntax, "unexpected bytes after the event"))
	}
	if r.out[0] != '{' {
		return "", nil, whole.notAMap()
	}
	if start, end, ok := jsonwire.OffsetOf(r.out, schema.NewPath(eventType)); ok {
		text := jsonwire.NewReader(r.out[start:end], jsonwire.Options{Annotated: true})
		typ = text.String("")
	}
	start, _, ok := jsonwire.OffsetOf(r.out, schema.NewPath(eventObject))
	if !ok || typ == "" {
		return "", nil, failed(newProblem(0, runtime.ErrInvalidValue, "a watch event has a type and an object"))
	}
	d, err := documentAt(frame, whole.offset(start), input.Place{})
	if err != nil {
		return "", nil, err
	}
	return typ, d, nil
}

// usualEvent takes an event apart that is what programs write. It reports false for any other.
func usualEvent(frame []byte) (typ string, object *document, ok bool) {
	pos := 0
	if len(frame) >= len(selfDescribed) && string(frame[:len(selfDescribed)]) == selfDescribed {
		pos = len(selfDescribed)
	}
	if pos >= len(frame) || frame[pos] != majorMap|2 {
		return "", nil, false
	}
	s := source{data: frame, pos: pos + 1}
	for range 2 {
		key, _ := s.Text()
		switch string(key) {
		case eventType:
			text, _ := s.Text()
			typ = string(text)
		case eventObject:
			d, err := documentAt(frame, s.pos, input.Place{})
			if err != nil {
				return "", nil, false
			}
			object, s.pos = d, len(d.data)
		default:
			return "", nil, false
		}
	}
	return typ, object, typ != "" && object != nil && s.pos == len(frame) && utf8.ValidString(typ)
}
