package resource

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/askind/askind/internal/rounds"
)

// TestParsePlain compares the fast parser with the full one, on texts that it should accept and on
// their neighbours.
func TestParsePlain(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	suffixes := []string{
		"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3",
		"E3", "ki", "i", ".", ".5", "mi", " ",
	}
	taken := 0
	for range rounds.Of(50_000) {
		var b strings.Builder
		b.WriteString([]string{"", "", "-", "+"}[r.IntN(4)])
		for range r.IntN(21) {
			b.WriteByte(byte('0' + r.IntN(10)))
		}
		b.WriteString(suffixes[r.IntN(len(suffixes))])
		text := b.String()

		var fast Quantity
		if !parsePlain(text, &fast) {
			if fast != (Quantity{}) {
				t.Fatalf("%q was refused but left %#v", text, fast)
			}
			continue
		}
		taken++
		slow, err := parseText(text)
		if err != nil || fast != slow {
			t.Errorf("%q is %#v, the full parser says %#v, %v", text, fast, slow, err)
		}
	}
	if taken < rounds.Of(1000) {
		t.Errorf("only %d texts were taken", taken)
	}
}

// BenchmarkParse shows what the fast parser saves.
func BenchmarkParse(b *testing.B) {
	text := []byte("1536Mi")
	b.Run("plain", func(b *testing.B) {
		var q Quantity
		for b.Loop() {
			parsePlain(text, &q)
		}
	})
	b.Run("full", func(b *testing.B) {
		var q Quantity
		for b.Loop() {
			q, _ = parseText(text)
		}
		_ = q
	})
}
