package runtime

import (
	"errors"
	"slices"
	"strconv"

	"github.com/askind/askind/schema"
)

// Transcoder is a format in which an object may be embedded as bytes, as in protobuf. The formats yaml and cbor are.
type Transcoder interface {
	// MediaTypes and Recognize are those of the format.
	MediaTypes() []string
	Recognize(data []byte) Recognition
	// Transcode returns the one object that the bytes are, as JSON, or an error that says what is wrong with them. With a result that can be used an error
	// tells what only strict decoding is to tell, such as a member that occurs twice.
	Transcode(raw []byte, l schema.Limits) ([]byte, error)
}

// Transcoding is what [ReadOptions] have of the formats of objects that are embedded as bytes. Whoever decodes makes it once, with [Scheme.Transcoding].
type Transcoding struct{ terms [2]checkTerms }

// Transcoding returns what has embedded objects transcoded from some formats, for documents that are decoded with the scheme. It is nil for no formats.
func (s *Scheme) Transcoding(formats ...Transcoder) *Transcoding {
	if len(formats) == 0 {
		return nil
	}
	return &Transcoding{[2]checkTerms{{scheme: s, formats: formats}, {scheme: s, embedded: true, formats: formats}}}
}

// transcode returns the JSON of an object that came in protobuf as the bytes of another format. It returns nil for those that are JSON or protobuf, and
// for those of which it cannot be told what they are.
func (c Checker) transcode(raw []byte, l schema.Limits) ([]byte, error) {
	if c.terms == nil || len(c.terms.formats) == 0 || isJSONObject(raw) {
		return nil, nil
	}
	mediaType, raw := foreign(raw)
	if mediaType == "" && len(raw) == 0 {
		return nil, nil
	}
	for _, format := range c.terms.formats {
		if mediaType != "" {
			if slices.Contains(format.MediaTypes(), mediaType) {
				return format.Transcode(raw, l)
			}
			continue
		}
		switch format.Recognize(raw) {
		case Yes:
			return format.Transcode(raw, l)
		case Maybe:
			if text, err := format.Transcode(raw, l); text != nil {
				return text, err
			}
		}
	}
	if mediaType != "" {
		return nil, errors.New("no format has its media type " + strconv.Quote(mediaType))
	}
	return nil, nil
}
