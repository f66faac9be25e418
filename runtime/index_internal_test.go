package runtime

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/askind/askind/schema"
)

// TestIndexFindsWhatAMapDoes compares an index with a map, with hashes that collide in their tags,
// in their places and in both.
func TestIndexFindsWhatAMapDoes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 11))
	for _, n := range []int{0, 1, 2, 3, 7, 100, 1000} {
		x, want := newIndex(n), map[uint64][]int{}
		for i := range n {
			hash := uint64(random.IntN(8))<<32 | uint64(random.IntN(n))
			x.add(hash, i)
			want[hash] = append(want[hash], i)
		}
		for tag := range uint64(9) {
			for low := range uint64(n + 2) {
				hash := tag<<32 | low
				var got []int
				for number, at := x.next(hash, hash); number >= 0; number, at = x.next(hash, at) {
					got = append(got, number)
				}
				// others are candidates too
				got = slices.DeleteFunc(got, func(number int) bool { return !slices.Contains(want[hash], number) })
				if !slices.Equal(got, want[hash]) {
					t.Fatalf("%d hashes: %x has %v, want %v", n, hash, got, want[hash])
				}
			}
		}
	}
	var none index
	if number, _ := none.next(5, 5); number >= 0 {
		t.Errorf("an index without room found %d", number)
	}
}

// TestOpeningIsMadeOnce checks that the opening of a kind is that of its name, and the same memory
// for all goroutines once it is there.
func TestOpeningIsMadeOnce(t *testing.T) {
	t.Parallel()
	type object struct{ apiVersion, kind string }
	spec := KindSpec[object]{
		GroupVersionKind: schema.GroupVersionKind{Group: "g", Version: "v1", Kind: `O"`},
		TypeMeta:         func(o *object) (apiVersion, kind *string) { return &o.apiVersion, &o.kind },
	}
	s, err := NewScheme(func(b *Builder) { AddKind(b, &spec) })
	if err != nil {
		t.Fatal(err)
	}
	k := s.ordered[0]
	openings := make(chan string)
	for range 8 {
		go func() { openings <- string(k.opening()) }()
	}
	for range 8 {
		if got, want := <-openings, `{"kind":"O\"","apiVersion":"g/v1"`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if a, b := k.opening(), k.opening(); &a[0] != &b[0] || cap(a) != len(a) {
		t.Error("it is made again, or can be appended to in place")
	}
}

// To returns the kind that a single object is shown as.
func (p *Projection) To() *Kind { return p.to }
