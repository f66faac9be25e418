package cbor

import (
	"bytes"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// MediaType is the media type of one object. That of the events of a watch is application/cbor-seq.
const MediaType = "application/cbor"

// annotation is the length of the mark that jsonwire.Annotate puts before a text.
var annotation = len(jsonwire.Annotate(nil))

// selfDescribed is the tag 55799, by which CBOR is recognized.
const selfDescribed = "\xd9\xd9\xf7"

// Format returns the CBOR format.
func Format() *format.Format {
	return &format.Format{
		Name: "cbor", MediaTypes: []string{MediaType},
		Append:    appendObject,
		List:      &format.List{Head: appendListHead, Items: appendListItems, Tail: appendListTail, Counts: true},
		Documents: func(data []byte, _ schema.Limits) iter.Seq2[format.Document, error] { return documents(data) },
		Recognize: recognize,
		ReadList:  readList,
		Events: &format.Events{
			MediaType: MediaType + "-seq",
			Append:    appendEvent, NewFramer: newFramer, Open: openEvent,
		},
		Splice:    &format.Splice{Member: splice},
		Project:   &format.Project{Excerpt: excerpt},
		Transcode: transcode,
	}
}

// recognize returns Yes if data begins with the tag 55799, which no text and no protobuf envelope
// does. CBOR without the tag is read but not recognized.
func recognize(data []byte) format.Recognition {
	if bytes.HasPrefix(data, []byte(selfDescribed)) {
		return format.Yes
	}
	return format.No
}

// appendObject appends an object to dst as one item with the tag 55799. Pretty has no effect.
// Appending several objects makes a sequence.
func appendObject(dst []byte, k *runtime.Kind, obj runtime.Object, o format.Options) ([]byte, error) {
	if out, ok := appendInPieces(dst, k, obj, o); ok {
		return out, nil
	}
	return appendWhole(dst, k, obj)
}

// appendWhole appends an object through one text.
func appendWhole(dst []byte, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer e.release()
	text := jsonwire.Annotate(e.scratch[:0])
	text, err := k.AppendJSON(text, obj)
	e.scratch = text
	if err != nil {
		return dst, err
	}
	out, err := e.append(append(dst, selfDescribed...), text[annotation:])
	if err != nil {
		return dst, err
	}
	return out, nil
}
