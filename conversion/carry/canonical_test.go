package carry

import (
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
)

func TestHash(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":2}`, ` { "b" : 2, "a" : 1 } `, true},
		{`{"a":1}`, `{"a":1,"b":null,"c":[]}`, true},
		{`{"a":{}}`, `{}`, false}, // an empty member of a union is a choice
		{`{"a":""}`, `{}`, false},
		{`{"a":0}`, `{}`, false},
		{`{"a":false}`, `{}`, false},
		{`{"a":[null]}`, `{"a":[]}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[[1],2]`, `[1,[2]]`, false},
		{`["ab","c"]`, `["a","bc"]`, false},
		{`{"ab":"c"}`, `{"a":"bc"}`, false},
		{`{"a":"b","c":"d"}`, `{"a":"d","c":"b"}`, false},
		{`"1"`, `1`, false},
		{`"true"`, `true`, false},
		{`true`, `false`, false},
		{`1`, `1.0`, true},
		{`1000`, `1e3`, true},
		{`-0`, `0.0`, true},
		{`0.1`, `1e-1`, true},
		{`0.1`, `0.2`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`123456789012345678901234567890`, `123456789012345678901234567891`, false},
		{`1e999`, `1e998`, false},
		{`1e300`, `1e301`, false},
		{`"\u0041<"`, `"A\u003c"`, true},
	} {
		a, err := hash([]byte(tt.a), All())
		b, err2 := hash([]byte(tt.b), All())
		if err != nil || err2 != nil || (a == b) != tt.same {
			t.Errorf("%s and %s: %s and %s, %v, %v", tt.a, tt.b, a, b, err, err2)
		}
	}
	for _, bad := range []string{"", "{", "1 2", `{"a":}`} {
		if h, err := hash([]byte(bad), All()); err == nil {
			t.Errorf("hash(%q) = %s", bad, h)
		}
	}
}

// TestDigest compares with the library, which the package does without.
func TestDigest(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "what a value depends on", strings.Repeat("\xff", 100)} {
		d := newDigest('x')
		d.add([]byte(text))
		h := fnv.New128a()
		_, _ = h.Write([]byte("x" + text))
		sum := d.bytes()
		if got, want := string(sum[:]), string(h.Sum(nil)); got != want {
			t.Errorf("%q: got %x, want %x", text, got, want)
		}
	}
}

// TestHashIsLinear checks that nesting does not multiply the work: the deepest text that is read
// takes about as long as a flat one of its size, and not as many times as long as there are levels.
func TestHashIsLinear(t *testing.T) {
	t.Parallel()
	const depth = 9000
	filler := `"` + strings.Repeat("x", 1<<20) + `"`
	best := func(text string) time.Duration {
		least := time.Hour
		for range 3 {
			least = min(least, cputime.Of(func() {
				if _, err := hash([]byte(text), All()); err != nil {
					t.Fatal(err)
				}
			}))
		}
		return least
	}
	flat, deep := best(`{"a":`+filler+`}`), best(strings.Repeat(`{"a":`, depth)+filler+strings.Repeat("}", depth))
	if deep > 100*flat {
		t.Errorf("%v for a deep text, %v for a flat one", deep, flat)
	}
}

func TestPart(t *testing.T) {
	t.Parallel()
	const value = `{"a":{"b":1,"c":[{"d":2,"e":3},{"d":4}]},"f":{"x":{"d":5,"e":6}},"g":7}`
	for name, tt := range map[string]struct {
		part Part
		// same and other are values that count as equal to the one above, or not.
		same, other string
	}{
		"all": {All(), value, `{"a":{"b":1,"c":[{"d":2,"e":3},{"d":4}]},"f":{"x":{"d":5,"e":6}},"g":8}`},
		"only in a list": {
			Only("a.c[*].e"), strings.Replace(value, `"d":2`, `"d":8`, 1),
			strings.Replace(value, `"e":3`, `"e":8`, 1),
		},
		"only in a map": {
			Only("f[*].e"), strings.Replace(value, `"d":5`, `"d":8`, 1),
			strings.Replace(value, `"e":6`, `"e":8`, 1),
		},
		"length of the list": {
			Only("a.c[*].e"), strings.Replace(value, `"d":2`, `"d":8`, 1),
			strings.Replace(value, `,{"d":4}`, ``, 1),
		},
		"only a member": {
			Only("g"), strings.Replace(value, `"b":1`, `"b":8`, 1),
			strings.Replace(value, `"g":7`, `"g":8`, 1),
		},
		"only one below": {
			Only("a.b"), strings.Replace(value, `"d":2`, `"d":8`, 1),
			strings.Replace(value, `"b":1`, `"b":8`, 1),
		},
		"only two": {
			Only("a.b", "a.c"), strings.Replace(value, `"g":7`, `"g":8`, 1),
			strings.Replace(value, `"d":2`, `"d":8`, 1),
		},
		"only all below": {
			Only("a"), strings.Replace(value, `"g":7`, `"g":8`, 1),
			strings.Replace(value, `"d":2`, `"d":8`, 1),
		},
	} {
		of := func(text string) string {
			h, err := hash([]byte(text), tt.part)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return h
		}
		if of(value) != of(tt.same) {
			t.Errorf("%s: %s counts", name, tt.same)
		}
		if of(value) == of(tt.other) {
			t.Errorf("%s: %s does not count", name, tt.other)
		}
	}
}
