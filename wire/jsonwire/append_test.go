package jsonwire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/jsonwire"

	plainbuild "github.com/askind/askind/internal/plain"
)

func TestAppendString(t *testing.T) {
	t.Parallel()
	// Every byte at every place of texts around the size of a word.
	for c := range 256 {
		for n := range 20 {
			for at := range n {
				b := []byte(strings.Repeat("a", n))
				b[at] = byte(c)
				want := standardText(t, string(b))
				if got := jsonwire.AppendString(nil, string(b)); string(got) != string(want) {
					t.Fatalf("%q: got %s, want %s", b, got, want)
				}
			}
		}
	}
	for _, s := range texts {
		checkAppend(t, s)
		checkAppend(t, strings.Repeat(s, 3)+"12345678"+s)
	}
}

func TestReadString(t *testing.T) {
	t.Parallel()
	// Every byte at every place of texts around the size of a word, with and without a chunk at
	// hand.
	for c := range 256 {
		for n := range 20 {
			for at := range n {
				b := []byte(strings.Repeat("a", n))
				b[at] = byte(c)
				text := `["first",` + `"` + string(b) + `"]`
				var want []string
				err := json.Unmarshal([]byte(text), &want)
				r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
				got := r.Strings()
				r.End()
				// A single byte outside of ASCII is invalid UTF-8.
				if (r.Err() == nil) != (err == nil && c < 0x80) {
					t.Fatalf("%q: got %v, encoding/json %v", text, r.Err(), err)
				}
				if r.Err() == nil && !slices.Equal(got, want) {
					t.Fatalf("%q: got %q, want %q", text, got, want)
				}
				key := `{"` + string(b) + `":1}`
				checkAny(t, []byte(key))
			}
		}
	}
}

