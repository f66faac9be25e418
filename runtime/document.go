package runtime

import (
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// ReadOptions control how a format decodes a document. The zero value is lenient and has the
// default limits.
type ReadOptions struct {
	// Strict reports unknown and duplicate fields as problems.
	Strict bool
	// Scheme provides the kinds of embedded objects, which strict decoding checks; if nil, they are
	// not checked.
	Scheme *Scheme
	// Embedded decodes the objects in fields of type [Embedded] if the scheme knows their kinds.
	Embedded bool
	// Transcoding converts embedded objects in formats other than JSON and protobuf to JSON; if
	// nil, they stay as bytes. It must be that of Scheme, without which it is not used.
	Transcoding *Transcoding
	// Limits bound the input.
	Limits schema.Limits
}

// Checker returns what a reader is given to check and decode embedded objects.
func (o ReadOptions) Checker() interface {
	jsonwire.Checker
	pbwire.Checker
} {
	switch {
	case o.Transcoding == nil || o.Scheme == nil:
		return o.Scheme.checker(o.Embedded)
	case o.Embedded:
		return checker{&o.Transcoding.terms[1]}
	}
	return checker{&o.Transcoding.terms[0]}
}
