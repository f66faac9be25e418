package batch

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/askind/askind/internal/plain"
)

type pair struct {
	a, b int
	next *pair
}

// TestValuesAreApart fills values and lists of several types in every order and looks whether one
// shows in another.
func TestValuesAreApart(t *testing.T) {
	t.Parallel()
	for _, off := range []bool{false, true} {
		s := &Set{Off: off}
		for round := range 20 {
			var values []*pair
			var lists [][]pair
			var texts [][]string
			var want []int
			n := 0
			for i := range 10 + round%7 {
				p := New[pair](s, 1000)
				if *p != (pair{}) {
					t.Fatalf("a new value is %+v", *p)
				}
				n++
				*p = pair{a: n, b: -n}
				values, want = append(values, p), append(want, n)
				var list []pair
				var text []string
				for j := range (i*7 + round) % 5 {
					if len(list) == cap(list) {
						list = Extend(s, list, 1+j%2, 1000)
					}
					list = list[:len(list)+1]
					if list[len(list)-1] != (pair{}) {
						t.Fatalf("a new element is %+v", list[len(list)-1])
					}
					list[len(list)-1] = pair{a: i, b: j}
					if j%2 == 0 { // in the middle of a list of the same type
						n++
						p := New[pair](s, 1000)
						*p = pair{a: n, b: -n}
						values, want = append(values, p), append(want, n)
					}
					if len(text) == cap(text) {
						text = Extend(s, text, 1, 1000)
					}
					text = text[:len(text)+1]
					text[len(text)-1] = fmt.Sprint(i, j)
				}
				whole := List[pair](s, i%4, 1000)
				if len(whole) != i%4 || cap(whole) != i%4 {
					t.Fatalf("a list of %d elements has %d and the capacity %d", i%4, len(whole), cap(whole))
				}
				for j := range whole {
					if whole[j] != (pair{}) {
						t.Fatalf("a new element is %+v", whole[j])
					}
					n++
					whole[j] = pair{a: n, b: -n}
					values, want = append(values, &whole[j]), append(want, n)
				}
				kept := Settle(s, list)
				if kept == nil || cap(kept) != len(kept) {
					t.Fatalf("a list of %d elements has the capacity %d and is nil: %v", len(kept), cap(kept),
						kept == nil)
				}
				lists, texts = append(lists, kept), append(texts, Settle(s, text))
			}
			for i, p := range values {
				if p.a != want[i] || p.b != -want[i] {
					t.Fatalf("value %d is %+v, want %d", i, *p, want[i])
				}
			}
			for i := range lists {
				for j := range lists[i] {
					if lists[i][j] != (pair{a: i, b: j}) || texts[i][j] != fmt.Sprint(i, j) {
						t.Fatalf("list %d: %+v, %q", i, lists[i], texts[i])
					}
				}
			}
			if round%2 == 0 {
				s.Item()
			} else {
				s.Reset()
			}
		}
	}
}

// TestNextItemTakesOneBlock checks the purpose of the package. The number of items is that of the
// item before.
func TestNextItemTakesOneBlock(t *testing.T) {
	if plain.Enabled {
		t.Skip("values do not share memory")
	}
	s := new(Set)
	item := func() {
		s.Item()
		for range 9 {
			New[pair](s, 1000)
		}
		for range 3 {
			var list []string
			for range 4 {
				if len(list) == cap(list) {
					list = Extend(s, list, 1, 1000)
				}
				list = list[:len(list)+1]
			}
			Settle(s, list)
			List[int64](s, 5, 1000)
		}
	}
	item()
	if got := testing.AllocsPerRun(10, item); got != 3 {
		t.Errorf("%v allocations for 9 values and 6 lists, want one for each type", got)
	}
}

func TestItemsShareNothing(t *testing.T) {
	t.Parallel()
	s := new(Set)
	for range 3 {
		s.Item()
		New[pair](s, 1000)
		New[pair](s, 1000)
	}
	s.Item()
	first := New[pair](s, 1000)
	s.Item()
	second := New[pair](s, 1000)
	if d := uintptr(unsafe.Pointer(second)) - uintptr(unsafe.Pointer(first)); d == unsafe.Sizeof(pair{}) {
		// They may lie side by side by chance, but then they are blocks of their own.
		if p := s.Type((*[]pair)(nil)); p.left != 1 {
			t.Errorf("the second item has %d of its block left, want 1", p.left)
		}
	}
	s.Reset()
	if p := s.Type((*[]pair)(nil)); p.free != nil || p.left != 0 {
		t.Errorf("after Reset: %+v", *p)
	}
}

