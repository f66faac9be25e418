package memory

import (
	"runtime"
	"testing"
	"weak"

	"github.com/askind/askind/store"
)

// TestDroppedChangesAreFree checks that what is kept of the past is bounded in bytes. Chunks of 512
// changes kept half a gigabyte of objects of 1 MB that had been compacted.
func TestDroppedChangesAreFree(t *testing.T) {
	t.Parallel()
	var c changes
	value := make([]byte, 1<<20)
	for revision := uint64(1); revision <= 2*chunkChanges; revision++ {
		change := store.Change{KeyValue: store.KeyValue{Key: "k", Value: value, Revision: revision}}
		if revision%2 == 0 {
			change.Value = value[:1]
		}
		c.add(change)
		c.drop(revision - 1)
		kept := 0
		for _, chunk := range c.chunks {
			for _, change := range chunk {
				kept += len(change.Value)
			}
		}
		if kept > 2*chunkBytes {
			t.Fatalf("%d bytes are kept of what was before revision %d", kept, revision)
		}
		if left := c.after(revision - 1); len(left) != 1 || len(left[0]) != 1 || left[0][0].Revision != revision {
			t.Fatalf("%v after revision %d", left, revision-1)
		}
	}
}

// TestCompactedChangesAreFree checks that an engine drops what it is told to forget.
func TestCompactedChangesAreFree(t *testing.T) {
	t.Parallel()
	e := New()
	defer e.Close()
	revision := uint64(0)
	for range 3 * chunkChanges {
		var err error
		if revision, err = e.Put(t.Context(), "k", []byte("v"), revision); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Compact(t.Context(), revision); err != nil || len(e.log.chunks) > 0 {
		t.Errorf("%d chunks are kept, %v", len(e.log.chunks), err)
	}
}

// TestDroppedChunksAreFree checks that the chunks before the kept ones are not kept by the slice
// that had all of them.
func TestDroppedChunksAreFree(t *testing.T) {
	t.Parallel()
	var c changes
	for revision := uint64(1); revision <= 3*chunkChanges; revision++ {
		c.add(store.Change{KeyValue: store.KeyValue{Key: "k", Revision: revision}})
	}
	dropped := weak.Make(&c.chunks[0][0])
	c.drop(2 * chunkChanges)
	for range 10 {
		if runtime.GC(); dropped.Value() == nil {
			runtime.KeepAlive(&c)
			return
		}
	}
	t.Error("a chunk is kept after it was dropped")
	runtime.KeepAlive(&c)
}
