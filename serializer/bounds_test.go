package serializer

import "testing"

// TestLargeBuffersAreNotKept checks that one large object does not stay in memory for ever.
func TestLargeBuffersAreNotKept(t *testing.T) {
	t.Parallel()
	var f Factory
	for range 100 { // a pool may drop what it gets
		large := make([]byte, 0, maxPooled+1)
		f.release(&large)
		if got := f.buffer(); cap(*got) > maxPooled {
			t.Fatalf("a buffer of %d bytes was kept", cap(*got))
		}
	}
}
