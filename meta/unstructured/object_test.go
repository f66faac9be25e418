package unstructured_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// parse reads an object.
func parse(tb testing.TB, text string) *unstructured.Object {
	tb.Helper()
	o := new(unstructured.Object)
	if err := o.UnmarshalJSON([]byte(text)); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return o
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, out string }{
		{"empty", `{}`, `{}`},
		{"sorted", `{"kind":"A","apiVersion":"v1"}`, `{"apiVersion":"v1","kind":"A"}`},
		{"last of duplicates", `{"b":1,"a":2,"b":3}`, `{"a":2,"b":3}`},
		{"last of adjacent duplicates", `{"a":1,"a":2}`, `{"a":2}`},
		{"scalars", `{"a":[null,true,false,"",0,-1,1.5]}`, `{"a":[null,true,false,"",0,-1,1.5]}`},
		{"empty containers", `{"a":{},"b":[],"c":[{}],"d":[[]]}`, `{"a":{},"b":[],"c":[{}],"d":[[]]}`},
		{"integers", `{"a":[9007199254740993,9223372036854775807,-9223372036854775808,9223372036854775808,18446744073709551615]}`, `{"a":[9007199254740993,9223372036854775807,-9223372036854775808,9223372036854775808,18446744073709551615]}`},
		{
			"floats", `{"a":[1.0,1e3,1e21,1.7976931348623157e308,18446744073709551616]}`,
			`{"a":[1,1000,1e+21,1.7976931348623157e+308,18446744073709552000]}`,
		},
		{"escapes", `{"<":"<&>\u2028\ud800","\n":"\u00e9"}`, `{"\n":"é","\u003c":"\u003c\u0026\u003e\u2028` +
			"\ufffd" + `"}`},
		{"many members", `{"j":9,"i":8,"h":7,"g":6,"f":5,"e":4,"d":3,"c":2,"b":1,"a":0,"n":13,"m":12,"l":11,"k":10,"a":-1}`, `{"a":-1,"b":1,"c":2,"d":3,"e":4,"f":5,"g":6,"h":7,"i":8,"j":9,"k":10,"l":11,"m":12,"n":13}`},
		{"null metadata", `{"metadata":null,"kind":null}`, `{"kind":null,"metadata":null}`},
		{"null", `null`, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := parse(t, c.in)
			got, err := json.Marshal(o)
			if err != nil || string(got) != c.out {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.out)
			}
			if again := parse(t, string(got)); !again.Equal(o) {
				t.Errorf("the object read from %s is another", got)
			}
			if clone := o.Clone(); !clone.Equal(o) || fmt.Sprint(clone) != string(got) {
				t.Errorf("the clone is %v", clone)
			}
			back, err := unstructured.FromMap(o.Map())
			if err != nil || !back.Equal(o) {
				t.Errorf("by way of a map: %v, %v", back, err)
			}
		})
	}
}

func TestUnmarshalErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want string
		cause          error
	}{
		{"syntax", `{"a":}`, `line 1, column 6: unexpected character '}', expected a value`, runtime.ErrSyntax},
		{"no object", `[1]`, `line 1, column 1: expected object, found array`, runtime.ErrWrongType},
		{
			"rest", `{} {}`, `line 1, column 4: unexpected character '{', expected the end of the text`,
			runtime.ErrSyntax,
		},
		{"kind", "{\n\"kind\":1}", `line 2, column 8: kind: expected string, found number`, runtime.ErrWrongType},
		{
			"metadata", `{"metadata":"a"}`, `line 1, column 13: metadata: expected object, found string`,
			runtime.ErrWrongType,
		},
		{
			"number", `{"spec":[1e999]}`, `line 1, column 10: spec[0]: number 1e999 is out of range for float64`,
			runtime.ErrOutOfRange,
		},
		{"depth", strings.Repeat(`{"a":`, 10001), ``, runtime.ErrLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var o unstructured.Object
			err := o.UnmarshalJSON([]byte(c.in))
			if !errors.Is(err, c.cause) {
				t.Fatalf("got %v, want %v", err, c.cause)
			}
			if c.want != "" && err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestLarge reads objects whose content fills several blocks, and takes them apart by the plain
// reader.
func TestLarge(t *testing.T) {
	t.Parallel()
	rows := make([]string, 3000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"z":[%d,"%s"],"name":"row-%d","b":{"%s":true},"b%d":null}`, i,
			strings.Repeat("x", i%600), i, strings.Repeat("k", i%100), i%17)
	}
	members := make([]string, 5000)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d":"%d"`, (i*7919)%5000, i)
	}
	text := `{"kind":"RowList","apiVersion":"v1","rows":[` + strings.Join(rows, ",") + `],"map":{` +
		strings.Join(members, ",") + `},"items":[` + strings.Join(rows, ", ") + `]}`
	o := parse(t, text)
	want, _ := jsonwire.NewReader([]byte(text), jsonwire.Options{}).Any().(map[string]any)
	items := want["items"].([]any)
	for _, item := range items {
		item.(map[string]any)["kind"], item.(map[string]any)["apiVersion"] = "Row", "v1"
	}
	if got := o.Map(); !reflect.DeepEqual(got, want) {
		t.Error("the object has another content than the map")
	}
	if got := o.Clone().Map(); !reflect.DeepEqual(got, want) {
		t.Error("the clone has another content than the map")
	}
	back, err := unstructured.FromMap(want)
	if err != nil || !back.Equal(o) {
		t.Errorf("the map makes another object: %v", err)
	}
}

