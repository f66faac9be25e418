package store

import "testing"

// TestShardTopicsAreDropped checks that a watch which waits again and again leaves nothing behind.
func TestShardTopicsAreDropped(t *testing.T) {
	t.Parallel()
	shards, err := ParseShardSelector("shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')")
	if err != nil {
		t.Fatal(err)
	}
	s := &selection{resource: &Resource{prefix: "g/r/"}, index: -1, shards: shards}
	var all topics
	for range 10 {
		first, second := all.join(s, 0), all.join(s, 0)
		all.leave(first)
		all.leave(second)
	}
	if len(all.waiting) > 0 || len(all.shards) > 0 {
		t.Errorf("%d topics are left, %d of shards", len(all.waiting), len(all.shards))
	}
}
