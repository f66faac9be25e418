package store

import "testing"

// What is collected of the past is bounded, whatever the engine has kept, and is complete behind
// its floor.
func TestRestoredIsBounded(t *testing.T) {
	t.Parallel()
	const size, last = 1 << 10, 10_000
	for name, limit := range map[string]int64{"a history": 256 << 10, "no room": 1} {
		r := restored{floor: 5}
		for revision := uint64(6); revision <= last; revision++ {
			r.add(Change{KeyValue: KeyValue{Key: "k", Value: make([]byte, size), Revision: revision}}, limit)
			if n := len(r.changes); n > chunkEvents+1 && int64(n*size) > 2*limit {
				t.Fatalf("%s: %d changes are kept for %d bytes", name, n, limit)
			}
		}
		for i, c := range r.changes {
			if c.Revision != r.floor+1+uint64(i) {
				t.Fatalf("%s: revision %d at %d behind the floor %d", name, c.Revision, i, r.floor)
			}
		}
		if n := len(r.changes); r.floor+uint64(n) != last || n < chunkEvents || int64(n*size) < limit/2 {
			t.Errorf("%s: %d changes are kept behind %d", name, n, r.floor)
		}
	}
}
