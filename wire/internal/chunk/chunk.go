// Package chunk lets the short strings of one document share blocks of memory, so that a decoded
// object costs few allocations. The readers of the wire packages copy strings into a [Chunk]; what
// it gives out never refers to their input.
package chunk

// The bounds of string chunks, in bytes.
const (
	// SharedLimit is the longest string that shares a chunk.
	SharedLimit = 256

	// minChunk and maxChunk bound a chunk, unless less input remains. A string that is kept alone
	// keeps its chunk; a larger maxChunk does not make decoding faster measurably.
	minChunk = 64
	maxChunk = 1024
	// firstItem is what the first item of a list starts with.
	firstItem = 512
)

// Chunk is a block of memory that short strings share. Bytes of the free part may be written at
// will; those that were given out as a string are never written again, which keeps the strings
// immutable. The fields are for readers that write into the free part themselves and then call
// Take.
//
//	Buf: | string | string | string |  free  |
//	                                 ^Used
type Chunk struct {
	Buf  []byte
	Used int
	// Off gives each string memory of its own, as the build tag askind_plain does.
	Off bool

	made int // bytes allocated for the current list item, Buf included
	hint int // what the next list item is expected to need; 0 outside of lists
}

// Take gives out the first n free bytes as a string.
func (c *Chunk) Take(n int) string {
	if n == 0 {
		return ""
	}
	s := stringOf(c.Buf[c.Used : c.Used+n])
	c.Used += n
	return s
}

// Keep returns a copy of b as a string. expected is how many bytes of strings are likely to follow;
// a new block is no larger than them and b.
func (c *Chunk) Keep(b []byte, expected int) string {
	if len(b) > SharedLimit || c.Off || plain {
		return string(b)
	}
	if len(c.Buf)-c.Used < len(b) {
		c.grow(len(b), expected)
	}
	return c.Take(copy(c.Buf[c.Used:], b))
}

// grow starts a new block of n bytes at least. Its size is what is expected, or what the items of
// the list suggest.
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
		// A quarter more than the item before needed lets most items of equal shape do with one
		// block.
		need := c.made - len(c.Buf) + c.Used
		c.hint = max(need+need/4, minChunk)
	}
	c.Buf, c.Used, c.made = nil, 0, 0
}
