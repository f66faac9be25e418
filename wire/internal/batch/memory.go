//go:build !askind_plain

package batch

import "unsafe"

// plain reports that values share no memory, see the build tag askind_plain.
const plain = false

// memory returns the address of n zero values that nobody else has.
func (t *Type) memory(n int) unsafe.Pointer {
	if n == 0 {
		return unsafe.Pointer(&none)
	}
	return newArray(word(&t.elem), n)
}

// newArray is what reflect.MakeSlice calls for its memory. That function also puts the header of
// the list on the heap, and [reflect.Value.Grow] takes as long as it takes to decode the fields of
// a small value. The runtime keeps this name for the many packages that use it, see
// go.dev/issue/67401.
//
//go:linkname newArray reflect.unsafe_NewArray
//go:noescape
func newArray(t unsafe.Pointer, n int) unsafe.Pointer
