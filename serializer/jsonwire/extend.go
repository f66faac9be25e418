package jsonwire

import (
	"unsafe"

	"github.com/askind/askind/serializer/internal/batch"
)

// New returns a new zero value for generated decoders to point to. The values of one type that belong to one document, or to one item of a list,
// share blocks of at most 8 KiB.
func New[T any](r *Reader) *T { return batch.New[T](&r.values, r.rest()) }

// Extend returns s with one more element, a zero one, for generated decoders of arrays, whose length is not known in advance. s must be nil or a
// result of Extend; start is the offset of the reader before the first element. What is to be kept is the result of [Settle]:
//
//	var elems []Port
//	start := r.Offset()
//	for more := r.Array(); more; more = r.NextElem() {
//		elems = jsonwire.Extend(r, elems, start)
//		DecodeJSONPort(r, &elems[len(elems)-1])
//	}
//	out.Ports = jsonwire.Settle(r, elems)
//
// Where s is full its new capacity follows from the size of the elements read so far and from the input that remains, so that a long list ends with
// little to spare.
func Extend[E any](r *Reader, s []E, start int) []E {
	if len(s) == cap(s) {
		s = extend(r, s, start)
	}
	return s[:len(s)+1]
}

// Settle returns the elements of an array as they are to be kept: with a capacity that is their number, in memory of their own or in a block with
// other short arrays of the document or list item. It is never nil. The slice given must not be used any more.
func Settle[E any](r *Reader, s []E) []E { return batch.Settle(&r.values, s) }

func extend[E any](r *Reader, s []E, start int) []E {
	var e E
	return batch.Extend(&r.values, s, r.capacity(len(s), start, int(unsafe.Sizeof(e))), r.rest())
}

// capacity chooses the capacity of a list that holds n elements of the given size in memory and gets another one.
func (r *Reader) capacity(n, start, size int) int {
	const few = 16
	switch {
	case n == 0 && size <= 64:
		return 4
	case n == 0 && size <= 256:
		return 2
	case n < few:
		return max(2*n, 1)
	}
	each := (r.Offset()-start)/n + 1
	left := r.rest()/each + 1
	// An estimate can be wrong, by mistake or by intent, hence the bounds.
	return n + r.affordable(min(max(left, n/4), 3*n), size)
}

// affordable returns how many further elements of a list there is to be room for, n at most: fewer where the memory for all of them would be beyond
// the limit. Where even that of those before was, the text ends.
func (r *Reader) affordable(n, size int) int {
	room := r.values.Room()
	if room < 0 {
		r.failMemory()
		return 1
	}
	if size == 0 {
		return n
	}
	return max(1, min(n, room/size))
}

func (r *Reader) failMemory() {
	r.failLimit(r.pos, min(r.pos+1, len(r.data)), batch.LimitError(r.limits.Memory, r.size))
}
