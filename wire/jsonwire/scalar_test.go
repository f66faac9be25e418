package jsonwire_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/askind/askind/wire/jsonwire"
)

// scalarValue is a scalar as Any returns it.
func scalarValue(s jsonwire.Scalar) any {
	switch s.Kind {
	case '"':
		return string(s.Text)
	case 'i':
		return int64(s.Bits)
	case 'u':
		return s.Bits
	case 'f':
		return math.Float64frombits(s.Bits)
	case 't':
		return s.Bits == 1
	}
	return nil
}

func TestScalarIsAny(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"a"`, `""`, `"\u00e9\n"`, ` 0`, `-0`, `12`, `-12`, `999999999999999999`, `9223372036854775807`,
		`-9223372036854775808`, `9223372036854775808`,
		`18446744073709551615`, `18446744073709551616`, `1.0`, `1e3`, `-2.5E-3`, `1e400`, `true`, `false`, `null`,
		`nul`, `-`, `1.`, `"a`, ``, `]`,
		"\x01\"\"", "\x01\"~\"", "\x01\"yes\"", "\x01\"off\"", "\x01\"0644\"", "\x01\"18446744073709551615\"",
		"\x01\"1.10\"", "\x01\".inf\"", "\x01\"a b\"", "\x01",
	} {
		o := jsonwire.Options{Annotated: true}
		plain, scalar := jsonwire.NewReader([]byte(text), o), jsonwire.NewReader([]byte(text), o)
		want := plain.Any()
		got := scalarValue(scalar.Scalar(false))
		if plain.Err() == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %#v, want %#v", text, got, want)
		}
		if got, want := scalar.Problems(), plain.Problems(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: problems %v, want %v", text, got, want)
		}
		if got, want := scalar.Offset(), plain.Offset(); got != want {
			t.Errorf("%q: offset %d, want %d", text, got, want)
		}
	}
}

func TestScalarLeavesContainers(t *testing.T) {
	t.Parallel()
	r := jsonwire.NewReader([]byte(` {"a": [1]}`), jsonwire.Options{})
	if s := r.Scalar(false); s.Kind != '{' {
		t.Fatalf("got %q", s.Kind)
	}
	if key := r.Object(); string(key) != "a" {
		t.Fatalf("got key %q", key)
	}
	if s := r.Scalar(false); s.Kind != '[' || !r.Array() {
		t.Fatalf("got %q", s.Kind)
	}
}

func TestScalarAsText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"\x01\"1.10\"": "1.10", "\x01\"no\"": "no", "\x01\"~\"": nil, `1.10`: 1.1,
		`true`: true,
	} {
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{Annotated: true})
		if got := scalarValue(r.Scalar(true)); got != want {
			t.Errorf("%q: got %#v, want %#v", text, got, want)
		}
	}
}
