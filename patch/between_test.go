package patch_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/patch"
)

func TestBetween(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after, json, merge string
	}{
		{"equal", `{"a":1,"b":2}`, `{"b":2.0,"a":1}`, `[]`, `{}`},
		{
			"a member less, one more, one other", `{"a":1,"b":2,"c":3}`, `{"d":4,"c":5,"b":2}`,
			`[{"op":"remove","path":"/a"},{"op":"replace","path":"/c","value":5},{"op":"add","path":"/d","value":4}]`,
			`{"a":null,"c":5,"d":4}`,
		},
		{
			"below", `{"a":{"b":{"c":1,"long":"abcdefghijklmnopqrstuvwxyz"}}}`,
			`{"a":{"b":{"c":2,"long":"abcdefghijklmnopqrstuvwxyz"}}}`, `[{"op":"replace","path":"/a/b/c","value":2}]`,
			`{"a":{"b":{"c":2}}}`,
		},
		{
			"an array replaced whole is shorter", `{"a":[1,2,3]}`, `{"a":[4,1]}`,
			`[{"op":"replace","path":"/a","value":[4,1]}]`, `{"a":[4,1]}`,
		},
		{
			"an element more in front", `["long element a","long element b","long element c"]`,
			`["new","long element a","long element b","long element c"]`, `[{"op":"add","path":"/0","value":"new"}]`,
			`["new","long element a","long element b","long element c"]`,
		},
		{
			"elements less and more",
			`{"l":["aaaaaaaaaaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","cccccccccccccccccccccccccccccccc","dddddddddddddddddddddd"]}`, `{"l":["bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","cccccccccccccccccccccccccccccccc","x","dddddddddddddddddddddd"]}`, `[{"op":"remove","path":"/l/0"},{"op":"add","path":"/l/2","value":"x"}]`, `{"l":["bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","cccccccccccccccccccccccccccccccc","x","dddddddddddddddddddddd"]}`,
		},
		{
			"an element changed below", `[{"name":"a","v":1,"text":"abcdefghijklmnopqrstuvwxyz"},{"name":"b"}]`,
			`[{"name":"a","v":2,"text":"abcdefghijklmnopqrstuvwxyz"},{"name":"b"}]`,
			`[{"op":"replace","path":"/0/v","value":2}]`,
			`[{"name":"a","v":2,"text":"abcdefghijklmnopqrstuvwxyz"},{"name":"b"}]`,
		},
		{
			"names with slashes", `{"a/b":1,"c~d":"keep this one as long as the other ones"}`,
			`{"c~d":"keep this one as long as the other ones","e~/":2}`,
			`[{"op":"remove","path":"/a~1b"},{"op":"add","path":"/e~0~1","value":2}]`, `{"a/b":null,"e~/":2}`,
		},
		{
			"an object with the same value under another name",
			`["x",{"a":"abcdefghijklmnopqrstuvwxyz"},"this element is as long as both operations together, so that it stays"]`,
			`[{"b":"abcdefghijklmnopqrstuvwxyz"},"y","this element is as long as both operations together, so that it stays"]`,
			`[{"op":"replace","path":"/0","value":{"b":"abcdefghijklmnopqrstuvwxyz"}},{"op":"replace","path":"/1","value":"y"}]`,
			`[{"b":"abcdefghijklmnopqrstuvwxyz"},"y","this element is as long as both operations together, so that it stays"]`,
		},
		{"another type", `{"a":1}`, `[ 1 ]`, `[{"op":"replace","path":"","value":[1]}]`, `[1]`},
		{
			"an object from nothing", `null`, `{"a": {"b": 1}}`, `[{"op":"replace","path":"","value":{"a":{"b":1}}}]`,
			`{"a":{"b":1}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, typ := range []patch.Type{patch.JSON, patch.Merge} {
				want := tt.json
				if typ == patch.Merge {
					want = tt.merge
				}
				got, err := patch.Between(typ, []byte(tt.before), []byte(tt.after), patch.Options{})
				if err != nil || string(got) != want {
					t.Errorf("%v:\n got %s, %v\nwant %s", typ, got, err, want)
				}
				check(t, typ, tt.before, string(got), tt.after, nil)
			}
		})
	}
}

func TestBetweenCannotSetNull(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after, path string }{
		{`{"a":1}`, `{"a":null}`, "a"},
		{`{}`, `{"a":{"b":null}}`, "a.b"},
		{`{"a":1}`, `{"a":{"b":null}}`, "a.b"},
		{`{"a":{"c":1}}`, `{"a":{"b":null}}`, "a.b"},
	} {
		_, err := patch.Between(patch.Merge, []byte(tt.before), []byte(tt.after), patch.Options{})
		if e, ok := errors.AsType[*patch.Error](err); !ok || e.Path != tt.path ||
			!errors.Is(err, patch.ErrInexpressible) {
			t.Errorf("%s: got %v", tt.after, err)
		}
	}
	if got, err := patch.Between(patch.Merge, []byte(`{"a":null}`), []byte(`{"a":null,"b":[null]}`),
		patch.Options{}); string(got) != `{"b":[null]}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestBetweenLongArrays checks that a common subsequence is found only where the search is short.
func TestBetweenLongArrays(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1000: `[{"op":"remove","path":"/0"}`, 1100: `[{"op":"replace","path":""`} {
		list := make([]int, n+1)
		for i := range list {
			list[i] = i
		}
		before, _ := json.Marshal(list[:n])
		after, _ := json.Marshal(list[1:])
		got, err := patch.Between(patch.JSON, before, after, patch.Options{})
		if err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%d elements: got %.100s, %v", n, got, err)
		}
	}
}

