package json_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"slices"
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
			"as large as is allowed", `{"items":["` + strings.Repeat("x", 98) + `",{}]}`,
			`"` + strings.Repeat("x", 98) + `" | {} | H{"items":[]}`,
		},
		{
			"a byte larger", `{"items":["` + strings.Repeat("x", 99) + `",{}]}`,
			`! line 1, column 11: items[0]: the item has 101 bytes, more than 100; raise Limits.Item to read it | {} | H{"items":[]}`,
		},
		{"a comma behind", `{"items":[{},]}`, `{} | ! line 1, column 14: unexpected character ']', expected a value`},
		{
			"a letter behind a word", `{"items":[{},nullé]}`,
			`{} | ! line 1, column 18: unexpected character 'é', expected ',' or ']'`,
		},
		{"two words", `{"items":[1 null]}`, `1 | ! line 1, column 13: unexpected character 'n', expected ',' or ']'`},
		{"a malformed number", `{"items":[01]}`, `! line 1, column 12: unexpected character '1', expected ',' or ']'`},
		{"a letter behind", `{"items":[{}é]}`, `{} | ! line 1, column 13: unexpected character 'é', expected ',' or ']'`},
		{
			"head too large in parts", `{"a":"` + strings.Repeat("x", 60) + `","b":"` + strings.Repeat("x", 60) + `","items":[{}]}`,
			"! line 1, column 135: the list without its items has more than 100 bytes; raise Limits.Item to read it",
		},
		{
			"head too large", `{"a":"` + strings.Repeat("x", 100) + `","items":[{}]}`,
			"! line 1, column 108: the list without its items has more than 100 bytes; raise Limits.Item to read it",
		},
		{
			"white space before the list", strings.Repeat(" ", 101) + "{}",
			"! line 1, column 101: the list without its items has more than 100 bytes; raise Limits.Item to read it",
		},
		{
			"white space before a name", "{" + strings.Repeat(" ", 101) + `"items":[]}`,
			"! line 1, column 102: the list without its items has more than 100 bytes; raise Limits.Item to read it",
		},
		{
			"white space between items", `{"items":[{},` + strings.Repeat("\n", 101) + `{}]}`,
			"{} | ! line 101, column 1: the list without its items has more than 100 bytes; raise Limits.Item to read it",
		},
		{
			"white space between items as is allowed", `{"items":[{},` + strings.Repeat(" ", 100) + `{}]}`,
			`{} | {} | H{"items":[]}`,
		},
		{
			"white space after the list", `{"items":[{}]}` + strings.Repeat(" ", 101),
			"{} | ! line 1, column 115: the list without its items has more than 100 bytes; raise Limits.Item to read it",
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

// TestReadListBreaks checks that an error of the reader is the last that is yielded, wherever it
// occurs, and that no part of an item is taken for the whole.
func TestReadListBreaks(t *testing.T) {
	t.Parallel()
	disk := errors.New("the disk is gone")
	const list = `{"kind":"L","items":[{"a":1},2 , 3] , "metadata" : {}}`
	items := []string{`{"a":1}`, "2", "3"}
	for n := range len(list) + 1 {
		var got []string
		r := io.MultiReader(strings.NewReader(list[:n]), iotest.ErrReader(disk))
		var last error
		for part, err := range json.Format().ReadList(r, format.ListReadOptions{}) {
			if last != nil {
				t.Errorf("after %d bytes: more is yielded after the error %v", n, last)
			}
			switch last = err; {
			case err != nil:
			case part.Item == nil:
				t.Errorf("after %d bytes: the list ends", n)
			default:
				got = append(got, string(part.Item.Raw()))
			}
		}
		if !errors.Is(last, disk) || len(got) > len(items) || !slices.Equal(got, items[:len(got)]) {
			t.Errorf("after %d bytes: %q, %v", n, got, last)
		}
	}
}

// TestEarlyItemsStay checks that items that precede the type of their list, which are kept until it
// is known, do not change when more is read.
func TestEarlyItemsStay(t *testing.T) {
	t.Parallel()
	var kept []format.Document
	var want []string
	for i := range 1000 {
		want = append(want, fmt.Sprintf(`{"a":"%03d"}`, i))
	}
	data := `{"apiVersion":"v1","items":[` + strings.Join(want, ",") + `],"kind":"List"}`
	for part, err := range json.Format().ReadList(strings.NewReader(data), format.ListReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if part.Item != nil {
			kept = append(kept, part.Item)
		}
	}
	var got []string
	for _, item := range kept {
		got = append(got, string(item.Raw()))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d items, and the first one has become %q", len(got), got[0])
	}
}

// letters reads as an endless text.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestLargeItemsAreNotKept checks that an item beyond the limit takes no memory. It is not parallel
// because it counts the memory of the process.
func TestLargeItemsAreNotKept(t *testing.T) {
	const size = 32 << 20
	r := io.MultiReader(strings.NewReader(`{"items":["`), io.LimitReader(letters{}, size), strings.NewReader(`",{}]}`))
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	n := 0
	for part := range json.Format().ReadList(r, format.ListReadOptions{Limits: schema.Limits{Item: 1 << 16}}) {
		if part.Item != nil {
			n++
		}
	}
	goruntime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; n != 1 || taken > size/4 {
		t.Errorf("%d items, %d bytes are allocated for an item of %d that is left out", n, taken, size)
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

// TestOpenEvent checks what is an event, and that it is nothing else.
func TestOpenEvent(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	for _, tt := range []struct{ frame, eventType, object, problem string }{
		{` {"type":"ADDED","object": {"a":1} } `, "ADDED", `{"a":1}`, ""},
		{`{"object":{},"more":[1],"type":"X"}`, "X", "{}", ""},
		{`{"type":"X","object":{}}x`, "", "", "unexpected character 'x'"},
		{`{"type":"X","object":{}}{}`, "", "", "unexpected character '{'"},
		{`{"type":"X"}`, "", "", "has a type and an object"},
		{`{"object":{}}`, "", "", "has a type and an object"},
		{`{"type":"","object":{}}`, "", "", "has a type and an object"},
		{`{"type":1,"object":{}}`, "", "", "expected string"},
		{`[]`, "", "", "expected object"},
		{" \n", "", "", ""},
	} {
		eventType, doc, err := json.Format().Events.Open([]byte(tt.frame), schema.Limits{})
		object := ""
		if doc != nil {
			object = string(doc.Raw())
		}
		if eventType != tt.eventType || object != tt.object || (err != nil) != (tt.problem != "") ||
			err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s: %q, %s, %v", tt.frame, eventType, object, err)
		}
	}
	// the limits of an object apply when it is decoded
	if _, doc, err := json.Format().Events.Open([]byte(`{"type":"X","object":`+deep+`}`), schema.Limits{}); doc == nil {
		t.Errorf("a deep object: %v", err)
	}
}

func TestSplice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, before, after, want string }{
		{`{"m":{"a":1,"b":2}}`, `{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"m":{"a":1,"b":3}}`},
		{`{"m":{"a":1,"b":2}}`, `{"a":1,"b":2}`, `{"b":2}`, `{"m":{"b":2}}`},
		{`{"m":{"a":1,"b":2}}`, `{"a":1,"b":2}`, `{}`, `{"m":{}}`},
		{`{"m":{"a\\":1,"\\\"b\\\\":2,"c":3}}`, `{"\\\"b\\\\":2}`, `{}`, `{"m":{"a\\":1,"c":3}}`},
		{`{ "m" : { "x\"" : 1 , "\"" : 2 } }`, `{"\"":2}`, `{}`, `{ "m" : { "x\"" : 1  } }`},
		{`{}`, `{}`, `{"a":[1]}`, `{"m":{"a":[1]}}`},
		{` { "x": 1}`, `{}`, `{"a":"b"}`, ` {"m":{"a":"b"}, "x": 1}`},
		{`{"m":{}}`, `{"a":1}`, `{}`, `{"m":{}}`},
		{`{"m":null}`, `{}`, `{"a":1}`, `{"m":{"a":1}}`},
		{`{"m":{"a":1,"b":2,"a":3}}`, `{"a":3,"b":2}`, `{"a":4,"b":2}`, `{"m":{"a":1,"b":2,"a":4}}`},
	} {
		text := append(make([]byte, 0, 100), c.text...)
		got, err := json.Format().Splice.Member(text, "m", []byte(c.before), []byte(c.after))
		if err != nil || string(got) != c.want {
			t.Errorf("Splice(%s, %s, %s) = %s, %v; want %s", c.text, c.before, c.after, got, err, c.want)
		}
		if room := text[:cap(text)]; string(bytes.TrimRight(room, "\x00")) != c.text {
			t.Errorf("Splice(%s, %s, %s) has changed the text to %q", c.text, c.before, c.after, room)
		}
	}
	for _, text := range []string{``, `[]`, `{"m":1}`, `{"m":{},"m":{}}`, "\ufeff{\"m\":1}"} {
		if got, err := json.Format().Splice.Member([]byte(text), "m", []byte(`{}`), []byte(`{"a":1}`)); err == nil {
			t.Errorf("Splice(%s) = %s", text, got)
		}
	}
}
