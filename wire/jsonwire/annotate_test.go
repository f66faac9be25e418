package jsonwire_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

func TestAnnotate(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	for _, tt := range []struct {
		name        string
		v           any
		want, plain string
	}{
		{"bytes", []byte("a\x02\""), "\x02\x03\x00\x00\x00\x00\x00\x00\x00a\x02\"", `"YQIi"`},
		{"no bytes", []byte{}, "\x02\x00\x00\x00\x00\x00\x00\x00\x00", `""`},
		{"many bytes", []byte(long), "\x02\x2c\x01\x00\x00\x00\x00\x00\x00" + long, ""},
		{"nil", []byte(nil), "null", "null"},
		{"whole", 1.0, "1.0", "1"},
		{"negative zero", math.Copysign(0, -1), "-0.0", "-0"},
		{"large", 1e20, "100000000000000000000.0", "100000000000000000000"},
		{"exponent", 1e21, "1e+21", "1e+21"},
		{"fraction", 0.1, "0.1", "0.1"},
		{"float32", float32(0.1), "0.10000000149011612", "0.1"},
		{"whole float32", float32(2), "2.0", "2"},
		{"integer", 1, "1", "1"},
		{"string", "\x02", `"\u0002"`, `"\u0002"`},
		{
			"inside",
			map[string]any{"a": []any{1.0, []byte("b")}},
			"{\"a\":[1.0,\x02\x01\x00\x00\x00\x00\x00\x00\x00b]}",
			`{"a":[1,"Yg=="]}`,
		},
		{"other people's JSON", json.RawMessage(`[1, 1.0, "YQ=="]`), `[1,1.0,"YQ=="]`, `[1,1.0,"YQ=="]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dst := jsonwire.Annotate(nil)
			n := len(dst)
			got, err := jsonwire.AppendAny(dst, tt.v)
			if err != nil || string(got[n:]) != tt.want {
				t.Errorf("annotated: %q, %v, want %q", got[n:], err, tt.want)
			}
			if tt.plain == "" {
				return
			}
			// Neither an empty buffer nor one with other content is annotated.
			for _, before := range []string{"", "[", "\x02\x02\x02\x02\x02\x02\x02\x02\x02"} {
				if got, err := jsonwire.AppendAny([]byte(before), tt.v); err != nil || string(got) != before+tt.plain {
					t.Errorf("plain: %q, %v, want %q", got, err, before+tt.plain)
				}
			}
		})
	}
}

// TestWholeFloats reads floats without a fraction as integers, in annotated texts only.
func TestWholeFloats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in        string
		want      int64
		unsigned  uint64
		annotated bool
		ok        bool
	}{
		{"7.0", 7, 7, true, true},
		{"-0.0", 0, 0, true, true},
		{"9223372036854775807.0", math.MaxInt64, math.MaxInt64, true, true},
		{"7.5", 0, 0, true, false},
		{"7.00", 0, 0, true, false},
		{"7e0", 0, 0, true, false},
		{"7.0", 0, 0, false, false},
	} {
		r := jsonwire.NewReader([]byte(tt.in), jsonwire.Options{Annotated: tt.annotated})
		if got := r.Int64(0); got != tt.want || len(r.Problems()) == 0 != tt.ok {
			t.Errorf("Int64 of %s = %d, %v", tt.in, got, r.Problems())
		}
		if tt.in[0] == '-' {
			continue
		}
		r = jsonwire.NewReader([]byte(tt.in), jsonwire.Options{Annotated: tt.annotated})
		if got := r.Uint64(0); got != tt.unsigned || len(r.Problems()) == 0 != tt.ok {
			t.Errorf("Uint64 of %s = %d, %v", tt.in, got, r.Problems())
		}
	}
	r := jsonwire.NewReader([]byte("7.0"), jsonwire.Options{Annotated: true})
	if got := r.Any(); got != 7.0 {
		t.Errorf("Any = %v", got)
	}
}

func TestRawForm(t *testing.T) {
	t.Parallel()
	o := jsonwire.Options{RawForm: func(dst, value []byte) ([]byte, error) {
		if string(value) == `"bad"` {
			return dst, errors.New("no")
		}
		return append(append(dst, '<'), append(value, '>')...), nil
	}}
	r := jsonwire.NewReader([]byte(`[{"a": 1}, null, "bad", 2]`), o)
	var got []string
	for more := r.Array(); more; more = r.NextElem() {
		got = append(got, string(r.Raw()))
	}
	if want := `<{"a": 1}>,,,<2>`; strings.Join(got, ",") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if problems := r.Problems(); len(problems) != 1 || problems[0].Code != wire.InvalidValue ||
		problems[0].Offset != 17 {
		t.Errorf("problems: %v", problems)
	}
}

func TestAppendUnescaped(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``: "", `ab`: "ab", `\"\\\/\n\u00e9`: "\"\\/\né", `\ud83d\ude00`: "😀",
		`\ud83d`: "\ufffd",
	} {
		if got := string(jsonwire.AppendUnescaped([]byte("x"), []byte(in))); got != "x"+want {
			t.Errorf("AppendUnescaped(%s) = %q", in, got)
		}
	}
	for _, in := range []string{`\`, `\u`, `\u12`, `a\ud83d\u`, `\x`} { // undefined, but no panic
		jsonwire.AppendUnescaped(nil, []byte(in))
	}
}
