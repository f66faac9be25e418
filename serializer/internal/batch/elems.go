package batch

import (
	"reflect"
	"unsafe"
)

// What follows is for functions that the compiler makes anew for each type, those of package wire. All that does not need the type is here, so that it is
// there once. They make the memory, because only they know its type, and a nil pointer to it tells the Set which type that is.

// Point makes *p point to a new zero value. pointer is a nil pointer to the type of the value, size its size, and remaining how many bytes of the document
// are left. It returns the Set if a block is to be made first, of [Set.Want] values, for [Set.Block], and nil otherwise.
func (s *Set) Point(p *unsafe.Pointer, pointer any, size uintptr, remaining int) *Set {
	at := s.find(typeOf(pointer))
	if at == nil || at.left == 0 {
		return s.pointSlow(p, pointer, size, remaining)
	}
	*p = at.free
	at.used++
	if at.left--; at.left > 0 {
		at.free = unsafe.Add(at.free, size)
	} else {
		at.free = nil // never behind the block, where another one may begin
	}
	return nil
}

//go:noinline
func (s *Set) pointSlow(p *unsafe.Pointer, pointer any, size uintptr, remaining int) *Set {
	_, s.place, s.want = s.take(typeOf(pointer), size, 1, remaining)
	s.target, s.size = p, size
	return s
}

// Want is how many values the block is to have that [Set.Point] asks for.
func (s *Set) Want() int { return s.want }

// Block takes the block that [Set.Point] asks for, by the address of its first value. It keeps the others.
func (s *Set) Block(first unsafe.Pointer) {
	if s.want > 1 {
		s.keep(s.place, unsafe.Add(first, s.size), s.want-1)
	}
	*s.target = first
	s.target = nil
}

// Elems is a list while its elements are read. The list is whole after each of them.
type Elems struct {
	// Want is how many elements the memory is to have that the list needs for the next one, 0 if it needs none: [Elems.Move] takes it.
	Want int
	// Items says that the elements are items of a list of objects.
	Items bool

	// Begun, Place and Saved tell the reader where it is.
	Begun        bool
	Place, Saved int

	list  *slice
	set   *Set
	next  *Elems         // of those that are not in use
	key   unsafe.Pointer // of the type of an element
	size  uintptr
	place *place // keeps what is wanted beyond fit
	fit   int    // the capacity to come
}

// slice is a list in memory:
//
//	data: | element | element | zero | zero | zero |
//	                           ^len                 ^cap
type slice struct {
	data     unsafe.Pointer
	len, cap int
}

// Items tells that the elements of the next list are items of a list of objects.
func (s *Set) Items() { s.items = true }

// Open begins to read elements into the list at an address. pointer is a nil pointer to the type of an element, and size its size. The result is in use until
// [Elems.Close].
func (s *Set) Open(list unsafe.Pointer, pointer any, size uintptr) *Elems {
	l := s.spare
	if l == nil {
		l = s.moreElems()
	}
	s.spare = l.next
	*l = Elems{list: (*slice)(list), set: s, key: typeOf(pointer), size: size, Items: s.items}
	s.items = false
	return l
}

// moreElems makes some at once, for lists in lists.
//
//go:noinline
func (s *Set) moreElems() *Elems {
	some := new([4]Elems)
	for i := range len(some) - 1 {
		some[i].next = &some[i+1]
	}
	return &some[0]
}

// Close ends the list. It returns nil, which is what readers return then.
func (l *Elems) Close() unsafe.Pointer {
	l.next, l.set.spare = l.set.spare, l
	return nil
}

// Len is the number of elements.
func (l *Elems) Len() int { return l.list.len }

// Cap is how many elements there is room for.
func (l *Elems) Cap() int { return l.list.cap }

// Size is the size of an element.
func (l *Elems) Size() int { return int(l.size) }

// Nil makes the list nil, so that it begins in memory that nobody else has.
func (l *Elems) Nil() { *l.list = slice{} }

// Next returns the address of one more element, nil if memory is wanted for it.
func (l *Elems) Next() unsafe.Pointer {
	if l.Want > 0 {
		return nil
	}
	at := unsafe.Add(l.list.data, uintptr(l.list.len)*l.size)
	l.list.len++
	return at
}

// Zero makes the next n elements zero, for which there is room.
func (l *Elems) Zero(n int) {
	elem := reflect.TypeOf(*(*any)(unsafe.Pointer(&[2]unsafe.Pointer{l.key}))).Elem() // see typeOf
	for i := range n {
		reflect.NewAt(elem, unsafe.Add(l.list.data, uintptr(l.list.len+i)*l.size)).Elem().SetZero()
	}
}

// Extend makes room in a full list that began as nil, as the function [Extend] does.
func (l *Elems) Extend(least, remaining int) {
	rest, room := l.set.extend(l.key, l.size, l.list.len, least, remaining)
	if rest != nil {
		l.list.data, l.list.cap = rest, room
		return
	}
	l.place, l.fit, l.Want = nil, room, room
}

// Room makes room for n elements in all, which must be more than there is.
func (l *Elems) Room(n, remaining int) {
	if l.list.len > 0 { // a list that goes on, of which nobody knows where it ends
		l.set.room -= n * int(l.size)
		l.place, l.fit, l.Want = nil, n, n
		return
	}
	values, p, room := l.set.take(l.key, l.size, n, remaining)
	if values != nil {
		l.list.data, l.list.cap = values, n
		return
	}
	l.place, l.fit, l.Want = p, n, room
}

// Move takes memory for as many elements as were wanted, into which those that there are have been copied, and returns the address of one more.
func (l *Elems) Move(to unsafe.Pointer) unsafe.Pointer {
	if l.Want > l.fit {
		l.set.keep(l.place, unsafe.Add(to, uintptr(l.fit)*l.size), l.Want-l.fit)
	}
	l.list.data, l.list.cap, l.Want = to, l.fit, 0
	return l.Next()
}

// Settle makes the list one as it is to be kept, as the function [Settle] does: with a capacity that is its length, and never nil.
func (l *Elems) Settle() {
	if left := l.list.cap - l.list.len; left > 0 {
		l.set.giveBack(l.key, l.size, unsafe.Add(l.list.data, uintptr(l.list.len)*l.size), left)
	}
	if l.list.len == 0 {
		l.list.data = unsafe.Pointer(&none)
	}
	l.list.cap = l.list.len
}

// none is where lists are that have no elements and are not nil.
var none struct{}

// typeOf returns an address that is another one for each type: the first word of an interface.
func typeOf(v any) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&v)) }
