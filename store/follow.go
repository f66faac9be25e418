package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/askind/askind/store/internal/tree"
)

// loadPage is how many objects are asked for at once when a store is opened.
const loadPage = 10_000

// restored collects the changes from before the store was opened, which come first.
type restored struct {
	changes []Change
	bytes   int64  // of changes
	until   uint64 // the revision that was loaded
	reached uint64 // all changes between the floor and this revision have come
	ready   chan<- error
	floor   uint64
	begun   bool
}

// load reads everything that the engine has. It starts over, with growing pauses, if what it reads
// is compacted meanwhile, and then no longer needs the past.
func (s *Store) load(ctx context.Context) error {
	read := s.read
	for delay := firstDelay; ; delay = min(2*delay, maxDelay) {
		all, revision, err := read(ctx)
		if err == nil {
			s.install(all, revision)
			return nil
		}
		if !errors.Is(err, ErrCompacted) {
			return err
		}
		read = s.readAndFollow
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// The bounds of the pause before an engine that has failed is asked again.
const (
	firstDelay = 10 * time.Millisecond
	maxDelay   = 10 * time.Second
)

// read reads all at one revision.
func (s *Store) read(ctx context.Context) (all *tree.Editor[*Entry], revision uint64, err error) {
	all = (tree.Tree[*Entry]{}).Edit()
	o := RangeOptions{Limit: loadPage}
	for more := true; more; {
		if more, err = s.readPage(ctx, all, &o); err != nil {
			return nil, 0, err
		}
	}
	return all, o.Revision, nil
}

// readPage reads some entries and sets where the next ones begin, and at which revision.
func (s *Store) readPage(ctx context.Context, all *tree.Editor[*Entry], o *RangeOptions) (more bool, err error) {
	page, err := s.engine.List(ctx, "", *o)
	if err != nil {
		return false, err
	}
	for _, kv := range page.Items {
		all.Set(&Entry{key: kv.Key, value: kv.Value, revision: kv.Revision})
		o.From = kv.Key + "\x00"
	}
	o.Revision = page.Revision
	return page.More, nil
}

// followPage is how many objects [Store.readAndFollow] asks for at once: few enough for a single
// request to a database, during which nothing can be compacted.
const followPage = 100

// readAndFollow reads all although the past is compacted again and again: each page is of the
// latest revision, and a watch that begins before has what changes until the last page is read.
func (s *Store) readAndFollow(ctx context.Context) (all *tree.Editor[*Entry], revision uint64, err error) {
	reached, err := s.engine.Revision(ctx)
	if err != nil {
		return nil, 0, err
	}
	from := reached
	ctx, cancel := context.WithCancelCause(ctx)
	var mu sync.Mutex
	var moved signal
	latest := (tree.Tree[*Entry]{}).Edit() // of what changes, without a value if it is gone
	var watching sync.WaitGroup
	begun := moved.wait()
	watching.Go(func() {
		cancel(s.engine.Watch(ctx, "", from, func(c Changes) error {
			mu.Lock()
			defer mu.Unlock()
			for _, change := range c.List {
				latest.Set(&Entry{key: change.Key, value: change.Value, revision: change.Revision})
			}
			reached = c.Revision
			moved.fire()
			return nil
		}))
	})
	defer watching.Wait()
	defer cancel(nil)
	select {
	case <-begun: // else reading could take so long that where the watch begins is compacted, too
	case <-ctx.Done():
		return nil, 0, context.Cause(ctx)
	}
	all = (tree.Tree[*Entry]{}).Edit()
	o := RangeOptions{Limit: followPage}
	for more := true; more && err == nil; o.Revision = 0 {
		more, err = s.readPage(ctx, all, &o)
	}
	if err == nil {
		revision, err = s.engine.Revision(ctx)
	}
	for err == nil {
		next := moved.wait()
		mu.Lock()
		if reached >= revision {
			defer mu.Unlock()
			for e := range latest.Tree().From("", "") {
				if e.value == nil {
					all.Delete(e.key)
				} else {
					all.Set(e)
				}
			}
			return all, reached, nil
		}
		mu.Unlock()
		select {
		case <-next:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, 0, err
}

// install makes what was read the state of the store, without a past.
func (s *Store) install(all *tree.Editor[*Entry], revision uint64) {
	var expires expiries
	for e := range all.Tree().From("", "") {
		expires.note(KeyValue{e.key, e.value, e.revision})
	}
	s.apply.Lock()
	defer s.apply.Unlock()
	next := uint64(0)
	if old := s.state.Load(); old != nil {
		next = old.window.next + 1 // so that no watch continues across the gap
	}
	s.entries = all
	s.postings = tree.Tree[*posting]{}.Edit()
	s.history = history{age: s.options.History, limit: s.options.HistoryBytes, forget: s.cache.forget}
	s.history.floor, s.history.next = revision, next
	s.copied = 0
	s.restored = &restored{until: revision, floor: revision}
	s.upkeep.replace(expires)
	for _, r := range *s.resources.Load() {
		if r.indexed() {
			for e := range all.Tree().From(r.prefix, PrefixEnd(r.prefix)) {
				r.index(s.postings, nil, e)
			}
		}
	}
	_, _ = s.entries.Copied(), s.postings.Copied() // these nodes replace none of the past
	s.publish(revision)
}

// follow applies what changes in the engine until the context is done. If the engine cannot go on,
// because the next changes have been compacted, say, everything is loaded again and watches expire.
func (s *Store) follow(ctx context.Context, ready chan<- error) {
	s.apply.Lock()
	s.restored.ready = ready
	s.apply.Unlock()
	from := uint64(0) // all that is kept
	for delay := time.Duration(0); ; {
		begin := time.Now()
		err := s.watchEngine(ctx, from)
		if time.Since(begin) >= time.Second || s.position() > from {
			delay = 0 // it has worked
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrClosed),
			delay >= time.Second && s.opening() && !again(err) && !errors.Is(err, ErrUnavailable):
			s.giveUp(err)
			return
		}
		delay = min(max(delay*2, firstDelay), maxDelay)
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return
		}
		if again(err) {
			s.apply.Lock()
			opening := s.restored // what Open waits for, if it does
			s.apply.Unlock()
			if err := s.load(ctx); err != nil {
				continue
			}
			s.apply.Lock()
			s.restored = nil
			s.apply.Unlock()
			if opening != nil && opening.ready != nil {
				opening.ready <- nil
			}
			s.topics.fireAll()
		}
		from = s.position()
	}
}

// again reports whether everything must be loaded again after an error of a watch. After any other
// error the watch resumes.
func again(err error) bool {
	_, ok := errors.AsType[*inconsistency](err)
	return ok || errors.Is(err, ErrCompacted) || errors.Is(err, ErrFuture)
}

// opening reports whether Open waits for the changes of the past, which may be unreadable.
func (s *Store) opening() bool {
	s.apply.Lock()
	defer s.apply.Unlock()
	return s.restored != nil && s.restored.ready != nil
}

// watchEngine applies the changes of the engine until its watch ends, or until a comparison has
// shown that the store lacks some.
func (s *Store) watchEngine(ctx context.Context, from uint64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case err := <-s.distrust:
			cancel(&inconsistency{"other than it has: " + err.Error()})
		case <-stop:
		}
	})
	err := s.engine.Watch(ctx, "", from, s.deliver)
	close(stop)
	waiting.Wait()
	if found, ok := errors.AsType[*inconsistency](context.Cause(ctx)); ok {
		return found
	}
	return err
}

