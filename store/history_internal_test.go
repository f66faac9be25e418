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