// TestBlocksAreBounded checks that what an item needed does not make the next one take much memory
// for little text.
func TestBlocksAreBounded(t *testing.T) {
	t.Parallel()
	s := new(Set)
	for range 1000 {
		New[pair](s, 1<<20)
	}
	s.Item()
	New[pair](s, 1<<20)
	if p := s.Type((*[]pair)(nil)); p.left*int(unsafe.Sizeof(pair{})) > maxBlock {
		t.Errorf("%d values are left of a block", p.left)
	}
	s.Item()
	List[pair](s, 1, 1<<20)
	if p := s.Type((*[]pair)(nil)); p.left*int(unsafe.Sizeof(pair{})) > maxBlock {
		t.Errorf("%d values are left of the block of a list", p.left)
	}
	s.Item()
	New[pair](s, 24)
	if p := s.Type((*[]pair)(nil)); p.left*int(unsafe.Sizeof(pair{})) > perByte*24 {
		t.Errorf("%d values are left of a block for 24 bytes of text", p.left)
	}
}

func TestManyTypes(t *testing.T) {
	t.Parallel()
	s := new(Set)
	var lists []any
	for i := range 1000 {
		list := reflect.New(reflect.SliceOf(reflect.ArrayOf(i, reflect.TypeFor[byte]()))).Interface()
		lists = append(lists, list)
		s.Type(list).used = i
	}
	found := map[*Type]bool{}
	for i, list := range lists {
		at := s.Type(list)
		if at.used != i || at.Size() != i || found[at] {
			t.Fatalf("type %d: %+v", i, at)
		}
		found[at] = true
	}
	if n := New[struct{}](s, 10); n == nil {
		t.Error("no value of a type without size")
	}
	if got := Settle(s, Extend(s, []struct{}{{}, {}}, 4, 10)); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if got := Settle[pair](s, nil); got == nil || !slices.Equal(got, []pair{}) {
		t.Errorf("%v", got)
	}
}

// TestListOverManyItemsGrowsInLargeSteps checks that the list of a document, between whose elements
// items end, is not copied again and again because a document before it had a similar list.
func TestListOverManyItemsGrowsInLargeSteps(t *testing.T) {
	t.Parallel()
	s := &Set{}
	for range 3 {
		var list []pair
		grown := 0
		for range 2000 {
			if len(list) == cap(list) {
				list = Extend(s, list, max(2*len(list), 1), 1<<20)
				grown++
			}
			list = list[:len(list)+1]
			s.Item()
		}
		if kept := Settle(s, list); len(kept) != 2000 || grown > 12 {
			t.Errorf("%d elements, grown %d times", len(kept), grown)
		}
		s.Reset()
	}
}

type (
	flag  bool
	count int32
	name  string
)

// TestScalarsShare checks that pointers to numbers, booleans and strings of any type come from few
// blocks, and that none of them overlap.
func TestScalarsShare(t *testing.T) {
	t.Parallel()
	s := &Set{}
	at := func(p any) unsafe.Pointer { return s.New(s.Type(p), 1000) }
	words := s.Type((*[]uint64)(nil))
	for _, p := range []any{new(*bool), new(*flag), new(*int64), new(*count), new(*float64), new(*uint8)} {
		if s.Type(p) != words {
			t.Errorf("%T does not lead to a word", p)
		}
	}
	texts := s.Type((*[]string)(nil))
	for _, p := range []any{new(*string), new(*name)} {
		if s.Type(p) != texts {
			t.Errorf("%T does not lead into a []string", p)
		}
	}
	if s.Type((*[]bool)(nil)).Size() != 1 || s.Type((*[]name)(nil)) == texts {
		t.Error("lists are not of their own types")
	}
	var flags []*flag
	var numbers []*int64
	var names []*name
	for i := range 100 {
		f, n, text := (*flag)(at(new(*flag))), (*int64)(at(new(*int64))), (*name)(at(new(*name)))
		if *f || *n != 0 || *text != "" {
			t.Fatal("a new value is not zero")
		}
		*f, *n, *text = true, -int64(i)-1, name(fmt.Sprint(i))
		flags, numbers, names = append(flags, f), append(numbers, n), append(names, text)
	}
	for i := range flags {
		if !*flags[i] || *numbers[i] != -int64(i)-1 || *names[i] != name(fmt.Sprint(i)) {
			t.Fatalf("the values %d are %v, %d, %q", i, *flags[i], *numbers[i], *names[i])
		}
	}
}
