package pbwire_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/pbwire"

	"github.com/askind/askind/internal/plain"
)

// leaf is a message of one number that is reached by a pointer.
type leaf struct{ value int64 }

// leaves reads a message of messages in field 4, each of them an item if items is set.
func leaves(r *pbwire.Reader, items bool) []*leaf {
	got := make([]*leaf, 0, 4)
	for r.Next() {
		if items {
			r.Item()
		}
		l := pbwire.New[leaf](r)
		saved := r.Message()
		for r.Next() {
			l.value = r.Int64()
		}
		r.EndMessage(saved)
		got = append(got, l)
	}
	return got
}

// TestBlocks checks which values share a block: the values of an object, but not those of two
// objects or two items. It is not parallel, because allocations are counted for the whole process.
func TestBlocks(t *testing.T) {
	if plain.Enabled {
		t.Skip("values do not share memory")
	}
	w := pbwire.NewWriter(nil)
	for i := range 4 {
		mark := w.Mark()
		w.Int64(1, int64(4-i))
		w.Message(4, mark)
	}
	data := w.Bytes()
	var r pbwire.Reader
	read := func(o pbwire.Options, items bool) []*leaf {
		t.Helper()
		r.Reset(data, o)
		got := leaves(&r, items)
		if r.Err() != nil || len(got) != 4 {
			t.Fatalf("%d values, %v", len(got), r.Err())
		}
		for i, l := range got {
			if l.value != int64(i+1) {
				t.Errorf("value %d is %d", i, l.value)
			}
		}
		return got
	}
	together := func(ls []*leaf) int {
		n := 0
		for i := 1; i < len(ls); i++ {
			if uintptr(unsafe.Pointer(ls[i]))-uintptr(unsafe.Pointer(ls[i-1])) == unsafe.Sizeof(leaf{}) {
				n++
			}
		}
		return n
	}
	read(pbwire.Options{}, false) // so that the Reader knows how many there are
	for _, row := range []struct {
		name   string
		o      pbwire.Options
		items  bool
		allocs float64
	}{
		// One more is for the list of results.
		{"object", pbwire.Options{}, false, 1 + 1},
		{"items", pbwire.Options{}, true, 4 + 1},
		{"apart", pbwire.Options{Apart: true}, false, 4 + 1},
	} {
		got := read(row.o, row.items)
		if row.name == "object" && together(got) != 3 {
			t.Errorf("%s: the values lie apart", row.name)
		}
		if n := testing.AllocsPerRun(20, func() {
			r.Reset(data, row.o)
			leaves(&r, row.items)
		}); n != row.allocs {
			t.Errorf("%s: %v allocations, want %v", row.name, n, row.allocs)
		}
	}
}

// TestExtendWithinMemory checks that a list counts that grows element by element, because other
// fields stand between its elements.
func TestExtendWithinMemory(t *testing.T) {
	t.Parallel()
	type large [64]int64
	w := pbwire.NewWriter(nil)
	for range 4000 {
		w.Int64(2, 1)
		w.BytesField(1, nil)
	}
	for memory, fits := range map[int]bool{1000: true, 10: false} {
		r := pbwire.NewReader(w.Bytes(), pbwire.Options{Limits: schema.Limits{Memory: memory}})
		var list []large
		for r.Next() {
			if r.Field() == 1 {
				list = pbwire.Extend(r, list)
			}
			r.Skip()
		}
		if fits && (len(list) != 4000 || r.Err() != nil) || !fits &&
			(len(list) > 3500 || !errors.Is(r.Err(), schema.ErrLimit)) {
			t.Errorf("limit %d: %d elements, error %v", memory, len(list), r.Err())
		}
	}
}
