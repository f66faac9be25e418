// Package memory is an engine of package store that keeps everything in memory and nothing on disk.
//
//	db := memory.New()
//	defer db.Close()
//	st, err := store.Open(ctx, db, store.Options{})
//
// Its revisions begin at the present time in microseconds. A revision from before a restart is
// therefore older than all that the engine keeps: a client that states one gets an error and lists
// again.
//
// Changes are kept until they are compacted, which a Store does.
package memory

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/internal/tree"
)

// Engine keeps everything in memory. See [store.Engine] for its methods. The zero value is not
// usable; use [New].
type Engine struct {
	mu       sync.Mutex
	values   *tree.Editor[*value]
	log      changes // those after the floor
	floor    uint64  // the latest revision that has been compacted
	revision atomic.Uint64
	watches  []*watch
	closed   chan struct{}
}

// value is what is under a key.
type value struct {
	key      string
	data     []byte
	revision uint64
}

// TreeKey implements [tree.Item].
func (v *value) TreeKey() string { return v.key }

// watch is one call of Watch.
type watch struct {
	prefix  string
	deliver func(store.Changes) error
	reached uint64
	one     [1]store.Change
	failed  chan struct{} // closed when deliver has returned an error
	err     error
}

var _ store.Engine = (*Engine)(nil)

// New returns an empty engine.
func New() *Engine {
	now := uint64(time.Now().UnixMicro())
	e := &Engine{values: tree.Tree[*value]{}.Edit(), floor: now, closed: make(chan struct{})}
	e.revision.Store(now)
	return e
}

// begin locks the engine for a method, unless it returns an error.
func (e *Engine) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	select {
	case <-e.closed:
		e.mu.Unlock()
		return store.ErrClosed
	default:
		return nil
	}
}

// Get implements [store.Engine].
func (e *Engine) Get(ctx context.Context, key string) (store.GetResult, error) {
	if err := e.begin(ctx); err != nil {
		return store.GetResult{}, err
	}
	defer e.mu.Unlock()
	out := store.GetResult{KeyValue: store.KeyValue{Key: key}, Now: e.revision.Load()}
	if v, ok := e.values.Get(key); ok {
		out.Value, out.Revision = v.data, v.revision
	}
	return out, nil
}

// List implements [store.Engine]. A list of the past takes time in proportion to the changes since.
func (e *Engine) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	values, revision, err := e.at(ctx, o.Revision)
	if err != nil {
		return store.Page{}, err
	}
	page := store.Page{Revision: revision}
	for v := range values.From(max(prefix, o.From), store.PrefixEnd(prefix)) {
		if o.Limit > 0 && len(page.Items) == o.Limit {
			page.More = true
			break
		}
		page.Items = append(page.Items, store.KeyValue{Key: v.key, Value: v.data, Revision: v.revision})
	}
	return page, nil
}

// at returns what there was at a revision, 0 being the latest.
func (e *Engine) at(ctx context.Context, revision uint64) (tree.Tree[*value], uint64, error) {
	if err := e.begin(ctx); err != nil {
		return tree.Tree[*value]{}, 0, err
	}
	values, now, floor := e.values.Tree(), e.revision.Load(), e.floor
	var log [][]store.Change
	if revision != 0 {
		log = e.log.after(revision)
	}
	e.mu.Unlock()
	switch {
	case revision == 0 || revision == now:
		return values, now, nil
	case revision > now:
		return values, 0, store.ErrFuture
	case revision < floor:
		return values, 0, store.ErrCompacted
	}
	past := values.Edit()
	for _, chunk := range slices.Backward(log) {
		for _, c := range slices.Backward(chunk) {
			if c.Before == nil {
				past.Delete(c.Key)
			} else {
				past.Set(&value{c.Key, c.Before, c.BeforeRevision})
			}
		}
	}
	return past.Tree(), revision, nil
}

// Count implements [store.Engine].
func (e *Engine) Count(ctx context.Context, prefix string) (int64, uint64, error) {
	values, revision, err := e.at(ctx, 0)
	if err != nil {
		return 0, 0, err
	}
	n := values.Len()
	if end := store.PrefixEnd(prefix); end != "" {
		n = values.Rank(end)
	}
	return int64(n - values.Rank(prefix)), revision, nil
}

