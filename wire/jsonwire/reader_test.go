package jsonwire_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/jsonwire"
)

func TestServerRoundTrip(t *testing.T) {
	t.Parallel()
	in := sample.NewServer()
	want, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sample.AppendJSONServer(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("append:\n got %s\nwant %s", got, want)
	}
	rows := []struct {
		name string
		text []byte
	}{
		{"compact", want},
		{"pretty", jsonwire.AppendIndent(nil, want, "", "  ")},
		{"mixed white space", jsonwire.AppendIndent(nil, want, "\t", "\r\n ")},
		{"spaces around everything", []byte(strings.NewReplacer(`":`, "\" :  ", `,"`, " ,  \"").Replace(string(want)))},
	}
	r := new(jsonwire.Reader)
	for _, row := range rows {
		r.Reset(row.text, jsonwire.Options{Strict: true})
		out := new(sample.Server)
		sample.DecodeJSONServer(r, out)
		r.End()
		if problems := r.Problems(); len(problems) != 0 {
			t.Errorf("%s: problems %v", row.name, problems)
		}
		// The replacer reaches into one annotation too.
		if row.name == "spaces around everything" {
			out.Metadata.Annotations = in.Metadata.Annotations
		}
		if !reflect.DeepEqual(out, in) {
			t.Errorf("%s: got %+v\nwant %+v", row.name, out, in)
		}
	}
}

func TestNullKeepsScalars(t *testing.T) {
	t.Parallel()
	const text = `{"kind":null,"metadata":{"generation":null,"labels":null,"finalizers":[null,"a"],"annotations":{"x":null}},"spec":{"paused":null,"weight":null,"replicas":null}}`
	full := func() *sample.Server {
		v := int32(1)
		return &sample.Server{
			Kind: "K",
			Metadata: sample.ServerMeta{
				Generation: 3, Labels: map[string]string{"a": "b"},
				Finalizers: []string{"z"},
			},
			Spec: sample.ServerSpec{Paused: true, Weight: 2, Replicas: &v},
		}
	}
	want, got := full(), full()
	if err := json.Unmarshal([]byte(text), want); err != nil {
		t.Fatal(err)
	}
	// encoding/json keeps old elements below a null; a generated decoder starts new slices.
	want.Metadata.Finalizers[0] = ""
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{Strict: true})
	sample.DecodeJSONServer(r, got)
	if len(r.Problems()) != 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, r.Problems(), want)
	}
}

func TestEmptyIsNotNil(t *testing.T) {
	t.Parallel()
	read := func(text string) *jsonwire.Reader { return jsonwire.NewReader([]byte(text), jsonwire.Options{}) }
	if m := read(" { } ").StringMap(); m == nil || len(m) != 0 {
		t.Errorf("StringMap = %v", m)
	}
	if s := read(" [ ] ").Strings(); s == nil || len(s) != 0 {
		t.Errorf("Strings = %v", s)
	}
	if b := read(`""`).Bytes(); b == nil || len(b) != 0 {
		t.Errorf("Bytes = %v", b)
	}
	if b := read(`[]`).Bytes(); b == nil || len(b) != 0 {
		t.Errorf("Bytes = %v", b)
	}
	if b := read(`""`).Text(); b == nil || len(b) != 0 {
		t.Errorf("Text = %v", b)
	}
	if v, ok := read(`{}`).Any().(map[string]any); !ok || v == nil {
		t.Errorf("Any = %v", v)
	}
	if v, ok := read(`[]`).Any().([]any); !ok || v == nil {
		t.Errorf("Any = %v", v)
	}
	if read("null").StringMap() != nil || read("null").Strings() != nil || read("null").Bytes() != nil ||
		read("null").Any() != nil || read("null").Raw() != nil || read("null").Text() != nil {
		t.Error("null is not nil")
	}
	if key := read(`{"":1}`).Object(); key == nil || len(key) != 0 {
		t.Errorf("the empty key is %v", key)
	}
}

