package jsonwire_test

import (
	"errors"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// TestNumberLimit checks that a number may have as many bytes as the limit says, and no more,
// whatever type it is read as.
func TestNumberLimit(t *testing.T) {
	t.Parallel()
	readers := map[string]func(r *jsonwire.Reader){
		"float64": func(r *jsonwire.Reader) { r.Float64(0) }, "int64": func(r *jsonwire.Reader) { r.Int64(0) },
		"uint64": func(r *jsonwire.Reader) { r.Uint64(0) }, "text": func(r *jsonwire.Reader) { r.Number() },
		"any": func(r *jsonwire.Reader) { r.Any() }, "scalar": func(r *jsonwire.Reader) { r.Scalar(false) },
	}
	for text, want := range map[string]bool{
		"12345": true, "123456": false, "-1234": true, "-12345": false, "1.2e1": true, "1.25e1": false,
		"\x01\"12345\"": true, "\x01\"123456\"": false, "\x01\"-1234\"": true, "\x01\"1.25e1\"": false,
	} {
		for name, read := range readers {
			data := []byte("[" + text + "]")
			r := jsonwire.NewReader(data, jsonwire.Options{Annotated: true, Limits: schema.Limits{Number: 5}})
			for more := r.Array(); more; more = r.NextElem() {
				read(r)
			}
			r.End()
			if err := r.Err(); (err == nil) != want || !want && !errors.Is(err, schema.ErrLimit) {
				t.Errorf("%q as %s: %v", text, name, err)
			}
		}
	}
}
