package origin

import (
	"slices"
	"testing"

	"github.com/askind/askind/schema"
)

// TestDifference compares values with differences in one place, in several, and in none.
func TestDifference(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	type list = []any
	for _, tt := range []struct {
		a, b any
		want string
	}{
		{object{"a": "1"}, object{"a": "1"}, ""},
		{object{"a": "1"}, object{"a": "2"}, "a"},
		{object{"a": "1"}, object{}, "a"},
		{object{}, object{"a": nil}, "a"},
		{object{"a": object{"b": list{"1", "2"}}}, object{"a": object{"b": list{"1", "3"}}}, "a.b[1]"},
		{object{"a": object{"b": list{"1", "2"}}}, object{"a": object{"b": list{"2", "3"}}}, "a.b"},
		{object{"a": object{"b": list{"1"}}}, object{"a": object{"b": list{"1", "2"}}}, "a.b"},
		{object{"a": object{"b": "1", "c": "1"}}, object{"a": object{"b": "2"}}, "a"},
		{object{"a": object{}}, object{"a": list{}}, "a"},
		{object{"a": "1", "b": "1"}, object{"a": "2", "b": "2"}, ""},
	} {
		steps, _ := difference(tt.a, tt.b)
		slices.Reverse(steps)
		if got := (*schema.Path)(nil).Append(steps...).String(); got != tt.want {
			t.Errorf("%v and %v: got %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestDifferenceIsLinear compares values that are nested so deep that comparing the rest of them at
// each level would take minutes.
func TestDifferenceIsLinear(t *testing.T) {
	t.Parallel()
	const depth = 200_000
	nested := func(inner any) any {
		for range depth {
			inner = []any{inner}
		}
		return inner
	}
	if steps, differ := difference(nested("a"), nested("b")); !differ || len(steps) != depth {
		t.Errorf("got %d steps, %v", len(steps), differ)
	}
	if steps, differ := difference(nested("a"), nested("a")); differ || len(steps) != 0 {
		t.Errorf("got %d steps, %v", len(steps), differ)
	}
}
