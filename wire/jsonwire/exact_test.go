package jsonwire_test

import (
	"testing"

	"github.com/askind/askind/wire/jsonwire"
)

func TestExactInteger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "-": "", "1": "", "9223372036854775807": "", "18446744073709551615": "", "18446744073709551616": "",
		"-9223372036854775808": "",
		"18446744073709551617": "18446744073709551617", "-9223372036854775809": "-9223372036854775809",
		"+123_456_789_012_345_678_901": "123456789012345678901", "1234567890123456789.5": "",
		"123456789012345678901e1": "", "0123456789012345678901": "",
		"100000000000000000000": "", "18446744073709552000": "",
	} {
		if got := string(jsonwire.ExactInteger([]byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// An integer with too many digits is a float for lenient readers, as it is for others, and a strict
// one says so. What is kept raw keeps its digits.
func TestLargeIntegers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		annotated  bool
		problems   int
	}{
		{"JSON", `123456789012345678901`, false, 1},
		{"YAML", "\x01\"123456789012345678901\"", true, 1},
		{"exact as a float", `100000000000000000000`, false, 0},
		{"no integer", `12345678901234567890.1`, false, 0},
	} {
		for _, strict := range []bool{false, true} {
			options := jsonwire.Options{Strict: strict, Annotated: c.annotated}
			want := 0
			if strict {
				want = c.problems
			}
			r := jsonwire.NewReader([]byte(c.text), options)
			if v, ok := r.Any().(float64); !ok || len(r.Problems()) != want {
				t.Errorf("%s: strict %t: %v, %v", c.name, strict, v, r.Problems())
			}
			r = jsonwire.NewReader([]byte(c.text), options)
			if s := r.Scalar(false); s.Kind != 'f' || len(r.Problems()) != want {
				t.Errorf("%s: strict %t: scalar %v, %v", c.name, strict, s, r.Problems())
			}
			r = jsonwire.NewReader([]byte(c.text), options)
			if raw := string(r.Raw()); c.problems > 0 && raw != "123456789012345678901" {
				t.Errorf("%s: raw %s", c.name, raw)
			}
		}
	}
}
