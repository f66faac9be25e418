package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// record is what one watch delivered. It checks order and completeness as it goes.
type record struct {
	mu       sync.Mutex
	state    map[string]string
	changes  int
	reached  uint64
	err      error
	finished chan struct{}
}

// follow watches all keys from a revision on until the test ends.
func follow(t *testing.T, e *etcd.Engine, from uint64) *record {
	t.Helper()
	r := &record{state: map[string]string{}, reached: from, finished: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(r.finished)
		err := e.Watch(ctx, "", from, r.take)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err == nil && !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrClosed) {
			r.err = err
		}
	}()
	t.Cleanup(func() { cancel(); <-r.finished })
	return r
}

func (r *record) take(c store.Changes) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = r.check(c)
	return r.err
}

func (r *record) check(c store.Changes) error {
	if c.After != r.reached && r.reached != 0 {
		return fmt.Errorf("changes after %d follow what reached %d", c.After, r.reached)
	}
	last := c.After
	for _, change := range c.List {
		if change.Revision <= last {
			return fmt.Errorf("revision %d of %s after %d", change.Revision, change.Key, last)
		}
		last = change.Revision
		if before := r.state[change.Key]; string(change.Before) != before {
			return fmt.Errorf("before %d %s was %q, and the watch says %q", change.Revision, change.Key, before,
				change.Before)
		}
		if change.Value == nil {
			delete(r.state, change.Key)
		} else {
			r.state[change.Key] = string(change.Value)
		}
	}
	if c.Revision < last {
		return fmt.Errorf("changes up to %d reach %d", last, c.Revision)
	}
	r.changes += len(c.List)
	r.reached = c.Revision
	return nil
}

// until waits until the watch has reached a revision, and returns what it knows then.
func (r *record) until(t *testing.T, revision uint64) map[string]string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		r.mu.Lock()
		reached, err, state := r.reached, r.err, maps.Clone(r.state)
		r.mu.Unlock()
		switch {
		case err != nil:
			t.Fatal(err)
		case reached >= revision:
			return state
		case time.Now().After(deadline):
			t.Fatalf("the watch stands at %d and should reach %d", reached, revision)
		}
	}
}

// atLeast waits until the watch has seen a number of changes.
func (r *record) atLeast(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		r.mu.Lock()
		changes, err := r.changes, r.err
		r.mu.Unlock()
		switch {
		case err != nil:
			t.Fatal(err)
		case changes >= n:
			return
		case time.Now().After(deadline):
			t.Fatalf("the watch saw %d changes, want %d", changes, n)
		}
	}
}

// content lists everything, in pages, at one revision.
func content(t *testing.T, e *etcd.Engine) (map[string]string, uint64) {
	t.Helper()
	all := map[string]string{}
	var o store.RangeOptions
	for o.Limit = 7; ; {
		page, err := e.List(t.Context(), "", o)
		if err != nil {
			t.Fatal(err)
		}
		for _, kv := range page.Items {
			all[kv.Key] = string(kv.Value)
		}
		if !page.More {
			return all, page.Revision
		}
		o.Revision, o.From = page.Revision, page.Items[len(page.Items)-1].Key+"\x01"
	}
}

// writer increments counters, each under its key, until it is stopped. It goes on where a write
// fails, and reads the key again where the outcome is uncertain.
type writer struct {
	stop, done chan struct{}
	acked      map[string]int // the last acknowledged count of each key
	failures   int
	err        error
}

func write(e *etcd.Engine, name string) *writer {
	w := &writer{stop: make(chan struct{}), done: make(chan struct{}), acked: map[string]int{}}
	go func() {
		defer close(w.done)
		revisions := map[string]uint64{}
		for i := 0; ; i++ {
			select {
			case <-w.stop:
				return
			default:
			}
			key := fmt.Sprintf("%s/%d", name, i%5)
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			revision, err := e.Put(ctx, key, fmt.Appendf(nil, "%d", w.acked[key]+1), revisions[key])
			cancel()
			if err == nil {
				revisions[key] = revision
				w.acked[key]++
				continue
			}
			w.failures++
			if err := w.settle(e, key, revisions); err != nil {
				w.err = err
				return
			}
		}
	}()
	return w
}

// settle finds out what a key holds after a write whose outcome is unknown.
func (w *writer) settle(e *etcd.Engine, key string, revisions map[string]uint64) error {
	for deadline := time.Now().Add(2 * time.Minute); ; {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		got, err := e.Get(ctx, key)
		cancel()
		if err == nil {
			count := 0
			if got.Revision != 0 {
				if _, err := fmt.Sscan(string(got.Value), &count); err != nil {
					return err
				}
			}
			if count < w.acked[key] || count > w.acked[key]+1 {
				return fmt.Errorf("%s holds %d where %d was acknowledged", key, count, w.acked[key])
			}
			w.acked[key], revisions[key] = count, got.Revision
			return nil
		}
		select {
		case <-w.stop:
			return nil
		default:
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no answer for two minutes: %w", err)
		}
	}
}

// finish stops the writer and returns what it knows to be written at least.
func (w *writer) finish(t *testing.T) map[string]int {
	t.Helper()
	close(w.stop)
	<-w.done
	if w.err != nil {
		t.Fatal(w.err)
	}
	return w.acked
}
