package serializer_test

import (
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/askind/askind/internal/race"
	workshop "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// grammar is what inputs of a format are put together from.
type grammar struct {
	mediaType string
	// most is how many bytes are allocated for each byte of an input at most, garbage included,
	// beyond the first bytes that every input may take. docs/architecture.md and [schema.Limits]
	// state both.
	most, first float64
	places      [][2]string // what is before and behind a list
	levels      [][2]string // a further list around it
	pieces      []string    // elements, as they are written
	last        string      // the last element
}

// grammars write text and CBOR with lists that have no length, so that everything fits everywhere.
func grammars() []grammar {
	order, bag := `{"kind":"Order",`+orderVersion+`,`, `"apiVersion":"bags.example.com/v1","any":[`
	cborOrder := "\xbf\x64kind\x65Order\x6aapiVersion\x77workshop.example.com/v1"
	cborBag := "\x6aapiVersion\x73bags.example.com/v1\x63any\x9f"
	yamlOrder, yamlBag := "kind: Order\napiVersion: workshop.example.com/v1\n", "\napiVersion: bags.example.com/v1\n"
	return []grammar{
		{
			mediaType: mediaJSON, most: 150, first: 1 << 20,
			places: [][2]string{
				{order + `"spec":{"lines":[`, "]}}"},
				{order + `"status":{"conditions":[`, "]}}"},
				{order + `"spec":{"tags":[`, "]}}"},
				{order + `"spec":{"lines":[{"steps":[`, "]}]}}"},
				{`{"kind":"Other",` + bag, "]}"},
				{`{"kind":"Bag",` + bag, "]}"},
				{`{"kind":"PlainBag",` + bag, "]}"},
			},
			levels: [][2]string{{"[", "]"}, {`{"a":[`, `]}`}},
			pieces: []string{
				"1,", "1e9,", "{},", "[],", `"",`, `"a",`, "null,", `{"":0},`, `{"a":1,"a":1},`,
				`{"x":1},`, `[0],`,
				`{"steps":[{}]},`, `"\n",`, `99999999999999999999,`,
			},
			last: "1",
		},
		{
			mediaType: mediaYAML, most: 1200, first: 5 << 20,
			places: [][2]string{
				{yamlOrder + "spec:\n  lines: [", "]\n"},
				{yamlOrder + "status:\n  conditions: [", "]\n"},
				{yamlOrder + "x: &a [{}]\nspec:\n  lines: [", "]\n"},
				{"kind: Other" + yamlBag + "x: &a [b]\ny: &m {a: b}\nany: [", "]\n"},
				{"kind: Bag" + yamlBag + "x: &a [b, c, d, e]\ny: &m {a: b}\nany: [", "]\n"},
				{"kind: Other" + yamlBag + "x: &a " + strings.Repeat("t",
					1<<12) + "\ny: &m {a: *a}\nany: [", "]\n"},
			},
			levels: [][2]string{{"[", "]"}, {"{a: [", "]}"}, {"? [", "]"}},
			pieces: []string{
				"1,", "a,", "{},", "[],", "*a,", "*m ,", "{<<: *m},", "{a: *a},", "&b c,",
				"{a: 1, a: 1},", `"",`, "a: b,",
				"{a},", "{a: [], a: []},", "!!int 1,", "!!str a,", "[[]],", "[{a,b}],", "?,",
				"\n", "# a\n",
			},
			last: "1",
		},
		{
			mediaType: mediaYAML, most: 200, first: 5 << 20,
			places: [][2]string{
				{"kind: Other" + yamlBag + "x: &a [b]\nany:\n", "\n"},
				{"kind: Bag" + yamlBag + "any:\n", "\n"},
			},
			levels: [][2]string{{"- ", ""}, {"? ", ""}},
			pieces: []string{
				"- 1\n", "-\n", "- - a\n", "- *a\n", "- a: b\n", "- {}\n", "- - - a\n",
				"- [a]\n", "- &b c\n", "- |\n  a\n",
			},
			last: "- 1",
		},
		{
			mediaType: mediaCBOR, most: 200, first: 1 << 20,
			places: [][2]string{
				{cborOrder + "\x64spec\xbf\x65lines\x9f", "\xff\xff\xff"},
				{cborOrder + "\x66status\xbf\x6aconditions\x9f", "\xff\xff\xff"},
				{"\xbf\x64kind\x65Other" + cborBag, "\xff\xff"},
				{"\xbf\x64kind\x63Bag" + cborBag, "\xff\xff"},
				{"\xbf\x64kind\x68PlainBag" + cborBag, "\xff\xff"},
			},
			levels: [][2]string{{"\x9f", "\xff"}, {"\xbf\x61a\x9f", "\xff\xff"}, {"\x81", ""}},
			pieces: []string{
				"\x00", "\x20", "\xa0", "\x80", "\x60", "\x61a", "\xf6", "\xf9\x3c\x00",
				"\xa1\x60\x00", "\x81\x00", "\x9f\xff",
				"\xbf\xff", "\xbf\x61a\x00\x61a\x00\xff", "\xa1\x61x\x00", "\x41a", "\xd6\x41a",
			},
			last: "\x00",
		},
		{
			mediaType: mediaProtobuf, most: 150, first: 1 << 20,
			places: [][2]string{{"\x12", ""}, {"\x1a", ""}, {"\x0a", ""}},
			levels: [][2]string{{"", ""}},
			pieces: []string{
				"\x2a\x00", "\x3a\x00", "\x1a\x00", "\x52\x00", "\x50\x00", "\x12\x00",
				"\x0a\x00", "\x22\x00", "\x32\x00", "\x5a\x00",
				"\x2a\x02\x12\x00", "\x2a\x02\x08\x01", "\xfa\x07\x00", "\x15\x00\x00\x00\x00",
			},
		},
	}
}

// recipe is one input of a grammar.
type recipe struct {
	place, level, depth int
	first, second       int // the pieces
	every               int // how many of the first piece are in front of one of the second
	strict              bool
}

func newRecipe(g *grammar, r *rand.Rand) recipe {
	var c recipe
	for part := range 6 {
		c.change(g, r, part)
	}
	return c
}

// change chooses one part of a recipe anew.
func (c *recipe) change(g *grammar, r *rand.Rand, part int) {
	switch part {
	case 0:
		c.place = r.IntN(len(g.places))
	case 1:
		c.level, c.depth = r.IntN(len(g.levels)), []int{0, 0, 0, 1, 30, 1000, 3000, 9000}[r.IntN(8)]
	case 2:
		c.first = r.IntN(len(g.pieces))
	case 3:
		c.second = r.IntN(len(g.pieces))
	case 4:
		c.every = []int{1, 1, 2, 10, 100, 1 << 20}[r.IntN(6)]
	case 5:
		c.strict = r.IntN(2) == 0
	}
}

// write makes an input of about n bytes, or of little but nesting if every is large.
func (c *recipe) write(g *grammar, n int) string {
	level, place := g.levels[c.level], g.places[c.place]
	var b strings.Builder
	if g.mediaType != mediaProtobuf {
		b.WriteString(place[0])
	}
	b.WriteString(strings.Repeat(level[0], c.depth))
	for i := 1; b.Len()+c.depth*len(level[1]) < n; i++ {
		if i%(c.every+1) == 0 {
			b.WriteString(g.pieces[c.second])
		} else {
			b.WriteString(g.pieces[c.first])
		}
	}
	if g.mediaType == mediaProtobuf {
		return envelope("Order", place[0]+uvs(b.String()))
	}
	return b.String() + g.last + strings.Repeat(level[1], c.depth) + place[1]
}

// TestLimitedMemoryOfWorst searches for the inputs that take the most memory for each of their
// bytes: it starts with random ones, and then changes the worst as long as that makes them worse.
func TestLimitedMemoryOfWorst(t *testing.T) {
	if race.Enabled {
		t.Skip("pools drop values at random, and what is read takes other memory")
	}
	scheme, err := runtime.NewScheme(metav1.AddTo, workshop.AddTo, addBags)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, formatsOf(t, workshopFactory(t))...)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 30
	if !testing.Short() {
		rounds = 60
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, g := range grammars() {
		cost := func(c recipe) (float64, string, error) {
			worst, text, failure := 0.0, "", error(nil)
			for _, n := range []int{1 << 12, 1 << 16} {
				data := c.write(&g, n)
				o := serializer.DecodeOptions{MediaType: g.mediaType, Unknown: untypedKind}
				if c.strict {
					o.Strictness = serializer.FailOnProblems
				}
				var before, after goruntime.MemStats
				goruntime.ReadMemStats(&before)
				_, err := f.Decode([]byte(data), o)
				goruntime.ReadMemStats(&after)
				got := (float64(after.TotalAlloc-before.TotalAlloc) - g.first) / float64(len(data))
				if text == "" || got > worst {
					worst, text, failure = got, data, err
				}
			}
			return worst, text, failure
		}
		worst := newRecipe(&g, r)
		high, text, err := cost(worst)
		for i := range rounds {
			next := worst
			if i < rounds/3 {
				next = newRecipe(&g, r)
			} else {
				next.change(&g, r, r.IntN(6))
				next.change(&g, r, r.IntN(6))
			}
			if got, s, e := cost(next); got > high {
				worst, high, text, err = next, got, s, e
			}
		}
		t.Logf("%s: %.0f bytes for each byte, %+v", g.mediaType, high, worst)
		if high > g.most {
			t.Errorf("%s: %.1f bytes are allocated for each of the %d bytes of %.150q, want at most %.0f (error %.200v)",
				g.mediaType, high, len(text), text, g.most, err)
		}
	}
}
