package jsonwire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/askind/askind/wire/jsonwire"
)

// extentsSlow finds the extents of a sound value with encoding/json.
func extentsSlow(t *testing.T, data []byte) []jsonwire.Extent {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out []jsonwire.Extent
	var open, begins []int
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		end := int(d.InputOffset())
		switch token {
		case json.Delim('{'), json.Delim('['):
			open, begins = append(open, len(out)), append(begins, end-1)
			out = append(out, jsonwire.Extent{})
		case json.Delim('}'), json.Delim(']'):
			last := len(open) - 1
			place := open[last]
			out[place] = jsonwire.Extent{Size: int32(end - begins[last]), Count: int32(len(out) - place)}
			open, begins = open[:last], begins[:last]
		}
		if len(open) == 0 {
			return out
		}
	}
}

// checkExtents compares the extents of a text with those that encoding/json finds.
func checkExtents(t *testing.T, data []byte) {
	t.Helper()
	skipped := jsonwire.NewReader(data, jsonwire.Options{})
	skipped.Skip()
	r := jsonwire.NewReader(data, jsonwire.Options{})
	before := []jsonwire.Extent{{Size: 1, Count: 1}}
	got := r.AppendExtents(before)
	if r.Offset() != skipped.Offset() || fmt.Sprint(r.Err()) != fmt.Sprint(skipped.Err()) {
		t.Fatalf("%q: stops at %d, %v; Skip at %d, %v", data, r.Offset(), r.Err(), skipped.Offset(), skipped.Err())
	}
	want := before
	if r.Err() == nil {
		want = append(want, extentsSlow(t, data[:r.Offset()])...)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%q: got %v, want %v", data, got, want)
	}
}

func TestAppendExtents(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`1`, ` "{}" `, `{}`, ` [ ] `, `[[],[{}],{"a":{},"b": { },"c":[ ]}] `, `{"a":"}","\"{":[1,"]"]} {}`,
		`[[[[1]]],{"a":{"b":{}}}]`, `{"a":[1}`, `[`, ``, `[{},`, `{"a":{}`,
	} {
		checkExtents(t, []byte(text))
	}
}

// TestAppendExtentsOfSource reads a source, which has no text.
func TestAppendExtentsOfSource(t *testing.T) {
	t.Parallel()
	text := []byte(`{"a":[]}`)
	source := &textSource{r: jsonwire.NewReader(text, jsonwire.Options{}), size: len(text)}
	r := jsonwire.NewReader(nil, jsonwire.Options{Source: source})
	if got := r.AppendExtents(nil); got != nil || r.Err() != nil {
		t.Errorf("got %v, %v", got, r.Err())
	}
	if r.End(); r.Err() != nil {
		t.Error(r.Err())
	}
}

func FuzzExtents(f *testing.F) {
	addTexts(f)
	f.Fuzz(checkExtents)
}

// A program looks for one member of a long list by the extents of its elements, which it steps over
// without scanning them.
func ExampleReader_AppendExtents() {
	text := []byte(`[{"a":[1,2]},{"b":{}}]`)
	r := jsonwire.NewReader(text, jsonwire.Options{})
	all := r.AppendExtents(nil)
	list, first := all[0], all[1]
	second := all[1+first.Count]
	begin := 1 + first.Size + 1 // behind the bracket, the first element and a comma
	fmt.Println(list.Count, "objects and arrays; the second element is", string(text[begin:begin+second.Size]))
	// Output: 5 objects and arrays; the second element is {"b":{}}
}
