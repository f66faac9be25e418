package sorted_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/askind/askind/internal/sorted"
)

type element struct{ key, place int }

func byKey(a, b element) int { return cmp.Compare(a.key, b.key) }

// TestFuncs holds the functions equal to those of package slices.
func TestFuncs(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 100 {
		var s []element
		for i := range n {
			s = append(s, element{r.IntN(10), i})
		}
		want := slices.Clone(s)
		slices.SortStableFunc(want, byKey)
		got := slices.Clone(s)
		sorted.StableFunc(got, byKey)
		if !slices.Equal(got, want) {
			t.Fatalf("StableFunc of %v is %v", s, got)
		}
		sorted.Func(s, func(a, b element) int { return cmp.Or(byKey(a, b), a.place-b.place) })
		if !slices.Equal(s, want) {
			t.Fatalf("Func gives %v, want %v", s, want)
		}
	}
}
