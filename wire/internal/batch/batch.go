// Package batch allocates the values that a decoded object points to, and its short lists, from
// shared blocks of memory, so that an object needs few allocations. Package chunk does the same for
// strings.
//
// A [Set] has a [Type] for each type. The Type records how many values the previous document, or
// the previous list item, needed. An object similar to the previous one thus usually gets all
// values of a type in one block:
//
//	Pod ──► EnvVarSource ┐
//	    ──► EnvVarSource ├ one block, of as many as the last Pod had
//	    ──► EnvVarSource ┘
//
// Numbers and booleans behind pointers share blocks of words, whatever their types. Strings behind
// pointers share blocks of []string.
//
// A growing list takes the rest of the block and returns what it did not need, so its elements are
// not copied while they fit.
//
// A value that is retained keeps its whole block in memory. Therefore blocks are small, and they
// are not shared between the items of a list.
package batch

import (
	"math"
	"math/bits"
	"reflect"
	"strconv"

	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/schema"
)

const (
	// maxBlock bounds the bytes of a list that begins, beyond those requested. What the list does
	// not need is used by others.
	maxBlock = 8 << 10
	// maxAhead bounds the bytes of other blocks beyond those requested. What an object does not
	// need of them, because it differs from the one before, is lost. Larger blocks save no
	// allocations worth mentioning where objects differ.
	maxAhead = 640
	// perByte bounds the same bytes relative to the rest of the document: a block has at most this
	// many bytes for each byte that remains.
	perByte = 4
)

// Set holds the blocks of all types of one document. The zero Set is ready for use. It is not safe
// for concurrent use and must not be copied while in use.
type Set struct {
	// Off allocates each value and each list separately, as the build tag askind_plain does.
	Off bool

	table []entry // open addressing by the key, half full at most; its length is a power of two
	shift uint8   // 64 less the bits of an index into the table
	types int     // number of types, including those that share blocks
	room  int     // bytes left before the limit; negative if it is exceeded
	item  uint    // counts items, so that ending one needs no loop over the types
	made  bool    // whether blocks were allocated since the last Reset
}

// entry is a slot of the table; it is empty if t is nil.
type entry struct {
	key Pointer // see keyOf
	t   *Type
}

// Item ends all blocks, so that the next values share memory only with each other.
func (s *Set) Item() { s.item++ }

// Reset is [Set.Item] for a Set that is put aside: it keeps no block.
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

// firstBytes is the memory that a document may take regardless of its size.
const firstBytes = 1 << 20

// Allow starts to count the memory of a document of size bytes, which may take times that size plus
// [firstBytes].
func (s *Set) Allow(times, size int) {
	s.room = math.MaxInt
	if high, low := bits.Mul64(uint64(times), uint64(size)); high == 0 && low < math.MaxInt-firstBytes {
		s.room = firstBytes + int(low)
	}
}

// Allot starts to count the memory of a part of a document, which may take room bytes.
func (s *Set) Allot(room int) { s.room = room }

// Room returns how many bytes may still be allocated. It is negative if the limit is exceeded: a
// Set does not enforce the limit, so readers must check it in time.
func (s *Set) Room() int { return s.room }

// Spend counts n bytes that a reader allocates itself.
func (s *Set) Spend(n int) { s.room -= n }

// LimitError returns the error for a document of size bytes that exceeds its memory limit.
func LimitError(times, size int) *schema.LimitError {
	return &schema.LimitError{
		Limit: "Memory", What: "an object of " + strconv.Itoa(size) + " bytes",
		Unit: "times its size in memory", Max: times,
	}
}

// Type returns the type T for p, which is a *[]T or a **T.
func (s *Set) Type(p any) *Type {
	key := keyOf(p)
	if i := hash(key) >> (s.shift & 63); i < uint64(len(s.table)) {
		if e := &s.table[i]; e.key == key {
			return e.t
		}
	}
	return s.find(key)
}

