package store

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"
)

// upkeep is the background work of a store, in one goroutine: it deletes expired objects, drops old
// history when nothing is written, and compacts the engine.
type upkeep struct {
	wake chan struct{} // has room for one

	mu      sync.Mutex
	expires expiries
	floor   uint64 // the engine may forget what was before
}

// nudge makes the goroutine look again.
func (u *upkeep) nudge() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// compact notes that the store does not need the past before a revision.
func (u *upkeep) compact(floor uint64) {
	u.mu.Lock()
	u.floor = floor
	u.mu.Unlock()
	u.nudge()
}

// expiry is the time at which an object is to be deleted, unless it has been written again.
type expiry struct {
	at       time.Time
	key      string
	revision uint64
}

// expiries is a heap with the earliest time first.
type expiries []expiry

func (h expiries) Len() int           { return len(h) }
func (h expiries) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h expiries) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *expiries) Push(x any) { *h = append(*h, x.(expiry)) }

// Pop implements [heap.Interface].
func (h *expiries) Pop() any {
	last := (*h)[len(*h)-1]
	(*h)[len(*h)-1] = expiry{}
	*h = (*h)[:len(*h)-1]
	return last
}

// note appends when a value expires, if it does.
func (h *expiries) note(kv KeyValue) {
	if _, at, err := unwrap(kv.Value); err == nil && !at.IsZero() {
		*h = append(*h, expiry{at, kv.Key, kv.Revision})
	}
}

// replace sets when the values expire that were loaded.
func (u *upkeep) replace(expires expiries) {
	heap.Init(&expires)
	u.mu.Lock()
	u.expires = expires
	u.mu.Unlock()
	u.nudge()
}

// expect notes when a value expires that was written, if it does. The apply mutex is held.
func (s *Store) expect(kv KeyValue) {
	_, at, err := unwrap(kv.Value)
	if err != nil || at.IsZero() {
		return
	}
	u := &s.upkeep
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.expires) >= u.room() {
		s.forgetRewritten()
	}
	heap.Push(&u.expires, expiry{at, kv.Key, kv.Revision})
	if u.expires[0].revision == kv.Revision {
		u.nudge()
	}
}

// room is how long the heap may become before it is looked through for what does not count any
// more. It grows and shrinks by halves, so that looking through costs little for each object.
func (u *upkeep) room() int { return max(1024, cap(u.expires)) }

// forgetRewritten takes out what has been written again, which has another expiry. The mutexes of
// the upkeep and of apply are held.
func (s *Store) forgetRewritten() {
	kept := make(expiries, 0, len(s.upkeep.expires))
	for _, x := range s.upkeep.expires {
		if e, ok := s.entries.Get(x.key); ok && e.revision == x.revision {
			kept = append(kept, x)
		}
	}
	s.upkeep.expires = append(make(expiries, 0, 2*len(kept)), kept...)
	heap.Init(&s.upkeep.expires)
}

// shortestPause bounds how often history is looked through that is kept for a short time or not at
// all.
const shortestPause = 10 * time.Millisecond

// maintain does the upkeep until the context is done.
func (s *Store) maintain(ctx context.Context) {
	var compacted uint64
	for {
		next := s.expire(ctx)
		s.forget()
		compacted = s.compactEngine(ctx, compacted)
		pause := max(s.options.History/4, shortestPause)
		if !next.IsZero() {
			pause = max(0, min(pause, time.Until(next)))
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-s.upkeep.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// has reports whether an object is as it was when its expiry was noted.
func (o *objects) has(x expiry) bool {
	e, ok := o.entries.Get(x.key)
	return ok && e.revision == x.revision
}

// expireTogether is how many expired objects are deleted at once. A file syncs once for those that
// come together.
const expireTogether = 64

// expire deletes expired objects and returns when the next one expires; zero if none does. What
// cannot be deleted is tried again after a second.
func (s *Store) expire(ctx context.Context) time.Time {
	u := &s.upkeep
	now := time.Now() // what fails is due again later, when the other upkeep has had its turn
	for {
		expired, next := u.due(now, expireTogether)
		if len(expired) == 0 {
			return next
		}
		st := s.state.Load()
		var work sync.WaitGroup
		for _, x := range expired {
			if st.revision >= x.revision && !st.has(x) {
				continue // an engine would have to find that out with a write that fails
			}
			work.Go(func() {
				_, err := s.engine.Delete(ctx, x.key, x.revision)
				if err == nil || errors.Is(err, ErrConflict) { // written again, or deleted already
					return
				}
				x.at = time.Now().Add(time.Second)
				u.mu.Lock()
				heap.Push(&u.expires, x)
				u.mu.Unlock()
			})
		}
		work.Wait()
	}
}

// due takes out up to n of those that expire at a time or before it, and returns when the first of
// the others does; zero if there are no others.
func (u *upkeep) due(now time.Time, n int) (due []expiry, next time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for len(u.expires) > 0 {
		if len(due) == n || now.Before(u.expires[0].at) {
			return due, u.expires[0].at
		}
		due = append(due, heap.Pop(&u.expires).(expiry))
	}
	return due, time.Time{}
}

// forget drops history that is too old.
func (s *Store) forget() {
	s.apply.Lock()
	defer s.apply.Unlock()
	if s.restored == nil && s.history.trim(time.Now()) {
		s.upkeep.compact(s.history.floor)
		s.publish(s.state.Load().revision)
	}
}

// compactEngine has the engine forget what this store has forgotten, and returns up to where it
// has. An engine that compacts by its own rules is left alone.
func (s *Store) compactEngine(ctx context.Context, before uint64) uint64 {
	s.upkeep.mu.Lock()
	floor := s.upkeep.floor
	s.upkeep.mu.Unlock()
	if floor <= before {
		return before
	}
	if err := s.engine.Compact(ctx, floor); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return before
	}
	return floor
}
