//go:build !askind_plain

package borrow

import "unsafe"

// String returns b as a string without copying it. Pass the string only to functions that do not
// retain it, while b is not modified.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Overwritten reports whether appending to dst can change b, because b lies in the array of dst.
func Overwritten(b, dst []byte) bool {
	from, to := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(unsafe.Pointer(unsafe.SliceData(dst)))
	return len(b) > 0 && cap(dst) > 0 && from < to+uintptr(cap(dst)) && to < from+uintptr(len(b))
}
