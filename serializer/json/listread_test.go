package json_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/askind/askind/internal/sample"
	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
)

// readList says what the parts of a list are: the text of items, the text of the head behind an H,
// and errors.
func readList(data string, oneByte bool, limit int) (out []string) {
	r := iotest.DataErrReader(strings.NewReader(data))
	if oneByte {
		r = iotest.OneByteReader(strings.NewReader(data))
	}
	for part, err := range json.Format().ReadList(r, format.ListReadOptions{Limits: schema.Limits{Item: limit}}) {
		switch {
		case err != nil:
			out = append(out, "! "+err.Error())
		case part.Item != nil:
			out = append(out, string(part.Item.Raw()))
		default:
			out = append(out, "H"+string(part.Head.Raw()))
		}
	}
	return out
}

func TestReadListParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{
			"spaces", " {\r\n \"items\" : [ {\"a\":1} , {} ] , \"b\" : [ ] } \n",
			"{\"a\":1} | {} | H{\r\n \"items\" : [] , \"b\" : [ ] }",
		},
		{
			"values of all types", `{"items":["]",1,true,[[]],null,-1e3]}`,
			`"]" | 1 | true | [[]] | {} | -1e3 | H{"items":[]}`,
		},
		{"items inside", `{"a":{"items":[1]},"items":[2]}`, `2 | H{"a":{"items":[1]},"items":[]}`},
		{
			"items twice", `{"items":[2],"items":[3]}`,
			`2 | ! line 1, column 14: items: the list has another field "items" here, which would replace the items already read`,
		},
		{"nothing", " ", ""},
		{"no object", "\ufeff [1]", "! line 1, column 2: expected an object, found another JSON value"},
		{"text behind", "{}{}", "! line 1, column 3: unexpected text after the list"},
		{
			"too large", `{"items":["` + strings.Repeat("x", 100) + `",{}]}`,
			`! line 1, column 11: items[0]: the item has 102 bytes, more than 100; raise Limits.Item to read it | {} | H{"items":[]}`,
		},
		{
			"head too large", `{"a":"` + strings.Repeat("x", 100) + `","items":[{}]}`,
			"! line 1, column 108: the list without its items has more than 100 bytes; raise Limits.Item to read it",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, oneByte := range []bool{false, true} {
				if got := strings.Join(readList(c.in, oneByte, 100), " | "); got != c.want {
					t.Errorf("got  %q\nwant %q", got, c.want)
				}
			}
		})
	}
}

// FuzzReadList checks that a list is the same however it arrives, and that the items of a sound one
// are all there.
func FuzzReadList(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `{"items":[{"a":"]}"},null,1]}`, `{"items":[`, `{"items":[1,]}`,
		"\ufeff{\"items\":[{}],\"b\":1} x", `{"items" : {}}`, `[`, `{"items":["\"`, `{"a":]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		whole, bytewise := readList(data, false, 1<<20), readList(data, true, 1<<20)
		if strings.Join(whole, "\n") != strings.Join(bytewise, "\n") {
			t.Errorf("%q is read as %q, byte by byte as %q", data, whole, bytewise)
		}
		readList(data, true, 3)
	})
}

// FuzzEvents checks that frames are the same however they arrive, and that they hold all of the
// text.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{
		``, `{"type":"ADDED","object":{}}` + "\n" + `{"object":{"}":"\""},"type":"X"}`, `]`,
		`{"type":1}`, `1 2`, `"a`, `{"type":"a","object":[]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		frames := func(size int) (out []string) {
			framer := json.Format().Events.NewFramer()
			frame := ""
			for rest := data; rest != ""; {
				n, done := framer.Next([]byte(rest[:min(size, len(rest))]))
				if n == 0 && !done {
					t.Fatalf("%q: nothing is taken of %q", data, rest)
				}
				frame, rest = frame+rest[:n], rest[n:]
				if done {
					out, frame = append(out, frame), ""
				}
			}
			return append(out, frame)
		}
		whole := frames(len(data) + 1)
		if bytewise := frames(1); strings.Join(whole, "|") != strings.Join(bytewise, "|") ||
			strings.Join(whole, "") != data {
			t.Errorf("%q has the frames %q, byte by byte %q", data, whole, bytewise)
		}
		for _, frame := range whole {
			_, doc, err := json.Format().Events.Open([]byte(frame), schema.Limits{})
			if (doc == nil) != (err != nil) && len(bytes.TrimSpace([]byte(frame))) > 0 {
				t.Errorf("%q: document %v, error %v", frame, doc, err)
			}
			if doc != nil {
				doc.Decode(sample.Kind(t), new(samplev1.Machine), runtime.ReadOptions{Strict: true})
			}
		}
	})
}

func TestSplice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, before, after, want string }{
		{`{"m":{"a":1,"b":2}}`, `{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"m":{"a":1,"b":3}}`},
		{`{"m":{"a":1,"b":2}}`, `{"a":1,"b":2}`, `{"b":2}`, `{"m":{"b":2}}`},
		{`{"m":{"a":1,"b":2}}`, `{"a":1,"b":2}`, `{}`, `{"m":{}}`},
		{`{ "m" : { "x\"" : 1 , "\"" : 2 } }`, `{"\"":2}`, `{}`, `{ "m" : { "x\"" : 1  } }`},
		{`{}`, `{}`, `{"a":[1]}`, `{"m":{"a":[1]}}`},
		{` { "x": 1}`, `{}`, `{"a":"b"}`, ` {"m":{"a":"b"}, "x": 1}`},
		{`{"m":{}}`, `{"a":1}`, `{}`, `{"m":{}}`},
		{`{"m":null}`, `{}`, `{"a":1}`, `{"m":{"a":1}}`},
	} {
		got, err := json.Format().Splice.Member([]byte(c.text), "m", []byte(c.before), []byte(c.after))
		if err != nil || string(got) != c.want {
			t.Errorf("Splice(%s, %s, %s) = %s, %v; want %s", c.text, c.before, c.after, got, err, c.want)
		}
	}
	for _, text := range []string{``, `[]`, `{"m":1}`, `{"m":{},"m":{}}`, "\ufeff{\"m\":1}"} {
		if got, err := json.Format().Splice.Member([]byte(text), "m", []byte(`{}`), []byte(`{"a":1}`)); err == nil {
			t.Errorf("Splice(%s) = %s", text, got)
		}
	}
}
