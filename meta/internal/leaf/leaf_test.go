package leaf_test

import (
	"errors"
	"testing"

	"github.com/askind/askind/meta/internal/leaf"
	"github.com/askind/askind/wire/jsonwire"
)

var errOdd = errors.New("odd")

func decodeEven(r *jsonwire.Reader, out *int64) {
	*out = r.Int64(*out)
	if *out%2 != 0 {
		r.Invalid(errOdd)
	}
}

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, message string
		want                int64
		cause               error
	}{
		{name: "value", text: " 4 ", want: 4},
		{name: "null", text: "null"},
		{name: "refused", text: "3", want: 3, message: "odd", cause: errOdd},
		{name: "wrong type", text: `"4"`, message: "expected integer, found string"},
		{
			name: "trailing", text: "4 4", want: 4,
			message: "jsonwire: offset 2: unexpected character '4', expected the end of the text",
		},
		{name: "nothing", text: "", message: "jsonwire: offset 0: unexpected end of text, expected integer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got int64
			err := leaf.Unmarshal([]byte(c.text), &got, decodeEven)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if got != c.want || message != c.message || c.cause != nil && !errors.Is(err, c.cause) {
				t.Errorf("got %d, %q, want %d, %q", got, message, c.want, c.message)
			}
		})
	}
}
