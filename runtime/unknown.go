package runtime

import "bytes"

// Unknown holds a document whose kind no scheme knows, or that should not be decoded yet.
//
// +askind:protobuf=false
type Unknown struct {
	// APIVersion and Kind are what the document states.
	APIVersion, Kind string
	// Raw is the document, in memory of its own.
	Raw []byte
	// ContentType is the media type of Raw, and ContentEncoding how it is compressed; blank means
	// not at all.
	ContentType, ContentEncoding string
}

// DeepCopyIntoUnknown makes out a copy of in that shares no memory with it.
func DeepCopyIntoUnknown(in, out *Unknown) {
	*out = *in
	out.Raw = bytes.Clone(in.Raw)
}
