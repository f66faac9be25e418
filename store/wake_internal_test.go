package store

import (
	"errors"
	"testing"
)

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
		woken := all.join(s, 0)
		all.fireAll()
		all.leave(woken)
	}
	if len(all.waiting) > 0 || len(all.shards) > 0 {
		t.Errorf("%d topics are left, %d of shards", len(all.waiting), len(all.shards))
	}
}

// TestWakingInDoubt announces events without the values of fields that they concern.
func TestWakingInDoubt(t *testing.T) {
	t.Parallel()
	resource := func(prefix string) *Resource {
		return &Resource{prefix: prefix, fields: []field{{Field: Field{Path: "spec.zone", Index: true}}}}
	}
	why := errors.New("a reason")
	one := func(k known) *window {
		c := &chunk{}
		c.events[0].entry = &Entry{key: "g/r/a/m"}
		c.events[0].entry.known.Store(&k)
		return &window{chunks: []*chunk{c}, next: 1}
	}
	removed := resource("g/r/")
	removed.gone.Store(&why)
	for name, tt := range map[string]struct {
		events         *window
		woken, another bool // whether a watch of a value is woken, and one of another resource
	}{
		"that are not in the history":         {&window{next: 1}, true, true},
		"of a removed resource of this name":  {one(known{resource: removed}), true, false},
		"of an object that cannot be decoded": {one(known{resource: resource("g/r/"), err: why}), false, false},
	} {
		var all topics
		wait := func(prefix string) *topic {
			return all.join(&selection{resource: resource(prefix), terms: []fieldTerm{{value: "fra-1"}}}, 0)
		}
		watch, another := wait("g/r/"), wait("g/s/")
		all.announce(tt.events)
		if watch.fired != tt.woken || another.fired != tt.another {
			t.Errorf("events %s: %t, %t, want %t, %t", name, watch.fired, another.fired, tt.woken, tt.another)
		}
		if n := all.leave(watch); tt.woken && n != 0 {
			t.Errorf("after events %s the watch continues at event %d", name, n)
		}
	}
}

// TestLeavingWhileWoken has a watch leave a topic after it has found that the topic is not ready,
// and before it has the mutex.
func TestLeavingWhileWoken(t *testing.T) {
	t.Parallel()
	s := &selection{resource: &Resource{prefix: "g/r/"}, index: -1}
	var all topics
	left := all.join(s, 0)
	all.fire(left.key, 7)
	left.ready = make(chan struct{})
	next := all.join(s, 0)
	if n := all.leave(left); n != 7 || all.waiting[next.key] != next {
		t.Errorf("it continues at event %d; the next watch waits: %t", n, all.waiting[next.key] == next)
	}
}
