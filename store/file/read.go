package file

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/store"
	bolt "go.etcd.io/bbolt"
)

// Get implements [store.Engine].
func (e *Engine) Get(ctx context.Context, key string) (out store.GetResult, err error) {
	if err := e.usable(ctx); err != nil {
		return out, err
	}
	err = e.read(func(tx *bolt.Tx, now uint64) (err error) {
		out.Key, out.Now = key, now
		if record := tx.Bucket(objectsBucket).Get([]byte(key)); record != nil {
			out.Revision, out.Value, err = parseObject([]byte(key), record)
			out.Value = slices.Clone(out.Value)
		}
		return err
	})
	return out, err
}

// Count implements [store.Engine]. It takes time proportional to the number.
func (e *Engine) Count(ctx context.Context, prefix string) (n int64, revision uint64, err error) {
	if err := e.usable(ctx); err != nil {
		return 0, 0, err
	}
	err = e.read(func(tx *bolt.Tx, now uint64) error {
		revision = now
		c := tx.Bucket(objectsBucket).Cursor()
		for key, _ := c.Seek([]byte(prefix)); key != nil && bytes.HasPrefix(key, []byte(prefix)); key, _ = c.Next() {
			n++
		}
		return nil
	})
	return n, revision, err
}

// Revision implements [store.Engine].
func (e *Engine) Revision(ctx context.Context) (uint64, error) {
	return e.revision.Load(), e.usable(ctx)
}

// List implements [store.Engine]. A list of the past also takes time proportional to the changes
// since then.
func (e *Engine) List(ctx context.Context, prefix string, o store.RangeOptions) (page store.Page, err error) {
	if err := e.usable(ctx); err != nil {
		return page, err
	}
	err = e.read(func(tx *bolt.Tx, now uint64) error {
		floor, err := number(tx, floorKey)
		if err != nil {
			return err
		}
		page.Revision = now
		past := map[string]undo{}
		switch {
		case o.Revision == 0 || o.Revision == now:
		case o.Revision > now:
			return store.ErrFuture
		case o.Revision < floor:
			return store.ErrCompacted
		default:
			page.Revision = o.Revision
			if past, err = undone(tx, prefix, o.Revision); err != nil {
				return err
			}
		}
		return list(tx, prefix, &o, past, &page)
	})
	return page, err
}

// undone returns the state at a revision of every key that was written after it.
func undone(tx *bolt.Tx, prefix string, revision uint64) (map[string]undo, error) {
	past := map[string]undo{}
	c := tx.Bucket(eventsBucket).Cursor()
	for key, record := c.Seek(revisionKey(revision + 1)); key != nil; key, record = c.Next() {
		u, err := parseUndo(key, record)
		if err != nil {
			return nil, err
		}
		if _, ok := past[string(u.key)]; !ok && strings.HasPrefix(string(u.key), prefix) {
			past[string(u.key)] = u
		}
	}
	return past, nil
}

// list fills a page with the present state of keys, or the past one of those in past.
func list(tx *bolt.Tx, prefix string, o *store.RangeOptions, past map[string]undo, page *store.Page) error {
	from := max(prefix, o.From)
	var gone []string // keys of the past that may not be there any more
	for key := range past {
		if key >= from {
			gone = append(gone, key)
		}
	}
	slices.Sort(gone)
	add := func(key string, value []byte, revision uint64) (full bool) {
		if o.Limit > 0 && len(page.Items) == o.Limit {
			page.More = true
			return true
		}
		page.Items = append(page.Items, store.KeyValue{Key: key, Value: slices.Clone(value), Revision: revision})
		return false
	}
	addPast := func() (full bool) {
		u := past[gone[0]]
		gone = gone[1:]
		return u.was > 0 && add(string(u.key), u.before, u.was)
	}
	c := tx.Bucket(objectsBucket).Cursor()
	for key, record := c.Seek([]byte(from)); key != nil &&
		bytes.HasPrefix(key, []byte(prefix)); key, record = c.Next() {
		for len(gone) > 0 && gone[0] < string(key) {
			if addPast() {
				return nil
			}
		}
		if len(gone) > 0 && gone[0] == string(key) {
			if addPast() {
				return nil
			}
			continue
		}
		revision, value, err := parseObject(key, record)
		if err != nil {
			return err
		}
		if add(string(key), value, revision) {
			return nil
		}
	}
	for len(gone) > 0 {
		if addPast() {
			return nil
		}
	}
	return nil
}

