//lint:file-ignore SA5008 Tags that encoding/json does not understand are what some of these tests are about.

package reflectjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// everything has a field of every shape. It has no kind, so that encoding/json is its plain twin.
type everything struct {
	Bool     bool              `json:"bool"`
	Int      int               `json:"int"`
	Int8     int8              `json:"int8"`
	Int16    int16             `json:"int16,omitempty"`
	Int32    int32             `json:"int32,omitzero"`
	Int64    int64             `json:"int64"`
	Uint     uint              `json:"uint"`
	Uint8    uint8             `json:"uint8"`
	Uint16   uint16            `json:"uint16"`
	Uint32   uint32            `json:"uint32"`
	Uint64   uint64            `json:"uint64"`
	Float32  float32           `json:"float32"`
	Float64  float64           `json:"float64"`
	String   string            `json:"string"`
	Named    named             `json:"named"`
	Bytes    []byte            `json:"bytes"`
	Pointer  *int              `json:"pointer"`
	Omitted  *string           `json:"omitted,omitempty"`
	List     []inner           `json:"list"`
	Pointers []*inner          `json:"pointers,omitempty"`
	Strings  []string          `json:"strings,omitempty"`
	Array    [2]int            `json:"array"`
	Map      map[string]string `json:"map,omitempty"`
	Structs  map[named]inner   `json:"structs,omitempty"`
	Numbers  map[int32]bool    `json:"numbers,omitempty"`
	Unsigned map[uint8]string  `json:"unsigned,omitempty"`
	Times    map[textKey]int   `json:"times,omitempty"`
	Deep     map[string][]*inner
	Any      any             `json:"any"`
	Anys     []any           `json:"anys,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty"`
	Number   json.Number     `json:"number"`
	Time     time.Time       `json:"time,omitzero"`
	TimePtr  *time.Time      `json:"timePtr,omitempty"`
	Own      ownJSON         `json:"own"`
	OwnPtr   *ownJSON        `json:"ownPtr,omitempty"`
	OwnList  []ownJSON       `json:"ownList,omitempty"`
	OwnText  ownText         `json:"ownText"`
	Quoted   int64           `json:"quoted,string"`
	QuotedS  string          `json:"quotedS,string,omitempty"`
	QuotedP  *bool           `json:"quotedP,string,omitempty"`
	Self     *everything     `json:"self,omitempty"`
	One      onePointer      `json:"one"`
	Odd      string          `json:"<odd & name>"`
	BadTag   string          `json:"bad'tag"`
	Hidden   string          `json:"-"`
	Dash     string          `json:"-,"`
	private  string
	embedded
	*Embedded
	inside `json:"inside"`
	Zeroer zeroer  `json:"zeroer,omitzero"`
	ZeroP  *zeroer `json:"zeroP,omitzero"`
	Inline inner   `json:",inline"`
	Handle uintptr `json:"handle"`
}

type named string

type inner struct {
	A string `json:"a"`
	B *inner `json:"b,omitempty"`
	C int    `json:"c,omitempty"`
}

type onePointer struct {
	P *inner `json:"p,omitempty"`
}

type embedded struct {
	Promoted string `json:"promoted"`
	Twice    string `json:"twice"`
	Shadowed int    `json:"bool"`
}

// inside is embedded with a name, so its fields are not promoted.
type inside struct {
	Within string `json:"within"`
	Deeper *inner `json:"deeper"`
}

type Embedded struct {
	FromPointer string `json:"fromPointer,omitempty"`
	Twice       string `json:"twice"` // in conflict with that of embedded: neither is a member
}

// ownJSON reads and writes itself as an array.
type ownJSON struct{ x, y int }

func (o ownJSON) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "[ %d, %d ]", o.x, o.y), nil }

func (o *ownJSON) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var a [2]int
	if err := json.Unmarshal(data, &a); err != nil {
		return err
	}
	if a[0] < 0 {
		return fmt.Errorf("negative: %d", a[0])
	}
	o.x, o.y = a[0], a[1]
	return nil
}

// ownText reads and writes itself as text.
type ownText struct{ s string }

func (o ownText) MarshalText() ([]byte, error) { return []byte("<" + o.s + ">"), nil }

