package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"github.com/askind/askind/store"
)

// TestGather checks how long the writer waits for callers that are about to write again.
func TestGather(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	for _, tt := range []struct {
		name   string
		active int
		limit  time.Duration
		before int // requests that are waiting when gather is called
		during func(e *Engine)
		want   time.Duration
	}{
		{"a single caller", 1, limit, 0, nil, 0},
		{"callers that are all there", 3, limit, 3, nil, 0},
		{"commits that take no time", 3, gatherFrom / 2, 0, nil, 0},
		{"a caller that does not come", 3, limit, 2, nil, limit},
		{"callers that come", 3, limit, 1, func(e *Engine) {
			e.queue.add(&request{})
			time.Sleep(limit / 4)
			e.queue.add(&request{})
		}, limit / 4},
		{"an engine that is closed", 3, limit, 0, func(e *Engine) {
			time.Sleep(limit / 4)
			close(e.stop)
		}, limit / 4},
		{"a sync that fails", 3, limit, 0, func(e *Engine) {
			time.Sleep(limit / 4)
			e.queue.fail(errors.New("no"))
		}, limit / 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &Engine{stop: make(chan struct{})}
				e.queue.wake = make(chan struct{}, 1)
				for range tt.before {
					e.queue.add(&request{})
				}
				if tt.during != nil {
					go tt.during(e)
				}
				start := time.Now()
				e.gather(tt.active, tt.limit)
				if took := time.Since(start); took != tt.want {
					t.Errorf("gather took %v, want %v", took, tt.want)
				}
				select { // what comes later wakes the writer
				case <-e.queue.wake:
				default:
				}
				e.queue.add(&request{})
				select {
				case <-e.queue.wake:
				default:
					t.Error("a request does not wake the writer")
				}
			})
		})
	}
}

// TestGroupsAreBounded checks that what is written in one transaction is bounded, and that the rest
// is left for the next one in order.
func TestGroupsAreBounded(t *testing.T) {
	t.Parallel()
	var q queue
	value := make([]byte, groupBytes/2)
	for range 5 {
		q.add(&request{value: value})
	}
	for _, want := range []int{2, 2, 1, 0} {
		waiting := slices.Clone(q.waiting)
		group, err := q.take()
		if err != nil || !slices.Equal(group, waiting[:want]) || q.length() != len(waiting)-want {
			t.Fatalf("%d of %d requests are taken, want %d; %d are left, %v", len(group), len(waiting), want, q.length(), err)
		}
	}
}

// TestCancelledRequestsMakeNoGroup checks that requests of callers who have given up, which may be
// more than a group, do not keep the others waiting: nothing wakes the writer for them again.
func TestCancelledRequestsMakeNoGroup(t *testing.T) {
	t.Parallel()
	var q queue
	for range 5 {
		gone := &request{value: make([]byte, groupBytes/2)}
		gone.taken.Store(true)
		q.add(gone)
	}
	waiting := &request{value: []byte("x")}
	q.add(waiting)
	if group, err := q.take(); err != nil || !slices.Equal(group, []*request{waiting}) || q.length() != 0 {
		t.Errorf("%d requests are taken, %d are left, %v", len(group), q.length(), err)
	}
}

// TestChangesOutliveTheirPages checks that changes which were read from the file do not change when
// its pages are used again.
func TestChangesOutliveTheirPages(t *testing.T) {
	t.Parallel()
	e, err := Open(filepath.Join(t.TempDir(), "db"), Sync(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	value := func(c byte) []byte { return bytes.Repeat([]byte{c}, 3000) }
	put := func(key string, v []byte) (revision uint64) {
		t.Helper()
		page, err := e.Get(t.Context(), key)
		if err == nil {
			revision, err = e.Put(t.Context(), key, v, page.KeyValue.Revision)
		}
		if err != nil {
			t.Fatal(err)
		}
		return revision
	}
	first := put("a", value('1'))
	put("a", value('2'))
	var changes []store.Change
	if err := e.db.View(func(tx *bbolt.Tx) error {
		changes, err = changesAfter(tx, "", first)
		return err
	}); err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	var last uint64
	for i := range 60 {
		put("a", value('x'))
		last = put(fmt.Sprint("b", i), value('y'))
		if err := e.Compact(t.Context(), last); err != nil {
			t.Fatal(err)
		}
	}
	if c := changes[0]; !bytes.Equal(c.Before, value('1')) || !bytes.Equal(c.Value, value('2')) {
		t.Errorf("the change has become %.10q, then %.10q", c.Before, c.Value)
	}
}

// held returns an engine whose writer is stopped in the delivery of a first change, until release
// is called. Later changes are sent to the channel, as they are delivered.
func held(t *testing.T) (e *Engine, later <-chan []string, release func()) {
	t.Helper()
	e, err := Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	var writes sync.WaitGroup
	stopped, resume := make(chan struct{}), make(chan struct{})
	release = sync.OnceFunc(func() { close(resume) })
	t.Cleanup(func() { release(); writes.Wait(); e.Close() })
	delivered := make(chan []string, 100)
	go func() {
		_ = e.Watch(t.Context(), "", e.revision.Load(), func(c store.Changes) error {
			if reached := e.revision.Load(); reached != c.Revision {
				t.Errorf("the revision is %d when the changes up to %d are delivered", reached, c.Revision)
			}
			var keys []string
			for _, change := range c.List {
				keys = append(keys, change.Key)
			}
			switch {
			case len(keys) == 1 && keys[0] == "first":
				close(stopped)
				<-resume
			case len(keys) > 0:
				delivered <- keys
			}
			return nil
		})
	}()
	for watches := 0; watches == 0; time.Sleep(time.Millisecond) {
		e.deliver.Lock()
		watches = len(e.watches)
		e.deliver.Unlock()
	}
	writes.Go(func() {
		if _, err := e.Put(t.Context(), "first", []byte("v"), 0); err != nil {
			t.Error(err)
		}
	})
	<-stopped
	return e, delivered, release
}

// waiting waits until so many requests are in the queue.
func (e *Engine) waiting(n int) {
	for e.queue.length() < n {
		time.Sleep(time.Millisecond)
	}
}

// TestWritesShareACommit has several writers wait for the one before, and expects one commit of all
// of them. Each commit is one delivery.
func TestWritesShareACommit(t *testing.T) {
	t.Parallel()
	const writers = 20
	e, later, release := held(t)
	var writes sync.WaitGroup
	for i := range writers {
		writes.Go(func() {
			if _, err := e.Put(t.Context(), fmt.Sprint("k", i), []byte("v"), 0); err != nil {
				t.Error(err)
			}
		})
	}
	e.waiting(writers)
	release()
	writes.Wait()
	if keys := <-later; len(keys) != writers {
		t.Errorf("the next commit has %d of %d writes", len(keys), writers)
	}
}

// TestCancelledWrite checks that a write whose context ends while it waits for its turn returns at
// once, and is not made later.
func TestCancelledWrite(t *testing.T) {
	t.Parallel()
	e, later, release := held(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error, 1)
	go func() {
		_, err := e.Put(ctx, "cancelled", []byte("v"), 0)
		cancelled <- err
	}()
	e.waiting(1)
	cancel()
	select {
	case err := <-cancelled:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the write waits although its context has ended")
	}
	release()
	if _, err := e.Put(t.Context(), "last", []byte("v"), 0); err != nil {
		t.Fatal(err)
	}
	if keys := <-later; len(keys) != 1 || keys[0] != "last" {
		t.Errorf("%q were written", keys)
	}
}
