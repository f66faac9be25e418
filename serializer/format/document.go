package format

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Recognition is the result of recognizing a format.
type Recognition int

const (
	// No means that the bytes are certainly not in the format.
	No Recognition = iota
	// Maybe means that the bytes have to be decoded to find out.
	Maybe
	// Yes means that the bytes are in the format; no other format is tried.
	Yes
)

// Document is an encoded object that has been parsed only as far as necessary to find its type.
// Formats create documents; package serializer looks up the [runtime.Kind] and decodes the rest. A
// Document refers to the bytes that it was made from and is valid while they are not changed.
// Objects decoded from it never refer to them. It is not safe for concurrent use.
type Document interface {
	// KindIn returns the kind of the scheme that the document states, found without allocating
	// strings. It may always return nil; then Type is called.
	KindIn(s *runtime.Scheme) *runtime.Kind
	// Type returns the apiVersion and the kind that the document states, blank if they are missing.
	// The error is a [*runtime.DecodeError] if either is not a string, or if the text is invalid
	// before both are known.
	Type() (apiVersion, kind string, err error)
	// Decode fills obj, an object of the kind k, as far as possible, and returns all problems in
	// the order of the input. Positions refer to the user's text; the caller sets the file. The
	// last ones count those beyond the limit, see [runtime.Problem].More.
	Decode(k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions) []runtime.Problem
	// Raw returns a copy of the document as one JSON text, or nil if it cannot be written as JSON.
	Raw() []byte
	// Alone reports, after a call of Decode or Raw, whether nothing follows the document in its
	// input. It may return false if that is unknown.
	Alone() bool
	// Locate returns the position of the field at a path, or of its nearest existing parent.
	Locate(p *schema.Path) schema.Position
}
