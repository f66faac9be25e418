package protobuf

import (
	"iter"
	"sync"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/pbwire"
)

// MediaType is the media type of objects in an envelope.
const MediaType = "application/vnd.kubernetes.protobuf"

// Format returns the protobuf format.
func Format() *format.Format {
	return &format.Format{
		Name: "protobuf", MediaTypes: []string{MediaType},
		Append:  appendObject,
		Encodes: encodes,
		List: &format.List{
			Head: appendListHead, Items: appendListItems, Tail: appendListTail, Measure: measureListItems,
		},
		Documents: func(data []byte, _ schema.Limits) iter.Seq2[format.Document, error] { return documents(data) },
		First:     first,
		Recognize: recognize,
		ReadList:  readList,
		Events:    &format.Events{Append: appendEvent, NewFramer: newFramer, Open: openEvent},
		Splice:    &format.Splice{Message: spliceMessage},
		Project:   &format.Project{Envelope: envelope},
	}
}

// recognize returns Yes if data begins like an envelope, which no text can.
func recognize(data []byte) format.Recognition {
	if pbwire.HasMagic(data) {
		return format.Yes
	}
	return format.No
}

// encodes reports whether objects of the kind can be written as protobuf.
func encodes(k *runtime.Kind) bool { return k.Info().Proto }

// maxPooled bounds the buffers that are kept for reuse, so that one large object does not stay in
// memory forever.
const maxPooled = 1 << 20

var writers = sync.Pool{New: func() any { return new(pbwire.Writer) }}

// appendObject appends an object in its envelope to dst.
func appendObject(dst []byte, k *runtime.Kind, obj runtime.Object, _ format.Options) ([]byte, error) {
	w := writers.Get().(*pbwire.Writer)
	// Messages are written back to front, so the position of their first byte is not known in
	// advance. A large object is written at the end of the free part of dst, if any, and then
	// moved; a small one is written in the writer's buffer.
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
	if lent && w.Cap() == cap(free) { // otherwise the object did not fit, and the buffer is the writer's
		w.Swap(own)
	}
	if w.Cap() <= maxPooled {
		writers.Put(w)
	}
	return dst, err
}
