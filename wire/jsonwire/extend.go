package jsonwire

import (
	"unsafe"

	"github.com/askind/askind/wire/internal/batch"
)

// New returns a new zero value for generated decoders to point to. The values of one type that
// belong to one document, or to one item of a list, share blocks of at most 8 KiB.
func New[T any](r *Reader) *T { return batch.New[T](&r.values, r.rest()) }

// Extend returns s with one more element, a zero one, for generated decoders of arrays, whose
// length is not known in advance. s must be nil or a result of Extend; start is the offset of the
// reader before the first element. What is to be kept is the result of [Settle]:
//
//	var elems []Port
//	start := r.Offset()
//	for more := r.Array(); more; more = r.NextElem() {
//		elems = jsonwire.Extend(r, elems, start)
//		DecodeJSONPort(r, &elems[len(elems)-1])
//	}
//	out.Ports = jsonwire.Settle(r, elems)
//
// Where the memory for a further element is beyond the limit, the text ends, and the elements
// before are let go.
//
// Where s is full its new capacity follows from the size of the elements read so far and from the
// input that remains, so that a long list ends with little to spare.
func Extend[E any](r *Reader, s []E, start int) []E {
	if len(s) == cap(s) {
		s = extend(r, s, start)
	}
	return s[:len(s)+1]
}

func extend[E any](r *Reader, s []E, start int) []E {
	more := r.extend(*(*batch.Slice)(unsafe.Pointer(&s)), r.values.Type((*[]E)(nil)), start)
	return *(*[]E)(unsafe.Pointer(&more))
}

// Settle returns the elements of an array as they are to be kept: with a capacity that is their
// number, in memory of their own or in a block with other short arrays of the document or list
// item. It is never nil. The slice given must not be used any more.
func Settle[E any](r *Reader, s []E) []E { return batch.Settle(&r.values, s) }

// extend makes room in a full list.
//
//go:noinline
func (r *Reader) extend(s batch.Slice, t *batch.Type, start int) batch.Slice {
	n := r.capacity(s.Len, start, t.Size())
	if n <= s.Len {
		r.failMemory()
		return r.values.Extend(t, batch.Slice{}, 1, 0) // the elements so far are discard
	}
	return r.values.Extend(t, s, n, r.rest())
}

// capacity chooses the capacity of a list that holds n elements of the given size in memory and
// gets another one.
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
	more := min(max(left, n/4), 3*n)
	switch room := r.values.Room(); {
	case room < 0:
		return n
	case size > 0:
		more = max(1, min(more, room/size))
	}
	return n + more
}

// Spend counts n bytes that the caller allocates for what it reads, and ends the text if all that
// was allocated so far is beyond the limit of [schema.Limits.Memory]. What this package allocates
// it counts itself.
func (r *Reader) Spend(n int) {
	if r.values.Spend(n); r.values.Room() < 0 {
		r.failMemory()
	}
}

func (r *Reader) failMemory() {
	r.failLimit(r.pos, min(r.pos+1, len(r.data)), batch.LimitError(r.limits.Memory, r.size))
}
