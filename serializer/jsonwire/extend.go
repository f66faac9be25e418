package jsonwire

import "unsafe"

// Extend returns s with one more element, a zero one, for generated list decoders. s must be nil, empty or a result of
// Extend; start is the offset of the reader before the first element. Where s is full its new capacity follows from the size of
// the elements read so far and from the input that remains, so that a long list ends with little to spare.
func Extend[E any](r *Reader, s []E, start int) []E {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var e E
	out := make([]E, len(s)+1, r.capacity(len(s), start, int(unsafe.Sizeof(e))))
	copy(out, s)
	return out
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
	return n + min(max(left, n/4), 3*n)
}
