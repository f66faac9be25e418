package serializer

import (
	"fmt"
	"slices"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// transcoder returns the function that converts objects embedded as bytes of the formats to JSON,
// or nil if no format supports that.
func transcoder(formats []*format.Format) func(mediaType string, raw []byte, l schema.Limits) ([]byte, error) {
	formats = sorted.Delete(slices.Clone(formats), func(f *format.Format) bool { return f.Transcode == nil })
	if len(formats) == 0 {
		return nil
	}
	return func(mediaType string, raw []byte, l schema.Limits) ([]byte, error) {
		for _, f := range formats {
			if mediaType != "" {
				if slices.Contains(f.MediaTypes, mediaType) {
					return f.Transcode(raw, l)
				}
				continue
			}
			switch f.Recognize(raw) {
			case format.Yes:
				return f.Transcode(raw, l)
			case format.Maybe:
				if text, err := f.Transcode(raw, l); text != nil {
					return text, err
				}
			}
		}
		if mediaType != "" {
			return nil, fmt.Errorf("no format has its media type %q", mediaType)
		}
		return nil, nil
	}
}
