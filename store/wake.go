package store

import (
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/internal/sorted"
)

// signal wakes all goroutines that wait for the next change.
type signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// wait returns a channel that is closed when fire is called next.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

func (s *signal) fire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

// topics wake watches, each only by events that may concern it. A watch that waits has the topic
// that says most of what it watches: one name, one value of an indexed field, one namespace, one
// shard of a resource, or the whole resource. There is one channel for all watches that wait for
// the same.
type topics struct {
	mu      sync.Mutex
	waiting map[topicKey]*topic
	shards  map[topicKey][]*topic // those of shards, by resource and field; some may have fired
	reached uint64                // the number of the first event that has not been announced
}

// topicKey names a topic: by a key or a prefix of keys in the engine, by that of a resource and a
// value of a field, or by that of a resource, [shardTopic] and the text of a [ShardSelector].
type topicKey struct{ prefix, field, value string }

// shardTopic is the field of topics of shards. No declared field has a NUL byte.
const shardTopic = "\x00shards"

// topic is what watches wait for.
type topic struct {
	key   topicKey
	ready chan struct{}
	users int
	fired bool
	event uint64 // a number not above that of the first event that concerns the topic
	// Of the first watch that waited for a shard.
	shard    *ShardSelector
	resource *Resource
}

// closed is ready at any time.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// join adds a watch that has seen all events below a number to the topic of its selection. It
// returns nil if later events have been announced.
func (t *topics) join(s *selection, seen uint64) *topic {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reached > seen {
		return nil
	}
	key := s.topic()
	found := t.waiting[key]
	if found == nil {
		if t.waiting == nil {
			t.waiting, t.shards = map[topicKey]*topic{}, map[topicKey][]*topic{}
		}
		found = &topic{key: key, ready: make(chan struct{})}
		t.waiting[key] = found
		if key.field == shardTopic {
			found.shard, found.resource = &s.shards, s.resource
			t.shards[found.shards()] = append(t.shards[found.shards()], found)
		}
	}
	found.users++
	return found
}

// shards returns where the topics of the shards by the same field are.
func (t *topic) shards() topicKey { return topicKey{prefix: t.key.prefix, field: t.shard.field} }

// leave ends the wait for a topic, and returns the number of the first event that may concern it.
func (t *topics) leave(left *topic) uint64 {
	select {
	case <-left.ready: // the usual case, for which thousands of watches need not share a mutex
		return left.event
	default:
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if left.fired {
		return left.event
	}
	if left.users--; left.users == 0 {
		delete(t.waiting, left.key)
		if left.shard != nil {
			t.keepShards(left.shards(), func(other *topic) bool { return other != left })
		}
	}
	return t.reached
}

// keepShards drops the topics of shards that do not meet a condition. The mutex is held.
func (t *topics) keepShards(key topicKey, keep func(*topic) bool) {
	kept := sorted.Delete(t.shards[key], func(other *topic) bool { return !keep(other) })
	if t.shards[key] = kept; len(kept) == 0 {
		delete(t.shards, key)
	}
}

// fire wakes the watches that wait for a topic. The mutex is held.
func (t *topics) fire(key topicKey, number uint64) {
	if found := t.waiting[key]; found != nil {
		found.fired, found.event = true, number
		close(found.ready)
		delete(t.waiting, key)
	}
}

// fireAll wakes all watches, which then look for themselves.
func (t *topics) fireAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fireEvery()
}

// fireEvery wakes all watches. The mutex is held.
func (t *topics) fireEvery() {
	for key := range t.waiting {
		t.fire(key, 0)
	}
	clear(t.shards)
}

// announce wakes the watches that may select an event of the window that has not been announced
// yet.
func (t *topics) announce(w *window) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.first() > t.reached { // some events are not there any more
		t.fireEvery()
	}
	if len(t.waiting) > 0 {
		for n := max(t.reached, w.first()); n < w.next; n++ {
			t.announceEvent(w.event(n), n)
		}
	}
	t.reached = w.next
}

// fireFields wakes the watches that wait for a value of a field of a resource. The mutex is held.
func (t *topics) fireFields(resource string) {
	for key := range t.waiting {
		if key.prefix == resource && key.field != "" {
			t.fire(key, 0)
		}
	}
}

// fireShards wakes the watches of the shards that an event concerns, by one field. It computes the
// hash once for all watches, because waking one costs a hundred times as much. The mutex is held.
func (t *topics) fireShards(key topicKey, e *event, number uint64) {
	waiting := t.shards[key]
	if len(waiting) == 0 {
		return
	}
	r := waiting[0].resource
	if r.gone.Load() != nil { // what it would read is not what another one of this name reads
		t.keepShards(key, func(topic *topic) bool { t.fire(topic.key, number); return false })
		return
	}
	var hashes []uint64
	for _, state := range [...]*Entry{e.entry, e.before} {
		if state = r.own(state); state.decodable() {
			hashes = append(hashes, waiting[0].shard.hash(state))
		}
	}
	t.keepShards(key, func(topic *topic) bool {
		if !topic.fired && slices.ContainsFunc(hashes, topic.shard.has) {
			t.fire(topic.key, number)
		}
		return !topic.fired
	})
}

// announceEvent wakes the watches that an event may concern. The mutex is held.
func (t *topics) announceEvent(e *event, number uint64) {
	key := e.entry.key
	i := strings.IndexByte(key, '/') + 1
	i += strings.IndexByte(key[i:], '/') + 1
	resource := key[:i]
	i += strings.IndexByte(key[i:], '/') + 1
	t.fire(topicKey{prefix: key}, number)
	t.fire(topicKey{prefix: key[:i]}, number)
	t.fire(topicKey{prefix: resource}, number)
	t.fireShards(topicKey{prefix: resource, field: shardUID}, e, number)
	t.fireShards(topicKey{prefix: resource, field: shardNamespace}, e, number)
	for _, state := range [...]*Entry{e.entry, e.before} {
		if state == nil {
			continue
		}
		k := state.known.Load()
		if k == nil || k.err != nil {
			continue
		}
		if k.resource.gone.Load() != nil { // what another one of this name knows of the state is not known here
			t.fireFields(resource)
			continue
		}
		for f, field := range k.resource.fields {
			if field.Index {
				t.fire(topicKey{resource, field.Path, k.fields[f]}, number)
			}
		}
	}
}
