package pbwire

import (
	"strconv"
	"testing"
)

// TestKeysAreReleased checks that a Writer keeps neither the keys of a map nor much memory for
// them.
func TestKeysAreReleased(t *testing.T) {
	t.Parallel()
	w := NewWriter(nil)
	m := map[string]int{"a": 1, "b": 2}
	w.ReleaseKeys(SortedKeys(w, m))
	for _, key := range w.keys[:cap(w.keys)] {
		if key != "" {
			t.Errorf("the key %s is kept", key)
		}
	}
	for i := range 2 * maxScratch {
		m[strconv.Itoa(i)] = i
	}
	w.ReleaseKeys(SortedKeys(w, m))
	if n := cap(w.keys); n > maxScratch {
		t.Errorf("room for %d keys is kept", n)
	}
}