func (o *ownText) UnmarshalText(text []byte) error {
	s, open := strings.CutPrefix(string(text), "<")
	s, closed := strings.CutSuffix(s, ">")
	if !open || !closed {
		return fmt.Errorf("no bracket in %q", text)
	}
	o.s = s
	return nil
}

type textKey struct{ n int }

func (k textKey) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "k%d", k.n), nil }

func (k *textKey) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "k%d", &k.n)
	return err
}

type zeroer struct{ N int }

func (z zeroer) IsZero() bool { return z.N == 7 }

func encode[T any](t testing.TB, in *T) string {
	t.Helper()
	spec := reflectjson.Complete(runtime.KindSpec[T]{})
	out, err := spec.AppendJSONFields(nil, in)
	if err != nil {
		t.Fatalf("AppendJSONFields: %v", err)
	}
	return string(jsonwire.CloseObject(out, 0))
}

func decode[T any](spec *runtime.KindSpec[T], data string, o jsonwire.Options) (*T, []jsonwire.Problem) {
	r := jsonwire.NewReader([]byte(data), o)
	out := new(T)
	spec.DecodeJSON(r, out)
	r.End()
	return out, r.Problems()
}

func full() *everything {
	seven, yes := 7, true
	text := "text"
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	return &everything{
		Bool: true, Int: -1, Int8: -128, Int16: 3, Int32: 4, Int64: math.MinInt64, Uint: 1, Uint8: 255, Uint16: 2,
		Uint32: 3, Uint64: math.MaxUint64,
		Float32: 0.1, Float64: 1e-9, String: "a<b>&\u2028\"\\\b\f\x01\xff", Named: "n", Bytes: []byte("\x00\xff"),
		Pointer: &seven, Omitted: &text,
		List: []inner{{A: "x", B: &inner{C: 1}}, {}}, Pointers: []*inner{nil, {A: "p"}}, Strings: []string{
			"",
			"<",
		}, Array: [2]int{1, 2},
		Map: map[string]string{"b": "1", "a": "2", "<": "3", "a\n": "4"}, Structs: map[named]inner{
			"z": {A: "1"},
			"y": {},
		},
		Numbers: map[int32]bool{10: true, 9: false, -1: true}, Unsigned: map[uint8]string{200: "x"},
		Times: map[textKey]int{{2}: 1, {1}: 2},
		Deep:  map[string][]*inner{"x": {{A: "1"}, nil}, "nil": nil}, Any: map[string]any{
			"b": int64(1),
			"a": []any{1.5, "<", nil, true},
		},
		Anys: []any{nil, "x", map[string]any{}}, Raw: json.RawMessage(`{"a": [1, "<"]}`), Number: "1.50", Time: at,
		TimePtr: &at,
		Own:     ownJSON{1, 2}, OwnPtr: &ownJSON{3, 4}, OwnList: []ownJSON{{5, 6}}, OwnText: ownText{"t&"}, Quoted: 5,
		QuotedS: "q\"<", QuotedP: &yes,
		Self: &everything{OwnText: ownText{"s"}, Number: "0"}, One: onePointer{&inner{A: "one"}}, Odd: "odd",
		BadTag: badTag, Hidden: "hidden", Dash: "dash", private: "private",
		inside:   inside{Within: "w", Deeper: &inner{A: "a"}},
		embedded: embedded{Promoted: "promoted", Twice: "t", Shadowed: 9}, Embedded: &Embedded{
			FromPointer: "fp",
			Twice:       "u",
		},
		Zeroer: zeroer{7}, ZeroP: &zeroer{8}, Inline: inner{A: "in"}, Handle: 9,
	}
}

// badTag is the value of the field whose tag is not a name. Up to Go 1.26 encoding/json ignores
// such a tag, as we do. Go 1.27 takes it, so the field stays blank there and only its name differs.
var badTag = func() string {
	if text, err := json.Marshal(everything{}); err != nil || strings.Contains(string(text), `"bad":`) {
		return ""
	}
	return "bad"
}()

// asBefore returns what encoding/json wrote up to Go 1.26, which is the form of the wire: invalid
// UTF-8 is an escaped U+FFFD there, and not the character itself.
func asBefore(text []byte) string {
	return strings.NewReplacer("\ufffd", `\ufffd`, `"bad":`, `"BadTag":`).Replace(string(text))
}

