package chunk

import (
	"unsafe"

	"github.com/askind/askind/internal/plain"
)

// stringOf returns b as a string, without copying it unless fast paths are off. b must not be
// modified afterwards.
func stringOf(b []byte) string {
	if plain.Enabled {
		return string(b)
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}
