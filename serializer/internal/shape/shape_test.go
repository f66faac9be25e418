package shape

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/askind/askind/internal/plain"
)

// TestMain skips all tests where the package does nothing.
func TestMain(m *testing.M) {
	if !plain.Enabled {
		m.Run()
	}
}

// learn goes over names from a point on, learns those that are not known, and returns the places.
func learn(m *Memory, at Point, names ...string) (places []Place, known int) {
	for _, name := range names {
		text := []byte(name + " and what follows")
		p, size := m.Find(at, text, 0)
		if size > 0 {
			known++
		} else if p == 0 {
			p = m.Learn(at, text[:len(name)])
		}
		clear(text) // a Memory keeps nothing of it
		places = append(places, p)
		at = p.Behind()
	}
	return places, known
}

func TestFind(t *testing.T) {
	t.Parallel()
	var m Memory
	root := m.Root("Machine")
	names := []string{
		`a":`, `name":`, `sevente":`, `a-name-of-23-bytes---":`, `a-name-of-24-bytes----":`,
		`a-name-of-25-bytes-----":`, strings.Repeat("n", maxName),
	}
	first, known := learn(&m, root, names...)
	if known > 0 {
		t.Errorf("%d names are known from the start", known)
	}
	again, known := learn(&m, m.Root("Machine"), names...)
	if known != len(names) || !reflect.DeepEqual(first, again) {
		t.Errorf("%d of %d names are known, at %v and %v", known, len(names), first, again)
	}
	for i, name := range names {
		at := root
		if i > 0 {
			at = first[i-1].Behind()
		}
		for _, other := range []string{name[1:], "x" + name[1:], name[:len(name)-1], name[:len(name)-1] + "x"} {
			if _, size := m.Find(at, []byte(other), 0); size > 0 {
				t.Errorf("%q is taken for %q", other, name)
			}
		}
		if p, size := m.Find(at, []byte(name), 0); p != first[i] || size != len(name) {
			t.Errorf("Find(%q) = %d, %d at the end of the text", name, p, size)
		}
		if _, size := m.Find(first[i].Inside(), []byte(name), 0); size > 0 {
			t.Errorf("%q is known inside of itself", name)
		}
	}
	if _, known := learn(&m, m.Root("Rack"), names...); known > 0 {
		t.Error("another kind has the same names")
	}
}

// TestOthers checks that names which are not remembered share a place, behind which others are
// known again.
func TestOthers(t *testing.T) {
	t.Parallel()
	var m Memory
	at := m.Root("Machine")
	var last Place
	for i := range 3 * maxNames {
		places, _ := learn(&m, at, fmt.Sprintf(`name-%d":`, i), `next":`)
		if i > maxNames && places[0] != last {
			t.Fatalf("name %d is at %d, the one before at %d", i, places[0], last)
		}
		last = places[0]
	}
	for _, name := range []string{"", strings.Repeat("n", maxName+1)} {
		if p := m.Learn(at, []byte(name)); p != last {
			t.Errorf("Learn(%q) = %d, want %d", name, p, last)
		}
	}
	if _, known := learn(&m, last.Behind(), `next":`); known != 1 {
		t.Error("what is behind is not known")
	}
	if p, size := m.Find(0, []byte(`name-1":`), 0); p != 0 || size != 0 || m.Learn(0, []byte(`name-1":`)) != 0 {
		t.Error("something is known where nothing can be")
	}
}

// TestOrder compares the order of random members with that of a stable sort, and holds that what is
// known of a place is not compared again.
func TestOrder(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		names := make([]int, rnd.IntN(40))
		for i := range names {
			names[i] = rnd.IntN(1 + rnd.IntN(60))
		}
		compare := func(i, j int) int { return names[i] - names[j] }
		var m Memory
		got := slices.Clone(m.Order(0, len(names), compare))
		var want, order []int
		for i := range names {
			want = append(want, i)
		}
		unmoved := slices.Clone(want)
		slices.SortStableFunc(want, compare)
		for at := len(want) - 2; at >= 0; at-- {
			if compare(want[at], want[at+1]) == 0 {
				want = slices.Delete(want, at, at+1)
			}
		}
		for _, r := range got {
			for i := r.From; i < r.To; i++ {
				order = append(order, int(i))
			}
		}
		if got == nil {
			order = unmoved
		}
		if !slices.Equal(order, want) {
			t.Fatalf("%v: the order is %v, want %v", names, order, want)
		}
	}

	var m Memory
	places, _ := learn(&m, m.Root("Machine"), `c":`, `b":`, `a":`)
	backwards := func(i, j int) int { return j - i }
	compared := func(i, j int) int { t.Errorf("members %d and %d are compared again", i, j); return 0 }
	want := []Run{{2, 3}, {1, 2}, {0, 1}}
	for i, compare := range []func(i, j int) int{backwards, compared} {
		if got := m.Order(places[2], 3, compare); !slices.Equal(got, want) {
			t.Errorf("round %d: the order is %v, want %v", i, got, want)
		}
	}
	m.Order(places[1], 2, func(i, j int) int { return i - j })
	if got := m.Order(places[1], 2, compared); len(got) > 0 {
		t.Errorf("what was in order is to be moved: %v", got)
	}
	if got := m.Order(0, 2, backwards); len(got) != 2 {
		t.Errorf("the order of what has no place is %v", got)
	}
}

