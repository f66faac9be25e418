package arrange_test

import (
	"bytes"
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/internal/rounds"
	"github.com/askind/askind/serializer/internal/arrange"
)

// names compares keys, which are its indexes.
type names []string

func (n names) Compare(a, b arrange.Member) int {
	if a.Rank != b.Rank {
		return cmp.Compare(a.Rank, b.Rank)
	}
	return strings.Compare(n[a.Key], n[b.Key])
}

// TestClose compares objects of random members, some of them with equal names, with a sorted map.
// Every other object has ranks.
func TestClose(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var s arrange.Stack
	for round := range rounds.Of(20_000) {
		before := strings.Repeat("-", random.IntN(3))
		s.Push(arrange.Member{}) // of an outer object
		base := s.Len()
		out := []byte(before)
		var keys names
		last := map[string]string{}
		for i := range random.IntN(40) {
			name := strconv.Itoa(random.IntN(50))
			m := arrange.Member{Start: len(out), Key: i}
			if round%2 == 0 {
				m.Rank = arrange.Rank([]byte(name))
			}
			s.Push(m)
			keys = append(keys, name)
			text := name + strings.Repeat("=", random.IntN(100)) + ";"
			out = append(out, text...)
			last[name] = text
		}
		want := []byte(before)
		for _, name := range slices.Sorted(maps.Keys(last)) {
			want = append(want, last[name]...)
		}
		written := slices.Clone(out)
		end, count := s.Close(out, len(out), base, keys)
		if count != len(last) || !bytes.Equal(out[:end], want) {
			t.Fatalf("%s becomes %s with %d members, want %s", written, out[:end], count, want)
		}
		if s.Len() != base {
			t.Fatalf("%d members are left, want %d", s.Len(), base)
		}
		s.Reset()
		s.Release(1 << 10)
	}
}

// TestSortAndArrange checks that members can be put into any order after the last of equal ones
// has been chosen.
func TestSortAndArrange(t *testing.T) {
	t.Parallel()
	var s arrange.Stack
	keys := names{"b", "c", "a", "c"}
	out := []byte("b1;c2;a3;c4;")
	for i := range keys {
		s.Push(arrange.Member{Start: 3 * i, Key: i})
	}
	order := s.Sort(0, keys)
	var got []string
	for _, m := range order {
		got = append(got, string(out[3*m.Start:3*m.Start+2]))
	}
	if want := []string{"a3", "b1", "c4"}; !slices.Equal(got, want) {
		t.Errorf("sorted %q, want %q", got, want)
	}
	slices.Reverse(order)
	if end, count := s.Arrange(out, len(out), 0, order); count != 3 || string(out[:end]) != "c4;b1;a3;" {
		t.Errorf("arranged %q with %d members", out[:end], count)
	}
	if s.Len() != 0 {
		t.Errorf("%d members are left", s.Len())
	}
}
