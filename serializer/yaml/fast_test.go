package yaml

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/internal/rounds"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// agree checks that the scanner, where it reads a document, reads what the library reads, and from
// the same places.
func agree(t *testing.T, data []byte) (fast, all int) {
	t.Helper()
	s := newSource(data, parsing(schema.Limits{}))
	s.segments(func(seg segment) bool {
		all++
		quick, ok := new(scanner).scan(s.text, seg, true)
		if !ok {
			return true
		}
		fast++
		slow, problem := readSlow(s, seg)
		switch {
		case problem != nil:
			t.Errorf("the scanner reads %q as %q, the library says %v", s.text[seg.from:seg.to], quick.json, problem)
		case slow == nil:
			t.Errorf("the scanner reads %q as %q, the library finds nothing", s.text[seg.from:seg.to], quick.json)
		case len(slow.problems)+len(slow.duplicates) > 0:
			t.Errorf("the scanner reads %q as %q, the library finds problems: %v %v", s.text[seg.from:seg.to],
				quick.json, slow.problems, slow.duplicates)
		case !bytes.Equal(quick.json, slow.json):
			t.Errorf("the scanner reads %q as\n%q, the library as\n%q", s.text[seg.from:seg.to], quick.json, slow.json)
		case !slices.Equal(quick.marks, slow.marks):
			t.Errorf("the scanner reads %q as %q with marks\n%v, the library has\n%v", s.text[seg.from:seg.to],
				quick.json, quick.marks, slow.marks)
		}
		return !t.Failed()
	})
	return fast, all
}

// plainDocuments are what the scanner is for.
var plainDocuments = []string{
	"a: 1\n", "a: 1", "---\na: 1\n", "--- # x\na: 1\n", "# c\n\na: b # d\n# e\n", "a:\n  b: c\n  d:\n    e: f\ng: h\n",
	"a:\n- b\n- c\nd: e\n", "a:\n  - b\n  - c: d\n    e: f\n  -\n    g: h\n  - - i\n    - j\n",
	"- a\n- b: c\n", "a:\nb: ~\nc: null\nd: ''\n", "a: 'it''s'\nb: \"q\\\"\\n\\t\\\\\"\n\"k\": v\n'l': w\n",
	"a: |\n  x\n   y\n\n  z\n\nb: |-\n  x\n\nc: |+\n  x\n\n\nd: e\n", "a: |\n  x", "a: |\n  x\n ", "a: |\n\n  x\n",
	"a:\n- |\n  x\n- |-\n   y\n",
	"a: b c\n  d e\n  f\ng: h\n", "a: 'b c\n  d e'\nb: \"x\n  y\"\n",
	"a: []\nb: {}\nc: [a, 'b', \"c\", 1, -x, [d]]\nd: {a: 1, \"b\": [2], c: {d: e}}\n",
	"a: http://x:80/y\nb: a#b\nc: <x>\n", "a: 1\r\nb:\r\n  c: d\r\n  e: |\r\n    x\r\n    y\r\n", "ü: é\n",
	"a:\n\n  # c\n  b: 1\n", "a:   b   \nc:    \n  d: e\n", "-   a: b\n    c: d\n", "a: - b\n", "a: -1\n", "a: b\n\n\n",
	"a: |\n  x\n# c\nb: 1\n", "a: |\n  x\n  # c\nb: 1\n",
	// equal keys of different mappings, and more collections than may be nested
	"a:\n  x: 1\nx:\n  a: {x: {a: 1}, a: 2}\n", strings.Repeat("- []\n- {}\n-\n  - a: b\n", 2*maxFastDepth),
	`{"a":1,"b":{"c":[true,null,"d",{"e":-1.5e3}],"f":{}},"g":""}`, "a: {\"b\":c, 'd':{\"e\":[f]}}\n",
	manyKeys(500, "k%d: 1\n", ""),
	"a:\n" + manyKeys(100, "  k%d: {a: 1}\n", "") + "b:\n" + manyKeys(70, "  k%d: 1\n", ""),
	"{" + manyKeys(300, `"k%d":{"a":1}`, ",") + "}",
	"a: {" + manyKeys(80, "k%d: {"+manyKeys(66, "x%d: 1", ", ")+"}", ", ") + "}\n",
}

// manyKeys repeats a text with a number.
func manyKeys(n int, text, between string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(text, "%d", strconv.Itoa(i))
	}
	return strings.Join(parts, between)
}

// TestFastRepeatedKeys reads mappings with many keys, one of them repeated.
func TestFastRepeatedKeys(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		manyKeys(500, "k%d: 1\n", "") + "k3: 1\n", manyKeys(500, "k%d: 1\n", "") + "k499: 1\n",
		"{" + manyKeys(300, `"k%d":1`, ",") + `,"k299":1}`, "a: {" + manyKeys(65, "k%d: 1", ", ") + ", k64: 2}\n",
		"a:\n" + manyKeys(70, "  k%d: 1\n", "") + "b: 1\na: 2\n",
	} {
		s := newSource([]byte(doc), parsing(schema.Limits{}))
		s.segments(func(seg segment) bool {
			if got, ok := new(scanner).scan(s.text, seg, true); ok {
				t.Errorf("the scanner reads %q as %q", doc, got.json)
			}
			return true
		})
	}
}

