package jsonwire_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/jsonwire"
)

// decode reads a server and returns the problems as text: code, the offending part of the input,
// message.
func decode(text string, o jsonwire.Options) (*sample.Server, []string) {
	r := jsonwire.NewReader([]byte(text), o)
	out := new(sample.Server)
	sample.DecodeJSONServer(r, out)
	r.End()
	var lines []string
	for _, p := range r.Problems() {
		line := p.Code.String() + " |" + text[p.Offset:p.End] + "| " + p.Message
		if p.Nearest != "" {
			line += " -> " + p.Nearest
		}
		lines = append(lines, line)
	}
	return out, lines
}

func TestProblems(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, text string
		options    jsonwire.Options
		want       []string
	}{
		{name: "none", text: `{"kind":"Machine"}`, options: jsonwire.Options{Strict: true}},
		{name: "lenient", text: `{"kindd":"Machine","kind":"a","kind":"b"}`},
		{
			name: "unknown fields", text: `{"kindd":"Machine","spec":{"x\u0079z":[1,{"a":2}],"paussed":true}}`,
			options: jsonwire.Options{Strict: true},
			want: []string{
				`unknown field |"kindd"| unknown field "kindd" -> kind`,
				`unknown field |"x\u0079z"| unknown field "xyz"`,
				`unknown field |"paussed"| unknown field "paussed" -> paused`,
			},
		},
		{
			name: "other case", text: `{"Kind":"Machine"}`, options: jsonwire.Options{Strict: true},
			want: []string{`unknown field |"Kind"| unknown field "Kind" -> kind`},
		},
		{
			name:    "duplicate fields",
			text:    `{"kind":"a","spec":{"limits":{"a":1,"b":2,"a":3},"extra":{"x":[{"y":1,"y":2}]}},"kind":"b","metadata":{"labels":{"l":"1","l":"2","l":"3"}}}`,
			options: jsonwire.Options{Strict: true},
			want: []string{
				`duplicate field |"a"| duplicate field "a"`, `duplicate field |"y"| duplicate field "y"`,
				`duplicate field |"kind"| duplicate field "kind"`,
				`duplicate field |"l"| duplicate field "l"`, `duplicate field |"l"| duplicate field "l"`,
			},
		},
		{
			name: "wrong types", text: `{"kind":1,"metadata":[1],"spec":{"paused":"yes","replicas":{"a":1},"weight":null,"disks":[3,{"name":false}],"limits":{"a":"b"},"secret":1},"status":true}`,
			want: []string{
				"wrong type |1| expected string, found number", "wrong type |[1]| expected object, found array",
				`wrong type |"yes"| expected boolean, found string`,
				`wrong type |{"a":1}| expected integer, found object`, "wrong type |3| expected object, found number",
				"wrong type |false| expected string, found boolean", `wrong type |"b"| expected integer, found string`,
				"wrong type |1| expected string, found number", "wrong type |true| expected object, found boolean",
			},
		},
		{
			name: "numbers", text: `{"spec":{"replicas":2147483648,"weight":1e999,"limits":{"a":1.0,"b":1e2,"c":-99999999999999999999}}}`,
			want: []string{
				"out of range |2147483648| number 2147483648 is out of range for int32",
				"out of range |1e999| number 1e999 is out of range for float64",
				"wrong type |1.0| expected integer, found number 1.0",
				"wrong type |1e2| expected integer, found number 1e2",
				"out of range |-99999999999999999999| number -99999999999999999999 is out of range for int64",
			},
		},
		{
			name: "base64", text: `{"spec":{"secret":"a?b="}}`,
			want: []string{`invalid value |"a?b="| illegal base64 data at input byte 1`},
		},
		{
			name: "a syntax problem comes last", text: `{"kind":1,"spec":{"paused":2,"replicas":tru}}`,
			want: []string{
				"wrong type |1| expected string, found number",
				"wrong type |2| expected boolean, found number", "syntax |tru}| invalid literal, expected true",
			},
		},
		{
			name: "bad literal", text: `{"spec":{"paused":trux}}`,
			want: []string{"syntax |trux| invalid literal, expected true"},
		},
		{
			name: "end of text", text: `{"kind":"a"`,
			want: []string{"syntax || unexpected end of text, expected ',' or '}'"},
		},
		{name: "empty", text: ``, want: []string{"syntax || unexpected end of text, expected object"}},
		{
			name: "trailing text", text: `{} x`,
			want: []string{"syntax |x| unexpected character 'x', expected the end of the text"},
		},
		{
			name: "no colon", text: `{"kind" 1}`,
			want: []string{"syntax |1| unexpected character '1', expected ':' after a member name"},
		},
		{
			name: "trailing comma", text: `{"kind":"a",}`,
			want: []string{"syntax |}| unexpected character '}', expected a member name"},
		},
		{
			name: "trailing comma in an array", text: `{"spec":{"disks":[{},]}}`,
			want: []string{"syntax |]| unexpected character ']', expected object"},
		},
		{
			name: "control character", text: "{\"kind\":\"a\nb\"}",
			want: []string{"syntax |\n| control character in a string, expected an escape"},
		},
		{
			name: "invalid UTF-8", text: "{\"kind\":\"a\xffb\"}",
			want: []string{"syntax |\xff| invalid UTF-8 in a string"},
		},
		{
			name: "invalid UTF-8 outside of strings", text: "{\xff}",
			want: []string{"syntax |\xff| unexpected invalid UTF-8, expected a member name or '}'"},
		},
		{name: "invalid escape", text: `{"kind":"a\qb"}`, want: []string{`syntax |\| invalid escape in a string`}},
		{
			name: "leading zero", text: `{"spec":{"replicas":01}}`,
			want: []string{"syntax |1| unexpected character '1', expected ',' or '}'"},
		},
		{
			name: "a mark without leave", text: "{\"kind\":\x01\"a\"}",
			want: []string{"syntax |\x01| unexpected character '\\x01', expected string"},
		},
		{
			name: "depth", text: `{"spec":{"extra":[[[[]]]]}}`,
			options: jsonwire.Options{Limits: schema.Limits{Depth: 5}},
			want:    []string{"limit |[| the nesting has 6 levels, more than 5; raise Limits.Depth to read it"},
		},
		{
			name: "depth that is granted", text: `{"spec":{"extra":[[[]]]}}`,
			options: jsonwire.Options{Limits: schema.Limits{Depth: 5}},
		},
		{
			name: "depth in what is skipped", text: `{"unknown":{"extra":[[[[]]]]}}`,
			options: jsonwire.Options{Limits: schema.Limits{Depth: 5}},
			want:    []string{"limit |[| the nesting has 6 levels, more than 5; raise Limits.Depth to read it"},
		},
		{
			name: "the number of problems", text: `{"a":1,"kind":1,"b":2,"kind":"x","c":3`,
			options: jsonwire.Options{Strict: true, Limits: schema.Limits{Problems: 2}},
			want: []string{
				`unknown field |"a"| unknown field "a"`, "wrong type |1| expected string, found number",
				"syntax || unexpected end of text, expected ',' or '}'",
			},
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if _, got := decode(row.text, row.options); !slices.Equal(got, row.want) {
				t.Errorf("%s:\n got %s\nwant %s", row.text, strings.Join(got, "\n     "),
					strings.Join(row.want, "\n     "))
			}
		})
	}
}

