package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/store"
	bolt "go.etcd.io/bbolt"
)

// request is a write that waits for its turn.
type request struct {
	key      string
	value    []byte // nil to delete, unless compact is set
	expected uint64
	compact  uint64 // forget what was before

	taken atomic.Bool // by the writer, or by the caller that has given up
	done  chan struct{}

	// Set when done is closed.
	change store.Change
	err    error
}

// conflicts sets the error of a write that conflicts with the revision of its key, and reports
// whether it does.
func (r *request) conflicts(was uint64) bool {
	if was == r.expected && (r.value != nil || was != 0) {
		return false
	}
	r.err = &store.ConflictError{Key: r.key, Expected: r.expected, Current: was}
	return true
}

// queue is what waits to be written.
type queue struct {
	mu      sync.Mutex
	waiting []*request
	failure error         // of a sync
	wake    chan struct{} // has room for one
	want    int           // how many requests have to be waiting to wake the writer
}

func (q *queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) add(r *request) {
	q.mu.Lock()
	q.waiting = append(q.waiting, r)
	enough := len(q.waiting) >= q.want
	q.mu.Unlock()
	if enough {
		q.nudge()
	}
}

// setWant sets how many requests have to be waiting before add wakes the writer, and reports
// whether fewer are.
func (q *queue) setWant(n int) (fewer bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.want = n
	return len(q.waiting) < n && q.failure == nil
}

// length returns how many requests are waiting.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// fail has the writer end the engine.
func (q *queue) fail(err error) {
	q.mu.Lock()
	q.failure = err
	q.mu.Unlock()
	q.nudge()
}

// groupBytes is how much is written in one transaction, or little more.
const groupBytes = 8 << 20

// take returns the next group of requests. It is empty only if none is waiting.
func (q *queue) take() (group []*request, failure error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, size := 0, 0
	for ; n < len(q.waiting) && size < groupBytes; n++ {
		if r := q.waiting[n]; r.taken.CompareAndSwap(false, true) {
			group = append(group, r)
			size += len(r.value) + 512
		}
	}
	q.waiting = slices.Delete(q.waiting, 0, n)
	return group, q.failure
}

// submit has a request carried out.
func (e *Engine) submit(ctx context.Context, r *request) error {
	if err := e.usable(ctx); err != nil {
		return err
	}
	if e.options.readOnly {
		return e.refuse(ctx, r)
	}
	r.done = make(chan struct{})
	e.queue.add(r)
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		if r.taken.CompareAndSwap(false, true) {
			return ctx.Err() // it has not been written and will not be
		}
	case <-e.stop:
		if r.taken.CompareAndSwap(false, true) {
			return store.ErrClosed
		}
	case <-e.failed:
		if r.taken.CompareAndSwap(false, true) {
			return e.failure
		}
	}
	<-r.done
	return r.err
}

// refuse returns the error of a write to a file that is opened for reading only: as otherwise that
// of a conflict, if there is one.
func (e *Engine) refuse(ctx context.Context, r *request) error {
	if r.compact == 0 {
		now, err := e.Get(ctx, r.key)
		if err != nil {
			return err
		}
		if r.conflicts(now.Revision) {
			return r.err
		}
	}
	return fmt.Errorf("file: %w: it was opened for reading only", store.ErrReadOnly)
}

// maxValue is how many bytes a value may have. What bbolt refuses would end the engine.
const maxValue = 1 << 30

// Put implements [store.Engine]. A value of more than a gibibyte is a [store.ErrTooLarge].
func (e *Engine) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	if err := store.CheckWrite(key, value); err != nil {
		return 0, err
	}
	if len(value) > maxValue {
		return 0, fmt.Errorf("file: %q: %w: it has %d bytes, %d are allowed", key, store.ErrTooLarge, len(value), maxValue)
	}
	r := &request{key: key, value: value, expected: expected}
	err := e.submit(ctx, r)
	return r.change.Revision, err
}

// Delete implements [store.Engine].
func (e *Engine) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	r := &request{key: key, expected: expected}
	err := e.submit(ctx, r)
	return r.change.Revision, err
}

// Compact implements [store.Engine]. It takes effect at once; the space is freed in small steps
// between other writes.
func (e *Engine) Compact(ctx context.Context, revision uint64) error {
	if revision > e.revision.Load() {
		if err := e.usable(ctx); err != nil {
			return err
		}
		return store.ErrFuture
	}
	return e.submit(ctx, &request{compact: max(revision, 1)})
}

// write carries out requests until the engine is closed, each time as many as are waiting in one
// transaction.
func (e *Engine) write() {
	sweep := true // something may be left to be made free
	for {
		group, failure := e.queue.take()
		if failure != nil {
			e.abandon(group, failure)
			return
		}
		if len(group) == 0 && !sweep {
			select {
			case <-e.queue.wake:
				continue
			case <-e.stop:
				return
			}
		}
		select {
		case <-e.stop:
			e.finish(group, store.ErrClosed)
			return
		default:
		}
		var err error
		start := time.Now()
		if sweep, err = e.commit(group, sweep); err != nil {
			e.abandon(group, err)
			return
		}
		active := len(group) + e.queue.length() // before callers that are done write again
		e.finish(group, nil)
		e.gather(active, time.Since(start)/gatherShare)
	}
}

