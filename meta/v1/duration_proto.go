package v1

import (
	"time"

	"github.com/askind/askind/wire/pbwire"
)

// PrependProtoDuration writes the nanoseconds.
func PrependProtoDuration(w *pbwire.Writer, in *Duration) { w.Int64(1, int64(in.Duration)) }

// DecodeProtoDuration reads nanoseconds.
func DecodeProtoDuration(r *pbwire.Reader, out *Duration) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Duration = time.Duration(r.Int64())
		default:
			r.Unknown()
		}
	}
}
