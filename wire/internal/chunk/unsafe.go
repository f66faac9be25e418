//go:build !askind_plain

package chunk

import "unsafe"

// plain reports that strings share no memory, see the build tag askind_plain.
const plain = false

// stringOf returns b as a string without copying it. b must not be written again.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
