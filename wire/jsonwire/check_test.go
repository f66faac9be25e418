package jsonwire_test

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// repeatedNames is what a strict reader says of a raw value, by the tokens of encoding/json.
func repeatedNames(text string) []string {
	d := stdjson.NewDecoder(strings.NewReader(text))
	var found []string
	var value func()
	value = func() {
		switch token, _ := d.Token(); token {
		case stdjson.Delim('{'):
			seen := map[string]bool{}
			for d.More() {
				name, _ := d.Token()
				if seen[name.(string)] {
					found = append(found, name.(string))
				}
				seen[name.(string)] = true
				value()
			}
			_, _ = d.Token()
		case stdjson.Delim('['):
			for d.More() {
				value()
			}
			_, _ = d.Token()
		}
	}
	value()
	return found
}

// randomValue writes a value whose members have few different names, with white space in places.
func randomValue(b *bytes.Buffer, r *rand.Rand, depth int) {
	space := func() { b.WriteString([]string{"", "", " ", "\n\t"}[r.IntN(4)]) }
	name := func() string {
		return []string{`"a"`, `"b"`, `"\u0061"`, `"c\""`, `":"`, fmt.Sprintf(`"k%d"`, r.IntN(80))}[r.IntN(6)]
	}
	space()
	defer space()
	n := r.IntN(5)
	if r.IntN(20) == 0 {
		n = 60
	}
	switch kind := r.IntN(5); {
	case kind < 2 && depth > 0:
		b.WriteByte('{')
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			b.WriteString(name())
			space()
			b.WriteByte(':')
			randomValue(b, r, depth-1)
		}
		space()
		b.WriteByte('}')
	case kind == 2 && depth > 0:
		b.WriteByte('[')
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			randomValue(b, r, depth-1)
		}
		space()
		b.WriteByte(']')
	case kind == 3:
		b.WriteString(name())
	default:
		b.WriteString([]string{"1", "null", "true", "-2.5e3"}[r.IntN(4)])
	}
}

func TestRawFindsDuplicates(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	some := 0
	for range 500 {
		var b bytes.Buffer
		randomValue(&b, random, 4)
		if checkDuplicates(t, b.String()) {
			some++
		}
	}
	if some < 25 {
		t.Errorf("only %d of the texts had duplicates", some)
	}
}

// checkDuplicates holds what a strict reader says of a raw value, and of one that a method reads,
// against encoding/json. It reports whether there were duplicates.
func checkDuplicates(t *testing.T, text string) bool {
	t.Helper()
	want := repeatedNames(text)
	slices.Sort(want)
	for way, read := range map[string]func(*jsonwire.Reader){
		"raw":         func(r *jsonwire.Reader) { r.Raw() },
		"unmarshaler": func(r *jsonwire.Reader) { r.Unmarshaler(new(stdjson.RawMessage)) },
	} {
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{Strict: true, Limits: schema.Limits{Problems: 10000}})
		read(r)
		var got []string
		for _, p := range r.Problems() {
			if p.Code != wire.DuplicateField || text[p.Offset] != '"' || text[p.End-1] != '"' {
				t.Fatalf("%q: %s: problem %v", text, way, p)
			}
			got = append(got, p.Name)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("%q: %s: duplicates %q, want %q", text, way, got, want)
		}
		lenient := jsonwire.NewReader([]byte(text), jsonwire.Options{})
		if read(lenient); len(lenient.Problems()) > 0 {
			t.Fatalf("%q: %s: a lenient reader finds %v", text, way, lenient.Problems())
		}
	}
	return len(want) > 0
}

// boxes is a Checker of one kind: a Box has a number, and another object in it.
type boxes struct{}

func (boxes) CheckJSON(r *jsonwire.Reader, apiVersion, kind []byte) bool {
	if string(apiVersion) != "v1" || string(kind) != "Box" {
		return false
	}
	readBox(r)
	return true
}

func readBox(r *jsonwire.Reader) (inside []byte) {
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "apiVersion", "kind":
			r.String("")
		case "number":
			r.Int64(0)
		case "in":
			inside = r.RawObject()
		default:
			r.Unknown(key, []string{"number", "in"})
		}
	}
	return inside
}

// boxed returns n boxes in one another, and text as the last members of the innermost.
func boxed(n int, text string) string {
	const begin = `{"apiVersion":"v1","kind":"Box"`
	return strings.Repeat(begin+`,"in":`, n-1) + begin + text + strings.Repeat("}", n)
}