// find returns the type with a key if the table's first slot for it holds another type or none.
//
//go:noinline
func (s *Set) find(key Pointer) *Type {
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

// typeOf returns the type for p, a *[]T or a **T, whose key is not in the table. Types of numbers,
// booleans and strings share blocks, because an object has only a few pointers to each of many such
// types.
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

// place returns the slot of a key in the table, or the empty slot where it belongs.
func (s *Set) place(key Pointer) *entry {
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
func hash(key Pointer) uint64 { return uint64(uintptr(key)) * 0x9E3779B97F4A7C15 }

// New returns a new zero value. remaining is the number of bytes left in the document.
func (s *Set) New(t *Type, remaining int) Pointer { return s.take(t, 1, remaining) }

// take returns n zero values, from the rest of the type's block or from a new one.
func (s *Set) take(t *Type, n, remaining int) Pointer {
	s.begin(t)
	if n < t.left { // nearly always
		values := t.free
		t.used += n
		t.left -= n
		t.free = t.after(values, n)
		return values
	}
	return s.takeSlow(t, n, remaining)
}

//go:noinline
func (s *Set) takeSlow(t *Type, n, remaining int) Pointer {
	t.used += n
	switch {
	case s.Off || plain.Enabled || t.size == 0 || n == 0:
		s.room -= n * int(t.size)
		return t.memory(n)
	case n > t.left:
		room := t.room(n, remaining)
		s.room -= room * int(t.size)
		values := t.memory(room)
		if room > n {
			s.keep(t, t.after(values, n), room-n)
		}
		return values
	}
	values := t.free
	t.free, t.left = nil, 0 // never past the end, where another block may begin
	return values
}

// keep records the rest of a block, unless the rest of another block is larger.
func (s *Set) keep(t *Type, rest Pointer, n int) {
	if n > t.left && !s.Off && !plain.Enabled {
		t.free, t.left = rest, n
		s.made = true
	}
}

// room returns the number of values of a new block when n are needed now.
func (t *Type) room(n, remaining int) int {
	more := t.used // as many again, if the previous item gives no estimate
	if t.hint >= t.used {
		more = t.hint - t.used + n
	}
	if most := min(maxAhead, perByte*remaining); more*int(t.size) > most { // rare; avoids a division otherwise
		more = most / int(t.size)
	}
	return max(n, more)
}

// List returns a list of n zero elements, with capacity n, for readers that know the length in
// advance. remaining is the number of bytes left in the document.
func (s *Set) List(t *Type, n, remaining int) Slice { return Slice{s.take(t, n, remaining), n, n} }

// Extend grows a full list: the result has the same elements and a larger capacity. A list starts
// empty, in the rest of the block, and ends with [Set.Settle]. least is the minimum capacity if the
// list needs memory of its own and the previous item gives no estimate.
func (s *Set) Extend(t *Type, list Slice, least, remaining int) Slice {
	n := list.Len
	if t.size > 0 && !s.Off && !plain.Enabled {
		s.begin(t)
		if n == 0 && t.left > 0 {
			rest := Slice{t.free, 0, t.left}
			t.used += t.left
			t.free, t.left = nil, 0
			return rest
		}
		t.used = max(0, t.used-n) // a list of items spans many items, and each one counts anew
		// The previous item predicts the length only where a list begins. A growing list follows
		// the caller's estimate, because small steps would copy a long list repeatedly.
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

// Settle returns a finished list, with a capacity equal to its length, and returns the rest of the
// block. The result is never nil.
func (s *Set) Settle(t *Type, list Slice) Slice {
	if n := list.Cap - list.Len; n > 0 && t.size > 0 {
		s.begin(t)
		t.used -= n
		s.keep(t, t.Index(list, list.Len), n)
	}
	if list.Len == 0 {
		list.Data = noneAt()
	}
	list.Cap = list.Len
	return list
}
