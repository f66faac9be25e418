package schema_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/askind/askind/schema"
)

func TestMessageOf(t *testing.T) {
	t.Parallel()
	_, parse := schema.ParseGroupVersion("a/b/c")
	_, number := strconv.Atoi("x")
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "<nil>"},
		{errors.New("schema: text"), "schema: text"}, // of package errors
		{parse, `apiVersion "a/b/c": there is more than one '/' at byte 3: write group/version, such as fleet.example.com/v1, or a version alone, such as v1`},
		{number, `strconv.Atoi: parsing "x": invalid syntax`},
		{
			schema.AtField(parse, "spec"),
			`spec: apiVersion "a/b/c": there is more than one '/' at byte 3: write group/version, such as fleet.example.com/v1, or a version alone, such as v1`,
		},
	} {
		if got := schema.MessageOf(c.err); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
