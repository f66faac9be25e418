package fieldset_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/askind/askind/internal/fieldset"
	"github.com/askind/askind/internal/plain"
)

// TestEnd tells sets of fields from other texts.
func TestEnd(t *testing.T) {
	t.Parallel()
	if plain.Enabled {
		t.Skip("field sets are read like other JSON")
	}
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "{}" + strings.Repeat("}", n) }
	for text, want := range map[string]int{
		`{}`: 2, `{}}`: 2, `{"a":{}}`: 8, `{"a":{"b":{}},"c":{}}x`: 21, ``: 0, `{`: 0, `{"a"}`: 0, `{"a":{}`: 0,
		`{"a":{},}`: 0, `{"a":{}{}}`: 0, `{,}`: 0, `{"a":{}}é`: 8, `{"a":{}}<`: 8,
		`{"a":1}`: 0, `{"a\n":{}}`: 0, `{"a\"b\"":{}}`: 13, `{"a":{}},{}`: 8, `{"a\`: 0, `{"é":{}}`: 0,
		`{"a>":{}}`: 0, "{\"\x1f\":{}}": 0, "{\"\x7f\":{}}": 8, `{"":{}}`: 7, `{{}}`: 0, `{"a"{}}`: 0, `{:{}}`: 0,
		deep(98): 98*6 + 2, deep(99): 99*6 + 2, deep(100): 0,
	} {
		if got := fieldset.End([]byte(text)); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

// set appends a field set of about n bytes.
func set(r *rand.Rand, dst []byte, n, depth int) []byte {
	dst = append(dst, '{')
	for end := len(dst) + n; len(dst) < end; {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		for range r.IntN(20) {
			dst = append(dst, []string{"f:", "a", "Z", ".", "/", " ", `\"`, "{", "}", ",", ":", "~"}[r.IntN(12)]...)
		}
		dst = append(dst, `":`...)
		inner := 0
		if depth < 90 {
			inner = r.IntN(max(end-len(dst), 1))
		}
		dst = set(r, dst, inner, depth+1)
	}
	return append(dst, '}')
}

// TestEndOfMany recognizes sets of every length and at every place of a block, and in texts that
// differ from sets by a byte or two, nothing that is not JSON to be copied.
func TestEndOfMany(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	changed := 0
	for n := range 20_000 {
		text := set(r, nil, r.IntN(300), 1)
		if got := fieldset.End(append(text, `,"a<\n":1}`...)); got != len(text) && !plain.Enabled {
			t.Fatalf("%s: got %d, want %d", text, got, len(text))
		}
		for range 1 + n%2 {
			i := r.IntN(len(text))
			if n%3 == 0 {
				text = append(text[:i], text[i+1:]...)
			} else {
				text[i] = "{}\":,\\<af.\n\xc3"[r.IntN(12)]
			}
			if len(text) == 0 {
				break
			}
		}
		if err := same(text, fieldset.End(text)); err != nil {
			t.Fatal(err)
		}
		if fieldset.End(text) == 0 {
			changed++
		}
	}
	if changed < 1000 {
		t.Errorf("only %d of the changed texts are not sets", changed)
	}
}

// same returns an error unless the text up to end is JSON that is written without changes.
func same(text []byte, end int) error {
	if end == 0 {
		return nil
	}
	var compact, escaped bytes.Buffer
	if err := json.Compact(&compact, text[:end]); err != nil {
		return fmt.Errorf("%s: %d: %w", text, end, err)
	}
	if json.HTMLEscape(&escaped, compact.Bytes()); !bytes.Equal(escaped.Bytes(), text[:end]) {
		return fmt.Errorf("%s: %d: written as %s", text, end, escaped.Bytes())
	}
	return nil
}

func FuzzEnd(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 3))
	for n := range 10 {
		f.Add(set(r, nil, 40*n, 1))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := same(text, fieldset.End(text)); err != nil {
			t.Error(err)
		}
	})
}
