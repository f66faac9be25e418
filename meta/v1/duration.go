package v1

import (
	"time"

	"github.com/askind/askind/internal/borrow"
	"github.com/askind/askind/meta/internal/leaf"
	"github.com/askind/askind/wire/jsonwire"
)

// Duration is a time.Duration that is written in the form of its String method: 1m30s.
//
// +askind:protobuf:fields="optional int64 duration = 1"
type Duration struct {
	time.Duration
}

// NewDuration returns d as a Duration.
func NewDuration(d time.Duration) Duration { return Duration{d} }

// MarshalJSON implements json.Marshaler.
func (d Duration) MarshalJSON() ([]byte, error) { return AppendJSONDuration(nil, &d) }

// UnmarshalJSON implements json.Unmarshaler. Null leaves the duration unchanged.
func (d *Duration) UnmarshalJSON(data []byte) error {
	return leaf.Unmarshal(data, d, DecodeJSONDuration)
}

// DeepCopyIntoDuration makes out a copy of in.
func DeepCopyIntoDuration(in, out *Duration) { *out = *in }

// AppendJSONDuration appends the duration as a JSON string.
func AppendJSONDuration(dst []byte, in *Duration) ([]byte, error) {
	dst = append(dst, '"')
	dst = append(dst, in.Duration.String()...)
	return append(dst, '"'), nil
}

// DecodeJSONDuration reads a duration in the syntax of time.ParseDuration; null leaves out
// unchanged.
func DecodeJSONDuration(r *jsonwire.Reader, out *Duration) {
	text := r.Text()
	if text == nil {
		return
	}
	d, err := time.ParseDuration(borrow.String(text))
	if err != nil {
		r.Invalid(err)
		return
	}
	out.Duration = d
}
