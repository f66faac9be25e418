// Package batch lets the values of one type that a decoded object points to, and its short lists,
// share blocks of memory, so that the object costs few allocations. It is to structs what package
// chunk is to strings.
//
// A [Set] has a [Type] for each type. It remembers how many values of the type the document before
// needed, or the list item before, so that most objects like the last get all of their values of a
// type in one block:
//
//	Pod ──► EnvVarSource ┐
//	    ──► EnvVarSource ├ one block, of as many as the last Pod had
//	    ──► EnvVarSource ┘
//
// Pointers to numbers and booleans share blocks of words, whatever their types, and pointers to
// strings lead into blocks of []string.
//
// A list takes the rest of the block while it grows, and gives back what it did not need, so its
// elements are never copied as long as they fit.
//
// A value that is kept alone keeps its block, which is why blocks are small, and why they end with
// the item of a list.
package batch

import (
	"math"
	"math/bits"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/askind/askind/schema"
)

const (
	// maxBlock bounds the bytes that a block has beyond what is asked for.
	maxBlock = 8 << 10
	// perByte bounds the same by what remains of the document: a block is not expected to be more
	// than so many times the text to come.
	perByte = 4
)

// Set has the blocks of all types of one document. The zero Set is empty and ready. It is for one
// goroutine and must not be copied while it is in use.
type Set struct {
	// Off gives each value and each list memory of its own, as the build tag askind_plain does.
	Off bool

	table []entry // open addressing by the key, half full at most; its length is a power of two
	shift uint8   // 64 less the bits of an index into the table
	types int     // as many as the program has, at most; those that share blocks count too
	room  int     // bytes that may yet be allocated before the limit is met, less than 0 if more have been
	item  uint    // counts items, so that types need not be visited when one ends
	made  bool    // blocks since the last Reset
}

// entry is a place of the table, empty if t is nil.
type entry struct {
	key unsafe.Pointer // see keyOf
	t   *Type
}

// Item ends all blocks, so that the next values share memory only with each other.
func (s *Set) Item() { s.item++ }

// Reset is [Set.Item] for a Set that may rest for a while: it keeps no block.
func (s *Set) Reset() {
	s.item++
	if !s.made {
		return
	}
	s.made = false
	for _, e := range s.table {
		if e.t != nil && e.t.left > 0 {
			e.t.free, e.t.left = nil, 0
		}
	}
}

// firstBytes is how much memory a document may take whatever its size.
const firstBytes = 1 << 20

// Allow begins to count the memory of a document of so many bytes, which may take so many times as
// much, and [firstBytes] more.
func (s *Set) Allow(times, size int) {
	s.room = math.MaxInt
	if high, low := bits.Mul64(uint64(times), uint64(size)); high == 0 && low < math.MaxInt-firstBytes {
		s.room = firstBytes + int(low)
	}
}

// Allot begins to count the memory of a part of a document, for which there is so much room.
func (s *Set) Allot(room int) { s.room = room }

// Room returns how many bytes may yet be allocated. It is less than 0 if more have been than are
// allowed: a Set does not refuse them, its reader asks in time.
func (s *Set) Room() int { return s.room }

// Spend counts n bytes that a reader allocates by itself.
func (s *Set) Spend(n int) { s.room -= n }

// LimitError is the error for a document of so many bytes that takes more memory than is allowed.
func LimitError(times, size int) *schema.LimitError {
	return &schema.LimitError{
		Limit: "Memory", What: "an object of " + strconv.Itoa(size) + " bytes",
		Unit: "times its size in memory", Max: times,
	}
}

// Type returns the type T for a p that is a *[]T or a **T.
func (s *Set) Type(p any) *Type {
	key := keyOf(p)
	if i := hash(key) >> (s.shift & 63); i < uint64(len(s.table)) {
		if e := &s.table[i]; e.key == key {
			return e.t
		}
	}
	return s.find(key)
}

// find returns the type with a key, which may not be where it belongs or not be there yet.
//
//go:noinline
func (s *Set) find(key unsafe.Pointer) *Type {
	if 2*s.types >= len(s.table) {
		s.grow()
	}
	at := s.place(key)
	if at.t == nil {
		t := s.typeOf(pointerOf(key))
		at = s.place(key) // the table may have grown
		*at = entry{key, t}
		s.types++
	}
	return at.t
}

// typeOf returns the type for a p, a *[]T or a **T, whose key is not in the table. An object has a
// few pointers to many types of numbers, booleans and strings, which is why they share blocks.
func (s *Set) typeOf(p reflect.Type) *Type {
	elem := p.Elem().Elem()
	if p.Elem().Kind() == reflect.Pointer {
		switch kind := elem.Kind(); {
		case reflect.Bool <= kind && kind <= reflect.Float64:
			return s.Type((*[]uint64)(nil))
		case kind == reflect.String:
			return s.Type((*[]string)(nil))
		}
	}
	return &Type{size: elem.Size(), elem: elem, item: s.item}
}