// position returns the revision after which the watch of the engine goes on.
func (s *Store) position() uint64 {
	s.apply.Lock()
	defer s.apply.Unlock()
	if s.restored != nil {
		return s.restored.reached
	}
	return s.Revision()
}

// giveUp ends the store because the engine has ended.
func (s *Store) giveUp(err error) {
	s.apply.Lock()
	r := s.restored
	s.apply.Unlock()
	if r != nil {
		r.ready <- err
	}
	s.fail(err)
}

// inconsistency says that an engine does not deliver what it promises.
type inconsistency struct{ what string }

func (e *inconsistency) Error() string { return "store: the engine delivers " + e.what }

// deliver applies changes that the engine has made.
func (s *Store) deliver(c Changes) error {
	s.apply.Lock()
	defer s.apply.Unlock()
	st := s.state.Load()
	if c.After > st.revision { // also if what was loaded has been compacted before the watch began
		return &inconsistency{fmt.Sprintf("changes after revision %d, but %d was the last", c.After, st.revision)}
	}
	if s.restored != nil {
		if !s.restore(c) {
			return nil
		}
		st = s.state.Load()
	}
	now := time.Now()
	changed := false
	for i := range c.List {
		change := &c.List[i]
		if change.Revision <= st.revision {
			continue
		}
		if err := s.applyChange(change, now); err != nil {
			// Until everything is loaded again, no reader may see the changes before this one.
			s.entries, s.postings, s.history.window = st.entries.Edit(), st.postings.Edit(), st.window
			return err
		}
		changed = true
	}
	if !changed && c.Revision <= st.revision {
		return nil
	}
	if s.history.trim(now) {
		s.upkeep.compact(s.history.floor)
	}
	s.publish(c.Revision)
	return nil
}

// publish makes what has been applied visible. The apply mutex is held.
func (s *Store) publish(revision uint64) {
	next := &state{revision: revision, window: s.history.window}
	if old := s.state.Load(); old != nil {
		next.err = old.err
	}
	next.entries = s.entries.Tree()
	next.postings, next.indexed = s.postings.Tree(), s.resources.Load()
	s.copied += s.entries.Copied() + s.postings.Copied()
	s.state.Store(next)
	s.changed.fire()
	s.topics.announce(&next.window)
}

