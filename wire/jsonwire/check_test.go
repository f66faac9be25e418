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
