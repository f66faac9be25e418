package store

import (
	"sort"
	"sync/atomic"
	"time"

	"github.com/askind/askind/store/internal/tree"
)

// The history of a store is its latest events, numbered one by one, in chunks:
//
//	chunk 0          chunk 1          chunk 2
//	e e e e root e e e e root … e e
//	^first                            ^next
//
// Every few events the objects as they were after one are kept. They share most of their nodes with
// the objects as they are now; the state between two of them is made by undoing events.
//
// A reader gets the history as a window, a value that does not change: events after its end are
// not looked at, and whole chunks are left out of the next window at its beginning. So a reader
// that is slow keeps alive what it looks at while it does, and nothing afterwards.

// event is one change of one object.
type event struct {
	entry  *Entry // the new state; for a deleted object the last one, at the revision of the deletion
	before *Entry // the state before; nil if there was none
	gone   bool
	rooted bool // root is the state after the event
	root   objects
	left   atomic.Pointer[Entry] // the state before, at the revision of the event: for watches that select only that
}

// objects are all objects at one revision.
type objects struct {
	entries  tree.Tree[*Entry]
	postings tree.Tree[*posting]
	indexed  *map[string]*Resource // those whose postings are there, which were added before; may be nil
}

// leaving returns the state before an event, at the revision of the event.
func (e *event) leaving() *Entry {
	if e.gone {
		return e.entry
	}
	if left := e.left.Load(); left != nil {
		return left
	}
	e.left.CompareAndSwap(nil, e.before.at(e.entry.revision))
	return e.left.Load()
}

const (
	chunkEvents = 64
	rootEvery   = 16
)

// chunk is a part of a history. The events up to the end of a window are immutable.
type chunk struct {
	first  uint64 // the number of the first event
	events [chunkEvents]event

	// For the writer.
	bytes int64     // what is kept alive
	last  time.Time // when the last event was added
}

// forget calls a function with the states of objects that are only in the chunk.
func (c *chunk) forget(f func(*Entry)) {
	for i := range c.events {
		e := &c.events[i]
		if e.before != nil {
			f(e.before)
		}
		if e.gone {
			f(e.entry)
		}
		if left := e.left.Load(); left != nil {
			f(left)
		}
	}
}

// window is a history at one time.
type window struct {
	chunks []*chunk
	next   uint64 // the number of the next event
	floor  uint64 // all events after this revision are there
}

// first returns the number of the first event.
func (w *window) first() uint64 {
	if len(w.chunks) == 0 {
		return w.next
	}
	return w.chunks[0].first
}

// event returns the event with a number, which must be there.
func (w *window) event(number uint64) *event {
	i := sort.Search(len(w.chunks), func(i int) bool { return w.chunks[i].first > number }) - 1
	c := w.chunks[i]
	return &c.events[number-c.first]
}

// after returns the number of the first event after a revision that is not below the floor.
func (w *window) after(revision uint64) uint64 {
	first := w.first()
	n := sort.Search(int(w.next-first), func(i int) bool { return w.event(first+uint64(i)).entry.revision > revision })
	return first + uint64(n)
}

// at returns the objects at a revision that is not below the floor; now are those at the end of the
// window.
func (w *window) at(revision uint64, now objects) objects {
	first, number := w.first(), w.after(revision)
	end, root := number, now
	for ; end < w.next; end++ {
		if end == first {
			continue
		}
		if e := w.event(end - 1); e.rooted {
			root = e.root
			break
		}
	}
	if end == number {
		return root
	}
	past := root.entries.Edit()
	for i := end; i > number; i-- {
		w.event(i - 1).undo(past)
	}
	return objects{entries: past.Tree()}
}

// undo brings the entries back to what they were before the event.
func (e *event) undo(entries *tree.Editor[*Entry]) {
	if e.before == nil {
		entries.Delete(e.entry.key)
	} else {
		entries.Set(e.before)
	}
}

// history makes windows. It is for one goroutine at a time.
type history struct {
	window
	age    time.Duration
	limit  int64 // bytes
	bytes  int64
	forget func(*Entry) // called with each state that is dropped; may be nil
}

// eventCost is the memory of an event and of the entry that it may be the last to reference.
const eventCost = 64 + entryCost

// add appends an event. The cost is what it keeps alive beside itself and the state before.
func (h *history) add(e *event, cost int, now time.Time) {
	last := len(h.chunks) - 1
	if last < 0 || h.next-h.chunks[last].first == chunkEvents || h.chunks[last].bytes > h.limit/16 {
		h.chunks = append(h.chunks[:len(h.chunks):len(h.chunks)], &chunk{first: h.next})
		last++
	}
	c := h.chunks[last]
	slot := &c.events[h.next-c.first]
	slot.entry, slot.before, slot.gone, slot.rooted, slot.root = e.entry, e.before, e.gone, e.rooted, e.root
	size := int64(eventCost + cost)
	if e.before != nil {
		size += int64(len(e.before.value))
	}
	c.bytes += size
	c.last = now
	h.bytes += size
	h.next++
}

// wantsRoot reports whether the state after the next event is to be kept.
func (h *history) wantsRoot() bool { return h.next%rootEvery == rootEvery-1 }

// trim drops the oldest chunks: those whose events are all too old, and as many as it takes to keep
// to the bytes, but not the one that is being filled. It reports whether there were any.
func (h *history) trim(now time.Time) bool {
	n := 0
	for n < len(h.chunks) && (h.bytes > h.limit && n < len(h.chunks)-1 || now.Sub(h.chunks[n].last) > h.age) {
		h.bytes -= h.chunks[n].bytes
		n++
	}
	if n == 0 {
		return false
	}
	if h.forget != nil {
		for _, c := range h.chunks[:n] {
			c.forget(h.forget)
		}
	}
	dropped := h.chunks[n-1]
	end := h.next
	if n < len(h.chunks) {
		end = h.chunks[n].first
	}
	h.floor = dropped.events[end-1-dropped.first].entry.revision
	h.chunks = append([]*chunk(nil), h.chunks[n:]...)
	return true
}
