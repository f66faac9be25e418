package jsonwire

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The bounds of string chunks, in bytes.
const (
	// sharedLimit is the longest string that shares a chunk.
	sharedLimit = 256
	// minChunk and maxChunk bound a chunk, unless less input remains.
	minChunk = 64
	maxChunk = 4096
	// firstItem is what the first item of a list starts with.
	firstItem = 512
)

// chunk is a block of memory that short strings share. Bytes of the free part may be written at will; those
// that were given out as a string are never written again, which keeps the strings immutable.
//
//	buf: | string | string | string |  free  |
//	                                 ^used
type chunk struct {
	buf  []byte
	used int
	made int // bytes allocated for the current list item, buf included
	hint int // what the next list item is expected to need; 0 outside of lists
	off  bool
}

// take gives out the first n free bytes as a string.
func (c *chunk) take(n int) string {
	if n == 0 {
		return ""
	}
	s := unsafe.String(&c.buf[c.used], n)
	c.used += n
	return s
}

// keep returns a copy of b as a string. remaining is the length of input not yet read.
func (c *chunk) keep(b []byte, remaining int) string {
	if len(b) > sharedLimit || c.off {
		return string(b)
	}
	if len(c.buf)-c.used < len(b) {
		c.grow(len(b), remaining)
	}
	return c.take(copy(c.buf[c.used:], b))
}

// grow starts a new block of n bytes at least, and never more than the input could fill. Its size is about the share of a text that
// strings make up, or what the items of the list suggest.
func (c *chunk) grow(n, remaining int) {
	size := remaining/2 + n
	switch {
	case c.hint == 0:
	case c.made == 0:
		size = min(size, c.hint)
	default: // the item is larger than expected
		size = min(size, max(c.made, minChunk))
	}
	size = max(n, min(size, maxChunk))
	c.buf, c.used = make([]byte, size), 0
	c.made += size
}

// item ends the block, so that the next string starts another.
func (c *chunk) item() {
	if c.hint == 0 {
		c.hint = firstItem
	} else {
		// A quarter more than the item before needed lets most items of equal shape do with one block.
		need := c.made - len(c.buf) + c.used
		c.hint = max(need+need/4, minChunk)
	}
	c.buf, c.used, c.made = nil, 0, 0
}

// Item tells that the next value is an item of a list of objects. Strings of different items do not share memory, so that an
// item kept alone does not keep its neighbours.
func (r *Reader) Item() { r.text.item() }

// String reads a string. Null returns old; another type is recorded, skipped, and returns old.
func (r *Reader) String(old string) string {
	// A string without anything special is copied into the free part of the chunk while it is scanned, eight bytes a step; what
	// was copied too much stays free.
	i := r.pos
	if i >= len(r.data) || r.data[i] != '"' {
		return r.stringSlow(old)
	}
	src, dst := r.data[i+1:], r.text.buf[r.text.used:]
	for len(src) >= 8 && len(dst) >= 8 {
		w := binary.LittleEndian.Uint64(src)
		binary.LittleEndian.PutUint64(dst, w)
		if m := special(w); m != 0 {
			k := bits.TrailingZeros64(m) >> 3 & 7
			n := len(r.data) - len(src) - i - 1 + k
			if src[k] != '"' || n > sharedLimit {
				break
			}
			r.start, r.pos = i, i+n+2
			return r.text.take(n)
		}
		src, dst = src[8:], dst[8:]
	}
	return r.stringSlow(old)
}
