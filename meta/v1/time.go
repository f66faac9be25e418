package v1

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/askind/askind/meta/internal/leaf"
	"github.com/askind/askind/wire/jsonwire"
)

// Time is a point in time that is written in UTC with whole seconds: 2020-01-02T03:04:05Z. The zero
// Time is written as null, or omitted if the field allows it.
//
// Decoding accepts any RFC 3339 time whose year in UTC has four digits, and yields local time.
//
// +askind:protobuf:fields="optional int64 seconds = 1; optional int32 nanos = 2"
type Time struct {
	time.Time
}

// NewTime returns t as a Time.
func NewTime(t time.Time) Time { return Time{t} }

// Now returns the current local time.
func Now() Time { return Time{time.Now()} }

// Unix returns the local time sec seconds and nsec nanoseconds after January 1, 1970 UTC.
func Unix(sec, nsec int64) Time { return Time{time.Unix(sec, nsec)} }

// IsZero reports whether t is nil or the zero time.
func (t *Time) IsZero() bool { return t == nil || t.Time.IsZero() }

// Before reports whether t is before u; it is false if either is nil.
func (t *Time) Before(u *Time) bool { return t != nil && u != nil && t.Time.Before(u.Time) }

// Equal reports whether both are the same instant, or both are nil.
func (t *Time) Equal(u *Time) bool {
	if t == nil || u == nil {
		return t == u
	}
	return t.Time.Equal(u.Time)
}

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) { return AppendJSONTime(nil, &t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(data []byte) error { return leaf.Unmarshal(data, t, DecodeJSONTime) }

// DeepCopyIntoTime makes out a copy of in. A location is immutable, so they may share it.
func DeepCopyIntoTime(in, out *Time) { *out = *in }

// AppendJSONTime appends the time as a JSON string, or null for the zero time.
func AppendJSONTime(dst []byte, in *Time) ([]byte, error) {
	return appendTime(dst, in.Time, time.RFC3339), nil
}

// appendTime appends a time in UTC as a JSON string, or null for the zero time.
func appendTime(dst []byte, t time.Time, layout string) []byte {
	if t.IsZero() {
		return append(dst, "null"...)
	}
	return append(t.UTC().AppendFormat(append(dst, '"'), layout), '"')
}

// DecodeJSONTime reads an RFC 3339 time; null is the zero time. A fraction of a second is kept in
// memory.
func DecodeJSONTime(r *jsonwire.Reader, out *Time) {
	readTime(r, &out.Time, time.RFC3339, "RFC 3339")
}

// readTime reads a time in a layout, which form describes; null is the zero time. It leaves out
// unchanged if the value is not such a time.
func readTime(r *jsonwire.Reader, out *time.Time, layout, form string) {
	if r.Null() {
		*out = time.Time{}
		return
	}
	text := r.Text()
	if text == nil {
		return
	}
	t, err := time.Parse(layout, string(text))
	switch {
	case err != nil:
		r.Invalid(errNotTime(text, err, layout, form))
	case !hasYear(t):
		r.Invalid(errYear)
	default:
		*out = t.Local()
	}
}

// errYear is the error for a time without a year.
var errYear = errors.New("in UTC, in which times are written, the year is not between 0 and 9999")

// hasYear reports whether the year of a time has four digits in UTC, so that the time can be read
// again once it has been written.
func hasYear(t time.Time) bool {
	const yearZero, lastSecond = -62_167_219_200, 253_402_300_799
	return yearZero <= t.Unix() && t.Unix() <= lastSecond
}

// errNotTime returns the error for a text that is not a time, worded for people who do not know the
// layouts of Go.
func errNotTime(text []byte, err error, layout, form string) error {
	return &timeError{
		text: string(text[:min(len(text), 64)]), example: strings.Replace(layout, "Z07:00", "Z", 1),
		form: form, err: err,
	}
}

type timeError struct {
	text, example, form string
	err                 error
}

// Error implements error.
func (e *timeError) Error() string {
	return strconv.Quote(e.text) + " is not a time in the form of " + e.form + ", such as " + e.example
}

// Unwrap returns the error of package time.
func (e *timeError) Unwrap() error { return e.err }
