package intstr_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/wire/jsonwire"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		value            intstr.IntOrString
	}{
		{"number", `80`, `80`, intstr.FromInt32(80)},
		{"string", `"25%"`, `"25%"`, intstr.FromString("25%")},
		{"digits in a string", `"80"`, `"80"`, intstr.FromString("80")},
		{"escaped", `"a<b"`, `"a\u003cb"`, intstr.FromString("a<b")},
		{"zero", `0`, `0`, intstr.FromInt32(0)},
		{"null leaves it", `null`, `"before"`, intstr.FromString("before")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := intstr.FromString("before")
			if err := json.Unmarshal([]byte(c.text), &v); err != nil || v != c.value {
				t.Fatalf("%s gives %#v, %v, want %#v", c.text, v, err, c.value)
			}
			got, err := json.Marshal(v)
			if err != nil || string(got) != c.want {
				t.Errorf("%#v is written %s, %v, want %s", v, got, err, c.want)
			}
		})
	}
	for _, text := range []string{`1.5`, `2147483648`, `true`, `{}`, `[]`} {
		var v intstr.IntOrString
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			t.Errorf("%s gives %#v, want an error", text, v)
		}
	}
	if _, err := json.Marshal(intstr.IntOrString{Type: 2}); err == nil {
		t.Error("a value of unknown type was written")
	}
}

func TestPlainScalar(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]intstr.IntOrString{
		"80": intstr.FromInt32(80), "25%": intstr.FromString("25%"),
		"http": intstr.FromString("http"),
	} {
		annotated := append([]byte{1}, jsonwire.AppendString(nil, text)...)
		r := jsonwire.NewReader(annotated, jsonwire.Options{Annotated: true})
		var v intstr.IntOrString
		intstr.DecodeJSONIntOrString(r, &v)
		if r.End(); len(r.Problems()) > 0 || v != want {
			t.Errorf("%s gives %#v, %v, want %#v", text, v, r.Problems(), want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]intstr.IntOrString{
		"80": intstr.FromInt32(80), "-1": intstr.FromInt32(-1), "2147483648": intstr.FromString("2147483648"),
		"http": intstr.FromString("http"), "": intstr.FromString(""),
	} {
		if got := intstr.Parse(text); got != want || got.String() != text {
			t.Errorf("Parse(%q) = %#v, want %#v", text, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value    intstr.IntOrString
		total    int
		up, down int
	}{
		{intstr.FromInt32(3), 10, 3, 3},
		{intstr.FromString("25%"), 10, 3, 2},
		{intstr.FromString("50%"), 10, 5, 5},
		{intstr.FromString("-25%"), 10, -2, -3},
		{intstr.FromString("25%"), -10, -2, -3},
		{intstr.FromString("0%"), 10, 0, 0},
		{intstr.FromString("300%"), 7, 21, 21},
	} {
		up, err := c.value.Of(c.total, true)
		down, err2 := c.value.Of(c.total, false)
		if up != c.up || down != c.down || err != nil || err2 != nil {
			t.Errorf("%v of %d = %d and %d, %v, %v, want %d and %d", c.value, c.total, up, down, err, err2,
				c.up, c.down)
		}
	}
	for _, text := range []string{"", "%", "25", "x%", "2.5%", "99999999999%"} {
		if v, err := intstr.FromString(text).Of(10, true); !errors.Is(err, intstr.ErrNoPercentage) {
			t.Errorf("%q of 10 = %d, %v, want ErrNoPercentage", text, v, err)
		}
	}
	if v, err := intstr.FromString("1%").Of(math.MaxInt, true); math.MaxInt > math.MaxUint32 && err == nil {
		t.Errorf("1%% of MaxInt = %d, want an error", v)
	}
}

func Example() {
	for _, text := range []string{"3", "25%"} {
		v := intstr.Parse(text)
		n, err := v.Of(10, true)
		fmt.Println(v, n, err)
	}
	// Output:
	// 3 3 <nil>
	// 25% 3 <nil>
}

func TestDecodeWrongTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"20.5":       "expected integer or string, found 20.5",
		"1e3":        "expected integer or string, found 1e3",
		"2147483648": "number 2147483648 is out of range for int32",
		`{"a":1}`:    "expected integer or string, found object",
		"[1]":        "expected integer or string, found array",
		"true":       "expected integer or string, found boolean",
	} {
		got := intstr.FromInt32(7)
		err := got.UnmarshalJSON([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || got != intstr.FromInt32(7) {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	var got intstr.IntOrString
	if err := got.UnmarshalJSON([]byte("?")); err == nil {
		t.Error("a byte that begins no value is accepted")
	}
}
