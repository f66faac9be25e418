package protobuf

import "github.com/askind/askind/wire/pbwire"

// envelope parses the one object in data. It returns false if data is not an envelope of a protobuf
// message; decoding reports why.
func envelope(data []byte) (e pbwire.Envelope, ok bool) {
	e, err := pbwire.ParseEnvelope(data)
	ok = err == nil && len(data) > len(pbwire.Magic) && len(e.ContentEncoding) == 0 &&
		(len(e.ContentType) == 0 || string(e.ContentType) == MediaType)
	return e, ok
}
