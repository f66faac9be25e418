package format

import (
	"errors"
	"io"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Format is a wire format: its names, and the functions that write and read it. A nil field is an
// ability that the format lacks; the comment of the field describes what a factory does instead.
// Name, MediaTypes and Append must be set. [Format.Check] reports fields that contradict each
// other.
//
// The functions keep no state between calls, do not retain their arguments unless their comment
// says so, and are safe for concurrent use. A Format must not be modified once it has been passed
// to a factory.
type Format struct {
	_ struct{} // literals name their fields

	// Name is a short name for messages: "json".
	Name string
	// MediaTypes are the media types of this format, as type/subtype without parameters, the
	// preferred one first.
	MediaTypes []string
	// Text states that encoded objects are UTF-8 text.
	Text bool
	// Tables states that the format is made for tables and omits columns and headings itself. It
	// receives tables with all columns, regardless of NoHeaders and Wide in the
	// [github.com/askind/askind/meta/v1.TableOptions]; it finds those in [Options].
	Tables bool
	// Links states that the format writes links and needs the [Place] of objects.
	Links bool
	// Header holds additional headers for HTTP answers in the format, such as a
	// Content-Security-Policy.
	Header map[string]string

	// Shows returns the kind as which objects of a kind are shown to clients that do not request
	// one, such as a table for a list. If Shows is nil, or its result is empty or not available for
	// the kind, objects are not shown as another kind.
	Shows func(k *runtime.Kind) schema.GroupVersionKind
	// Append appends one object of the kind k to dst. On error it returns dst unchanged.
	Append func(dst []byte, k *runtime.Kind, obj runtime.Object, o Options) ([]byte, error)
	// Encodes reports whether the format can write objects of the kind. Representations that it
	// cannot write are not offered to clients. If nil, the format writes every kind.
	Encodes func(k *runtime.Kind) bool
	// List writes lists item by item. Without it they are written as a whole.
	List *List

	// Documents yields the documents in data, each with an error if it cannot be read. Errors are
	// [*runtime.DecodeError] with positions in data. Data without any document yields nothing. The
	// limits are those that apply before an object is decoded. Without Documents the format can be
	// written but not read.
	Documents func(data []byte, l schema.Limits) iter.Seq2[Document, error]
	// First returns the first document in data, or nil if Documents must be called. It saves the
	// cost of an iterator for inputs of one document, for which [Document.Alone] returns true.
	First func(data []byte) Document
	// Recognize reports whether some bytes are written in this format. Without it the format is
	// chosen by its media type only.
	Recognize func(data []byte) Recognition
	// ReadList yields the parts of a list as they are read from r. An item that has more bytes than
	// the limit, or whose end cannot be determined, is yielded as an error without a part. Without
	// it lists are decoded as a whole.
	ReadList func(r io.Reader, o ListReadOptions) iter.Seq2[ListPart, error]

	// Events writes and reads the frames of watch events. Without it the format has no watches.
	Events *Events
	// Splice changes encoded objects in place. Without it they are decoded and encoded again.
	Splice *Splice
	// Project reads and writes parts of encoded objects. Without it objects are decoded as a whole.
	Project *Project
	// Transcode returns the single object in raw as JSON, for objects embedded in protobuf as bytes
	// of this format. A result together with an error is usable, and the error is one that strict
	// decoding reports, such as a duplicate member. Without it such objects stay unchanged.
	Transcode func(raw []byte, l schema.Limits) ([]byte, error)
}

// Options control how a format writes an object.
type Options struct {
	// Pretty selects an indented form, if the format has one.
	Pretty bool
	// Terms are the options with which the object was created, such as those of a table. Formats
	// that do not know their type ignore them.
	Terms any
	// Place is the place of the object; nil if unknown, and for formats without [Format].Links.
	Place *Place
}

// List writes a list item by item, with the bytes that Append would write for the whole. Its
// functions append to dst and return it unchanged on error. All calls for one list get the same
// parts.
type List struct {
	_ struct{} // literals name their fields

	// Head appends everything before the first item. The size is zero unless Counts or Measure is
	// set.
	Head func(dst []byte, p *Parts, size ListSize, o Options) ([]byte, error)
	// Items appends the items taken last, one or more, and the separator after the n items before.
	Items func(dst []byte, p *Parts, n int, o Options) ([]byte, error)
	// Tail appends everything after the last item.
	Tail func(dst []byte, p *Parts, o Options) ([]byte, error)
	// Counts states that Head needs the number of items, as in CBOR. All items are visited twice:
	// they are counted, then written. The first items may be encoded while they are counted, so
	// Items may be called before Head.
	Counts bool
	// Measure returns the encoded size of the items taken last, or 0 if that is unknown before all
	// are measured. A format sets it if Head needs the size, as in protobuf or in columns. All
	// items are visited twice; the first ones may be written instead of measured, as with Counts,
	// unless Measure returns 0 for them.
	Measure func(p *Parts, o Options) (int, error)
	// Encodes reports whether an object of the kind can be written item by item. If nil, all
	// objects that [Format].Encodes accepts can.
	Encodes func(k *runtime.Kind) bool
}

// Events writes and reads the frames of watch events.
type Events struct {
	_ struct{} // literals name their fields

	// MediaType is the media type of a stream of events. Blank means that of objects, with the
	// parameter stream.
	MediaType string
	// Append appends one frame: an event with an object of the kind k. On error it returns dst
	// unchanged.
	Append func(dst []byte, eventType string, k *runtime.Kind, obj runtime.Object) ([]byte, error)
	// NewFramer returns a [Framer] for one stream.
	NewFramer func() Framer
	// Open parses a frame without decoding the object. A frame without an event results in a nil
	// document and no error. The document refers to the frame. Errors are [*runtime.DecodeError]
	// with positions in the frame.
	Open func(frame []byte, l schema.Limits) (eventType string, object Document, err error)
}

// Splice changes the object in one field of an encoded object and preserves all other bytes. A
// format has one of the two functions.
type Splice struct {
	_ struct{} // literals name their fields

	// Member returns a copy of data in which the object in a member is changed by the differences
	// between two JSON texts of it, before and after. It is an error if the change has no single
	// place, for example because the text has the member twice.
	Member func(data []byte, name string, before, after []byte) ([]byte, error)
	// Message returns a copy of data in which the message in a field is changed by the differences
	// between two encodings of it.
	Message func(data []byte, field int, before, after []byte) ([]byte, error)
}

// Project reads and writes parts of objects. A format has either Excerpt,
// Finish or both, or Envelope.
type Project struct {
	_ struct{} // literals name their fields

	// Excerpt returns the one document in data as a JSON text for a reader with these options. The
	// text has the fields of the tree that the document has, and possibly others. It aliases data
	// or is appended to dst. Other parts of the document are checked for their syntax. ok is false
	// if the data cannot be read in this way.
	Excerpt func(dst, data []byte, fields func() *FieldTree) (text []byte, o jsonwire.Options, ok bool)
	// Finish replaces the compact JSON text of an object, with which dst ends from an index on, by
	// the output of Append for that object.
	Finish func(dst []byte, from int, o Options) ([]byte, error)
	// Envelope parses the one object in data, for a format whose documents are envelopes of package
	// pbwire that contain a protobuf message. ok is false if that is not possible.
	Envelope func(data []byte) (e pbwire.Envelope, ok bool)
}

// Reads reports whether the format can be read.
func (f *Format) Reads() bool { return f.Documents != nil }

// CanEncode reports whether the format can write objects of a kind.
func (f *Format) CanEncode(k *runtime.Kind) bool { return f.Encodes == nil || f.Encodes(k) }

// ErrWriteOnly is the cause of an error about input in a format that can be written but not read.
var ErrWriteOnly = errors.New("the format can be written but not read")
