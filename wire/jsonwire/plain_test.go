package jsonwire_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

func plain(text string) []byte { return jsonwire.AppendString([]byte{1}, text) }

func TestPlainAny(t *testing.T) {
	t.Parallel()
	rows := []struct {
		text string
		kind byte
		want any
		raw  string
	}{
		{"", 'n', nil, ""},
		{"~", 'n', nil, ""},
		{"null", 'n', nil, ""},
		{"Null", 'n', nil, ""},
		{"nULL", '"', "nULL", `"nULL"`},
		{"true", 't', true, "true"},
		{"TRUE", 't', true, "true"},
		{"yes", 't', true, "true"},
		{"y", 't', true, "true"},
		{"on", 't', true, "true"},
		{"Off", 't', false, "false"},
		{"n", 't', false, "false"},
		{"oN", '"', "oN", `"oN"`},
		{"0", '0', int64(0), "0"},
		{"-17", '0', int64(-17), "-17"},
		{"+17", '0', int64(17), "17"},
		{"1_000", '0', int64(1000), "1000"},
		{"0x1F", '0', int64(31), "31"},
		{"0o17", '0', int64(15), "15"},
		{"0644", '0', int64(420), "420"},
		{"0b101", '0', int64(5), "5"},
		{"-0x10", '0', int64(-16), "-16"},
		{"08", '0', float64(8), "8"},
		{"18446744073709551615", '0', uint64(math.MaxUint64), "18446744073709551615"},
		{"99999999999999999999", '0', 1e20, "99999999999999999999"},
		{"1.10", '0', 1.1, "1.1"},
		{"1e3", '0', float64(1000), "1000"},
		{".5", '0', 0.5, "0.5"},
		{".5_5", '0', 0.55, "0.55"},
		{"._5", '"', "._5", `"._5"`},
		{"+", '"', "+", `"+"`},
		{"1e999", '"', "1e999", `"1e999"`},
		{"-9223372036854775809", '0', float64(math.MinInt64), "-9223372036854775809"},
		{"1.", '0', float64(1), "1"},
		{"-.5e1", '0', float64(-5), "-5"},
		{"1.2.3", '"', "1.2.3", `"1.2.3"`},
		{"-", '"', "-", `"-"`},
		{".", '"', ".", `"."`},
		{"1e", '"', "1e", `"1e"`},
		{"0x", '"', "0x", `"0x"`},
		{"2024-01-02", '"', "2024-01-02", `"2024-01-02"`},
		{"12:30", '"', "12:30", `"12:30"`},
		{"hello", '"', "hello", `"hello"`},
		{"a\n\"<é", '"', "a\n\"<é", `"a\n\"\u003cé"`},
		{"100m", '"', "100m", `"100m"`},
	}
	for _, row := range rows {
		t.Run(row.text, func(t *testing.T) {
			t.Parallel()
			o := jsonwire.Options{Annotated: true}
			r := jsonwire.NewReader(plain(row.text), o)
			if got := r.Kind(); got != row.kind {
				t.Errorf("Kind = %c, want %c", got, row.kind)
			}
			if got := r.Any(); !reflect.DeepEqual(got, row.want) {
				t.Errorf("Any = %#v, want %#v", got, row.want)
			}
			if r.End(); len(r.Problems()) != 0 {
				t.Errorf("problems %v", r.Problems())
			}
			r.Reset(plain(row.text), o)
			if got := r.Null(); got != (row.kind == 'n') {
				t.Errorf("Null = %v", got)
			}
			r.Reset(plain(row.text), o)
			if got := string(r.Raw()); got != row.raw {
				t.Errorf("Raw = %s, want %s", got, row.raw)
			}
			r.Reset(plain(row.text), o)
			want := row.text
			if row.kind == 'n' {
				want = "old"
			}
			if got := r.String("old"); got != want {
				t.Errorf("String = %q, want %q", got, want)
			}
			r.Reset(append(append([]byte(`{"a":[ `), plain(row.text)...), ` ]}`...), o)
			raw := row.raw
			if raw == "" {
				raw = "null"
			}
			if got, want := string(r.Raw()), `{"a":[ `+raw+` ]}`; got != want {
				t.Errorf("Raw = %s, want %s", got, want)
			}
		})
	}
}

