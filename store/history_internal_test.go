package store

import (
	"testing"
	"time"
)

// TestHistoryFillsItsChunks holds that events share chunks: each has room for all its events from
// the beginning, which is not counted as memory of the history.
func TestHistoryFillsItsChunks(t *testing.T) {
	t.Parallel()
	h := history{age: time.Hour, limit: 1 << 30}
	now := time.Now()
	for range 10 * chunkEvents {
		h.add(&event{entry: new(Entry)}, 0, now)
	}
	if n := len(h.chunks); n != 10 {
		t.Errorf("%d chunks for %d events, want 10", n, 10*chunkEvents)
	}
	for i, c := range h.chunks {
		if c.first != h.chunks[0].first+uint64(i)*chunkEvents {
			t.Errorf("chunk %d begins at %d", i, c.first)
		}
	}
}

// TestHistoryKeepsWhatFits checks that the bytes of the history are those of its chunks, that the
// oldest chunks are dropped until the rest fits, and that the last one stays however large it is.
func TestHistoryKeepsWhatFits(t *testing.T) {
	t.Parallel()
	const limit = 100 * chunkEvents * eventCost
	h := history{age: time.Hour, limit: limit}
	now := time.Now()
	for i := range uint64(5 * limit / eventCost) {
		h.add(&event{entry: &Entry{revision: i + 1}}, 0, now)
		h.trim(now)
		sum := int64(0)
		for _, c := range h.chunks {
			sum += c.bytes
		}
		if h.bytes != sum || h.bytes > limit {
			t.Fatalf("after event %d: %d bytes, the chunks have %d", i, h.bytes, sum)
		}
	}
	if h.bytes < limit*9/10 {
		t.Errorf("%d bytes are kept, there is room for %d", h.bytes, limit)
	}
	if want := h.event(h.first()).entry.revision - 1; h.floor != want {
		t.Errorf("the floor is %d, want %d", h.floor, want)
	}

	h = history{age: time.Hour, limit: 1000}
	h.add(&event{entry: &Entry{revision: 1}, before: &Entry{value: make([]byte, 5000)}}, 0, now)
	if h.trim(now) || h.next-h.first() != 1 {
		t.Errorf("of one large event, %d are left", h.next-h.first())
	}
}

// TestLargeFormsAreNotKept checks that one large encoding does not displace all others.
func TestLargeFormsAreNotKept(t *testing.T) {
	t.Parallel()
	c := encodings{limit: 80_000}
	var kept []*forms
	for range 10 {
		f := &forms{entry: new(Entry)}
		if !c.keep(f, 5_000) {
			t.Fatal("a small form is not kept")
		}
		kept = append(kept, f)
	}
	if c.keep(&forms{entry: new(Entry)}, 20_000) {
		t.Error("a form of a quarter of all memory is kept")
	}
	for i, f := range kept {
		if f.dropped {
			t.Errorf("form %d is dropped", i)
		}
	}
	for range 100 {
		c.keep(&forms{entry: new(Entry)}, 5_000)
	}
	if c.total > c.limit {
		t.Errorf("%d bytes are kept, at most %d are allowed", c.total, c.limit)
	}
}

// TestFormsOfThePast checks that the cache forgets the encodings of states that leave the history,
// which keep their entries in memory, and no others.
func TestFormsOfThePast(t *testing.T) {
	t.Parallel()
	const objects, states, size = 50, 4, 1000
	c := encodings{limit: 1 << 30}
	h := history{age: time.Minute, limit: 1 << 30, forget: c.forget}
	now := time.Now()
	var current []*Entry
	for i := range objects {
		var before *Entry
		for range states {
			e := &Entry{}
			f := &forms{entry: e}
			e.forms.Store(f)
			if !c.keep(f, size) {
				t.Fatal("a form is not kept")
			}
			h.add(&event{entry: e, before: before}, 0, now)
			before = e
		}
		if i%2 == 0 {
			h.add(&event{entry: before.at(1), before: before, gone: true}, 0, now)
		} else {
			current = append(current, before)
		}
	}
	used := c.total / objects / states
	if h.trim(now); c.total != objects*states*used {
		t.Errorf("%d bytes of what is in the history are kept", c.total)
	}
	if !h.trim(now.Add(time.Hour)) || c.total != int64(len(current))*used || len(c.queue) > 2*len(current) {
		t.Errorf("%d bytes, %d forms; %d objects are current", c.total, len(c.queue), len(current))
	}
	for _, e := range current {
		if f := e.forms.Load(); f == nil || f.dropped {
			t.Fatal("a form of a current object is dropped")
		}
	}
	c.limit = 10 * used
	c.keep(&forms{entry: new(Entry)}, 1)
	if c.total > c.limit || c.past < 0 {
		t.Errorf("%d bytes are kept, at most %d are allowed; %d forms are dropped", c.total, c.limit, c.past)
	}
	if f := current[0].forms.Load(); f != nil && f.dropped {
		t.Error("a dropped form is still that of its entry")
	}
}
