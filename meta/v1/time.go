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
	if in.Time.IsZero() {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '"')
	dst = appendSeconds(dst, in.Time)
	return append(dst, '"'), nil
}

// DecodeJSONTime reads an RFC 3339 time; null is the zero time. A fraction of a second is kept in
// memory.
func DecodeJSONTime(r *jsonwire.Reader, out *Time) {
	if r.Null() {
		*out = Time{}
		return
	}
	text := r.Text()
	if text == nil {
		return
	}
	if len(text) == len(secondsForm) {
		if t, ok := parseCommon(text, 0); ok {
			out.Time = t
			return
		}
	}
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		r.Invalid(errNotTime(text, err, time.RFC3339, "RFC 3339"))
		return
	}
	if !hasYear(t) {
		r.Invalid(errYear)
		return
	}
	out.Time = t.Local()
}

// errYear is the error for a time without a year.
var errYear = errors.New("in UTC, in which times are written, the year is not between 0 and 9999")

// hasYear reports whether the year of a time has four digits in UTC, so that the time can be read
// again once it has been written.
func hasYear(t time.Time) bool { return yearZero <= t.Unix() && t.Unix() <= lastSecond }

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

const (
	secondsForm = "2006-01-02T15:04:05Z"
	microForm   = "2006-01-02T15:04:05.000000Z"
)

// parseCommon parses secondsForm, or microForm if text is as long as that and the caller has found
// micros in it. It returns false for anything that is not certainly valid, so that the full parser
// decides and returns the error.
func parseCommon(text []byte, micros int) (time.Time, bool) {
	_ = text[len(secondsForm)-1]
	if text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' ||
		text[len(text)-1] != 'Z' {
		return time.Time{}, false
	}
	century, a := twoDigits(text[0], text[1])
	years, b := twoDigits(text[2], text[3])
	month, c := twoDigits(text[5], text[6])
	day, d := twoDigits(text[8], text[9])
	hour, e := twoDigits(text[11], text[12])
	minute, f := twoDigits(text[14], text[15])
	second, g := twoDigits(text[17], text[18])
	// Every month has 28 days. Later days are left to the full parser unless the month certainly
	// has them.
	known := day <= 28 || day <= 30 && month != 2
	if !(a && b && c && d && e && f && g && known) || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 ||
		second > 59 {
		return time.Time{}, false
	}
	days := dayOf(century*100+years, month, day) - epochDay
	return time.Unix(days*secondsPerDay+int64(hour*3600+minute*60+second), int64(micros)*1000), true
}

func twoDigits(a, b byte) (int, bool) {
	a, b = a-'0', b-'0'
	return int(a)*10 + int(b), a <= 9 && b <= 9
}
