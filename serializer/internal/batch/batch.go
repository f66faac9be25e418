// Package batch lets the values of one type that a decoded object points to, and its short lists, share blocks of memory, so that the object costs
// few allocations. It is to structs what package chunk is to strings.
//
// A [Set] has one place for each type. The place remembers how many values of the type the document before needed, or the list item before, so
// that most objects like the last get all of their values of a type in one block:
//
//	Pod ──► EnvVarSource ┐
//	    ──► EnvVarSource ├ one block, of as many as the last Pod had
//	    ──► EnvVarSource ┘
//
// A list takes the rest of the block while it grows, and gives back what it did not need, so its elements are never copied as long as they fit.
//
// A value that is kept alone keeps its block, which is why blocks are small, and why they end with the item of a list.
package batch

import (
	"math"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/askind/askind/schema"
)

const (
	// maxBlock bounds the bytes that a block has beyond what is asked for.
	maxBlock = 8 << 10
	// perByte bounds the same by what remains of the document: a block is not expected to be more than so many times the text to come.
	perByte = 4
	// maxTypes is how many types have a place. The values of further types are allocated one by one.
	maxTypes = 512
)

// Set has the blocks of all types of one document. The zero Set is empty and ready. It is for one goroutine and must not be copied while it is in
// use.
type Set struct {
	// Off gives each value and each list memory of its own.
	Off bool

	table []place // open addressing by the type, half full at most; its length is a power of two
	shift uint8   // 64 less the bits of an index into the table
	types int
	room  int  // bytes that may yet be allocated before the limit is met, less than 0 if more have been
	item  uint // counts items, so that places need not be visited when one ends
	made  bool // blocks since the last Reset
}

// place is what a Set has for one type.
//
//	block: | value | value | list | list | list | zero | zero |
//	                                            ^free    left = 2
type place struct {
	key  unsafe.Pointer // identifies the type; nil for no type
	free unsafe.Pointer // to the first of the values that are left; nil if there are none, and while a list grows into them
	left int
	used int  // values given out for this item
	hint int  // how many the item before needed that had any
	item uint // the item that all this is for
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
	for i := range s.table {
		if p := &s.table[i]; p.left > 0 {
			p.free, p.left = nil, 0
		}
	}
}

// firstBytes is how much memory a document may take whatever its size.
const firstBytes = 1 << 20

// Allow begins to count the memory of a document of so many bytes, which may take so many times as much, and [firstBytes] more.
func (s *Set) Allow(times, size int) {
	s.room = math.MaxInt
	if high, low := bits.Mul64(uint64(times), uint64(size)); high == 0 && low < math.MaxInt-firstBytes {
		s.room = firstBytes + int(low)
	}
}

// Allot begins to count the memory of a part of a document, for which there is so much room.
func (s *Set) Allot(room int) { s.room = room }

// Room returns how many bytes may yet be allocated. It is less than 0 if more have been than are allowed: a Set does not refuse them, its reader asks
// in time.
func (s *Set) Room() int { return s.room }

// Spend counts n bytes that a reader allocates by itself.
func (s *Set) Spend(n int) { s.room -= n }

// LimitError is the error for a document of so many bytes that takes more memory than is allowed.
func LimitError(times, size int) *schema.LimitError {
	return &schema.LimitError{Limit: "Memory", What: "an object of " + strconv.Itoa(size) + " bytes", Unit: "times its size in memory", Max: times}
}

// home returns where the place of a type is unless another type has it, nil if there are no places.
func (s *Set) home(key unsafe.Pointer) *place {
	if i := hash(key) >> (s.shift & 63); i < uint64(len(s.table)) {
		return &s.table[i]
	}
	return nil
}

// find returns the place of a type, nil if there is none to be had.
func (s *Set) find(key unsafe.Pointer) *place {
	if s.Off || len(s.table) == 0 {
		return s.add(key)
	}
	for i := hash(key) >> s.shift; ; i++ {
		p := &s.table[int(i)&(len(s.table)-1)]
		if p.key != key {
			if p.key == nil {
				return s.add(key)
			}
			continue
		}
		if p.item != s.item {
			p.free, p.left, p.item = nil, 0, s.item
			p.hint, p.used = p.used, 0
		}
		return p
	}
}

// add makes a place for a type.
func (s *Set) add(key unsafe.Pointer) *place {
	if s.Off || s.types >= maxTypes {
		return nil
	}
	if s.types*2 >= len(s.table) {
		old := s.table
		s.table, s.shift = make([]place, max(2*len(old), 64)), s.shift-1
		if old == nil {
			s.shift = 64 - 6
		}
		for _, p := range old {
			if p.key != nil {
				*s.vacant(p.key) = p
			}
		}
	}
	s.types++
	p := s.vacant(key)
	p.key, p.item = key, s.item
	return p
}

// vacant returns where a type belongs that is not in the table.
func (s *Set) vacant(key unsafe.Pointer) *place {
	for i := hash(key) >> s.shift; ; i++ {
		if p := &s.table[int(i)&(len(s.table)-1)]; p.key == nil {
			return p
		}
	}
}

// hash spreads addresses, which are close to each other, over the upper bits of the result.
func hash(key unsafe.Pointer) uint64 { return uint64(uintptr(key)) * 0x9E3779B97F4A7C15 }

