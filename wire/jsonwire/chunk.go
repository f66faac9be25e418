package jsonwire

import (
	"encoding/binary"
	"math/bits"

	"github.com/askind/askind/wire/internal/chunk"
)

// Item declares that the next value is an item of a list of objects. Strings and values of
// different items do not share memory, so that a retained item does not keep its neighbors in
// memory.
func (r *Reader) Item() {
	r.text.Item()
	r.values.Item()
}

// String reads a string. Null returns old; another type is recorded, skipped, and returns old.
func (r *Reader) String(old string) string {
	// A string without special characters is copied into the free part of the chunk while it is
	// scanned, eight bytes at a time; excess bytes remain free.
	i := r.pos
	if i >= len(r.data) || r.data[i] != '"' {
		return r.stringSlow(old)
	}
	src, dst := r.data[i+1:], r.text.Buf[r.text.Used:]
	for len(src) >= 8 && len(dst) >= 8 {
		w := binary.LittleEndian.Uint64(src)
		binary.LittleEndian.PutUint64(dst, w)
		if m := special(w); m != 0 {
			k := bits.TrailingZeros64(m) >> 3 & 7
			n := len(r.data) - len(src) - i - 1 + k
			if src[k] != '"' || n > chunk.SharedLimit {
				break
			}
			r.start, r.pos = i, i+n+2
			return r.text.Take(n)
		}
		src, dst = src[8:], dst[8:]
	}
	return r.stringSlow(old)
}