func TestStrictDuplicates(t *testing.T) {
	t.Parallel()
	text := `{"a":1,"a":2,"spec":{"b":1,"c":2,"b":3,"b":4},"list":[{"x":1,"w":0,"x":2}]}`
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{Strict: true})
	var o unstructured.Object
	unstructured.DecodeJSONObject(r, &o)
	var got []string
	for _, p := range r.Problems() {
		got = append(got, fmt.Sprintf("%d %s %s", p.Offset, jsonwire.PathAt([]byte(text), p.Offset), p.Message))
	}
	want := []string{
		`7 a duplicate field "a"`, `33 spec.b duplicate field "b"`, `39 spec.b duplicate field "b"`,
		`67 list[0].x duplicate field "x"`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if s := fmt.Sprint(&o); s != `{"a":2,"list":[{"w":0,"x":2}],"spec":{"b":4,"c":2}}` {
		t.Errorf("got %s", s)
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`1`, `1.5`, false},
		{`9007199254740993`, `9007199254740992.0`, false},
		{`9223372036854775808`, `9223372036854775808.0`, false},
		{`9223372036854776000`, `9223372036854775808.0`, true},
		{`9223372036854775807`, `9223372036854775808.0`, false},
		{`1840757095514000000`, `1840757095514E6`, true},
		{`0`, `-0.0`, true},
		{`18446744073709551615`, `18446744073709551616`, false},
		{`-9223372036854775808`, `-9223372036854775808.0`, false},
		{`-9007199254740991`, `-9007199254740991.0`, true},
		{`"a"`, `"\u0061"`, true},
		{`null`, `false`, false},
		{`0`, `false`, false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[]`, `{}`, false},
	} {
		a, b := parse(t, `{"x":`+c.a+`}`), parse(t, `{"x":`+c.b+`}`)
		if got := a.Equal(b); got != c.want {
			t.Errorf("%s equal %s: %v", c.a, c.b, got)
		}
		if got := b.Equal(a); got != c.want {
			t.Errorf("%s equal %s: %v", c.b, c.a, got)
		}
	}
}

func TestZeroObject(t *testing.T) {
	t.Parallel()
	var o unstructured.Object
	if !o.IsZero() || fmt.Sprint(o) != "{}" || len(o.Map()) != 0 || o.Kind() != "" || o.Has("a") {
		t.Error("the zero object is not empty")
	}
	if err := o.Set(1, "a"); err != nil || fmt.Sprint(&o) != `{"a":1}` {
		t.Errorf("got %v, %v", o, err)
	}
}

func TestFromMapErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   map[string]any
		want string
	}{
		{
			"not a number",
			map[string]any{"a": map[string]any{"b": []any{1, math.NaN()}}},
			`unstructured: a.b[1]: JSON has no number NaN`,
		},
		{
			"channel",
			map[string]any{"a/b": make(chan int)},
			`unstructured: [a/b]: a chan int has no JSON: cannot write a value of type chan int`,
		},
		{"kind", map[string]any{"kind": 1}, `unstructured: kind: expected a string, found an integer`},
		{"metadata", map[string]any{"metadata": []any{}}, `unstructured: metadata: expected an object, found an array`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := unstructured.FromMap(c.in)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if e, ok := errors.AsType[*unstructured.AccessError](err); !ok || e.Err == nil {
				t.Errorf("%#v is not an AccessError with a cause", err)
			}
		})
	}
}

func TestCyclicMap(t *testing.T) {
	t.Parallel()
	m := map[string]any{}
	m["m"] = m
	_, err := unstructured.FromMap(m)
	if !errors.Is(err, runtime.ErrLimit) {
		t.Errorf("got %.200v", err)
	}
	if n := len(err.Error()); n > 500 {
		t.Errorf("the message has %d bytes", n)
	}
}

func TestNilArguments(t *testing.T) {
	t.Parallel()
	o := unstructured.New(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	if o.Equal(nil) {
		t.Error("an object equals nil")
	}
	if err := o.SetObjectMeta(nil); err != nil || o.Kind() != "Pod" {
		t.Errorf("SetObjectMeta(nil): %v, %v", o, err)
	}
}

func TestGroupVersionKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want schema.GroupVersionKind
		err  error
	}{
		{`{"kind":"Pod","apiVersion":"v1"}`, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, nil},
		{
			`{"kind":"Pod","apiVersion":"a.b/v1"}`,
			schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Pod"},
			nil,
		},
		{`{"apiVersion":"v1"}`, schema.GroupVersionKind{}, runtime.ErrMissingKind},
		{`{"kind":"Pod"}`, schema.GroupVersionKind{}, runtime.ErrMissingVersion},
	} {
		got, err := parse(t, c.in).GroupVersionKind()
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: got %v, %v", c.in, got, err)
		}
	}
	if _, err := parse(t, `{"kind":"Pod","apiVersion":"a/b/c"}`).GroupVersionKind(); err == nil {
		t.Error("a/b/c is an apiVersion")
	}
}

func TestDecodeAllocations(t *testing.T) {
	data := rollout(t)
	r := jsonwire.NewReader(nil, jsonwire.Options{})
	var o unstructured.Object
	n := testing.AllocsPerRun(100, func() {
		r.Reset(data, jsonwire.Options{})
		unstructured.DecodeJSONObject(r, &o)
	})
	// names, members and texts have one block each; the rest allows for a pool that was emptied
	if n > 8 && !race.Enabled && !plain.Enabled {
		t.Errorf("%v allocations", n)
	}
	if got, err := o.AppendJSON(nil); err != nil || string(got) != string(data) {
		t.Error("the object is written otherwise than it was read")
	}
}

// TestMemoryLimitInContainer checks that the limit ends a long container while it is read, not only
// at its end.
func TestMemoryLimitInContainer(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	for _, c := range []struct{ name, text string }{
		{"array", `{"x":[` + strings.Repeat("0,", n) + `0]}`},
		{"duplicate members", `{"x":{` + strings.Repeat(`"a":1,`, n) + `"b":1}}`},
		{"duplicate members of the root", `{` + strings.Repeat(`"a":1,`, n) + `"b":1}`},
	} {
		r := jsonwire.NewReader([]byte(c.text), jsonwire.Options{Limits: schema.Limits{Memory: 1}})
		var o unstructured.Object
		unstructured.DecodeJSONObject(r, &o)
		err, ok := errors.AsType[*jsonwire.Error](r.Err())
		if !ok || !errors.Is(err, schema.ErrLimit) {
			t.Errorf("%s: got %v, want an error about the limit", c.name, r.Err())
		} else if err.Offset > len(c.text)/2 {
			t.Errorf("%s: the limit is noticed at byte %d of %d", c.name, err.Offset, len(c.text))
		}
	}
}
