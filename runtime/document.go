package runtime

import (
	"github.com/askind/askind/schema"
)

// Recognition is a format's answer to the question whether some bytes are written in it.
type Recognition int

const (
	// No means that the bytes are certainly not in the format.
	No Recognition = iota
	// Maybe means that only an attempt to decode can tell.
	Maybe
	// Yes means that the bytes are in the format; no other format is asked.
	Yes
)

// ReadOptions say how a [Document] is decoded. The zero value is lenient and has the default limits.
type ReadOptions struct {
	// Strict asks for unknown and duplicate fields to be reported as problems.
	Strict bool
	// Scheme is where the kinds of embedded objects are looked up, so that strict decoding reaches into them; nil for not at all.
	Scheme *Scheme
	// Embedded asks for the objects in fields of the type [Embedded] to be decoded, where the scheme knows their kinds.
	Embedded bool
	// Transcoding has embedded objects of other formats than JSON and protobuf transcoded to JSON; nil for not at all, then they stay as their bytes. It
	// is that of the Scheme, without which it is not used.
	Transcoding *Transcoding
	// Limits bound what is read.
	Limits schema.Limits
}

// Checker returns what the readers of the wire packages are given.
func (o ReadOptions) Checker() Checker {
	switch {
	case o.Transcoding == nil || o.Scheme == nil:
		return o.Scheme.checker(o.Embedded)
	case o.Embedded:
		return Checker{&o.Transcoding.terms[1]}
	}
	return Checker{&o.Transcoding.terms[0]}
}

// EncodeOptions say how a format writes an object.
type EncodeOptions struct {
	// Pretty asks for a form that people read, where the format has one.
	Pretty bool
	// Options is a value for formats that know its type: the options under which the object was shown as what it is now, such as those of
	// a table. Other formats do not look at it.
	Options any
}

// Document is one encoded object, taken apart just far enough to know what it says it is. Formats make them; the serializer package
// looks up the [Kind] and has the rest decoded. A Document refers to the bytes that it was made from and is valid as long as they
// are not changed; the objects decoded from it never refer to them. It is not safe for concurrent use.
type Document interface {
	// Type returns the apiVersion and the kind that the document states, each blank where it states none. The error is a
	// [*DecodeError] when either is not a string or the text is broken before both are known.
	Type() (apiVersion, kind string, err error)
	// Decode fills obj, an object of the kind k, and returns all problems found, in the order of the input. Positions are those of the
	// text that the user wrote; the caller fills in the file. What could be decoded is in obj whatever was found.
	Decode(k *Kind, obj Object, o ReadOptions) []Problem
	// Raw returns the document as one JSON text in memory of its own, nil if the document cannot be written as JSON.
	Raw() []byte
	// Locate returns where the field at a path stands, or its nearest existing parent.
	Locate(p *schema.Path) schema.Position
}

// StatedDocument is a document that finds its kind in a scheme without making strings of what it states.
type StatedDocument interface {
	Document
	// KindIn returns the kind that the document states, as Type does, if the scheme has it, else nil: then Type tells what is stated, or why nothing is.
	KindIn(s *Scheme) *Kind
}

// ListReadOptions say how a list is read piece by piece.
type ListReadOptions struct {
	// Limits bound what is read: Item the bytes of one item, and of all that is around the items.
	Limits schema.Limits
	// Kind looks up the kind of the list, for formats in which only that tells where its items are. It returns nil for one that it does not
	// know.
	Kind func(apiVersion, kind string) *Kind
}

// SingleDocument is a document of which it is known, once it has been decoded, whether it is the only one of its input.
type SingleDocument interface {
	Document
	// Alone reports whether nothing follows the document. It may be false where that could not be found out.
	Alone() bool
}

// ListPart is a part of an encoded list that is read piece by piece.
type ListPart struct {
	// Item is an item, nil in the last part. It is valid until the next part is asked for or, if the head does not state its apiVersion
	// and kind yet, for good.
	Item Document
	// Head is the list without its items: in the last part with all that is around them, before that with what came before the item,
	// which may be decoded as little as any text that is cut off.
	Head Document
}

// Framer finds out where the frames of a stream end. It belongs to one stream.
type Framer interface {
	// Next takes the next bytes of the stream and returns how many of them belong to the frame that has begun, and whether it ends with
	// them. The bytes after that are given to the next call; the first of those begins a new frame. A frame may have white space and marks
	// around what it holds, and hold nothing else.
	Next(data []byte) (n int, done bool)
}