// applyChange applies one change. The apply mutex is held.
func (s *Store) applyChange(c *Change, now time.Time) error {
	before, _ := s.entries.Get(c.Key)
	if (before == nil) != (c.BeforeRevision == 0) || before != nil && before.revision != c.BeforeRevision {
		return &inconsistency{fmt.Sprintf("a change of %q whose revision before does not match: an event was lost",
			c.Key)}
	}
	e := event{before: before, gone: c.Value == nil}
	r := s.resourceOf(c.Key)
	if e.gone {
		if before == nil {
			return &inconsistency{fmt.Sprintf("a deletion of %q, which is not there", c.Key)}
		}
		e.entry = before.at(c.Revision)
		s.entries.Delete(c.Key)
		if r != nil {
			r.index(s.postings, before, nil)
		}
	} else {
		if e.entry = s.pending.take(c.Value); e.entry == nil || e.entry.resource() != r {
			e.entry = &Entry{key: c.Key, value: c.Value}
		}
		e.entry.revision = c.Revision
		s.entries.Set(e.entry)
		if r != nil {
			r.index(s.postings, before, e.entry)
		}
		s.expect(c.KeyValue)
	}
	cost := 0
	if e.rooted = s.history.wantsRoot(); e.rooted {
		e.root = objects{entries: s.entries.Tree(), postings: s.postings.Tree(), indexed: s.resources.Load()}
		cost = s.copied + s.entries.Copied() + s.postings.Copied()
		s.copied = 0
	}
	s.history.add(&e, cost, now)
	return nil
}

// restore takes changes from before the store was opened, and reports whether all of them have
// come. The apply mutex is held.
func (s *Store) restore(c Changes) (done bool) {
	r := s.restored
	if !r.begun || c.After > r.reached { // what is missing would be lost to watches
		r.begun, r.floor, r.reached, r.changes, r.bytes = true, c.After, c.After, nil, 0
	}
	for _, change := range c.List {
		if change.Revision > r.reached && change.Revision <= r.until {
			r.add(change, s.options.HistoryBytes)
		}
	}
	r.reached = max(r.reached, c.Revision)
	if c.Revision < r.until {
		return false
	}
	s.restored = nil
	if err := s.restoreHistory(r); err != nil {
		// Without a consistent past the history begins here. The present state is right, because
		// everything was loaded.
		s.history.chunks, s.history.floor = nil, r.until
	}
	s.publish(r.until)
	if r.ready != nil {
		r.ready <- nil
	}
	return true
}

// add appends a change. The oldest changes are dropped once all of them take twice the limit, since
// an engine may have kept far more of the past than the history has room for.
func (r *restored) add(c Change, limit int64) {
	r.changes = append(r.changes, c)
	r.bytes += c.cost()
	if r.bytes <= 2*limit {
		return
	}
	n := 0
	for n < len(r.changes)-chunkEvents && (r.bytes > limit || r.changes[n].Revision == r.floor) {
		r.bytes -= r.changes[n].cost()
		r.floor = r.changes[n].Revision
		n++
	}
	r.changes = append([]Change(nil), r.changes[n:]...)
}

// cost returns about how many bytes a change keeps alive.
func (c *Change) cost() int64 { return int64(eventCost + len(c.Key) + len(c.Value) + len(c.Before)) }

// restoreHistory makes a history of past changes, with the states between them.
func (s *Store) restoreHistory(r *restored) error {
	past := s.entries.Tree().Edit()
	events := make([]event, len(r.changes))
	costs := make([]int, len(events)) // of the roots
	for i, c := range slices.Backward(r.changes) {
		e := &events[i]
		if uint64(i)%rootEvery == rootEvery-1 {
			e.rooted, e.root, costs[i] = true, objects{entries: past.Tree()}, past.Copied()
		}
		after, there := past.Get(c.Key)
		switch {
		case there != (c.Value != nil), there && after.revision != c.Revision:
			return &inconsistency{fmt.Sprintf("past changes of %q that do not lead to its present state", c.Key)}
		case c.Before == nil:
			past.Delete(c.Key)
		default:
			e.before = &Entry{key: c.Key, value: c.Before, revision: c.BeforeRevision}
			past.Set(e.before)
		}
		if e.entry = after; c.Value == nil {
			if e.before == nil {
				return &inconsistency{fmt.Sprintf("a past deletion of %q, which was not there", c.Key)}
			}
			e.entry, e.gone = e.before.at(c.Revision), true
		}
	}
	now := time.Now()
	s.history.floor = r.floor
	for i := range events {
		s.history.add(&events[i], costs[i], now)
	}
	s.history.trim(now)
	return nil
}

// pending are entries that are being written, so that they need not be read again when the engine
// delivers them.
type pending struct {
	mu     sync.Mutex
	values map[*byte]*Entry
}

// put notes an entry that is about to be written.
func (p *pending) put(e *Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.values == nil {
		p.values = map[*byte]*Entry{}
	}
	p.values[&e.value[0]] = e
}

// take returns the entry whose value is the very one that was put, nil for any other.
func (p *pending) take(value []byte) *Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.values[&value[0]]
	delete(p.values, &value[0])
	return e
}

// drop forgets an entry.
func (p *pending) drop(e *Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.values, &e.value[0])
}
