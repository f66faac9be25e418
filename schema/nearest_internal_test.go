package schema

import (
	"math/rand/v2"
	"testing"
)

// editsSlow follows the definition: try every edit at the first letter.
func editsSlow(a, b string) int {
	switch {
	case a == "":
		return len(b)
	case b == "":
		return len(a)
	}
	change := editsSlow(a[1:], b[1:])
	if a[0] != b[0] {
		change++
	}
	least := min(change, editsSlow(a[1:], b)+1, editsSlow(a, b[1:])+1)
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, editsSlow(a[2:], b[2:])+1)
	}
	return least
}

func TestEditsEqualsSlow(t *testing.T) {
	t.Parallel()
	const seed = 11
	r := rand.New(rand.NewPCG(seed, seed))
	word := func() string {
		b := make([]byte, r.IntN(7))
		for i := range b {
			b[i] = "abc"[r.IntN(3)]
		}
		return string(b)
	}
	for range 5000 {
		a, b, limit := word(), word(), r.IntN(7)
		want := editsSlow(a, b)
		got := edits([]rune(a), []rune(b), limit)
		if want <= limit && got != want || want > limit && got <= limit {
			t.Fatalf("edits(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
	}
}
