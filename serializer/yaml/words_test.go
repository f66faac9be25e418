package yaml

import (
	"math/rand/v2"
	"testing"

	"github.com/askind/askind/internal/rounds"
)

// TestTreeWords compares the properties of a string determined while it is read, eight bytes per
// step, against the function that looks at its text.
func TestTreeWords(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const rare = " \"#:\\\x7f\x01\té\n!~"
	words := 0
	for range rounds.Of(100_000) {
		text := make([]byte, random.IntN(20))
		for i := range text {
			if text[i] = "abcdeghijlmnoprstuvyzEFINSTUXY0.-_/"[random.IntN(35)]; random.IntN(12) == 0 {
				text[i] = rare[random.IntN(len(rare))]
			}
		}
		json := append(append(append([]byte{'"'}, text...), '"'), "        "[:random.IntN(9)]...)
		var tr tree
		if err := tr.parse(json); err != nil {
			continue // a quote or a backslash inside
		}
		n := &tr.nodes[0]
		if n.arena {
			continue
		}
		if want := len(text) > 0 && isWord(text); n.word != want || string(tr.bytes(n)) != string(text) {
			t.Fatalf("%q is read as %q, a word: %v, want %v", json, tr.bytes(n), n.word, want)
		}
		if n.word {
			words++
		}
	}
	if words < 1000 {
		t.Errorf("there were only %d words", words)
	}
}

// TestCompareKeys compares the order of keys with that of their texts.
func TestCompareKeys(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		b := make([]byte, random.IntN(11))
		for i := range b {
			b[i] = "aab1_.:"[random.IntN(7)]
		}
		if random.IntN(8) == 0 {
			b = append(b, "é"...)
		}
		return string(b)
	}
	for range rounds.Of(50_000) {
		a, b := text(), text()
		if random.IntN(4) == 0 {
			b = a + b
		}
		var tr tree
		if err := tr.parse([]byte(`{"` + a + `":1,"` + b + `":2}`)); err != nil {
			t.Fatal(err)
		}
		x, y := key{1, tr.rank(&tr.nodes[1])}, key{3, tr.rank(&tr.nodes[3])}
		if got, want := tr.compare(x, y), compareKeys([]byte(a), []byte(b)); got != want {
			t.Fatalf("%q and %q compare as %d, want %d", a, b, got, want)
		}
	}
}
