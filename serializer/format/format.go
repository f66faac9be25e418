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
// ability that the format does not have; the comment of the field says what a factory does instead.
// Name, MediaTypes and Append must be set. [Format.Check] reports fields that contradict each
// other.
//
// The functions keep no state between calls, do not retain their arguments unless their comment
// says so, and are safe for concurrent use. A Format must not be changed once a factory has it.
type Format struct {
	_ struct{} // literals name their fields

	// Name is a short name for messages: "json".
	Name string
	// MediaTypes are the media types that mean this format, as type/subtype without parameters, the
	// preferred one first.
	MediaTypes []string
	// Text states that encoded objects are text in UTF-8.
	Text bool
	// Tables states that the format is made for tables and leaves out columns and headings itself.
	// A table comes to it with all of its columns, whatever NoHeaders and Wide of the
	// [github.com/askind/askind/meta/v1.TableOptions] say; those are in [Options].
	Tables bool
	// Links states that the format writes links, and so is told the [Place] of what it writes.
	Links bool
	// Header are headers of answers in the format over HTTP, besides those that all answers have:
	// a Content-Security-Policy, say.
	Header map[string]string

	// Shows returns the kind as which objects of a kind are written for clients that do not name
	// one, such as a table for a list. If it is empty, or cannot be made of the kind, that is the
	// kind itself; without Shows it always is.
	Shows func(k *runtime.Kind) schema.GroupVersionKind
	// Append appends one object of the kind k to dst. On error it returns dst unchanged.
	Append func(dst []byte, k *runtime.Kind, obj runtime.Object, o Options) ([]byte, error)
	// Encodes reports whether the format can write objects of the kind. A representation that it
	// cannot write is not offered to clients. Without it the format writes every kind.
	Encodes func(k *runtime.Kind) bool
	// List writes lists item by item. Without it they are written as a whole.
	List *List

	// Documents yields the documents in data, each with the error that kept it from being read.
	// Errors are [*runtime.DecodeError] with positions in data. Data without any document yields
	// nothing. The limits are those that apply before an object is decoded. Without Documents the
	// format can be written but not read.
	Documents func(data []byte, l schema.Limits) iter.Seq2[Document, error]
	// First returns the first document in data, or nil if Documents must be asked. It saves the
	// cost of an iterator for inputs of one document, for which [Document.Alone] returns true.
	First func(data []byte) Document
	// Recognize reports whether some bytes are written in this format. Without it the format is
	// chosen by its media type only.
	Recognize func(data []byte) Recognition
	// ReadList yields the parts of a list as they are read from r. An item that has more bytes than
	// the limit, or cannot be told apart from its surroundings, is yielded as an error without a
	// part. Without it lists are decoded as a whole.
	ReadList func(r io.Reader, o ListReadOptions) iter.Seq2[ListPart, error]

	// Events writes and reads the frames of watch events. Without it the format has no watches.
	Events *Events
	// Splice changes encoded objects in place. Without it they are decoded and written anew.
	Splice *Splice
	// Project reads and writes parts of encoded objects. Without it objects are decoded as a whole.
	Project *Project
	// Transcode returns the one object that the bytes are as JSON, for objects embedded in protobuf
	// as bytes of this format. A result together with an error is usable, and the error is one that
	// strict decoding reports, such as a duplicate member. Without it such objects stay as they
	// are.
	Transcode func(raw []byte, l schema.Limits) ([]byte, error)
}

// Options control how a format writes an object.
type Options struct {
	// Pretty asks for a form for people, if the format has one.
	Pretty bool
	// Terms are the options under which the object was made, such as those of a table. Formats that
	// do not know their type ignore them.
	Terms any
	// Place is where the object is; nil if unknown, and for formats without [Format].Links.
	Place *Place
}

// List writes a list item by item, with the bytes that Append would write for the whole. Its
// functions append to dst and return it as it was on error. The parts are those of one list in
// every call.
type List struct {
	_ struct{} // literals name their fields

	// Head appends everything before the first item. The size is zero unless Counts or Measure is
	// set.
	Head func(dst []byte, p *Parts, size ListSize, o Options) ([]byte, error)
	// Items appends the items that were taken last, one or more, and what separates them from the n
	// items before.
	Items func(dst []byte, p *Parts, n int, o Options) ([]byte, error)
	// Tail appends everything after the last item.
	Tail func(dst []byte, p *Parts, o Options) ([]byte, error)
	// Counts states that Head needs the number of items, as in CBOR. All items are visited twice:
	// they are counted, then written.
	Counts bool
	// Measure returns how many bytes the items that were taken last will have, or 0 if that is not
	// known before all are measured. A format sets it if Head needs the size, as in protobuf or in
	// columns. All items are visited twice.
	Measure func(p *Parts, o Options) (int, error)
	// Encodes reports whether an object of the kind can be written item by item. Without it every
	// object can that [Format].Encodes accepts.
	Encodes func(k *runtime.Kind) bool
}

// Events writes and reads the frames of watch events.
type Events struct {
	_ struct{} // literals name their fields

	// Append appends one frame: an event with an object of the kind k. On error it returns dst as
	// it was.
	Append func(dst []byte, eventType string, k *runtime.Kind, obj runtime.Object) ([]byte, error)
	// NewFramer returns a [Framer] for one stream.
	NewFramer func() Framer
	// Open takes a frame apart without decoding the object. A frame that holds no event gives a nil
	// document and no error. The document refers to the frame. Errors are [*runtime.DecodeError]
	// with positions in the frame.
	Open func(frame []byte, l schema.Limits) (eventType string, object Document, err error)
}

// Splice changes the object in one field of an encoded object and leaves all other bytes as they
// are. A format has one of the two functions.
type Splice struct {
	_ struct{} // literals name their fields

	// Member returns a copy of data in which the object in a member differs as two JSON texts of it
	// differ. It is an error if there is no single place for the change, as in a text that has the
	// member twice.
	Member func(data []byte, name string, before, after []byte) ([]byte, error)
	// Message returns a copy of data in which the message in a field differs as two messages
	// differ.
	Message func(data []byte, field int, before, after []byte) ([]byte, error)
}

// Project reads and writes parts of objects. A format has either Excerpt,
// Finish or both, or Envelope.
type Project struct {
	_ struct{} // literals name their fields

	// Excerpt returns the one document in data as a JSON text for a reader with these options. The
	// text has the fields of the tree, as far as the document has them, and perhaps others. It is a
	// part of data or appended to dst. Everything else is checked for its syntax, or left out where
	// it could not be a part of the text. ok is false if the data cannot be read in this way.
	Excerpt func(dst, data []byte, fields func() *FieldTree) (text []byte, o jsonwire.Options, ok bool)
	// Finish turns the compact JSON text of an object, which dst ends with from an index on, into
	// what Append writes for that object.
	Finish func(dst []byte, from int, o Options) ([]byte, error)
	// Envelope takes the one object in data apart, for a format whose documents are the envelopes
	// of package pbwire with a protobuf message inside. ok is false if that cannot be done.
	Envelope func(data []byte) (e pbwire.Envelope, ok bool)
}

// Reads reports whether the format can be read.
func (f *Format) Reads() bool { return f.Documents != nil }

// CanEncode reports whether the format can write objects of a kind.
func (f *Format) CanEncode(k *runtime.Kind) bool { return f.Encodes == nil || f.Encodes(k) }

// ErrWriteOnly is the cause of an error about input in a format that can be written but not read.
var ErrWriteOnly = errors.New("the format can be written but not read")
