package pbwire

import (
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// Magic is the prefix of every object in the protobuf form of the Kubernetes wire format. The rest
// is a message with these fields:
//
//	1  the type, a message: 1 apiVersion, 2 kind
//	2  the object, a message without the type
//	3  the content encoding of the object, a string; blank
//	4  the content type of the object, a string; blank for protobuf
const Magic = "k8s\x00"

// OpenEnvelope begins an envelope. The fields of the object follow, then [Writer.CloseEnvelope],
// which takes the result.
func (w *Writer) OpenEnvelope() (mark int) {
	w.String(4, "")
	w.String(3, "")
	return w.Mark()
}

// CloseEnvelope puts everything written since mark into an envelope with its type.
func (w *Writer) CloseEnvelope(mark int, gvk schema.GroupVersionKind) {
	w.Message(2, mark)
	mark = w.Mark()
	w.String(2, gvk.Kind)
	apiVersion := w.Mark()
	w.text(gvk.Version)
	if gvk.Group != "" {
		w.text("/")
		w.text(gvk.Group)
	}
	w.Message(1, apiVersion)
	w.Message(1, mark)
	w.text(Magic)
}

// Envelope is a parsed envelope. The bytes alias the input.
type Envelope struct {
	// APIVersion and Kind are the type of the object.
	APIVersion, Kind []byte
	// Raw is the encoded object, or nil, and Offset is its position in the input.
	Raw    []byte
	Offset int
	// ContentEncoding and ContentType describe how Raw is encoded; both are blank for a protobuf
	// message.
	ContentEncoding, ContentType []byte
}

// HasMagic reports whether data begins like an object in an envelope.
func HasMagic(data []byte) bool {
	return len(data) >= len(Magic) && string(data[:len(Magic)]) == Magic
}

// ParseEnvelope parses an envelope. It does not allocate unless there is an error. The error is an
// [*Error]; the parts read before the error are returned with it.
func ParseEnvelope(data []byte) (Envelope, error) {
	if !HasMagic(data) {
		return Envelope{}, &Error{
			Code:    wire.Syntax,
			Message: "the object does not begin with the four bytes of an envelope",
		}
	}
	if e, ok := plainEnvelope(data); ok {
		return e, nil
	}
	return parseEnvelopeSlow(data)
}

// plainEnvelope is [ParseEnvelope] for envelopes in the form that all writers use, with each field
// once and in order. It returns false for all others, and for those that may exceed a limit.
func plainEnvelope(data []byte) (e Envelope, ok bool) {
	const blank = "\x1a\x00\x22\x00" // no encoding, and protobuf
	if len(data) < len(Magic)+len(blank) || len(data) > plainLimit || string(data[len(data)-len(blank):]) != blank {
		return Envelope{}, false
	}
	end := len(data) - len(blank)
	gvk, object, ok := plainField(data[len(Magic):end], 1)
	if !ok {
		return Envelope{}, false
	}
	var more, none []byte
	if e.APIVersion, more, ok = plainField(gvk, 1); !ok {
		return Envelope{}, false
	}
	if e.Kind, none, ok = plainField(more, 2); !ok || len(none) > 0 {
		return Envelope{}, false
	}
	if e.Raw, none, ok = plainField(object, 2); !ok || len(none) > 0 {
		return Envelope{}, false
	}
	e.Offset = end - len(e.Raw)
	e.ContentEncoding, e.ContentType = data[end+2:end+2:end+2], data[len(data):]
	return e, true
}

// plainLimit is far below the default limits.
const plainLimit = 1 << 24

// plainField returns the value of a field with a number below 16 at the start of b, and the bytes
// after it. It returns false if b does not begin with that field and a length.
func plainField(b []byte, number byte) (value, rest []byte, ok bool) {
	if len(b) < 2 || b[0] != number<<3|wireBytes {
		return nil, nil, false
	}
	n, k := uint64(b[1]), 1
	if n >= 0x80 {
		if n, k = uvarint(b[1:]); k <= 0 {
			return nil, nil, false
		}
	}
	b = b[1+k:]
	if n > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n:n], b[n:], true
}

// parseEnvelopeSlow is [ParseEnvelope] for every envelope.
func parseEnvelopeSlow(data []byte) (Envelope, error) {
	var e Envelope
	l := schema.Limits{Problems: 1}.OrDefaults()
	r := Reader{data: data, pos: len(Magic), end: len(data), limits: l, maxDepth: l.Depth}
	r.problems.Reset(l.Problems)
	for r.Next() {
		switch r.Field() {
		case 1:
			saved := r.Message()
			for r.Next() {
				switch r.Field() {
				case 1:
					e.APIVersion = r.Text()
				case 2:
					e.Kind = r.Text()
				default:
					r.Unknown()
				}
			}
			r.EndMessage(saved)
		case 2:
			e.Raw = r.Text()
			e.Offset = r.Offset() - len(e.Raw)
		case 3:
			e.ContentEncoding = r.Text()
		case 4:
			e.ContentType = r.Text()
		default:
			r.Unknown()
		}
	}
	if r.err != nil {
		return e, r.err
	}
	if found := r.problems.Unsorted(); len(found) > 0 {
		p := &found[0]
		return e, &Error{Code: p.Code, Offset: p.Offset, Message: p.Message}
	}
	return e, nil
}
