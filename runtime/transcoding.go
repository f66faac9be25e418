package runtime

import "github.com/askind/askind/schema"

// transcoder is the function passed to [Scheme.Transcoding].
type transcoder = func(mediaType string, raw []byte, l schema.Limits) ([]byte, error)

// Transcoding holds the formats of objects embedded as bytes for [ReadOptions]. It is created once,
// with [Scheme.Transcoding].
type Transcoding struct{ terms [2]checkTerms }

// Transcoding returns a Transcoding for documents that are decoded with the scheme, or nil for a
// nil function. The function converts an object that was embedded as bytes to JSON. The media type
// is blank unless the bytes state one. The result is nil for bytes that it does not recognize. A
// result together with an error is usable, and the error is one that strict decoding reports, such
// as a duplicate member.
func (s *Scheme) Transcoding(
	t func(mediaType string, raw []byte, l schema.Limits) ([]byte, error),
) *Transcoding {
	if t == nil {
		return nil
	}
	return &Transcoding{[2]checkTerms{{scheme: s, transcoder: t}, {scheme: s, embedded: true, transcoder: t}}}
}

// transcode returns the JSON of an object that arrived in protobuf as bytes of another format. It
// returns nil for bytes that are JSON or protobuf, or in an unknown format.
func (c checker) transcode(raw []byte, l schema.Limits) ([]byte, error) {
	if c.terms == nil || c.terms.transcoder == nil || isJSONObject(raw) {
		return nil, nil
	}
	mediaType, raw := foreign(raw)
	if mediaType == "" && len(raw) == 0 {
		return nil, nil
	}
	return c.terms.transcoder(mediaType, raw, l)
}
