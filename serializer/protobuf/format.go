package protobuf

import (
	"iter"
	"sync"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/pbwire"
)

// MediaType is the media type of objects in an envelope.
const MediaType = "application/vnd.kubernetes.protobuf"

// Serializer is the protobuf format. It has no state and is safe for concurrent use.
type Serializer struct{}

// Format returns the protobuf format.
func Format() *Serializer { return &Serializer{} }

// Name returns "protobuf".
func (*Serializer) Name() string { return "protobuf" }

// MediaTypes returns application/vnd.kubernetes.protobuf.
func (*Serializer) MediaTypes() []string { return []string{MediaType} }

// Text returns false: protobuf is binary.
func (*Serializer) Text() bool { return false }

// Recognize answers Yes if data begins as an envelope does, which no text can.
func (*Serializer) Recognize(data []byte) runtime.Recognition {
	if pbwire.HasMagic(data) {
		return runtime.Yes
	}
	return runtime.No
}

// Encodes reports whether objects of the kind have a protobuf form.
func (*Serializer) Encodes(k *runtime.Kind) bool { return k.HasProto() }

// Documents yields the one object in data. An empty input yields nothing.
func (*Serializer) Documents(data []byte) iter.Seq2[runtime.Document, error] { return documents(data) }

// maxPooled bounds the buffers that are kept for reuse, so that one large object does not stay in memory for ever.
const maxPooled = 1 << 20

var writers = sync.Pool{New: func() any { return new(pbwire.Writer) }}

// Append appends an object in its envelope to dst.
func (*Serializer) Append(dst []byte, k *runtime.Kind, obj runtime.Object, _ runtime.EncodeOptions) ([]byte, error) {
	w := writers.Get().(*pbwire.Writer)
	// Messages are written back to front, so the place of their first byte is not known before. A large object is written at the end of
	// the free part of dst if there is one, and then moved; a small one in the buffer that is at hand.
	own, free := w.Swap(nil), dst[len(dst):]
	lent := cap(free) > cap(own)
	if lent {
		w.Reset(free)
	} else {
		w.Reset(own)
	}
	body := w.OpenEnvelope()
	err := k.PrependProto(w, obj)
	if err == nil {
		w.CloseEnvelope(body, k.GroupVersionKind())
		dst = append(dst, w.Bytes()...)
	}
	if lent && w.Cap() == cap(free) { // else the object did not fit, and the buffer is the writer's
		w.Swap(own)
	}
	if w.Cap() <= maxPooled {
		writers.Put(w)
	}
	return dst, err
}