func (s *Set) grow() {
	old := s.table
	s.table, s.shift = make([]entry, max(2*len(old), 64)), s.shift-1
	if old == nil {
		s.shift = 64 - 6
	}
	for _, e := range old {
		if e.t != nil {
			*s.place(e.key) = e
		}
	}
}

// place returns where the type with a key is in the table, or where it belongs.
func (s *Set) place(key unsafe.Pointer) *entry {
	for i := hash(key) >> s.shift; ; i++ {
		if at := &s.table[int(i)&(len(s.table)-1)]; at.t == nil || at.key == key {
			return at
		}
	}
}

// begin prepares a type for the current item.
func (s *Set) begin(t *Type) {
	if t.item != s.item {
		t.free, t.left, t.item = nil, 0, s.item
		t.hint, t.used = t.used, 0
	}
}

// hash spreads addresses, which are close to each other, over the upper bits of the result.
func hash(key unsafe.Pointer) uint64 { return uint64(uintptr(key)) * 0x9E3779B97F4A7C15 }

// New returns a new zero value. remaining is how many bytes of the document are left.
func (s *Set) New(t *Type, remaining int) unsafe.Pointer { return s.take(t, 1, remaining) }

// take gives out n zero values, from what is left of the block of their type or from a new one.
func (s *Set) take(t *Type, n, remaining int) unsafe.Pointer {
	s.begin(t)
	if n < t.left { // nearly always
		values := t.free
		t.used += n
		t.left -= n
		t.free = unsafe.Add(values, uintptr(n)*t.size)
		return values
	}
	return s.takeSlow(t, n, remaining)
}

//go:noinline
func (s *Set) takeSlow(t *Type, n, remaining int) unsafe.Pointer {
	t.used += n
	switch {
	case s.Off || plain || t.size == 0 || n == 0:
		s.room -= n * int(t.size)
		return t.memory(n)
	case n > t.left:
		room := t.room(n, remaining)
		s.room -= room * int(t.size)
		values := t.memory(room)
		if room > n {
			s.keep(t, unsafe.Add(values, uintptr(n)*t.size), room-n)
		}
		return values
	}
	values := t.free
	t.free, t.left = nil, 0 // never behind the block, where another one may begin
	return values
}

// keep notes the rest of a block, unless what is left of another one is more.
func (s *Set) keep(t *Type, rest unsafe.Pointer, n int) {
	if n > t.left && !s.Off && !plain {
		t.free, t.left = rest, n
		s.made = true
	}
}

// room returns how many values a block is to have of which n are needed now.
func (t *Type) room(n, remaining int) int {
	more := t.used // as many again, if the item before does not tell
	if t.hint >= t.used {
		more = t.hint - t.used + n
	}
	if most := min(maxBlock, perByte*remaining); more*int(t.size) > most { // seldom, and a division takes time
		more = most / int(t.size)
	}
	return max(n, more)
}

// List returns a list of n zero elements, n being its capacity too, for readers that know how long
// a list is before they read it. remaining is how many bytes of the document are left.
func (s *Set) List(t *Type, n, remaining int) Slice { return Slice{s.take(t, n, remaining), n, n} }

// Extend makes room in a full list: the result has the same elements and a larger capacity. A list
// begins empty, in what is left of the block, and ends with [Set.Settle]. least is how large it is
// to be at least if it needs memory of its own and the item before does not tell how much.
func (s *Set) Extend(t *Type, list Slice, least, remaining int) Slice {
	n := list.Len
	if t.size > 0 && !s.Off && !plain {
		s.begin(t)
		if n == 0 && t.left > 0 {
			rest := Slice{t.free, 0, t.left}
			t.used += t.left
			t.free, t.left = nil, 0
			return rest
		}
		t.used = max(0, t.used-n) // a list of items goes on over many of them, each of which counts anew
		// Only where a list begins does the item before tell how long it may get. One that grows
		// does as its caller estimates, since small steps would copy a long list again and again.
		if want := t.hint - t.used; n == 0 &&
			(want == 1 || want > 1 && want*int(t.size) <= min(maxBlock, perByte*remaining)) {
			least = want
		}
		t.used += max(least, n+1)
	}
	room := max(least, n+1)
	s.room -= room * int(t.size)
	more := Slice{t.memory(room), n, room}
	t.Copy(more.Data, list)
	return more
}

// Settle returns a list as it is to be kept, with a capacity that is its length, and takes back the
// rest of the block. The result is never nil.
func (s *Set) Settle(t *Type, list Slice) Slice {
	if n := list.Cap - list.Len; n > 0 && t.size > 0 {
		s.begin(t)
		t.used -= n
		s.keep(t, t.Index(list, list.Len), n)
	}
	if list.Len == 0 {
		list.Data = unsafe.Pointer(&none)
	}
	list.Cap = list.Len
	return list
}
