package v1

import (
	"time"

	"github.com/askind/askind/wire/pbwire"
)

// PrependProtoTime writes the seconds since January 1, 1970 UTC, and no nanoseconds. The zero time
// has no fields.
func PrependProtoTime(w *pbwire.Writer, in *Time) {
	if !in.Time.IsZero() {
		prependTime(w, in.Unix(), 0)
	}
}

// DecodeProtoTime reads a time as local time. Fractions of a second are ignored, because JSON does
// not contain them either. A message without fields is the zero time.
func DecodeProtoTime(r *pbwire.Reader, out *Time) {
	out.Time = time.Time{}
	if seconds, _, ok := decodeTime(r); ok {
		setTime(r, &out.Time, time.Unix(seconds, 0))
	}
}

// PrependProtoMicroTime writes the seconds since January 1, 1970 UTC, and the microseconds as
// nanoseconds. The zero time has no fields.
func PrependProtoMicroTime(w *pbwire.Writer, in *MicroTime) {
	if !in.Time.IsZero() {
		prependTime(w, in.Unix(), int32(in.Nanosecond()/1000*1000))
	}
}

// DecodeProtoMicroTime reads a time as local time and truncates it to microseconds. A message
// without fields is the zero time.
func DecodeProtoMicroTime(r *pbwire.Reader, out *MicroTime) {
	out.Time = time.Time{}
	if seconds, nanos, ok := decodeTime(r); ok {
		setTime(r, &out.Time, time.Unix(seconds, int64(nanos/1000*1000)))
	}
}

// setTime sets a time, or records that it has no year.
func setTime(r *pbwire.Reader, out *time.Time, t time.Time) {
	if !hasYear(t) {
		r.Invalid(errYear)
		return
	}
	*out = t
}

func prependTime(w *pbwire.Writer, seconds int64, nanos int32) {
	w.Int32(2, nanos)
	w.Int64(1, seconds)
}

// decodeTime reads a message of seconds and nanoseconds; ok is false if it has no fields.
func decodeTime(r *pbwire.Reader) (seconds int64, nanos int32, ok bool) {
	for r.Next() {
		ok = true
		switch r.Field() {
		case 1:
			seconds = r.Int64()
		case 2:
			nanos = r.Int32()
		default:
			r.Unknown()
		}
	}
	return seconds, nanos, ok
}
