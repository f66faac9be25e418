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

// TestFunc compares Func with the function of package slices.
func TestFunc(t *testing.T) {
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
		sorted.Func(got, byKey)
		if !slices.Equal(got, want) {
			t.Fatalf("Func of %v is %v, want %v", s, got, want)
		}
	}
}

// TestFuncAllocates holds the promise about slices that are short or sorted already.
func TestFuncAllocates(t *testing.T) {
	for _, s := range [][]element{{{3, 0}, {1, 1}, {2, 2}}, make([]element, 1000)} {
		allocations := testing.AllocsPerRun(10, func() { sorted.Func(slices.Clone(s), byKey) })
		if allocations > 1 { // the clone
			t.Errorf("Func of %d elements allocates %v times", len(s), allocations-1)
		}
	}
}

// TestInsert compares Insert with the function of package slices.
func TestInsert(t *testing.T) {
	t.Parallel()
	for n := range 5 {
		for i := range n + 1 {
			s := []element{{0, 0}, {1, 1}, {2, 2}, {3, 3}}[:n:n]
			want := slices.Insert(slices.Clone(s), i, element{9, 9})
			if got := sorted.Insert(s, i, element{9, 9}); !slices.Equal(got, want) {
				t.Errorf("at %d of %d: got %v, want %v", i, n, got, want)
			}
		}
	}
}
