package cbor

import (
	"bytes"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/jsonwire"
)

// The media types of the format.
const (
	// MediaType is one object.
	MediaType = "application/cbor"
	// SequenceMediaType is a stream of objects, such as the events of a watch.
	SequenceMediaType = "application/cbor-seq"
)

// annotation is how many bytes jsonwire.Annotate puts in front of a text.
var annotation = len(jsonwire.Annotate(nil))

// selfDescribed is the tag 55799, by which CBOR is recognized.
const selfDescribed = "\xd9\xd9\xf7"

// Serializer is the CBOR format. It has no state and is safe for concurrent use.
type Serializer struct{}

// Format returns the CBOR format.
func Format() *Serializer { return &Serializer{} }

// Name returns "cbor".
func (*Serializer) Name() string { return "cbor" }

// MediaTypes returns application/cbor.
func (*Serializer) MediaTypes() []string { return []string{MediaType} }

// Text returns false: CBOR is binary.
func (*Serializer) Text() bool { return false }

// Recognize answers Yes if data begins with the tag that says so, which no text and no protobuf envelope does. CBOR without the tag is read but
// not recognized.
func (*Serializer) Recognize(data []byte) runtime.Recognition {
	if bytes.HasPrefix(data, []byte(selfDescribed)) {
		return runtime.Yes
	}
	return runtime.No
}

// Documents yields every item of a sequence in order. An item that is no map is yielded as an error; an item that is cut off or not
// CBOR ends the sequence, because there is no telling where the next one would begin. An empty input yields nothing.
func (*Serializer) Documents(data []byte) iter.Seq2[runtime.Document, error] { return documents(data) }

// Append appends an object to dst as one item with the tag 55799. There is one form only, so Pretty makes no difference. Appending one
// object behind the other makes a sequence.
func (s *Serializer) Append(dst []byte, k *runtime.Kind, obj runtime.Object, o runtime.EncodeOptions) ([]byte, error) {
	if out, ok := s.appendInPieces(dst, k, obj, o); ok {
		return out, nil
	}
	return appendWhole(dst, k, obj)
}

// appendWhole appends an object by way of one text.
func appendWhole(dst []byte, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer e.release()
	text := jsonwire.Annotate(e.scratch[:0])
	text, err := k.AppendJSON(text, obj)
	e.scratch = text
	if err != nil {
		return dst, err
	}
	out, err := e.append(append(dst, selfDescribed...), text[annotation:], k.Name())
	if err != nil {
		return dst, err
	}
	return out, nil
}
