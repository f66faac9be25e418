// Package chunk allocates the short strings of one document from shared blocks of memory, so that a
// decoded object needs few allocations. The readers of the wire packages copy strings into a
// [Chunk]; the strings never refer to the input.
package chunk

import "github.com/askind/askind/internal/plain"

// The bounds of string chunks, in bytes.
const (
	// SharedLimit is the longest string that shares a chunk.
	SharedLimit = 256

	// minChunk and maxChunk bound a chunk, unless less input remains. A retained string keeps its
	// whole chunk in memory. A larger maxChunk does not make decoding measurably faster.
	minChunk = 64
	maxChunk = 1024
	// firstItem is the size of the first chunk of the first list item.
	firstItem = 512
)

// Chunk is a block of memory that short strings share. Bytes of the free part may be overwritten.
// Bytes of a string are never written again, which keeps strings immutable. The fields are exported
// for readers that write into the free part and then call Take.
//
//	Buf: | string | string | string |  free  |
//	                                 ^Used
type Chunk struct {
	Buf  []byte
	Used int
	// Off allocates each string separately, as the build tag askind_plain does.
	Off bool

	made int // bytes allocated for the current list item, Buf included
	hint int // the expected size of the next list item; 0 outside of lists
}

// Take returns the first n free bytes as a string.
func (c *Chunk) Take(n int) string {
	if n == 0 {
		return ""
	}
	s := stringOf(c.Buf[c.Used : c.Used+n])
	c.Used += n
	return s
}

// Keep returns a copy of b as a string. expected estimates the bytes of strings that follow; a new
// block holds at most these and b.
func (c *Chunk) Keep(b []byte, expected int) string {
	if len(b) > SharedLimit || c.Off || plain.Enabled {
		return string(b)
	}
	if len(c.Buf)-c.Used < len(b) {
		c.grow(len(b), expected)
	}
	return c.Take(copy(c.Buf[c.Used:], b))
}

// grow starts a new block of at least n bytes. Its size follows from expected, or from the previous
// items of the list.
func (c *Chunk) grow(n, expected int) {
	size := expected + n
	switch {
	case c.hint == 0:
	case c.made == 0:
		size = min(size, c.hint)
	default: // the item is larger than expected
		size = min(size, max(c.made, minChunk))
	}
	size = max(n, min(size, maxChunk))
	c.Buf, c.Used = make([]byte, size), 0
	c.made += size
}

// Item ends the block, so that the next string starts another.
func (c *Chunk) Item() {
	if c.hint == 0 {
		c.hint = firstItem
	} else {
		// A quarter more than the previous item needed lets most items of similar shape fit in one
		// block.
		need := c.made - len(c.Buf) + c.Used
		c.hint = max(need+need/4, minChunk)
	}
	c.Buf, c.Used, c.made = nil, 0, 0
}