func TestFastAgrees(t *testing.T) {
	t.Parallel()
	fast, all := 0, 0
	for _, doc := range plainDocuments {
		f, a := agree(t, []byte(doc))
		if f != a && doc != "a: - b\n" && doc != "a: |\n  x\n " {
			t.Errorf("the scanner does not read %q", doc)
		}
		fast, all = fast+f, all+a
	}
	t.Logf("%d of %d documents", fast, all)
}

// TestExcerptIsOfOneDocument checks that a text is read in part only if it is one document, within
// the limits.
func TestExcerptIsOfOneDocument(t *testing.T) {
	t.Parallel()
	all := func() *format.FieldTree { return nil }
	for _, tt := range []struct {
		name, text string
		limits     schema.Limits
		want       bool
	}{
		{"a document", "a: 1\n", schema.Limits{}, true},
		{"two", "a: 1\n---\nb: 1\n", schema.Limits{}, false},
		{"none", "# c\n", schema.Limits{}, false},
		{"as large as is allowed", "a: 1\n", schema.Limits{Size: 5}, true},
		{"larger", "a: 12\n", schema.Limits{Size: 5}, false},
		{"as deep as is read in part", "a: 1\n", schema.Limits{Depth: maxExcerptDepth}, true},
		{"less deep", "a: 1\n", schema.Limits{Depth: maxExcerptDepth - 1}, false},
	} {
		if _, _, ok := (&codec{limits: tt.limits}).excerpt(nil, []byte(tt.text), all); ok != tt.want {
			t.Errorf("%s is read in part: %v", tt.name, ok)
		}
	}
}

// randomDocument puts lines together that often, but not always, make a document.
func randomDocument(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	var b strings.Builder
	indent := 0
	for range 1 + r.IntN(8) {
		b.WriteString(strings.Repeat(" ", max(0, indent+r.IntN(2)*(r.IntN(3)-1))))
		for r.IntN(4) == 0 {
			b.WriteString(pick("- ", "-  ", "-", "- - "))
		}
		if r.IntN(5) > 0 {
			b.WriteString(pick("a", "b", "c", "'d'", "\"e\"", "f g", "-h", "i:j", "k#", "<<", "ü", "~", "1", "l ",
				"'m''n'", "a\tb", "?o", "[p]", "{q}"))
			b.WriteString(pick(": ", ": ", ": ", ":", ":  ", ":\t"))
		}
		b.WriteString(pick("", "", "x", "x y", "x: y", "x  # c", "x #", "'x'", "'x''y'", "\"x\\n\"", "'x", "y'", "\"x",
			"y\"", "\"x\\", "|", "|-", "|+", "|2", ">", "| # c", "[]", "{}", "[a, b]", "[a, 'b', [c], {d: e}]",
			"{a: b, \"c\": [d]}", "{a}", "[a: b]", "[a,]", "[-, -a]", "[x#y, z:w, q?r]", "{a: }", "{a:b}",
			"{\"a\":b}", "{\"a\":[b]}",
			"{'a'::b}", "{\"a\":}", "{\"a\":-}", "{\"a\":&b c}", "{\"a\":\"b\":c}",
			"{\"a\" :b}", "{\"a\":\tb}", "{\"a\":#b}", "{\"a\":?b}", "{\"a\":!b c}", "&a x", "*a",
			"!t x", "-", "-x", ":x", "?", "#c", "~", "@", "%x", "é", "\u2028", "\ufeff", "\t", "x\ty", "x\t", "1.5",
			"http://a:1/b", "--- x", "...", "<x>", "x:", "'a': b", "a,b", "[a b, c  ]", "[ a ]", "{ a: b }", "{'a':b}",
			"[a", "\"\\u0041\"", "\"\\ \""))
		b.WriteString(pick("\n", "\n", "\n", "\n", "\n", "\n", "\r\n", "\n\n", "\n  \n", "\n# c\n", "\n   # c\n", " \n",
			"\r", "\n---\n", ""))
		indent = max(0, indent+r.IntN(4)-1)
	}
	return b.String()
}

func TestRandomDocumentsAgree(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	fast, all := 0, 0
	for range rounds.Of(20000) {
		f, a := agree(t, []byte(randomDocument(r)))
		if fast, all = fast+f, all+a; t.Failed() {
			return
		}
	}
	t.Logf("the scanner reads %d of %d documents", fast, all)
}

func FuzzFastAgrees(f *testing.F) {
	for _, doc := range plainDocuments {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, data) })
}
