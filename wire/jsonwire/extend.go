package jsonwire

import "github.com/askind/askind/wire/internal/batch"

// New returns a new zero value for generated decoders to point to. Values of one type within one
// document, or within one item of a list, share blocks of at most 8 KiB.
func New[T any](r *Reader) *T { return batch.New[T](&r.values, r.rest()) }

// Extend returns s with one more zero element, for generated decoders of arrays, whose length is
// not known in advance. s must be nil or a result of Extend; start is the offset of the reader
// before the first element. Keep the result of [Settle]:
//
//	var elems []Port
//	start := r.Offset()
//	for more := r.Array(); more; more = r.NextElem() {
//		elems = jsonwire.Extend(r, elems, start)
//		DecodeJSONPort(r, &elems[len(elems)-1])
//	}
//	out.Ports = jsonwire.Settle(r, elems)
//
// If the memory for another element would exceed the limit, the text ends, and the previous
// elements are discarded.
//
// If s is full, its new capacity is estimated from the size of the elements read so far and the
// remaining input, so that a long list ends with little spare capacity.
func Extend[E any](r *Reader, s []E, start int) []E {
	if len(s) == cap(s) {
		s = extend(r, s, start)
	}
	return s[:len(s)+1]
}

func extend[E any](r *Reader, s []E, start int) []E {
	return batch.ListOf[E](r.extend(batch.HeaderOf(s), r.values.Type((*[]E)(nil)), start))
}

// Settle returns the finished elements of an array, with a capacity equal to their number, in
// memory of their own or in a block shared with other short arrays of the document or list item. It
// is never nil. The slice passed in must not be used afterwards.
func Settle[E any](r *Reader, s []E) []E { return batch.Settle(&r.values, s) }

// extend grows a full list.
//
//go:noinline
func (r *Reader) extend(s batch.Slice, t *batch.Type, start int) batch.Slice {
	n := r.capacity(s.Len, start, t.Size())
	if n <= s.Len {
		r.failMemory()
		return r.values.Extend(t, batch.Slice{}, 1, 0) // discards the elements so far
	}
	return r.values.Extend(t, s, n, r.rest())
}

// capacity returns the new capacity of a full list of n elements of the given size in memory.
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
	// An estimate can be wrong, by accident or by a malicious input, hence the bounds.
	more := min(max(left, n/4), 3*n)
	switch room := r.values.Room(); {
	case room < 0:
		return n
	case size > 0:
		more = max(1, min(more, room/size))
	}
	return n + more
}

// SpendEntry counts the memory of another entry of m, for generated decoders of maps, and ends the
// text if the total exceeds the limit [schema.Limits.Memory]. A map has room for up to twice its
// entries.
func SpendEntry[K comparable, V any](r *Reader, m map[K]V) {
	r.Spend(2 * (batch.SizeOf[K]() + batch.SizeOf[V]()))
}

// Spend counts n bytes that the caller allocates for what it reads, and ends the text if the total
// exceeds the limit [schema.Limits.Memory]. This package counts its own allocations.
func (r *Reader) Spend(n int) {
	if r.values.Spend(n); r.values.Room() < 0 {
		r.failMemory()
	}
}

func (r *Reader) failMemory() {
	r.failLimit(r.pos, min(r.pos+1, len(r.data)), batch.LimitError(r.limits.Memory, r.size))
}