func TestSkeleton(t *testing.T) {
	t.Parallel()
	var m Memory
	root := m.Root("Machine")
	places, _ := learn(&m, root, `a":`)
	at := places[0].Inside()
	if written, size := m.Skeleton(at, []byte("{}"), 0); written != nil || size != 0 {
		t.Error("a skeleton is known from the start")
	}
	for round := range 2 {
		for i := range maxSkeletons + 1 {
			text, written := fmt.Appendf(nil, "{%d}", i), fmt.Appendf(nil, "(%d)", i)
			if round == 0 {
				m.LearnSkeleton(at, text, written)
				m.LearnSkeleton(1, text, written)
			}
			want := string(written)
			if i == maxSkeletons {
				want = ""
			}
			got, size := m.Skeleton(at, append([]byte("in front"), text...), len("in front"))
			if string(got) != want || (size == len(text)) != (want != "") {
				t.Errorf("skeleton %d: %q, %d", i, got, size)
			}
			for _, other := range []string{string(text[:2]), "", "x" + string(text)} {
				if _, size := m.Skeleton(at, []byte(other), 0); size != 0 {
					t.Errorf("%q is taken for %q", other, text)
				}
			}
			for _, point := range []Point{0, 1, root} {
				if _, size := m.Skeleton(point, text, 0); size != 0 {
					t.Errorf("%q is known at point %d", text, point)
				}
			}
		}
	}
	m.LearnSkeleton(root, make([]byte, maxSkeleton+1), nil)
	m.LearnSkeleton(root, nil, make([]byte, maxSkeleton+1))
	if m.points[root].skeletons != 0 {
		t.Error("a skeleton is remembered, however long it is")
	}
	for range 200 {
		p, _ := learn(&m, at, `in":`)
		at = p[0].Inside()
		m.LearnSkeleton(at, make([]byte, 1000), nil)
		if len(m.texts) > maxSkeletonText {
			t.Fatalf("%d bytes are kept", len(m.texts))
		}
	}
	if _, size := m.Skeleton(at, make([]byte, 1000), 0); size != 0 || !m.full {
		t.Error("skeletons are learned by a full Memory")
	}
	if _, size := m.Skeleton(places[0].Inside(), []byte("{0}"), 0); size == 0 {
		t.Error("a full Memory has forgotten what it knew")
	}
}

// TestFull fills a Memory with objects that do not come again: it keeps what it knows, no object
// takes much of it, it does not allocate, and it learns anew in the end.
func TestFull(t *testing.T) {
	var m Memory
	object := func(i int) (names []string) {
		for j := range maxMembers {
			names = append(names, fmt.Sprintf(`name-%d-%d":`, i, j))
		}
		return names
	}
	first := object(0)
	learn(&m, m.Root("Kind"), first...)
	at := m.Root("Kind")
	for range 2 * maxLearned {
		if p, _ := learn(&m, at, `in":`); p[0] != 0 {
			at = p[0].Inside()
		}
	}
	if m.learned != maxLearned || m.full {
		t.Errorf("one object has taken %d places, full: %v", m.learned, m.full)
	}
	i := 1
	for ; !m.full && i < maxPlaces; i++ {
		learn(&m, m.Root(fmt.Sprint("Kind", i)), object(i)...)
	}
	if !m.full {
		t.Fatal("the Memory is never full")
	}
	if places := len(m.places); places > maxPlaces {
		t.Fatalf("%d places", places)
	}
	for range renewal {
		if _, known := learn(&m, m.Root("Kind"), first...); known != len(first) {
			t.Fatalf("a full Memory knows %d names of %d", known, len(first))
		}
	}
	last := object(i)
	if _, known := learn(&m, m.Root("Kind"), last...); known != 0 || m.full {
		t.Errorf("%d names are known, full: %v", known, m.full)
	}
	if _, known := learn(&m, m.Root("Kind"), last...); known != len(last) {
		t.Errorf("a renewed Memory has learned %d names of %d", known, len(last))
	}
	text := []byte("unknown and what follows")
	m.full = true
	if n := testing.AllocsPerRun(100, func() {
		at := m.Root("Other")
		m.Learn(at, text[:7])
		m.Learn(m.roots["Kind"].Inside(), text[:7])
	}); n > 0 {
		t.Errorf("%.0f allocations by a full Memory", n)
	}
}

// TestBounds teaches more than there is room for, in width and in depth.
func TestBounds(t *testing.T) {
	t.Parallel()
	var m Memory
	for i := range 200 {
		root := m.Root(fmt.Sprint("Kind", i%70))
		var names []string
		for j := range 2 * maxMembers {
			names = append(names, fmt.Sprintf(`name-%d-%d%s":`, i%50, j, strings.Repeat("x", 40)))
		}
		places, _ := learn(&m, root, names...)
		if places[maxMembers] != 0 {
			t.Fatal("an object of any length is remembered")
		}
		for _, p := range places[:maxMembers] {
			m.Order(p, maxMembers, func(i, j int) int { return j - i })
		}
		at := root
		for range 50 {
			p, _ := learn(&m, at, `in":`)
			at = p[0].Inside()
			m.LearnSkeleton(at, []byte(fmt.Sprint(i, strings.Repeat("x", i))), []byte("written"))
		}
		size := cap(m.places)*int(unsafe.Sizeof(Known{})) + cap(m.points)*int(unsafe.Sizeof(point{})) + cap(m.names) +
			cap(m.runs)*int(unsafe.Sizeof(Run{})) +
			cap(m.skeletons)*int(unsafe.Sizeof(skeleton{})) + cap(m.texts)
		if len(m.places) > maxPlaces || len(m.runs) > maxRuns || size > 1<<20 {
			t.Fatalf("%d places, %d runs, %d bytes", len(m.places), len(m.runs), size)
		}
	}
	if m.Root(strings.Repeat("K", maxName+1)) != 0 {
		t.Error("the name of a kind is remembered, however long it is")
	}
}
