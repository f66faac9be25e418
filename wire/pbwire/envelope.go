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
