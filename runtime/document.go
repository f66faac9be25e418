package runtime

import (
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// ReadOptions control how a format decodes a document. The zero value is lenient and has the
// default limits.
type ReadOptions struct {
	// Strict asks for unknown and duplicate fields to be reported as problems.
	Strict bool
	// Scheme is where the kinds of embedded objects are looked up, so that strict decoding reaches
	// into them; nil for not at all.
	Scheme *Scheme
	// Embedded asks for the objects in fields of the type [Embedded] to be decoded, where the
	// scheme knows their kinds.
	Embedded bool
	// Transcoding has embedded objects of other formats than JSON and protobuf transcoded to JSON;
	// nil for not at all, then they stay as their bytes. It is that of the Scheme, without which it
	// is not used.
	Transcoding *Transcoding
	// Limits bound what is read.
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
