//go:build !askind_plain

package batch

import "unsafe"

// plain reports whether each value has memory of its own; see the build tag askind_plain.
const plain = false

// memory returns the address of n newly allocated zero values.
func (t *Type) memory(n int) unsafe.Pointer {
	if n == 0 {
		return unsafe.Pointer(&none)
	}
	return newArray(word(&t.elem), n)
}

// newArray is the allocation function of reflect.MakeSlice. That function also allocates the slice
// header, and [reflect.Value.Grow] takes as long as decoding the fields of a small value. The
// runtime guarantees this name because many packages use it, see go.dev/issue/67401.
//
//go:linkname newArray reflect.unsafe_NewArray
//go:noescape
func newArray(t unsafe.Pointer, n int) unsafe.Pointer