func TestDropped(t *testing.T) {
	t.Parallel()
	r := jsonwire.NewReader([]byte(`{"a":1,"b":2,"c":3,"kind":4}`),
		jsonwire.Options{Strict: true, Limits: schema.Limits{Problems: 1}})
	sample.DecodeJSONServer(r, new(sample.Server))
	if got, want := len(r.Problems()), 1; got != want {
		t.Errorf("%d problems, want %d", got, want)
	}
	if got, want := r.Dropped(), 3; got != want {
		t.Errorf("%d dropped, want %d", got, want)
	}
}

func TestDecodingGoesOn(t *testing.T) {
	t.Parallel()
	got, problems := decode(
		`{"kind":1,"apiVersion":"v1","spec":{"replicas":"x","paused":true,"limits":{"a":"x","b":2}}}`,
		jsonwire.Options{},
	)
	if len(problems) != 3 {
		t.Errorf("problems: %q", problems)
	}
	if got.APIVersion != "v1" || !got.Spec.Paused || got.Spec.Limits["b"] != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestErr(t *testing.T) {
	t.Parallel()
	r := jsonwire.NewReader([]byte(`{"kind":}`), jsonwire.Options{})
	sample.DecodeJSONServer(r, new(sample.Server))
	e, ok := errors.AsType[*jsonwire.Error](r.Err())
	if !ok || e.Code != wire.Syntax || e.Offset != 8 {
		t.Errorf("got %#v", r.Err())
	}
	if got, want := r.Err().Error(), "jsonwire: offset 8: unexpected character '}', expected string"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// Every further read returns what it was given.
	if r.Object() != nil || r.NextKey() != nil || r.Array() || r.NextElem() || r.Null() || r.Kind() != 0 ||
		r.String("x") != "x" || !r.Bool(true) ||
		r.Int64(7) != 7 || r.Uint8(7) != 7 || r.Float32(7) != 7 || r.Bytes() != nil || r.StringMap() != nil ||
		r.Strings() != nil || r.Any() != nil || r.Raw() != nil {
		t.Error("a read after the end of the text found something")
	}
	r.Invalid(errors.New("late"))
	r.Skip()
	r.End()
	if len(r.Problems()) != 1 {
		t.Errorf("problems: %v", r.Problems())
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	for c := wire.Syntax; c <= wire.OtherKind; c++ {
		if strings.HasPrefix(c.String(), "ProblemCode") {
			t.Errorf("code %d has no words", c)
		}
		if c.Strict() && c.Fatal() {
			t.Errorf("%v is both strict and fatal", c)
		}
	}
	if got := wire.Code(99).String(); got != "wire.Code(99)" {
		t.Errorf("got %q", got)
	}
}

func TestManyFields(t *testing.T) {
	t.Parallel()
	r := jsonwire.NewReader([]byte(`{"a":1,"a":2}`), jsonwire.Options{Strict: true})
	var seen [2]uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		const bit = 100
		r.Seen(&seen[bit/64], bit%64, key)
		r.Skip()
	}
	if len(r.Problems()) != 1 || seen != [2]uint64{0, 1 << 36} {
		t.Errorf("problems %v, seen %x", r.Problems(), seen)
	}
}

func TestLongNamesAreShortened(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("é", 1000)
	r := jsonwire.NewReader([]byte(`{"`+name+`":1}`), jsonwire.Options{Strict: true})
	sample.DecodeJSONServer(r, new(sample.Server))
	p := r.Problems()
	if len(p) != 1 || p[0].Name != name || len(p[0].Message) > 200 {
		t.Errorf("problems: %v", p)
	}
}

// TestLongLeafErrors checks that the message of a leaf decoder that quotes its input is shortened.
func TestLongLeafErrors(t *testing.T) {
	t.Parallel()
	r := jsonwire.NewReader([]byte(`"`+strings.Repeat("x", 100_000)+`"`), jsonwire.Options{})
	_, err := time.ParseDuration(string(r.Text()))
	r.Invalid(err)
	got := r.Problems()
	if len(got) != 1 || len(got[0].Message) > 1024 || !strings.Contains(got[0].Message, `invalid duration "xxx`) {
		t.Errorf("got %.2000v", got)
	}
}
