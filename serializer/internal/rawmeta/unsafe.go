//go:build !askind_plain

package rawmeta

import "unsafe"

// borrow returns b as a string without copying it. The string is for calls that do not keep it,
// while b does not change.
func borrow(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
