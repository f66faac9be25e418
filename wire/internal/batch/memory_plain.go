//go:build askind_plain

package batch

import (
	"reflect"
	"unsafe"
)

// plain reports that values share no memory.
const plain = true

// memory returns the address of n zero values that nobody else has, by package reflect alone.
func (t *Type) memory(n int) unsafe.Pointer {
	if n == 0 {
		return unsafe.Pointer(&none)
	}
	return reflect.MakeSlice(reflect.SliceOf(t.elem), n, n).UnsafePointer()
}
