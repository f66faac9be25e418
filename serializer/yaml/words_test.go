package yaml

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/askind/askind/internal/rounds"
	"github.com/askind/askind/serializer/internal/arrange"
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
		e := emitter{}
		if _, err := e.append(nil, json); err != nil || bytes.IndexByte(text, '\\') >= 0 {
			continue // a quote or a backslash inside
		}
		e.pos = 0
		s, word, err := e.str()
		if want := len(text) > 0 && isWord(text); err != nil || word != want || string(s) != string(text) {
			t.Fatalf("%q is read as %q, a word: %v, want %v, %v", json, s, word, want, err)
		}
		if word {
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
			b[i] = "aabZz1_.:@[`{09/\x7f\x00"[random.IntN(18)]
		}
		if random.IntN(8) == 0 {
			b = append(b, strconv.FormatUint(random.Uint64(), 10)+"7"...)
		}
		if random.IntN(8) == 0 {
			b = append(b, []string{"é", "日", "—", "\xff", "٣"}[random.IntN(5)]...)
		}
		return string(b)
	}
	for range rounds.Of(50_000) {
		a, b := text(), text()
		if random.IntN(4) == 0 {
			b = a + b
		}
		var e emitter
		e.json = []byte(`"` + a + `":1,"` + b + `":2`)
		at := len(a) + len(`"":1,`)
		x := arrange.Member{Key: 0, Rank: arrange.Rank(e.json[1:][:len(a)])}
		y := arrange.Member{Key: at, Rank: arrange.Rank(e.json[at+1:][:len(b)])}
		if got, want := e.Compare(x, y), compareKeys([]byte(a), []byte(b)); got != want {
			t.Fatalf("%q and %q compare as %d, want %d", a, b, got, want)
		}
	}
}
