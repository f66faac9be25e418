package format

import (
	"github.com/askind/askind/runtime"
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

// Document is one encoded object, taken apart just far enough to know what it says it is. Formats
// make them; the serializer package looks up the [runtime.Kind] and has the rest decoded. A
// Document refers to the bytes that it was made from and is valid as long as they are not changed;
// the objects decoded from it never refer to them. It is not safe for concurrent use.
type Document interface {
	// KindIn returns the kind of the scheme that the document states, found without making strings
	// of what it states. It may return nil at any time: then Type is asked.
	KindIn(s *runtime.Scheme) *runtime.Kind
	// Type returns the apiVersion and the kind that the document states, each blank where it states
	// none. The error is a [*runtime.DecodeError] when either is not a string or the text is broken
	// before both are known.
	Type() (apiVersion, kind string, err error)
	// Decode fills obj, an object of the kind k, and returns all problems found, in the order of
	// the input. Positions are those of the text that the user wrote; the caller fills in the file.
	// What could be decoded is in obj whatever was found.
	Decode(k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions) []runtime.Problem
	// Raw returns the document as one JSON text in memory of its own, nil if the document cannot be
	// written as JSON.
	Raw() []byte
	// Alone reports, once Decode or Raw has been called, whether nothing follows the document in
	// its input. It may return false where that is not known.
	Alone() bool
	// Locate returns where the field at a path stands, or its nearest existing parent.
	Locate(p *schema.Path) schema.Position
}
