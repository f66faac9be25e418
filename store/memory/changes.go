package memory

import (
	"slices"
	"sort"

	"github.com/askind/askind/store"
)

// changes are changes in the order of revisions. They are kept in chunks, so that neither adding
// nor dropping some moves the others.
type changes struct {
	chunks [][]store.Change
	bytes  int // of the values in the last chunk
}

// A chunk has at most chunkChanges changes, and no further ones when their values have chunkBytes.
// Chunks are dropped whole, so that is how much more is kept than is needed.
const (
	chunkChanges = 512
	chunkBytes   = 1 << 20
)

// add appends a change.
func (c *changes) add(change store.Change) {
	last := len(c.chunks) - 1
	if last < 0 || len(c.chunks[last]) == chunkChanges || c.bytes >= chunkBytes {
		c.chunks = append(c.chunks, make([]store.Change, 0, chunkChanges))
		c.bytes = 0
		last++
	}
	c.chunks[last] = append(c.chunks[last], change)
	c.bytes += len(change.Value) + len(change.Before)
}

// index returns the number of the first chunk with a change after a revision.
func (c *changes) index(revision uint64) int {
	return sort.Search(len(c.chunks), func(i int) bool {
		chunk := c.chunks[i]
		return chunk[len(chunk)-1].Revision > revision
	})
}

// after returns the changes after a revision, which stay valid when others are added or dropped.
func (c *changes) after(revision uint64) [][]store.Change {
	out := slices.Clone(c.chunks[c.index(revision):])
	if len(out) > 0 {
		first := out[0]
		out[0] = first[sort.Search(len(first), func(i int) bool { return first[i].Revision > revision }):]
	}
	return out
}

// drop forgets chunks whose changes are all at or before a revision.
func (c *changes) drop(revision uint64) {
	c.chunks = slices.Clone(c.chunks[c.index(revision):])
}
