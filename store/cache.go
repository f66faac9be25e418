package store

import (
	"sync"
	"sync/atomic"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// encodings bounds the memory of what is encoded for clients: all forms of all entries of a store
// together. When there are too many, those go that have not been asked for since they were looked
// at last, the oldest first.
type encodings struct {
	limit int64

	mu    sync.Mutex
	total int64
	queue []*forms // in the order in which they were looked at
	past  int      // those in the queue that are dropped
}

// forms are the encodings of one entry.
type forms struct {
	cached *serializer.Cached
	entry  *Entry
	used   atomic.Bool // since they were looked at

	// Guarded by the mutex of the encodings.
	size    int64
	dropped bool
}

// entryCost estimates the memory of an entry beside its value.
const entryCost = 400

// forms returns the forms of an entry, all still to be made.
func (c *encodings) forms(e *Entry) *forms {
	f := &forms{entry: e}
	f.cached = serializer.CachedOptions{
		Kind:   e.resource().Kind,
		Object: func() (runtime.Object, error) { return e.Object() },
		Keep:   func(size int) bool { return c.keep(f, int64(size)) },
	}.NewCached()
	return f
}

// keep counts a form that was made, and reports whether there is room for it.
func (c *encodings) keep(f *forms, size int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.dropped {
		return false
	}
	if f.size == 0 {
		size += int64(len(f.entry.value)) + entryCost // which the queue keeps alive
	}
	if size > c.limit/8 {
		return false
	}
	if f.size == 0 {
		c.queue = append(c.queue, f)
	}
	f.size += size
	c.total += size
	f.used.Store(true)
	for c.total > c.limit {
		c.evict(f)
	}
	return !f.dropped
}

// forget drops the forms of an entry that is neither current nor in the history, for which few
// requests ask.
func (c *encodings) forget(e *Entry) {
	f := e.forms.Swap(nil)
	if f == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.dropped {
		return
	}
	f.dropped = true
	if f.size == 0 {
		return // it is not in the queue
	}
	c.total -= f.size
	if c.past++; c.past > len(c.queue)/2 {
		c.queue = sorted.Delete(c.queue, func(f *forms) bool { return f.dropped })
		c.past = 0
	}
}

// evict drops the forms of an entry, or moves them to the end of the queue if they were used. Those
// that are being added are not counted as used by that twice.
func (c *encodings) evict(adding *forms) {
	f := c.queue[0]
	c.queue[0] = nil
	c.queue = c.queue[1:]
	if f.dropped {
		c.past--
		return
	}
	if f.used.Swap(false) || f == adding && len(c.queue) > 0 {
		c.queue = append(c.queue, f)
		return
	}
	c.total -= f.size
	f.dropped = true
	f.entry.forms.CompareAndSwap(f, nil)
}