func TestAppendStringMap(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 0, 1, 2, 15, 16, 17, 100} {
		var m map[string]string
		if n >= 0 {
			m = map[string]string{}
		}
		for i := range n {
			m[fmt.Sprintf("k%d<", i*7919%101)] = fmt.Sprint(i)
		}
		want, _ := json.Marshal(m)
		if got := jsonwire.AppendStringMap(nil, m); string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAppendNumbers(t *testing.T) {
	t.Parallel()
	for _, v := range []int64{0, 1, -1, 99, 100, math.MaxInt64, math.MinInt64} {
		if got, want := string(jsonwire.AppendInt(nil, v)), fmt.Sprint(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got, want := string(jsonwire.AppendUint(nil, math.MaxUint64)), "18446744073709551615"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		got, err := jsonwire.AppendFloat64([]byte("x"), v)
		if _, ok := errors.AsType[*jsonwire.UnsupportedError](err); !ok || string(got) != "x" {
			t.Errorf("AppendFloat64(%v) = %s, %v", v, got, err)
		}
		if _, err := jsonwire.AppendFloat32(nil, float32(v)); err == nil {
			t.Errorf("AppendFloat32(%v) succeeds", v)
		}
	}
}

func TestAppendBytes(t *testing.T) {
	t.Parallel()
	for _, b := range [][]byte{nil, {}, {1}, {1, 2}, {1, 2, 3}, []byte("hello, world")} {
		want, _ := json.Marshal(b)
		got := jsonwire.AppendBytes(nil, b)
		if string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
		r := jsonwire.NewReader(got, jsonwire.Options{})
		if back := r.Bytes(); string(back) != string(b) || (back == nil) != (b == nil) {
			t.Errorf("%s reads back as %v", got, back)
		}
	}
}

func TestCloseObject(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ before, members, want string }{
		{"", "", "{}"},
		{"[", "", "[{}"},
		{"[", `,"a":1,"b":2`, `[{"a":1,"b":2}`},
	} {
		if got := jsonwire.CloseObject([]byte(row.before+row.members), len(row.before)); string(got) != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
	}
}

func TestSortedKeys(t *testing.T) {
	t.Parallel()
	type name string
	if got, want := jsonwire.SortedKeys(map[name]int{"b": 1, "": 2, "a": 3, "é": 4, "B": 5}), []name{
		"", "B", "a", "b",
		"é",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := jsonwire.SortedIntKeys(map[int8]bool{9: true, 10: true, -1: true, -128: true, 0: true, 100: true}),
		[]int8{-1, -128, 0, 10, 100, 9}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := jsonwire.SortedIntKeys(map[uint64]bool{math.MaxUint64: true, 2: true}), []uint64{
		math.MaxUint64,
		2,
	}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

type (
	namedString string
	namedInt    int16
	namedUint   uint16
	namedFloat  float32
	namedBool   bool
	appender    struct{ text string }
	marshaler   struct{ text string }
	texter      struct{ text string }
)

func (a *appender) AppendJSON(dst []byte) ([]byte, error) { return append(dst, a.text...), nil }

func (m marshaler) MarshalJSON() ([]byte, error) {
	if m.text == "fail" {
		return nil, errors.New("failed")
	}
	return []byte(m.text), nil
}

func (m texter) MarshalText() ([]byte, error) {
	if m.text == "fail" {
		return nil, errors.New("failed")
	}
	return []byte(m.text), nil
}

func TestAppendAny(t *testing.T) {
	t.Parallel()
	many := map[string]any{}
	for i := range 40 {
		many[fmt.Sprint("key", i)] = i
	}
	values := []any{
		nil, true, false, "", "a<b", 1, int8(-1), int16(2), int32(-3), int64(math.MinInt64), uint(1), uint8(2),
		uint16(3), uint32(4), uint64(math.MaxUint64),
		1.5, 1e21, float32(0.1), []byte("bytes"), []byte(nil),
		[]string{"a", "b"},
		[]string(nil),
		[]string{},
		map[string]string{"b": "1", "a": "2"},
		map[string]string(nil),
		[]any{1, nil, []any{}, []any(nil)},
		map[string]any{"b": []any{map[string]any{}}, "a": map[string]any(nil), "<": 1},
		[]map[string]any{{"a": 1}, nil},
		many,
		json.Number("1.50"), json.Number(""), json.RawMessage(` { "a" : "<" } `), &marshaler{`[1, 2]`},
		marshaler{`"x"`},
		(*marshaler)(nil),
		texter{"a&b"},
		&texter{"c"}, (*texter)(nil),
		time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC), namedString("x"), namedInt(-5), namedUint(5), namedFloat(2.5),
		namedBool(true),
	}
	for _, v := range values {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := jsonwire.AppendAny([]byte("x"), v)
		if err != nil || string(got) != "x"+string(want) {
			t.Errorf("AppendAny(%#v) = %s, %v, want x%s", v, got, err, want)
		}
	}
	if got, err := jsonwire.AppendAny(nil, []any{&appender{"[1]"}, (*appender)(nil)}); err != nil ||
		string(got) != "[[1],null]" {
		t.Errorf("got %s, %v", got, err)
	}
	loop, list := map[string]any{}, make([]any, 1)
	loop["a"], list[0] = loop, list
	for _, v := range []any{
		struct{}{},
		make(chan int), func() {},
		map[int]int{},
		math.NaN(),
		[]any{math.Inf(1)},
		map[string]any{"a": math.Inf(1)},
		loop, list,
		json.Number("x"), json.Number("01"), json.Number("1 "), &marshaler{`{`}, &marshaler{""},
		marshaler{"fail"},
		texter{"fail"},
		complex(1, 1), json.RawMessage(""),
	} {
		if got, err := jsonwire.AppendAny(nil, v); err == nil {
			t.Errorf("AppendAny(%#v) = %s, want an error", v, got)
		}
	}
}

func TestAppendMarshalers(t *testing.T) {
	t.Parallel()
	got, err := jsonwire.AppendMarshaler(nil, marshaler{` {"a" : "<\u00e9` + "\u2028" + `"} `})
	if want := `{"a":"\u003c\u00e9\u2028"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err = jsonwire.AppendMarshaler(nil, nil); err != nil || string(got) != "null" {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err = jsonwire.AppendTextMarshaler(nil, texter{"\"\n"}); err != nil || string(got) != `"\"\n"` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		checkRaw(t, []byte(text))
	}
}

func TestNoAllocations(t *testing.T) {
	if plainbuild.Enabled {
		t.Skip("values do not share memory")
	}
	in := sample.NewServer()
	buf, err := sample.AppendJSONServer(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	r := new(jsonwire.Reader)
	data := slices.Clone(buf)
	rows := []struct {
		name string
		f    func()
		max  float64
	}{
		{"append", func() { buf, _ = sample.AppendJSONServer(buf[:0], in) }, 0},
		{"append raw", func() { buf, _ = jsonwire.AppendRaw(buf[:0], data) }, 0},
		{"valid", func() { jsonwire.Valid(data) }, 0},
		{"skip", func() { r.Reset(data, jsonwire.Options{}); r.Skip() }, 0},
		// Four slices of disks, commands and variables a piece, two maps, the chunks.
		{"decode", func() {
			r.Reset(data, jsonwire.Options{Strict: true})
			sample.DecodeJSONServer(r, new(sample.Server))
		}, 40},
		{"sniff", func() { _, _, _ = jsonwire.SniffType(data) }, 2},
	}
	for _, row := range rows {
		if got := testing.AllocsPerRun(50, row.f); got > row.max {
			t.Errorf("%s: %v allocations, want at most %v", row.name, got, row.max)
		}
	}
}

// TestAppendIndentDeep checks that the indented form is not much longer than the text, however
// deeply it is nested, and that it has the same value.
func TestAppendIndentDeep(t *testing.T) {
	t.Parallel()
	in := strings.Repeat(`{"a":[`, 3000) + "1" + strings.Repeat(",1", 3000) + strings.Repeat("]}", 3000)
	out := jsonwire.AppendIndent(nil, []byte(in), "", "  ")
	if len(out) > 80*len(in) {
		t.Errorf("%d bytes become %d", len(in), len(out))
	}
	var b bytes.Buffer
	if err := json.Compact(&b, out); err != nil || b.String() != in {
		t.Error("the indented text has another value")
	}
}
