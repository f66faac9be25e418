package jsonwire_test

import (
	"errors"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// TestNumberLimit checks that a number may have as many bytes as the limit says, and no more.
func TestNumberLimit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"12345": true, "123456": false, "-1234": true, "-12345": false, "1.2e1": true, "1.25e1": false,
	} {
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{Limits: schema.Limits{Number: 5}})
		r.Float64(0)
		r.End()
		if err := r.Err(); (err == nil) != want || !want && !errors.Is(err, schema.ErrLimit) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
