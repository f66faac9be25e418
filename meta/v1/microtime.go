package v1

import (
	"time"

	"github.com/askind/askind/meta/internal/leaf"
	"github.com/askind/askind/wire/jsonwire"
)

// MicroTime is a [Time] that is written with microseconds: 2020-01-02T03:04:05.123456Z. Decoding
// requires exactly six fractional digits.
//
// +askind:protobuf:fields="optional int64 seconds = 1; optional int32 nanos = 2"
type MicroTime struct {
	time.Time
}

const microLayout = "2006-01-02T15:04:05.000000Z07:00"

// NewMicroTime returns t as a MicroTime.
func NewMicroTime(t time.Time) MicroTime { return MicroTime{t} }

// NowMicro returns the current local time.
func NowMicro() MicroTime { return MicroTime{time.Now()} }

// IsZero reports whether t is nil or the zero time.
func (t *MicroTime) IsZero() bool { return t == nil || t.Time.IsZero() }

// Before reports whether t is before u; it is false if either is nil.
func (t *MicroTime) Before(u *MicroTime) bool { return t != nil && u != nil && t.Time.Before(u.Time) }

// Equal reports whether both are the same instant, or both are nil.
func (t *MicroTime) Equal(u *MicroTime) bool {
	if t == nil || u == nil {
		return t == u
	}
	return t.Time.Equal(u.Time)
}

// MarshalJSON implements json.Marshaler.
func (t MicroTime) MarshalJSON() ([]byte, error) { return AppendJSONMicroTime(nil, &t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *MicroTime) UnmarshalJSON(data []byte) error {
	return leaf.Unmarshal(data, t, DecodeJSONMicroTime)
}

// DeepCopyIntoMicroTime makes out a copy of in.
func DeepCopyIntoMicroTime(in, out *MicroTime) { *out = *in }

// AppendJSONMicroTime appends the time as a JSON string, or null for the zero time. It truncates to
// microseconds.
func AppendJSONMicroTime(dst []byte, in *MicroTime) ([]byte, error) {
	return appendTime(dst, in.Time, microLayout), nil
}

// DecodeJSONMicroTime reads a time of RFC 3339 with six digits of fraction; null is the zero time.
func DecodeJSONMicroTime(r *jsonwire.Reader, out *MicroTime) {
	readTime(r, &out.Time, microLayout, "RFC 3339 with six digits of microseconds")
}
