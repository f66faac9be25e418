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

// TestDelete compares Delete with the function of package slices.
func TestDelete(t *testing.T) {
	t.Parallel()
	for bits := range 1 << 5 {
		drop := func(e element) bool { return bits>>e.key&1 == 1 }
		s := []element{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}}
		want, rest := slices.Clone(s), slices.Clone(s)
		want = slices.DeleteFunc(want, drop)
		if got := sorted.Delete(rest, drop); !slices.Equal(got, want) {
			t.Errorf("%05b: got %v, want %v", bits, got, want)
		}
		for _, e := range rest[len(want):] {
			if e != (element{}) {
				t.Errorf("%05b: %v is still referred to", bits, e)
			}
		}
	}
}