// TestBetweenDeepDocuments checks that documents are not compared anew at each level.
func TestBetweenDeepDocuments(t *testing.T) {
	t.Parallel()
	const deep = 4000
	doc := func(value string) []byte {
		return []byte(strings.Repeat(`{"a":`, deep) + `{"b":"` + strings.Repeat("x", 1<<16) + `","c":` + value + `}` +
			strings.Repeat(`}`, deep))
	}
	before, after := doc("1"), doc("2")
	var got []byte
	var err error
	took := cputime.Of(func() { got, err = patch.Between(patch.JSON, before, after, patch.Options{}) })
	want := `[{"op":"replace","path":"` + strings.Repeat("/a", deep) + `/c","value":2}]`
	if err != nil || string(got) != want || took > 10*time.Second {
		t.Errorf("got %.300s, %v, in %v", got, err, took)
	}
}

// TestBetweenDeepArrays checks that the elements of arrays are not compared anew at each level.
func TestBetweenDeepArrays(t *testing.T) {
	t.Parallel()
	for _, level := range []struct {
		open, end, path string
		deep            int
	}{
		{"[0,", "]", "/1", 9900},
		{`[{"a":`, "}]", "/0/a", 4900},
	} {
		deep := level.deep
		before := []byte(strings.Repeat(level.open, deep) + "1" + strings.Repeat(level.end, deep))
		after := []byte(strings.Repeat(level.open, deep) + "2" + strings.Repeat(level.end, deep))
		var got []byte
		var err error
		took := cputime.Of(func() { got, err = patch.Between(patch.JSON, before, after, patch.Options{}) })
		want := `[{"op":"replace","path":"` + strings.Repeat(level.path, deep) + `","value":2}]`
		if err != nil || string(got) != want || took > 2*time.Second {
			t.Errorf("%s: got %.300s, %v, in %v", level.open, got, err, took)
		}
	}
}

// TestBetweenRandomDocuments makes patches between documents and applies them.
func TestBetweenRandomDocuments(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a, b := document(r, 4), document(r, 4)
		for _, typ := range []patch.Type{patch.JSON, patch.Merge} {
			change, err := patch.Between(typ, a, b, patch.Options{})
			if errors.Is(err, patch.ErrInexpressible) {
				continue
			}
			if err != nil {
				t.Fatalf("%v from %s to %s: %v", typ, a, b, err)
			}
			check(t, typ, string(a), string(change), string(b), nil)
			if t.Failed() {
				t.Fatalf("%v from %s to %s: %s", typ, a, b, change)
			}
		}
	}
}

// document returns a random document.
func document(r *rand.Rand, depth int) []byte {
	text, err := json.Marshal(value(r, depth))
	if err != nil {
		panic(err)
	}
	return text
}

func value(r *rand.Rand, depth int) any {
	kinds := 8
	if depth == 0 {
		kinds = 5
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2, 3:
		return r.IntN(4)
	case 4:
		return []string{"", "a", "b/c", "~"}[r.IntN(4)]
	case 5:
		list := []any{}
		for range r.IntN(5) {
			list = append(list, value(r, depth-1))
		}
		return list
	}
	m := map[string]any{}
	for range r.IntN(5) {
		m[[]string{"", "a", "b", "c/d", "e~", "0", "-"}[r.IntN(7)]] = value(r, depth-1)
	}
	return m
}