// TestEmbeddedObjects checks what a strict reader finds in objects that it keeps as bytes.
func TestEmbeddedObjects(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`,"x":1`, 9)
	for _, tt := range []struct {
		name, text string
		limits     schema.Limits
		want       []string // code, and the text at the position
		dropped    int
	}{
		{"nothing", boxed(3, `,"number":1`), schema.Limits{}, nil, 0},
		{"an unknown field", boxed(3, `,"nmber":1`), schema.Limits{}, []string{`unknown field "nmber"`}, 0},
		{
			"values that are kept although the kind does not accept them",
			boxed(3, `,"number":"one","number":1e999`),
			schema.Limits{},
			[]string{`invalid embedded object "one"`, `invalid embedded object 1e999`},
			0,
		},
		{"another kind", boxed(2, `,"in":{"apiVersion":"v1","kind":"Crate","x":1}`), schema.Limits{}, nil, 0},
		{
			"duplicates in another kind", boxed(2, `,"in":{"apiVersion":"v1","kind":"Crate","x":1,"x":2}`),
			schema.Limits{},
			[]string{`duplicate field "x"`},
			0,
		},
		{"as many levels as are allowed", boxed(4, `,"x":1`), schema.Limits{Embedded: 3}, []string{`unknown field "x"`}, 0},
		{"a level more", boxed(5, `,"x":1`), schema.Limits{Embedded: 3}, []string{`invalid embedded object {`}, 0},
		{"as deep as is allowed", boxed(3, `,"in":{"a":[]}`), schema.Limits{Depth: 5}, nil, 0},
		{"deeper", boxed(3, `,"in":{"a":[[]]}`), schema.Limits{Depth: 5}, []string{"limit ["}, 0},
		{
			"an object deeper", boxed(3, `,"in":{"apiVersion":"v1","kind":"Box","x":1}`),
			schema.Limits{Depth: 3},
			[]string{"limit {"},
			0,
		},
		{
			"as many problems as are kept", boxed(3, many),
			schema.Limits{Problems: 9},
			slices.Repeat([]string{`unknown field "x"`}, 9), 0,
		},
		{
			"more problems", boxed(3, many),
			schema.Limits{Problems: 4},
			slices.Repeat([]string{`unknown field "x"`}, 4), 5,
		},
	} {
		r := jsonwire.NewReader([]byte(tt.text), jsonwire.Options{Strict: true, Checker: boxes{}, Limits: tt.limits})
		inside := readBox(r)
		r.End()
		var got []string
		for _, p := range r.Problems() {
			got = append(got, p.Code.String()+" "+tt.text[p.Offset:p.End])
		}
		if !slices.Equal(got, tt.want) || r.Dropped() != tt.dropped {
			t.Errorf("%s: got %q and %d more, want %q and %d more", tt.name, got, r.Dropped(), tt.want, tt.dropped)
		}
		want := strings.TrimSuffix(tt.text[len(boxed(1, `,"in":`))-1:], "}")
		if r.Err() == nil && string(inside) != want {
			t.Errorf("%s: %s is kept, want %s", tt.name, inside, want)
		}
		lenient := jsonwire.NewReader([]byte(tt.text), jsonwire.Options{Checker: boxes{}, Limits: tt.limits})
		if readBox(lenient); lenient.Err() == nil && len(lenient.Problems()) > 0 {
			t.Errorf("%s: a lenient reader finds %v", tt.name, lenient.Problems())
		}
	}
}

// TestInner checks that a value which has been read as bytes is decoded within the limits of the
// reader around it.
func TestInner(t *testing.T) {
	t.Parallel()
	nest := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	r := jsonwire.NewReader([]byte(`{"a":{"b":[`), jsonwire.Options{Limits: schema.Limits{Depth: 5, Embedded: 2}})
	r.Object()
	r.Object()
	skip := func(r *jsonwire.Reader) { r.Skip() }
	for _, tt := range []struct {
		name  string
		value []byte
		sound bool
	}{
		{"a value as deep as is left", nest(3), true},
		{"a deeper one", nest(4), false},
		{"two values", []byte("1 2"), false},
		{"a broken one", []byte("tru"), false},
	} {
		if got := r.Inner(tt.value, skip); got != tt.sound || r.Err() != nil {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, r.Err(), tt.sound)
		}
	}
	levels := 0
	var inner func(r *jsonwire.Reader)
	inner = func(r *jsonwire.Reader) {
		r.Skip()
		if levels++; !r.Inner([]byte("1"), inner) && levels != 2 {
			t.Errorf("%d levels are decoded, want 2", levels)
		}
	}
	r.Inner([]byte("1"), inner)
}
