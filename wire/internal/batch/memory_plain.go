//go:build askind_plain

package batch

import (
	"reflect"
	"unsafe"
)

// plain reports whether each value has memory of its own.
const plain = true

// memory returns the address of n newly allocated zero values, using package reflect only.
func (t *Type) memory(n int) unsafe.Pointer {
	if n == 0 {
		return unsafe.Pointer(&none)
	}
	return reflect.MakeSlice(reflect.SliceOf(t.elem), n, n).UnsafePointer()
}
