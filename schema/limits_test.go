package schema_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/askind/askind/schema"
)

func TestLimitsDefaults(t *testing.T) {
	t.Parallel()
	all := reflect.ValueOf(schema.Limits{}.OrDefaults())
	for i := range all.NumField() {
		if f := all.Type().Field(i); f.Name != "_" && all.Field(i).Int() <= 0 {
			t.Errorf("%s has no default", f.Name)
		}
	}
	for i := range all.NumField() {
		f := all.Type().Field(i)
		if f.Name == "_" {
			continue
		}
		var one, other schema.Limits
		reflect.ValueOf(&one).Elem().Field(i).SetInt(7)
		reflect.ValueOf(&other).Elem().Field(i).SetInt(9)
		other.Problems = 11
		if got := one.Or(other); reflect.ValueOf(got).Field(i).Int() != 7 || f.Name != "Problems" &&
			got.Problems != 11 {
			t.Errorf("%s: %+v", f.Name, got)
		}
		if got := one.OrDefaults(); reflect.ValueOf(got).Field(i).Int() != 7 {
			t.Errorf("%s: %+v", f.Name, got)
		}
		reflect.ValueOf(&one).Elem().Field(i).SetInt(-1)
		if got, want := reflect.ValueOf(one.OrDefaults()).Field(i).Int(), all.Field(i).Int(); got != want {
			t.Errorf("%s: negative is %d, want the default %d", f.Name, got, want)
		}
	}
	if got := (schema.Limits{Depth: math.MaxInt, Embedded: math.MaxInt, Size: 5}).OrDefaults(); got.Depth != 100_000 ||
		got.Embedded != 1000 || got.String != 5 {
		t.Errorf("%+v", got)
	}
}

func TestLimitError(t *testing.T) {
	t.Parallel()
	e := &schema.LimitError{Limit: "String", What: "a string", Unit: "bytes", Max: 10, Got: 12}
	if got, want := e.Error(), "a string has 12 bytes, more than 10; raise Limits.String to read it"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if e.Got = 0; e.Error() != "a string has more than 10 bytes; raise Limits.String to read it" {
		t.Errorf("got %s", e)
	}
	if !errors.Is(e, schema.ErrLimit) {
		t.Error("the cause is not found")
	}
}

func TestCheckSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, n, most int }{
		{0, 1 << 30, 0},
		{0, 1<<30 + 1, 1 << 30},
		{-1, 1<<30 + 1, 1 << 30},
		{5, 5, 0},
		{5, 6, 5},
	} {
		l := schema.Limits{Size: c.size}
		got := l.CheckSize("the input", c.n)
		if c.most == 0 && got == nil {
			continue
		}
		if want := (schema.LimitError{
			Limit: "Size", What: "the input", Unit: "bytes", Max: c.most,
			Got: c.n,
		}); got == nil || *got != want {
			t.Errorf("%d bytes with the limit %d: %+v, want %+v", c.n, c.size, got, want)
		}
	}
}