// watch is one call of Watch.
type watch struct {
	prefix  string
	deliver func(store.Changes) error
	reached uint64
	list    []store.Change // used again
	ended   chan struct{}
	err     error
}

// call calls the function of a watch, and reports whether it wants more.
func (w *watch) call(changes []store.Change, revision uint64) bool {
	w.list = w.list[:0]
	for _, c := range changes {
		if strings.HasPrefix(c.Key, w.prefix) {
			w.list = append(w.list, c)
		}
	}
	w.err = w.deliver(store.Changes{After: w.reached, List: w.list, Revision: revision})
	clear(w.list)
	if w.reached = revision; w.err != nil {
		close(w.ended)
	}
	return w.err == nil
}

// Watch implements [store.Engine]. Changes are delivered by the goroutine that writes, before Put
// or Delete returns.
func (e *Engine) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	if err := e.usable(ctx); err != nil {
		return err
	}
	w := &watch{prefix: prefix, deliver: deliver, ended: make(chan struct{})}
	if err := e.subscribe(w, from); err != nil {
		return err
	}
	defer e.unsubscribe(w)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-e.failed:
		return e.failure
	case <-e.stop:
		return store.ErrClosed
	case <-w.ended:
		return w.err
	}
}

// subscribe delivers past changes and adds the watch to those that get later ones.
func (e *Engine) subscribe(w *watch, from uint64) error {
	e.deliver.Lock()
	defer e.deliver.Unlock()
	var past []store.Change
	var now uint64
	err := e.view(func(tx *bolt.Tx) (err error) {
		if now, err = number(tx, revisionKeyName); err != nil {
			return err
		}
		floor, err := number(tx, floorKey)
		switch {
		case err != nil:
			return err
		case from > now:
			return store.ErrFuture
		case from == 0:
			from = floor
		case from < floor:
			return store.ErrCompacted
		}
		past, err = changesAfter(tx, w.prefix, from)
		return err
	})
	if err != nil {
		return err
	}
	if w.reached = from; w.call(past, now) {
		e.watches = append(e.watches, w)
	}
	return nil
}

func (e *Engine) unsubscribe(w *watch) {
	e.deliver.Lock()
	defer e.deliver.Unlock()
	e.watches = sorted.Delete(e.watches, func(other *watch) bool { return other == w })
}

// changesAfter returns the changes after a revision. Events have what was before them, so each
// change is found from what is there now, backwards.
func changesAfter(tx *bolt.Tx, prefix string, revision uint64) ([]store.Change, error) {
	var out []store.Change
	after := map[string][]byte{}
	c := tx.Bucket(eventsBucket).Cursor()
	for key, record := c.Last(); key != nil && bytes.Compare(key, revisionKey(revision)) > 0; key, record = c.Prev() {
		u, err := parseUndo(key, record)
		if err != nil {
			return nil, err
		}
		name := string(u.key)
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		value, known := after[name]
		if !known {
			if record := tx.Bucket(objectsBucket).Get(u.key); record != nil {
				if _, value, err = parseObject(u.key, record); err != nil {
					return nil, err
				}
				value = slices.Clone(value)
			}
		}
		before := slices.Clone(u.before)
		after[name] = before
		out = append(out, store.Change{
			KeyValue: store.KeyValue{Key: name, Value: value, Revision: u.revision}, Before: before,
			BeforeRevision: u.was,
		})
	}
	slices.Reverse(out)
	return out, nil
}
