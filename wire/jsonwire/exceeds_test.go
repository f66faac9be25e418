package jsonwire_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

func TestExceeds(t *testing.T) {
	t.Parallel()
	few := schema.Limits{Items: 2, String: 3}
	for _, c := range []struct {
		name, text, limit string
		offset, got       int
	}{
		{name: "nothing", text: `{"a":[1,2],"b":"xyz"}`},
		{name: "another value behind it", text: `[1,2] [1,2,3]`},
		{name: "escapes do not count", text: `["\u00e9x","\n\n\n"]`},
		{"string", `{"a":"wxyz"}`, "String", 5, 4},
		{"string with escapes", `{"a":"\n\n\n\n"}`, "String", 5, 4},
		{"name", `{"wxyz":1}`, "String", 1, 4},
		{"plain scalar", "[\x01\"wxyz\"]", "String", 2, 4},
		{"list", `{"a":[1,[2,2],3]}`, "Items", 5, 3},
		{"object", `[{"a":1,"b":{},"c":[]}]`, "Items", 1, 3},
		{"commas in strings", `{"a":",,,"}`, "", 0, 0},
		{name: "cut off", text: `[1,2,3`},
		{name: "broken string", text: `["` + "\n" + `"]`},
		{name: "broken brackets", text: `]`},
		{name: "only commas", text: `,,,,`},
		{name: "deep", text: strings.Repeat("[", 200_000)},
		{name: "empty"},
	} {
		e := jsonwire.Exceeds([]byte(c.text), few)
		switch {
		case e == nil && c.limit != "":
			t.Errorf("%s: nothing is found", c.name)
		case e == nil:
		default:
			limit := e.Err.(*schema.LimitError)
			if limit.Limit != c.limit || limit.Got != c.got || e.Offset != c.offset || e.Code != wire.Limit {
				t.Errorf("%s: %v: %+v", c.name, e, limit)
			}
		}
	}
}

// TestExceedsByOne checks that a limit is exceeded by one element more, however short the text is.
func TestExceedsByOne(t *testing.T) {
	t.Parallel()
	for most := 1; most < 20; most++ {
		for n := most - 1; n <= most+2; n++ {
			text := repeated(n, "[", "]", func(int) string { return "1" })
			e := jsonwire.Exceeds([]byte(text), schema.Limits{Items: most})
			if (e != nil) != (n > most) {
				t.Errorf("%s with at most %d elements: %v", text, most, e)
			}
		}
	}
}
