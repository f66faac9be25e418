package schema_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/askind/askind/internal/rounds"
	"github.com/askind/askind/schema"
)

func TestParsePath(t *testing.T) {
	t.Parallel()
	for _, tt := range pathTexts {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.ParsePath(tt.want)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(tt.path) {
				t.Errorf("ParsePath(%s) = %+v, want %+v", tt.want, got.Steps(), tt.path.Steps())
			}
		})
	}
}

func TestParsePathTakesNeedlessQuotes(t *testing.T) {
	t.Parallel()
	got, err := schema.ParsePath(`"a"."b"["c"]`)
	if want := schema.NewPath("a", "b").Key("c"); err != nil || !got.Equal(want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestParsePathRoundTrip(t *testing.T) {
	t.Parallel()
	const seed = 3
	r := rand.New(rand.NewPCG(seed, seed))
	for range rounds.Of(20_000) {
		p := randomPath(r)
		got, err := schema.ParsePath(p.String())
		if err != nil || !got.Equal(p) {
			t.Fatalf("seed %d: ParsePath(%s) = %+v, %v, want %+v", seed, p, got.Steps(), err, p.Steps())
		}
	}
}

func TestParsePathErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		offset   int
	}{
		{"leading dot", ".a", 0},
		{"trailing dot", "a.", 2},
		{"two dots", "a..b", 2},
		{"dot before a bracket", "a.[0]", 2},
		{"nothing in brackets", "a[]", 2},
		{"open bracket", "a[0", 3},
		{"open bracket at the end", "a[", 2},
		{"closing bracket", "a]", 0},
		{"no dot after a bracket", "a[0]b", 4},
		{"no dot after quotes", `"a"b`, 3},
		{"bracket in a key", "a[b[0]", 2},
		{"quotation mark in a key", `a[b"c]`, 2},
		{"leading zeros", "a[007]", 2},
		{"minus zero", "a[-0]", 2},
		{"index overflow", "a[99999999999999999999]", 2},
		{"space in a field", "a.b c", 2},
		{"quotation mark in a field", `a.b"c"`, 2},
		{"open quotes", `a."b`, 2},
		{"open quotes in brackets", `a["b]`, 2},
		{"no bracket after quotes", `a["b"`, 5},
		{"text after quotes in brackets", `a["b"c]`, 5},
		{"bad escape", `a["\z"]`, 2},
		{"not UTF-8", "a.\xff", 2},
		{"line feed in a key", "a[\n]", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := schema.ParsePath(tt.in)
			wantParseError(t, err, tt.in, tt.offset)
			if p != nil {
				t.Errorf("path %s beside an error", p)
			}
		})
	}
}

func FuzzParsePath(f *testing.F) {
	for _, tt := range pathTexts {
		f.Add(tt.want)
	}
	for _, s := range []string{"a[", `a["`, `a["\`, "a[]b", "a..b", "[99999999999999999999]", "\xff", `"a"b`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := schema.ParsePath(s)
		if err != nil {
			if e, ok := errors.AsType[*schema.ParseError](err); !ok || e.Offset < 0 || e.Offset > len(s) {
				t.Errorf("bad error %#v", err)
			}
			return
		}
		again, err := schema.ParsePath(p.String())
		if err != nil || !again.Equal(p) {
			t.Errorf("ParsePath(%q) = %s, which is read as %s, %v", s, p, again, err)
		}
	})
}
