package protobuf

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/pbwire"
)

// prefix is the number of bytes of the length before a frame.
const prefix = 4

// errFrame is the error for an event that is too long for a frame.
var errFrame = errors.New("protobuf: the event is too large for a frame")

// appendEvent appends a watch event: four bytes with the length of the rest, then a message of the
// type and the object in its envelope.
func appendEvent(dst []byte, eventType string, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	w := writers.Get().(*pbwire.Writer)
	w.Reset(nil)
	body := w.OpenEnvelope()
	err := k.PrependProto(w, obj)
	if err == nil {
		w.CloseEnvelope(body, k.GroupVersionKind())
		w.Message(1, 0) // the bytes of a RawExtension
		w.Message(2, 0) // which is the object
		w.String(1, eventType)
		if uint64(w.Len()) > math.MaxUint32 {
			err = errFrame
		} else {
			dst = append(binary.BigEndian.AppendUint32(dst, uint32(w.Len())), w.Bytes()...)
		}
	}
	if w.Cap() <= maxPooled {
		writers.Put(w)
	}
	return dst, err
}

// framer finds frames by the length before them.
type framer struct {
	header int    // bytes of the length received
	left   uint32 // remaining bytes of the frame
}

// newFramer returns a framer for length-prefixed messages.
func newFramer() format.Framer { return new(framer) }

// Next implements [format.Framer].
func (f *framer) Next(data []byte) (n int, done bool) {
	for f.header < prefix {
		if n == len(data) {
			return n, false
		}
		f.left = f.left<<8 | uint32(data[n])
		f.header++
		n++
	}
	take := min(uint64(f.left), uint64(len(data)-n))
	n += int(take)
	if f.left -= uint32(take); f.left > 0 {
		return n, false
	}
	*f = framer{}
	return n, true
}

// openEvent parses a watch event.
func openEvent(frame []byte, _ schema.Limits) (eventType string, object format.Document, err error) {
	if len(frame) < prefix || uint64(binary.BigEndian.Uint32(frame)) != uint64(len(frame)-prefix) {
		return "", nil, failed(problem(len(frame), runtime.ErrSyntax, "the frame is truncated", nil))
	}
	var raw []byte
	at := 0 // its offset
	r := pbwire.NewReader(frame[prefix:], pbwire.Options{})
	for r.Next() {
		switch r.Field() {
		case 1:
			eventType = r.String()
		case 2:
			saved := r.Message()
			for r.Next() {
				if r.Field() == 1 {
					raw = r.Text()
					at = prefix + r.Offset() - len(raw)
				} else {
					r.Skip()
				}
			}
			r.EndMessage(saved)
		default:
			r.Skip()
		}
	}
	if problems := r.Problems(); len(problems) > 0 {
		p := &problems[0]
		return "", nil, failed(problem(prefix+p.Offset, runtime.CauseOf(p.Code), p.Message, p.Err))
	}
	if eventType == "" || raw == nil {
		return "", nil, failed(problem(0, runtime.ErrInvalidValue, "a watch event has a type and an object", nil))
	}
	d, err := open(raw, at)
	if err != nil {
		return "", nil, err
	}
	return eventType, d, nil
}