// Put implements [store.Engine].
func (e *Engine) Put(ctx context.Context, key string, data []byte, expected uint64) (uint64, error) {
	if err := store.CheckWrite(key, data); err != nil {
		return 0, err
	}
	return e.write(ctx, key, data, expected)
}

// Delete implements [store.Engine].
func (e *Engine) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	return e.write(ctx, key, nil, expected)
}

// write sets the value under a key, or removes it if the data is nil.
func (e *Engine) write(ctx context.Context, key string, data []byte, expected uint64) (uint64, error) {
	if err := e.begin(ctx); err != nil {
		return 0, err
	}
	defer e.mu.Unlock()
	var c store.Change
	if old, ok := e.values.Get(key); ok {
		c.Before, c.BeforeRevision = old.data, old.revision
	}
	if c.BeforeRevision != expected || data == nil && expected == 0 {
		return 0, &store.ConflictError{Key: key, Expected: expected, Current: c.BeforeRevision}
	}
	c.KeyValue = store.KeyValue{Key: key, Value: data, Revision: e.revision.Load() + 1}
	if data == nil {
		e.values.Delete(key)
	} else {
		e.values.Set(&value{key, data, c.Revision})
	}
	e.log.add(c)
	e.revision.Store(c.Revision) // before a watch delivers it; see Engine.Revision
	e.deliver(c)
	return c.Revision, nil
}

// deliver gives a change to all watches. The engine is locked.
func (e *Engine) deliver(c store.Change) {
	e.watches = sorted.Delete(e.watches, func(w *watch) bool {
		out := store.Changes{After: w.reached, Revision: c.Revision}
		if strings.HasPrefix(c.Key, w.prefix) {
			w.one[0] = c
			out.List = w.one[:]
		}
		return !w.call(out)
	})
}

// call calls the function of a watch, and reports whether it wants more.
func (w *watch) call(c store.Changes) bool {
	if w.err = w.deliver(c); w.err != nil {
		close(w.failed)
	}
	w.reached = c.Revision
	return w.err == nil
}

// Watch implements [store.Engine]. Changes are delivered by the goroutine that writes, before Put
// or Delete returns.
func (e *Engine) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	w := &watch{prefix: prefix, deliver: deliver, failed: make(chan struct{})}
	if err := e.subscribe(ctx, w, from); err != nil {
		return err
	}
	defer e.unsubscribe(w)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-e.closed:
		return store.ErrClosed
	case <-w.failed:
		return w.err
	}
}

// subscribe delivers past changes and adds the watch to those that get later ones.
func (e *Engine) subscribe(ctx context.Context, w *watch, from uint64) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	defer e.mu.Unlock()
	switch {
	case from > e.revision.Load():
		return store.ErrFuture
	case from == 0:
		from = e.floor
	case from < e.floor:
		return store.ErrCompacted
	}
	past := store.Changes{After: from, Revision: e.revision.Load()}
	for _, chunk := range e.log.after(from) {
		for _, c := range chunk {
			if strings.HasPrefix(c.Key, w.prefix) {
				past.List = append(past.List, c)
			}
		}
	}
	if w.call(past) {
		e.watches = append(e.watches, w)
	}
	return nil
}

func (e *Engine) unsubscribe(w *watch) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watches = sorted.Delete(e.watches, func(other *watch) bool { return other == w })
}

// Revision implements [store.Engine].
func (e *Engine) Revision(ctx context.Context) (uint64, error) {
	select {
	case <-e.closed:
		return 0, store.ErrClosed
	default:
		return e.revision.Load(), ctx.Err()
	}
}

// Compact implements [store.Engine].
func (e *Engine) Compact(ctx context.Context, revision uint64) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	defer e.mu.Unlock()
	switch {
	case revision > e.revision.Load():
		return store.ErrFuture
	case revision > e.floor:
		e.log.drop(revision)
		e.floor = revision
	}
	return nil
}

// Close implements [store.Engine].
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.closed:
	default:
		close(e.closed)
		e.values, e.log = tree.Tree[*value]{}.Edit(), changes{}
	}
	return nil
}