func TestPlainTyped(t *testing.T) {
	t.Parallel()
	const text = "{\"a\":\x01\"0x10\",\"b\":\x01\"yes\",\"c\":\x01\"1.5\",\"d\":\x01\"1e3\",\"e\":\x01\"300\",\"f\":\x01\"1.5\",\"g\":\x01\"x\",\"h\":\x01\"~\",\"i\":\x01\".inf\",\"j\":\x01\"7\",\"k\":\x01\"aGk=\",\"l\":\x01\"False\",\"m\":\x01\"0\"}"
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{Annotated: true, Strict: true})
	var got []any
	add := func(v any) { got = append(got, v) }
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "a":
			add(r.Int64(-1))
		case "b":
			add(r.Bool(false))
		case "c":
			add(r.Float64(-1))
		case "d":
			add(r.Int32(-1))
		case "e":
			add(r.Int8(-1))
		case "f":
			add(r.Int(-1))
		case "g":
			add(r.Uint64(99))
		case "h":
			add(r.Int16(-1))
		case "i":
			add(r.Float32(-1))
		case "j":
			add(r.Bool(true))
		case "k":
			add(string(r.Bytes()))
		case "l":
			add(r.Bool(true))
		case "m":
			add(string(r.Number()))
		}
	}
	want := []any{
		int64(16), true, 1.5, int32(1000), int8(-1), -1, uint64(99), int16(-1), float32(-1), true, "hi",
		false, "0",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	var lines []string
	for _, p := range r.Problems() {
		lines = append(lines, p.Code.String()+": "+p.Message)
		if text[p.Offset] != 1 || text[p.End-1] != '"' {
			t.Errorf("%v is not at its value: %q", p, text[p.Offset:p.End])
		}
	}
	wantLines := []string{
		"ambiguous value: ambiguous boolean yes, write true", "out of range: number 300 is out of range for int8",
		"wrong type: expected integer, found number 1.5", `wrong type: expected integer, found string "x"`,
		"out of range: number .inf is out of range for JSON", `wrong type: expected boolean, found number "7"`,
	}
	if !slices.Equal(lines, wantLines) {
		t.Errorf("got  %q\nwant %q", lines, wantLines)
	}
}

func TestPlainBroken(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"\x01", "\x01x", "\x01\"a", "\x01\"\xff\"", "\x01 \"a\"", "\x01\x01\"a\"",
		"{\x01\"a\":1}", "[\x01]",
	} {
		for name, read := range map[string]func(r *jsonwire.Reader){
			"Any":    func(r *jsonwire.Reader) { r.Any() },
			"Skip":   func(r *jsonwire.Reader) { r.Skip() },
			"Raw":    func(r *jsonwire.Reader) { r.Raw() },
			"Kind":   func(r *jsonwire.Reader) { r.Kind(); r.Skip() },
			"Null":   func(r *jsonwire.Reader) { r.Null(); r.Skip() },
			"String": func(r *jsonwire.Reader) { _ = r.String("") },
			"Bool":   func(r *jsonwire.Reader) { r.Bool(true) },
			"Int":    func(r *jsonwire.Reader) { r.Int(0) },
		} {
			r := jsonwire.NewReader([]byte(text), jsonwire.Options{Annotated: true})
			read(r)
			if r.Err() == nil {
				t.Errorf("%s accepts %q", name, text)
			}
		}
	}
}

func TestPlainInfinityInRaw(t *testing.T) {
	t.Parallel()
	const text = "{\"a\":\x01\".inf\",\"b\":\x01\"3\"}"
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{Annotated: true})
	if got, want := string(r.Raw()), `{"a":null,"b":3}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p := r.Problems(); len(p) != 1 || p[0].Code != wire.OutOfRange || p[0].Offset != 5 {
		t.Errorf("problems %+v", p)
	}
}