// keyOf returns an address that is another one for each type.
func keyOf[T any]() unsafe.Pointer {
	var v any = (*T)(nil)
	return *(*unsafe.Pointer)(unsafe.Pointer(&v)) // the first word of an interface is its type
}

func sizeOf[T any]() uintptr {
	var v T
	return unsafe.Sizeof(v)
}

// New returns a new zero value. remaining is how many bytes of the document are left.
func New[T any](s *Set, remaining int) *T {
	v, p, room := s.take(keyOf[T](), sizeOf[T](), 1, remaining)
	switch {
	case v != nil:
		return (*T)(v)
	case room == 1:
		return new(T)
	}
	block := make([]T, room)
	s.keep(p, unsafe.Pointer(&block[1]), room-1)
	return &block[0]
}

// take gives out n values of a type, of a size in bytes, from what is left of its block. Without enough of them it returns nil, and how many values a
// new block is to have, n at least, of which the first n count as given out and the rest is to be kept. It is no generic function, so that it is
// there once.
func (s *Set) take(key unsafe.Pointer, size uintptr, n, remaining int) (values unsafe.Pointer, p *place, room int) {
	if size == 0 || n == 0 {
		return nil, nil, n
	}
	// Nearly always the type has the place that it belongs to, and a block with more values than that.
	if p := s.home(key); p != nil && p.key == key && p.item == s.item && n < p.left {
		values = p.free
		p.used += n
		p.left -= n
		p.free = unsafe.Add(values, uintptr(n)*size)
		return values, p, n
	}
	if p = s.find(key); p == nil {
		s.room -= n * int(size)
		return nil, nil, n
	}
	p.used += n
	if n > p.left {
		room = p.room(n, remaining, size)
		s.room -= room * int(size)
		return nil, p, room
	}
	values = p.free
	if p.left -= n; p.left > 0 {
		p.free = unsafe.Add(p.free, uintptr(n)*size)
	} else {
		p.free = nil // never behind the block, where another one may begin
	}
	return values, p, n
}

// keep notes the rest of a new block, unless what is left of the one before is more.
func (s *Set) keep(p *place, rest unsafe.Pointer, n int) {
	if n > p.left {
		p.free, p.left = rest, n
		s.made = true
	}
}

// room returns how many values a block is to have of which n are needed now.
func (p *place) room(n, remaining int, size uintptr) int {
	more := p.used // as many again, if the item before does not tell
	if p.hint >= p.used {
		more = p.hint - p.used + n
	}
	if most := min(maxBlock, perByte*remaining); more*int(size) > most { // seldom, and a division takes time
		more = most / int(size)
	}
	return max(n, more)
}

// List returns a list of n zero elements, n being its capacity too, for readers that know how long a list is before they read it. remaining is how many
// bytes of the document are left.
func List[T any](s *Set, n, remaining int) []T {
	values, p, room := s.take(keyOf[T](), sizeOf[T](), n, remaining)
	if values != nil {
		return unsafe.Slice((*T)(values), n)
	}
	list := make([]T, room)
	if room > n {
		s.keep(p, unsafe.Pointer(&list[n]), room-n)
	}
	return list[:n:n]
}

// Extend makes room in a full list: the result has the same elements and a larger capacity. A list begins empty, in what is left of the block, and
// ends with [Settle]. least is how large it is to be at least if it needs memory of its own and the item before does not tell how much.
func Extend[T any](s *Set, list []T, least, remaining int) []T {
	n := len(list)
	rest, room := s.extend(keyOf[T](), sizeOf[T](), n, least, remaining)
	if rest != nil {
		return unsafe.Slice((*T)(rest), room)[:0]
	}
	out := make([]T, n, room)
	copy(out, list)
	return out
}

// extend returns where a list of n values goes on and how much room there is: in what is left of the block of its type if it begins there, else nil, and
// how large memory of its own is to be.
func (s *Set) extend(key unsafe.Pointer, size uintptr, n, least, remaining int) (rest unsafe.Pointer, room int) {
	if size == 0 {
		return nil, max(least, n+1)
	}
	if p := s.find(key); p != nil {
		if n == 0 && p.left > 0 {
			rest, room = p.free, p.left
			p.used += p.left
			p.free, p.left = nil, 0
			return rest, room
		}
		p.used = max(0, p.used-n) // a list of items goes on over many of them, each of which counts anew
		// Only where a list begins does the item before tell how long it may get. One that grows does as its caller estimates, since small steps
		// would copy a long list again and again.
		if want := p.hint - p.used; n == 0 && (want == 1 || want > 1 && want*int(size) <= min(maxBlock, perByte*remaining)) {
			least = want
		}
		p.used += max(least, n+1)
	}
	room = max(least, n+1)
	s.room -= room * int(size)
	return nil, room
}

// Settle returns a list as it is to be kept, with a capacity that is its length, and takes back the rest of the block. The result is never nil.
func Settle[T any](s *Set, list []T) []T {
	n := len(list)
	switch {
	case n < cap(list):
		s.giveBack(keyOf[T](), sizeOf[T](), unsafe.Pointer(&list[:n+1][n]), cap(list)-n)
	case n == 0:
		return []T{}
	}
	return list[:n:n]
}

// giveBack takes back n values that a list did not need.
func (s *Set) giveBack(key unsafe.Pointer, size uintptr, rest unsafe.Pointer, n int) {
	if size == 0 {
		return
	}
	if p := s.find(key); p != nil {
		p.used -= n
		s.keep(p, rest, n)
	}
}
