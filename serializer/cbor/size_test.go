package cbor_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/internal/sample"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/cbor"
)

// TestSizeOfUncommonItem checks that the limit for the size of an input applies to the item, and
// not to the text that an item of indefinite length is read through.
func TestSizeOfUncommonItem(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	item := []byte("\xbf\x44name\x58\x20" + strings.Repeat("\n", 32) + "\xff")
	for doc, err := range cbor.Format().Documents(item, schema.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		for size, want := range map[int]int{len(item): 0, len(item) - 1: 1} {
			found := doc.Decode(k, k.New(), runtime.ReadOptions{Limits: schema.Limits{Size: size}})
			if len(found) != want {
				t.Errorf("an item of %d bytes, at most %d: %v", len(item), size, found)
			}
		}
	}
}

// TestLargeBuffersAreNotKept checks that one large object does not stay in memory for ever.
func TestLargeBuffersAreNotKept(t *testing.T) {
	t.Parallel()
	for range 20 { // a pool may drop what it gets
		if n := cbor.PooledMemory(); n > cbor.MaxPooled {
			t.Fatalf("a buffer of %d bytes was kept", n)
		}
	}
}