const (
	// gatherShare bounds what gather adds to the time of a commit: an eighth of it.
	gatherShare = 8
	// gatherFrom is the shortest wait that is worth a timer. Commits without a sync are faster.
	gatherFrom = 50 * time.Microsecond
)

// gather waits until as many requests are waiting as there were callers during the last commit.
// Without it the first caller that writes again would start a commit alone, and the others would
// wait for two commits each time.
func (e *Engine) gather(active int, limit time.Duration) {
	if active < 2 || limit < gatherFrom {
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for e.queue.setWant(active) {
		select {
		case <-e.queue.wake:
			continue
		case <-timer.C:
		case <-e.stop:
		}
		break
	}
	e.queue.setWant(0)
}

// finish ends requests.
func (e *Engine) finish(group []*request, err error) {
	for _, r := range group {
		if err != nil {
			r.err = err
		}
		close(r.done)
	}
}

// abandon ends the engine.
func (e *Engine) abandon(group []*request, err error) {
	e.fail(err)
	e.finish(group, e.failure)
}

// errUnchanged ends a transaction in which there was nothing to write: all requests conflict with
// what is stored, or nothing was left to be made free. A commit would write and sync the file.
var errUnchanged = errors.New("nothing to write")

// commit carries out a group in one transaction and tells the watches. It reports whether there is
// more to be made free.
func (e *Engine) commit(group []*request, sweep bool) (more bool, err error) {
	if e.options.readOnly {
		return false, nil
	}
	e.deliver.Lock()
	defer e.deliver.Unlock()
	revision := e.revision.Load()
	var changes []store.Change
	update := func(tx *bolt.Tx) error {
		w := writer{tx: tx, objects: tx.Bucket(objectsBucket), events: tx.Bucket(eventsBucket), revision: revision}
		w.events.FillPercent = 0.95 // keys come in order
		for _, r := range group {
			if err := w.apply(r); err != nil {
				return err
			}
			sweep = sweep || r.compact > 0
		}
		changes = w.changes
		if sweep {
			var err error
			if more, err = w.sweep(); err != nil {
				return err
			}
		}
		switch {
		case w.revision == revision && w.changed:
			return nil
		case w.revision == revision:
			return errUnchanged
		}
		revision = w.revision
		return tx.Bucket(metaBucket).Put(revisionKeyName, revisionKey(revision))
	}
	if err := e.update(update); err != nil && !errors.Is(err, errUnchanged) {
		return false, err
	}
	if len(changes) > 0 {
		e.revision.Store(revision) // before a watch delivers it; see Engine.Revision
		e.watches = sorted.Delete(e.watches, func(w *watch) bool { return !w.call(changes, revision) })
	}
	return more, nil
}

// update writes. An error is one of the file.
func (e *Engine) update(write func(tx *bolt.Tx) error) (err error) {
	defer guard(&err)()
	return e.db.Update(write)
}

// writer carries out requests in a transaction.
type writer struct {
	tx              *bolt.Tx
	objects, events *bolt.Bucket
	revision        uint64
	changes         []store.Change
	changed         bool // something besides objects
}

// apply carries out a request. The error is one of the file; that of the request is kept in it.
func (w *writer) apply(r *request) error {
	if r.compact > 0 {
		return w.setFloor(r.compact)
	}
	key := []byte(r.key)
	var before []byte
	var was uint64
	if record := w.objects.Get(key); record != nil {
		var err error
		if was, before, err = parseObject(key, record); err != nil {
			return err
		}
	}
	if r.conflicts(was) {
		return nil
	}
	w.revision++
	r.change = store.Change{
		KeyValue: store.KeyValue{Key: r.key, Value: r.value, Revision: w.revision}, Before: slices.Clone(before),
		BeforeRevision: was,
	}
	w.changes = append(w.changes, r.change)
	// bbolt keeps what it is given until the end of the transaction.
	if err := w.events.Put(revisionKey(w.revision), appendUndo(nil, w.revision, r.key, r.change.Before,
		was)); err != nil {
		return err
	}
	if r.value == nil {
		return w.objects.Delete(key)
	}
	return w.objects.Put(key, appendObject(make([]byte, 0, objectHeader+len(r.value)), r.key, w.revision, r.value))
}

// setFloor notes that the past before a revision is forgotten.
func (w *writer) setFloor(revision uint64) error {
	floor, err := number(w.tx, floorKey)
	if err != nil || revision <= floor {
		return err
	}
	w.changed = true
	return w.tx.Bucket(metaBucket).Put(floorKey, revisionKey(revision))
}

// sweepEvents is how many events are removed in one transaction.
const sweepEvents = 1000

// sweep removes events that are forgotten, and reports whether there are more.
func (w *writer) sweep() (more bool, err error) {
	floor, err := number(w.tx, floorKey)
	if err != nil {
		return false, err
	}
	var old [][]byte
	c := w.events.Cursor()
	for key, record := c.First(); key != nil && bytes.Compare(key, revisionKey(floor)) <= 0; key, record = c.Next() {
		if record == nil { // a bucket
			return false, fmt.Errorf("%w: the event %x cannot be read", ErrDamaged, key)
		}
		if len(old) == sweepEvents {
			more = true
			break
		}
		old = append(old, slices.Clone(key))
	}
	w.changed = w.changed || len(old) > 0
	for _, key := range old {
		if err := w.events.Delete(key); err != nil {
			return false, err
		}
	}
	return more, nil
}
