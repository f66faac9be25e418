//go:build !askind_plain

package chunk

import "unsafe"

// plain reports whether each string has memory of its own; see the build tag askind_plain.
const plain = false

// stringOf returns b as a string without copying it. b must not be modified afterwards.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