func TestKind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byte{
		"{}": '{', "[": '[', `"a"`: '"', "1": '0', "-": '0', "true": 't', "false": 't', "null": 'n', "": 0, "x": 0,
		"]": 0, "\x01\"a\"": 0, " \n\t\r 7": '0', "           1": '0',
	} {
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
		if got := r.Kind(); got != want {
			t.Errorf("Kind(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestUnmarshalers(t *testing.T) {
	t.Parallel()
	const text = `[ {"a": 1} ,null, "2024-05-06T07:08:09Z", "toolong", null, 3]`
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
	var raw, null json.RawMessage
	var value textValue
	r.Array()
	r.Unmarshaler(&raw)
	r.NextElem()
	r.Unmarshaler(&null)
	r.NextElem()
	r.Unmarshaler(failing{})
	r.NextElem()
	r.TextUnmarshaler(&value)
	r.NextElem()
	r.TextUnmarshaler(failing{})
	r.NextElem()
	r.TextUnmarshaler(failing{})
	r.NextElem()
	r.End()
	if string(raw) != `{"a": 1}` || string(null) != "null" || value != "" {
		t.Errorf("got %s, %s, %s", raw, null, value)
	}
	var got []string
	for _, p := range r.Problems() {
		got = append(got, p.Code.String()+" "+text[p.Offset:p.End])
		if p.Code == wire.InvalidValue && p.Err == nil {
			t.Errorf("%v has no error", p)
		}
	}
	if want := []string{
		`invalid value "2024-05-06T07:08:09Z"`, `invalid value "toolong"`,
		"wrong type 3",
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

type failing struct{}

func (failing) UnmarshalJSON([]byte) error { return errors.New("no JSON") }
func (failing) UnmarshalText([]byte) error { return errors.New("no text") }

func TestReset(t *testing.T) {
	t.Parallel()
	r := jsonwire.NewReader([]byte(`{"a":1`), jsonwire.Options{
		Strict: true, Annotated: true,
		Limits: schema.Limits{Problems: 1},
	})
	r.Any()
	if r.Err() == nil || !r.Strict() {
		t.Errorf("error %v, strict %v", r.Err(), r.Strict())
	}
	kept := `["` + strings.Repeat("é\\n", 50000) + `",` + strings.Repeat(`{"a":"b"},`, 3000) + `1]`
	r.Reset([]byte(kept), jsonwire.Options{})
	first := r.Any()
	r.Reset([]byte(`["x",2]`), jsonwire.Options{})
	if got, want := r.Any(), []any{"x", int64(2)}; !reflect.DeepEqual(got, want) || r.Err() != nil ||
		r.Problems() != nil || r.Strict() || r.Dropped() != 0 {
		t.Errorf("got %v, %v", got, r.Problems())
	}
	if want, err := slowAny([]byte(kept)); err != nil || !reflect.DeepEqual(first, want) {
		t.Error("results change with Reset")
	}
	r.Release()
	if r.Skip(); r.Err() == nil || r.Offset() != 0 {
		t.Errorf("an empty text: %v", r.Err())
	}
	var zero jsonwire.Reader
	if zero.Any(); zero.Err() == nil {
		t.Error("the zero Reader has a value")
	}
}

// TestDepth checks that values may be nested as deep as the limit says, and no deeper, also where
// the innermost is empty.
func TestDepth(t *testing.T) {
	t.Parallel()
	for way, read := range map[string]func(*jsonwire.Reader){
		"skip": (*jsonwire.Reader).Skip,
		"any":  func(r *jsonwire.Reader) { r.Any() },
		"raw":  func(r *jsonwire.Reader) { r.Raw() },
	} {
		for text, depth := range map[string]int{
			"[]": 1, "{}": 1, `{"a":1}`: 1, "[[]]": 2, "[{}]": 2, `{"a":{}}`: 2, `{"a":[]}`: 2, `{"a": {} }`: 2,
			`[[1],{"a":[1]}]`: 3, `{"a":{"b":{"c":1}}}`: 3, `{"a":{"b":{}}}`: 3,
		} {
			for limit := 1; limit <= 3; limit++ {
				o := jsonwire.Options{Strict: true, Limits: schema.Limits{Depth: limit}}
				r := jsonwire.NewReader([]byte(text), o)
				read(r)
				r.End()
				e, ok := errors.AsType[*schema.LimitError](r.Err())
				if ok != (depth > limit) || ok && e.Limit != "Depth" {
					t.Errorf("%s of %s with at most %d levels: %v", way, text, limit, r.Err())
				}
			}
		}
	}
}

// The input can be reused after decoding, whatever was read from it.
func TestInputIsNotRetained(t *testing.T) {
	t.Parallel()
	text := []byte(`{"a":["plain","esc\u0061ped","` + strings.Repeat("long", 100) +
		`",{"key":"v"}],"r":{"x": "raw"},"b":"aGVsbG8gd29ybGQ=","m":{"k":"v"},"l":["s"],"unknown":1,"bad":"x"}`)
	r := jsonwire.NewReader(text, jsonwire.Options{Strict: true})
	var kept []any
	for key := r.Object(); key != nil; key = r.NextKey() {
		kept = append(kept, r.KeyString(key))
		switch string(key) {
		case "a":
			kept = append(kept, r.Any())
		case "r":
			kept = append(kept, r.Raw())
		case "b":
			kept = append(kept, r.Bytes())
		case "m":
			kept = append(kept, r.StringMap())
		case "l":
			kept = append(kept, r.Strings())
		case "bad":
			r.Bool(false)
		default:
			r.Unknown(key, nil)
		}
	}
	kept = append(kept, r.Problems())
	before, err := json.Marshal(kept)
	if err != nil || r.Err() != nil {
		t.Fatal(err, r.Err())
	}
	for i := range text {
		text[i] = '#'
	}
	if after, _ := json.Marshal(kept); string(after) != string(before) {
		t.Errorf("the results changed:\n%s\n%s", before, after)
	}
}
