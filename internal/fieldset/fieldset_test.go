package fieldset_test

import (
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
	for text, want := range map[string]int{
		`{}`: 2, `{}}`: 2, `{"a":{}}`: 8, `{"a":{"b":{}},"c":{}}x`: 21, ``: 0, `{`: 0, `{"a"}`: 0, `{"a":{}`: 0,
		`{"a":{},}`: 0, `{"a":{}{}}`: 0, `{,}`: 0,
		`{"a":1}`: 0, `{"a\n":{}}`: 0, `{"\\":{}}`: 9, `{"a":{}},{}`: 8,
	} {
		if got := fieldset.End([]byte(text)); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}
