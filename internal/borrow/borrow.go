// Package borrow passes bytes to functions that take a string, without a copy. With the build tag
// askind_plain it copies them.
package borrow

import (
	"unsafe"

	"github.com/askind/askind/internal/plain"
)

// String returns b as a string without copying it. Pass the string only to functions that do not
// retain it, while b is not modified.
func String(b []byte) string {
	if plain.Enabled {
		return string(b)
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Overwritten reports whether appending to dst can change b, because b lies in the array of dst.
func Overwritten(b, dst []byte) bool {
	if plain.Enabled {
		return false // nothing is borrowed
	}
	from, to := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(unsafe.Pointer(unsafe.SliceData(dst)))
	return len(b) > 0 && cap(dst) > 0 && from < to+uintptr(cap(dst)) && to < from+uintptr(len(b))
}