func TestEncodeLikeEncodingJSON(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]*everything{
		"full": full(), "zero": {},
		"zero pointer": {ZeroP: &zeroer{7}, Zeroer: zeroer{1}, Bytes: []byte{}, List: []inner{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(asBefore(want), encode(t, in)); diff != "" {
				t.Errorf("(-encoding/json +reflectjson)\n%s", diff)
			}
		})
	}
}

// TestOmitZeroInterfaces has values with an IsZero method in interfaces, which count only if the
// interface has the method too.
func TestOmitZeroInterfaces(t *testing.T) {
	t.Parallel()
	type interfaces struct {
		Any    any                        `json:"any,omitzero"`
		Zeroer interface{ IsZero() bool } `json:"zeroer,omitzero"`
	}
	at := time.Unix(0, 0).UTC()
	for _, in := range []interfaces{
		{},
		{Zeroer: time.Time{}},
		{time.Time{}, nil},
		{at, at},
		{&time.Time{}, &at},
		{&at, &time.Time{}},
		{0, nil},
		{(*time.Time)(nil), (*time.Time)(nil)},
	} {
		want, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := encode(t, &in); got != string(want) {
			t.Errorf("%#v:\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestDecodeLikeEncodingJSON(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	spec := reflectjson.Complete(runtime.KindSpec[everything]{})
	for name, text := range map[string]string{
		"full":                asBefore(data),
		"empty":               `{}`,
		"null":                `null`,
		"all null":            nulls(t, data),
		"white space":         " {\n\t\"int\" : 1 ,\r\n \"list\" : [ { } ] } ",
		"escapes":             `{"str\u0069ng":"\ud83d\ude00 \ud800 \u003c","map":{"\u0061":"b"}}`,
		"empty collections":   `{"list":[],"map":{},"bytes":"","pointers":[],"Deep":{}}`,
		"null elements":       `{"list":[null,{"a":null}],"strings":[null],"structs":{"a":null},"map":{"a":null},"pointers":[null],"ownList":[null],"anys":[null]}`,
		"long array":          `{"array":[1,2,3,4]}`,
		"short array":         `{"array":[1]}`,
		"unknown":             `{"unknown":{"a":[1,2,{"b":null}]},"int":3}`,
		"last wins":           `{"int":1,"int":2,"string":"a","string":null,"map":{"a":"1"},"map":{"b":"2"},"any":1,"any":{"x":2}}`,
		"bytes as an array":   `{"bytes":[1,2,255]}`,
		"number as a string":  `{"number":"12e3"}`,
		"quoted":              `{"quoted":"-9","quotedS":"\"x\"","quotedP":"true"}`,
		"quoted null":         `{"quoted":null,"quotedP":null}`,
		"embedded pointer":    `{"fromPointer":"x"}`,
		"no embedded pointer": `{"promoted":"x"}`,
		"null inside":         `{"fromPointer":null}`,
		"floats":              `{"float64":123456789.123456789,"float32":3.4028235e38}`,
		"small float":         `{"float64":5e-324,"float32":1e-45}`,
		"self":                `{"self":{"self":{"self":null,"int":1}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := new(everything)
			if err := json.Unmarshal([]byte(text), want); err != nil {
				t.Fatal(err)
			}
			got, problems := decode(spec, text, jsonwire.Options{})
			if len(problems) > 0 {
				t.Fatalf("problems: %v", problems)
			}
			exactIntegers(want)
			if !reflect.DeepEqual(got, want) {
				a, _ := json.Marshal(want)
				b, _ := json.Marshal(got)
				t.Errorf("(-encoding/json +reflectjson)\n%s", cmp.Diff(string(a), string(b)))
			}
		})
	}
}

// nulls returns the object with every member null.
func nulls(t *testing.T, data []byte) string {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	for k := range m {
		m[k] = nil
	}
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// exactIntegers makes the float64 integers of encoding/json the int64 of this package.
func exactIntegers(e *everything) {
	var fix func(v any) any
	fix = func(v any) any {
		switch v := v.(type) {
		case float64:
			if v == math.Trunc(v) {
				return int64(v)
			}
		case []any:
			for i := range v {
				v[i] = fix(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = fix(v[k])
			}
		}
		return v
	}
	e.Any = fix(e.Any)
	for i := range e.Anys {
		e.Anys[i] = fix(e.Anys[i])
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	spec := reflectjson.Complete(runtime.KindSpec[everything]{})
	for _, c := range []struct {
		name, text string
		strict     bool
		want       []string // code, offending text, near miss
	}{
		{"sound", `{"int":1,"map":{"a":"b"}}`, true, nil},
		{"unknown field", `{"intt":1}`, true, []string{`unknown field "intt" int`}},
		{"unknown field, lenient", `{"intt":1,"int":1,"int":2}`, false, nil},
		{
			"case matters", `{"Int":1,"STRING":"x"}`, true,
			[]string{`unknown field "Int" int`, `unknown field "STRING" string`},
		},
		{"duplicate field", `{"int":1,"int":2}`, true, []string{`duplicate field "int"`}},
		{"duplicate map key", `{"map":{"a":"1","a":"2"}}`, true, []string{`duplicate field "a"`}},
		{"duplicate in untyped", `{"any":{"a":1,"a":2}}`, true, []string{`duplicate field "a"`}},
		{
			"nested", `{"list":[{},{"a":"x","d":1}],"structs":{"k":{"aa":1}},"self":{"one":{"p":{"x":{}}}}}`, true,
			[]string{`unknown field "d"`, `unknown field "aa" a`, `unknown field "x"`},
		},
		{
			"wrong types", `{"int":"1","string":2,"list":{},"map":[],"bool":0,"pointer":true,"list":[3],"deep":1}`,
			false,
			[]string{
				`wrong type "1"`, "wrong type 2", "wrong type {}", "wrong type []", "wrong type 0", "wrong type true",
				"wrong type 3",
			},
		},
		{"ranges", `{"int8":128,"uint8":-1,"int":1.5,"uint64":18446744073709551616,"float32":1e39}`, false, []string{
			"out of range 128", "out of range -1", "wrong type 1.5", "out of range 18446744073709551616",
			"out of range 1e39",
		}},
		{"own method", `{"own":[-1,2],"time":"yesterday","ownText":"x","ownList":[[1,2],[-3,4]]}`, false, []string{
			"invalid value [-1,2]", `invalid value "yesterday"`, `invalid value "x"`, "invalid value [-3,4]",
		}},
		{"map keys", `{"numbers":{"x":true,"1":false},"unsigned":{"256":"y"},"times":{"q":1}}`, false, []string{
			"invalid value true", `invalid value "y"`, "invalid value 1",
		}},
		{"quoted", `{"quoted":"x","quotedP":1}`, false, []string{`invalid value "x"`, "wrong type 1"}},
		{"number", `{"number":"x"}`, false, []string{`invalid value "x"`}},
		{"number and a break", `{"number":"1\n"}`, false, []string{`invalid value "1\n"`}},
		{"syntax", `{"int":1,"list":[{"a":]}`, false, []string{"syntax ]"}},
		{"broken off", `{"int":1,"list":[{"a":"x`, false, []string{"syntax "}},
		{"not UTF-8", "{\"string\":\"\xff\"}", false, []string{"syntax \xff"}},
		{"rest", `{} x`, false, []string{"syntax x"}},
		{"no object", `[]`, false, []string{"wrong type []"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, problems := decode(spec, c.text, jsonwire.Options{Strict: c.strict})
			var got []string
			for _, p := range problems {
				s := p.Code.String() + " " + c.text[p.Offset:min(p.End, len(c.text))]
				if p.Nearest != "" {
					s += " " + p.Nearest
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", c.text, diff)
			}
		})
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	spec := reflectjson.Complete(runtime.KindSpec[everything]{})
	text := strings.Repeat(`{"self":`, 50) + "{}" + strings.Repeat("}", 50)
	if _, problems := decode(spec, text, jsonwire.Options{Limits: schema.Limits{Depth: 60}}); len(problems) > 0 {
		t.Errorf("depth 51 of 60: %v", problems)
	}
	if _, problems := decode(spec, text, jsonwire.Options{Limits: schema.Limits{Depth: 40}}); len(problems) != 1 ||
		problems[0].Code != wire.Limit {
		t.Errorf("depth 51 of 40: %v", problems)
	}
}

// TestExactIntegers checks an intended difference from encoding/json: untyped integers are exact.
func TestExactIntegers(t *testing.T) {
	t.Parallel()
	spec := reflectjson.Complete(runtime.KindSpec[everything]{})
	const text = `{"any":[9223372036854775807,18446744073709551615,1,1.0,1e3,-9007199254740993]}`
	got, problems := decode(spec, text, jsonwire.Options{})
	want := []any{int64(math.MaxInt64), uint64(math.MaxUint64), int64(1), 1.0, 1e3, int64(-9007199254740993)}
	if diff := cmp.Diff(any(want), got.Any); diff != "" || len(problems) > 0 {
		t.Errorf("problems %v (-want +got)\n%s", problems, diff)
	}
}

// TestAnnotated reads what YAML hands over: plain scalars take the type of the field.
func TestAnnotated(t *testing.T) {
	t.Parallel()
	spec := reflectjson.Complete(runtime.KindSpec[everything]{})
	const text = "{\"string\":\x01\"1.10\",\"int\":\x01\"0x10\",\"bool\":\x01\"yes\",\"pointer\":\x01\"~\",\"any\":\x01\"010\",\"float64\":\x01\"1\"," +
		"\"map\":{\"a\":\x01\"1\"},\"raw\":\x01\"true\",\"strings\":[\x01\"1\"],\"own\":[\x01\"1\",\x01\"2\"]}"
	got, problems := decode(spec, text, jsonwire.Options{Annotated: true})
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	want := &everything{
		String: "1.10", Int: 16, Bool: true, Any: int64(8), Float64: 1, Map: map[string]string{"a": "1"},
		Raw:     json.RawMessage("true"),
		Strings: []string{"1"}, Own: ownJSON{1, 2},
	}
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(want)
		b, _ := json.Marshal(got)
		t.Errorf("(-want +got)\n%s", cmp.Diff(string(a), string(b)))
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	cyclic := &inner{}
	cyclic.B = cyclic
	for name, in := range map[string]*everything{
		"NaN":            {Float64: math.NaN()},
		"infinity":       {Float32: float32(math.Inf(1))},
		"untyped NaN":    {Any: []any{math.NaN()}},
		"cycle":          {List: []inner{*cyclic}},
		"bad raw":        {Raw: json.RawMessage(`{"a":`)},
		"bad number":     {Number: "1x"},
		"struct in any":  {Any: inner{}},
		"channel in any": {Any: make(chan int)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := reflectjson.Complete(runtime.KindSpec[everything]{})
			dst := []byte("kept")
			out, err := spec.AppendJSONFields(dst, in)
			if err == nil || string(out) != "kept" {
				t.Errorf("got %q, error %v", out, err)
			}
		})
	}
}

// TestDifferences checks the list in the package comment: where the result is not that of
// encoding/json although both accept the input. What only one of them accepts is in the tests of
// problems and of errors.
func TestDifferences(t *testing.T) {
	t.Parallel()
	spec := reflectjson.Complete(runtime.KindSpec[everything]{})
	for _, c := range []struct {
		name, text string
		field      func(*everything) any
		theirs     any // read by encoding/json
		ours       any // read by this package
	}{
		{
			name: "exact case", text: `{"INT":1}`,
			field: func(e *everything) any { return e.Int }, theirs: 1, ours: 0,
		},
		{
			name: "exact integers", text: `{"any":9007199254740993}`,
			field: func(e *everything) any { return e.Any }, theirs: float64(9007199254740992),
			ours: int64(9007199254740993),
		},
		{
			name: "invalid UTF-8", text: "{\"string\":\"\xff\"}",
			field: func(e *everything) any { return e.String }, theirs: "\ufffd", ours: "",
		},
		{
			name: "array stated twice", text: `{"array":[1,2],"array":[3]}`,
			field: func(e *everything) any { return e.Array }, theirs: [2]int{3, 0}, ours: [2]int{3, 2},
		},
		{
			name: "null after a value with a method", text: `{"own":[1,2],"own":null}`,
			field: func(e *everything) any { return e.Own }, theirs: ownJSON{1, 2}, ours: ownJSON{},
		},
	} {
		want := new(everything)
		if err := json.Unmarshal([]byte(c.text), want); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, _ := decode(spec, c.text, jsonwire.Options{})
		if read := c.field(want); !reflect.DeepEqual(read, c.theirs) {
			t.Errorf("%s: encoding/json reads %v, expected %v", c.name, read, c.theirs)
		}
		if read := c.field(got); !reflect.DeepEqual(read, c.ours) {
			t.Errorf("%s: reflectjson reads %v, expected %v", c.name, read, c.ours)
		}
	}
	// An interface that holds a pointer is replaced, and what it pointed to stays as it was.
	pointed := struct{ N int }{1}
	filled := struct {
		Any any `json:"any"`
	}{&pointed}
	r := jsonwire.NewReader([]byte(`{"any":{"N":2}}`), jsonwire.Options{})
	reflectjson.Complete(runtime.KindSpec[struct {
		Any any `json:"any"`
	}]{}).DecodeJSON(r, &filled)
	if pointed.N != 1 || !reflect.DeepEqual(filled.Any, map[string]any{"N": int64(2)}) {
		t.Errorf("an interface that holds a pointer: %v, %v", pointed, filled.Any)
	}
	if err := json.Unmarshal([]byte(`{"any":{"N":2}}`), &struct {
		Any any `json:"any"`
	}{&pointed}); err != nil || pointed.N != 2 {
		t.Errorf("encoding/json fills what an interface points to: %v, %v", pointed, err)
	}
	if got := encode(t, &struct {
		M map[string]byPointer
	}{map[string]byPointer{"a": {}}}); got != `{"M":{"a":"by pointer"}}` {
		t.Errorf("method of a pointer in a map: %s", got)
	}
}

type byPointer struct{ N int }

func (*byPointer) MarshalJSON() ([]byte, error) { return []byte(`"by pointer"`), nil }

type hiddenPointer struct{ *embedded }

func TestHiddenEmbeddedPointer(t *testing.T) {
	t.Parallel()
	_, problems := decode(reflectjson.Complete(runtime.KindSpec[hiddenPointer]{}), `{"promoted":"x"}`,
		jsonwire.Options{})
	if len(problems) != 1 || problems[0].Code != wire.InvalidValue {
		t.Errorf("problems: %v", problems)
	}
}

type unsupportedTypes struct {
	Chan    chan int             `json:"chan,omitempty"`
	Complex complex128           `json:"complex,omitempty"`
	Bools   map[bool]string      `json:"bools,omitempty"`
	Iface   fmt.Stringer         `json:"iface,omitempty"`
	Keys    map[[2]string]string `json:"keys,omitempty"`
}

func TestUnsupportedTypes(t *testing.T) {
	t.Parallel()
	spec := reflectjson.Complete(runtime.KindSpec[unsupportedTypes]{})
	for name, in := range map[string]*unsupportedTypes{
		"chan": {Chan: make(chan int)}, "complex": {Complex: 1}, "bool keys": {Bools: map[bool]string{true: "x"}},
		"array keys": {Keys: map[[2]string]string{{}: ""}},
	} {
		if _, err := spec.AppendJSONFields(nil, in); err == nil {
			t.Errorf("%s: no error when writing", name)
		}
	}
	for _, member := range []string{"chan", "complex", "bools", "iface", "keys"} {
		_, problems := decode(spec, `{"`+member+`":{}}`, jsonwire.Options{})
		if len(problems) != 1 || problems[0].Code != wire.InvalidValue {
			t.Errorf("%s: problems when reading: %v", member, problems)
		}
	}
}

type typeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type note struct {
	typeMeta
	Metadata struct {
		Name string `json:"name,omitempty"`
	} `json:"metadata"`
	Text  string `json:"text"`
	Owner struct {
		Kind string `json:"kind"`
	} `json:"owner"`
}

type noteList struct {
	typeMeta
	Metadata struct {
		Continue string `json:"continue,omitempty"`
	} `json:"metadata"`
	Items []note `json:"items"`
}

var gv = schema.GroupVersion{Group: "notes.example.com", Version: "v1"}

func TestKinds(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[note]{
			GroupVersionKind: gv.WithKind("Note"),
			List:             "NoteList",
		}))
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[noteList]{
			GroupVersionKind: gv.WithKind("NoteList"),
			Item:             "Note",
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := scheme.Kind(gv.WithKind("NoteList"))
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"kind":"NoteList","apiVersion":"notes.example.com/v1","metadata":{"continue":"c"},"items":[{"metadata":{"name":"a"},"text":"x","owner":{"kind":"User"}}]}`
	obj := k.New()
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{Strict: true})
	if err := k.DecodeJSON(r, obj); err != nil || len(r.Problems()) > 0 {
		t.Fatal(err, r.Problems())
	}
	l := obj.(*noteList)
	if l.Kind != "NoteList" || l.Items[0].Kind != "Note" || l.Items[0].APIVersion != "notes.example.com/v1" ||
		l.Items[0].Owner.Kind != "User" {
		t.Errorf("types are not set: %+v", l)
	}
	out, err := k.AppendJSON([]byte("> "), obj)
	if err != nil || string(out) != "> "+text {
		t.Errorf("got %s, error %v", out, err)
	}
	if items := k.Items(obj); items.Len() != 1 || items.IsNil() || items.At(0) != any(&l.Items[0]) {
		t.Errorf("items: %+v", items)
	}
	k.Items(obj).Resize(0)
	if l.Items == nil || len(l.Items) != 0 {
		t.Errorf("resized: %#v", l.Items)
	}
	l.Items = nil
	if out, _ = k.AppendJSON(nil, obj); !bytes.HasSuffix(out, []byte(`"items":null}`)) {
		t.Errorf("nil items: %s", out)
	}
	if m, ok := k.Metadata(obj).(*struct {
		Continue string `json:"continue,omitempty"`
	}); !ok || m.Continue != "c" {
		t.Errorf("metadata: %#v", k.Metadata(obj))
	}
}

func TestCompleteKeepsFunctions(t *testing.T) {
	t.Parallel()
	called := 0
	spec := reflectjson.Complete(runtime.KindSpec[note]{
		TypeMeta:         func(n *note) (a, k *string) { called++; return &n.APIVersion, &n.Kind },
		Metadata:         func(*note) any { called++; return nil },
		AppendJSONFields: func(dst []byte, _ *note) ([]byte, error) { called++; return dst, nil },
		DecodeJSON:       func(*jsonwire.Reader, *note) { called++ },
	})
	n := &note{}
	spec.TypeMeta(n)
	spec.Metadata(n)
	_, _ = spec.AppendJSONFields(nil, n)
	spec.DecodeJSON(nil, n)
	if called != 4 {
		t.Errorf("%d of 4 functions were kept", called)
	}
	if s := reflectjson.Complete(runtime.KindSpec[int]{}); s.DecodeJSON != nil {
		t.Error("a type that is not a struct got functions")
	}
}

// FuzzDecode compares with encoding/json whatever both accept.
func FuzzDecode(f *testing.F) {
	data, err := json.Marshal(full())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	typed := full()
	typed.Any, typed.Anys = nil, nil
	if data, err = json.Marshal(typed); err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Replace(data, []byte(`"any":null,`), nil, 2))
	f.Add([]byte(`{"list":[{"a":"x"}],"any":{"a":1.5},"float64":1.7976931348623157e308,"float32":16777217}`))
	spec := reflectjson.Complete(runtime.KindSpec[everything]{})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, problems := decode(spec, string(data), jsonwire.Options{Strict: true})
		if len(problems) > 0 {
			return // broken, or something that encoding/json does not look at
		}
		want := new(everything)
		if err := json.Unmarshal(data, want); err != nil {
			t.Fatalf("encoding/json: %v", err)
		}
		a, err := json.Marshal(want)
		if err != nil {
			t.Skip(err) // what both read cannot be written
		}
		exactIntegers(want)
		b, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("any")) && !bytes.Equal(a, b) {
			t.Errorf("encoding/json %s\nreflectjson   %s", a, b)
		}
		if c := encode(t, got); asBefore([]byte(c)) != asBefore(b) {
			t.Errorf("written by encoding/json %s\nby reflectjson           %s", b, c)
		}
	})
}
