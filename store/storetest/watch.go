package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askind/askind/store"
)

// recorder is a watch that keeps what it is given.
type recorder struct {
	s      *subject
	prefix string
	cancel context.CancelFunc
	done   chan error
	moved  chan struct{} // has room for one

	mu      sync.Mutex
	lines   []string
	changes []store.Change
	last    map[string]store.Change // of each key
	calls   int
	reached uint64
	began   uint64
	fault   string
	stop    error // returned by the function
	during  func(store.Changes)

	inside atomic.Int32 // calls that are under way
}

// watch begins a watch and waits for its first call.
func (s *subject) watch(prefix string, from uint64) *recorder {
	s.Helper()
	r := s.begin(prefix, from)
	r.wait(func() bool { return r.calls > 0 }, "the first call")
	return r
}

// begin begins a watch.
func (s *subject) begin(prefix string, from uint64) *recorder {
	ctx, cancel := context.WithCancel(s.ctx)
	r := &recorder{
		s: s, prefix: prefix, cancel: cancel, done: make(chan error, 1), moved: make(chan struct{}, 1),
		last: map[string]store.Change{},
	}
	engine := s.Engine
	go func() { r.done <- engine.Watch(ctx, prefix, from, r.deliver) }()
	s.Cleanup(func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		for i, c := range r.changes {
			if got := line(c); got != r.lines[i] {
				s.Errorf("the bytes of a change have become those of %q, were %q", got, r.lines[i])
			}
		}
		if r.fault != "" {
			s.Error(r.fault)
		}
	})
	return r
}

func (r *recorder) deliver(c store.Changes) error {
	overlaps := r.inside.Add(1) > 1
	defer r.inside.Add(-1)
	r.mu.Lock()
	defer r.mu.Unlock()
	if overlaps {
		r.fault = "a call began before the one before was over"
	}
	if r.calls == 0 {
		r.began = c.After
	} else if c.After != r.reached {
		r.fault = fmt.Sprintf("changes after %d, when the watch had reached %d", c.After, r.reached)
	}
	last := c.After
	for _, change := range c.List {
		if change.Revision < last || change.Revision <= c.After || change.Revision > c.Revision {
			r.fault = fmt.Sprintf("a change of revision %d behind one of %d, between %d and %d", change.Revision, last,
				c.After, c.Revision)
		}
		last = change.Revision
		if !r.follows(change) {
			r.fault = fmt.Sprintf("the change of %q at %d, with %d bytes of revision %d before, cannot come after that at %d",
				change.Key, change.Revision, len(change.Before), change.BeforeRevision, r.last[change.Key].Revision)
		}
		r.last[change.Key] = change
		r.changes = append(r.changes, change)
		r.lines = append(r.lines, line(change))
	}
	if c.Revision < c.After {
		r.fault = fmt.Sprintf("the watch goes back from %d to %d", c.After, c.Revision)
	}
	if r.during != nil {
		r.during(c)
	}
	r.reached = c.Revision
	r.calls++
	select {
	case r.moved <- struct{}{}:
	default:
	}
	return r.stop
}

// follows reports whether a change is one of the watched keys, and whether the value before it and
// the revision of that are those of the last change of the key, if there was one.
func (r *recorder) follows(c store.Change) bool {
	last, known := r.last[c.Key]
	switch {
	case !strings.HasPrefix(c.Key, r.prefix), c.BeforeRevision >= c.Revision,
		(c.Before == nil) != (c.BeforeRevision == 0), c.Before == nil && c.Value == nil:
		return false
	case !known:
		return true
	case last.Value == nil:
		return c.Before == nil
	}
	return c.BeforeRevision == last.Revision && bytes.Equal(c.Before, last.Value)
}

// line returns a change as text.
func line(c store.Change) string {
	if c.Value == nil {
		return fmt.Sprintf("%s deleted, was %s", c.Key, c.Before)
	}
	if c.Before == nil {
		return fmt.Sprintf("%s=%s", c.Key, c.Value)
	}
	return fmt.Sprintf("%s=%s, was %s", c.Key, c.Value, c.Before)
}

// wait waits until something holds.
func (r *recorder) wait(holds func() bool, what string) {
	r.s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), r.s.kit.Patience)
	defer cancel()
	for {
		r.mu.Lock()
		ok := holds()
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-r.moved:
		case err := <-r.done:
			r.s.Fatalf("the watch ended while it was to bring %s: %v", what, err)
		case <-ctx.Done():
			r.s.Fatalf("the watch does not bring %s", what)
		}
	}
}

// reach waits until the watch has reached a revision and returns all changes as lines.
func (r *recorder) reach(revision uint64) []string {
	r.s.Helper()
	r.s.revision() // every watch is brought to what it returns
	r.wait(func() bool { return r.reached >= revision }, fmt.Sprint("revision ", revision))
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// want waits for a revision and compares all changes.
func (r *recorder) want(revision uint64, want ...string) {
	r.s.Helper()
	if got := r.reach(revision); !slices.Equal(got, want) {
		r.s.Fatalf("changes %q, want %q", got, want)
	}
}

// end waits for the end of the watch and returns its error.
func (r *recorder) end() error {
	r.s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), r.s.kit.Patience)
	defer cancel()
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		r.s.Fatal("the watch does not end")
		return nil
	}
}

var watchCases = []testCase{
	{name: "the first call comes without a change", run: func(s *subject) {
		before := s.revision()
		w := s.watch("", before)
		w.want(before)
		if after := s.revision(); w.began != before || w.reached > after {
			s.Errorf("the watch goes from %d to %d, want %d and at most %d", w.began, w.reached, before, after)
		}
	}},
	{name: "writes and deletions", run: func(s *subject) {
		w := s.watch("", s.revision())
		a := s.put("a", "1", 0)
		a = s.put("a", "2", a)
		gone := s.del("a", a)
		w.want(gone, "a=1", "a=2, was 1", "a deleted, was 2")
		if c := w.changes[1]; c.Revision != a || c.BeforeRevision != w.changes[0].Revision {
			s.Errorf("the second change is of %d, before of %d", c.Revision, c.BeforeRevision)
		}
		if c := w.changes[2]; c.Revision != gone || c.BeforeRevision != a || c.Value != nil {
			s.Errorf("the deletion: %+v", c)
		}
	}},
	{name: "a key that is there again is new", run: func(s *subject) {
		s.del("a", s.put("a", "1", 0))
		w := s.watch("", s.revision())
		w.want(s.put("a", "2", 0), "a=2")
		if c := w.changes[0]; c.BeforeRevision != 0 {
			s.Errorf("revision %d before", c.BeforeRevision)
		}
	}},
	{name: "from the past", run: func(s *subject) {
		from := s.fill("a", "b")
		c := s.fill("c", "d")
		w := s.watch("", from)
		w.want(c, "c=v-c", "d=v-d")
		if w.began != from {
			s.Errorf("the watch begins after %d, want %d", w.began, from)
		}
		w.want(s.fill("e"), "c=v-c", "d=v-d", "e=v-e")
	}},
	{name: "changes of a key, from the past", run: func(s *subject) {
		from := s.put("a", "1", 0)
		s.del("a", s.put("a", "2", from))
		r := s.put("a", "3", 0)
		w := s.watch("", from)
		w.want(s.put("a", "4", r), "a=2, was 1", "a deleted, was 2", "a=3", "a=4, was 3")
		if c := w.changes[0]; c.BeforeRevision != from {
			s.Errorf("the first change states revision %d before, want %d", c.BeforeRevision, from)
		}
	}},
	{name: "from every past revision", run: func(s *subject) {
		var revisions []uint64
		var want []string
		for i := range 10 {
			revisions = append(revisions, s.revision())
			s.put(fmt.Sprint("k", i), "1", 0)
			want = append(want, fmt.Sprintf("k%d=1", i))
		}
		for i, from := range revisions[1:] {
			s.watch("", from).want(s.revision(), want[i+1:]...)
		}
	}},
	{name: "from 0 comes all that is kept", run: func(s *subject) {
		r := s.fill("a", "b")
		s.watch("", 0).want(r, "a=v-a", "b=v-b")
	}},
	{name: "from the future", run: func(s *subject) {
		for _, from := range []uint64{s.fill("a") + far, 1 << 63, math.MaxUint64} {
			if err := s.begin("", from).end(); !errors.Is(err, store.ErrFuture) {
				s.Errorf("from %d: error %v", from, err)
			}
		}
	}},
	{name: "a prefix", run: func(s *subject) {
		w := s.watch("b/", s.revision())
		w.want(s.fill("a", "b", "b/1", "b0", "b/2", "c"), "b/1=v-b/1", "b/2=v-b/2")
	}},
	{name: "a prefix, from the past", run: func(s *subject) {
		from := s.fill("b/0")
		r := s.fill("a", "b/1", "c")
		s.watch("b/", from).want(r, "b/1=v-b/1")
	}},
	{name: "a prefix that is a key", run: func(s *subject) {
		w := s.watch("b", s.revision())
		w.want(s.fill("a", "b", "ba", "c"), "b=v-b", "ba=v-ba")
	}},
	{name: "a prefix, from 0", run: func(s *subject) {
		r := s.fill("a", "b/1", "c")
		s.watch("b/", 0).want(r, "b/1=v-b/1")
	}},
	{name: "progress without changes", run: func(s *subject) {
		w := s.watch("x/", s.revision())
		for _, key := range []string{"a", "b", "c"} {
			w.want(s.fill(key))
		}
	}},
	{name: "a conflict is not a change", run: func(s *subject) {
		r := s.put("a", "1", 0)
		w := s.watch("", r)
		_, err := s.Put(s.ctx, "a", []byte("2"), 0)
		s.wantConflict(err, r)
		w.want(s.fill("b"), "b=v-b")
	}},
	{name: "an error of the function ends it", run: func(s *subject) {
		w := s.watch("", s.revision())
		enough := errors.New("enough")
		w.mu.Lock()
		w.stop = enough
		w.mu.Unlock()
		s.fill("a")
		if err := w.end(); !errors.Is(err, enough) {
			s.Errorf("error %v", err)
		}
		calls := w.calls
		s.fill("b")
		if w.calls != calls || calls != 2 && !s.kit.Shared {
			s.Errorf("%d calls, and %d when the watch had ended", w.calls, calls)
		}
	}},
	{name: "an error in the first call ends it", run: func(s *subject) {
		enough := errors.New("enough")
		if err := s.Watch(s.ctx, "", s.revision(), func(store.Changes) error { return enough }); !errors.Is(err,
			enough) {
			s.Errorf("error %v", err)
		}
	}},
	{name: "the context ends it", run: func(s *subject) {
		before := s.revision()
		w := s.watch("", before)
		w.cancel()
		if err := w.end(); !errors.Is(err, context.Canceled) {
			s.Errorf("error %v", err)
		}
		calls := w.calls
		s.watch("", before).want(s.fill("a"), "a=v-a")
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.calls != calls {
			s.Errorf("%d calls, and %d when the watch had ended", w.calls, calls)
		}
	}},
	{name: "the end of one is not that of others", run: func(s *subject) {
		before := s.revision()
		failed, canceled, other := s.watch("", before), s.watch("", before), s.watch("", before)
		enough := errors.New("enough")
		failed.mu.Lock()
		failed.stop = enough
		failed.mu.Unlock()
		canceled.want(s.fill("a"), "a=v-a")
		if err := failed.end(); !errors.Is(err, enough) {
			s.Errorf("error %v", err)
		}
		canceled.cancel()
		other.want(s.fill("b"), "a=v-a", "b=v-b")
	}},
	{name: "closing the engine ends it", run: func(s *subject) {
		w := s.watch("", s.revision())
		if err := s.Close(); err != nil {
			s.Fatal(err)
		}
		if err := w.end(); !errors.Is(err, store.ErrClosed) {
			s.Errorf("error %v", err)
		}
	}},
	{name: "the revision is not behind it", run: func(s *subject) {
		w := s.watch("", s.revision())
		var behind error
		w.mu.Lock()
		w.during = func(c store.Changes) {
			answer := make(chan uint64, 1)
			go func() {
				if now, err := s.Revision(s.ctx); err == nil {
					answer <- now
				}
			}()
			select {
			case now := <-answer:
				if now < c.Revision {
					behind = fmt.Errorf("the revision is %d when changes up to %d are delivered", now, c.Revision)
				}
			case <-time.After(100 * time.Millisecond): // the engine waits for the function
			}
		}
		w.mu.Unlock()
		w.reach(s.fill("a"))
		if behind != nil {
			s.Error(behind)
		}
	}},
	{name: "many watches see the same", run: func(s *subject) {
		var all []*recorder
		for range 20 {
			all = append(all, s.watch("", s.revision()))
		}
		var want []string
		var last uint64
		for i := range 50 {
			last = s.put(fmt.Sprint("k", i), "1", 0)
			want = append(want, fmt.Sprintf("k%d=1", i))
		}
		for _, w := range all {
			w.want(last, want...)
		}
	}},
	{name: "a watch that begins among writes misses nothing", run: func(s *subject) {
		from := s.revision()
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range 200 {
				s.put(fmt.Sprintf("k%03d", i), "1", 0)
			}
		})
		var all []*recorder
		for range 10 {
			all = append(all, s.watch("", from))
		}
		wg.Wait()
		for _, w := range all {
			if got := w.reach(s.revision()); len(got) != 200 || !slices.IsSorted(got) {
				s.Errorf("%d changes", len(got))
			}
		}
	}},
}

var compactCases = []testCase{
	{name: "what is there stays", run: func(s *subject) {
		a := s.put("a", "1", 0)
		b := s.put("b", "1", 0)
		s.compact(s.put("a", "2", a))
		s.wantKeys("", store.RangeOptions{}, false, "a", "b")
		s.wantValue("b", "1", b)
	}},
	{name: "lists at it", run: func(s *subject) {
		s.fill("a")
		r := s.fill("b")
		s.fill("c")
		s.compact(r)
		s.wantKeys("", store.RangeOptions{Revision: r}, false, "a", "b")
	}},
	{name: "lists before it", run: func(s *subject) {
		r := s.fill("a")
		s.compact(s.fill("b", "c"))
		if _, err := s.List(s.ctx, "", store.RangeOptions{Revision: r}); !errors.Is(err, store.ErrCompacted) {
			s.Errorf("error %v", err)
		}
	}},
	{name: "watches from it", run: func(s *subject) {
		r := s.fill("a", "b")
		last := s.fill("c")
		s.compact(r)
		s.watch("", r).want(last, "c=v-c")
	}},
	{name: "watches from before it", run: func(s *subject) {
		r := s.fill("a")
		s.compact(s.fill("b", "c"))
		if err := s.begin("", r).end(); !errors.Is(err, store.ErrCompacted) {
			s.Errorf("error %v", err)
		}
	}},
	{name: "watches of another prefix from before it", run: func(s *subject) {
		r := s.fill("a")
		s.compact(s.fill("b", "c"))
		if err := s.begin("x/", r).end(); !errors.Is(err, store.ErrCompacted) {
			s.Errorf("error %v", err)
		}
	}},
	{name: "watches from 0 begin at it", run: func(s *subject) {
		r := s.fill("a", "b")
		last := s.fill("c")
		s.compact(r)
		w := s.watch("", 0)
		w.want(last, "c=v-c")
		if w.began != r {
			s.Errorf("the watch begins after %d, want %d", w.began, r)
		}
	}},
	{name: "watches go on", run: func(s *subject) {
		w := s.watch("", s.revision())
		r := s.fill("a", "b")
		w.reach(r)
		s.compact(r)
		w.want(s.fill("c"), "a=v-a", "b=v-b", "c=v-c")
	}},
	{name: "twice, and to an earlier revision", run: func(s *subject) {
		early := s.fill("a")
		r := s.fill("b")
		s.compact(r)
		s.compact(r)
		s.compact(early)
		if err := s.Compact(s.ctx, 0); err != nil && !s.unsupported("Compact", err) {
			s.Errorf("to 0: %v", err)
		}
		s.wantKeys("", store.RangeOptions{Revision: r}, false, "a", "b")
		if _, err := s.List(s.ctx, "", store.RangeOptions{Revision: early}); !errors.Is(err, store.ErrCompacted) {
			s.Errorf("error %v", err)
		}
	}},
	{name: "watches that are behind it", run: behindCompaction},
	{name: "the future", run: func(s *subject) {
		err := s.Compact(s.ctx, s.fill("a")+far)
		if !s.unsupported("Compact", err) && !errors.Is(err, store.ErrFuture) {
			s.Errorf("error %v", err)
		}
	}},
	{name: "deleted keys stay deleted", run: func(s *subject) {
		s.compact(s.del("a", s.put("a", "1", 0)))
		s.wantValue("a", "", 0)
		s.wantCount("", 0)
		s.put("a", "2", 0)
	}},
}

// behindCompaction compacts while the function of a watch has not returned from an earlier change.
// An engine may wait for it, or deliver what comes next later, or end the watch, but not leave out
// a change.
func behindCompaction(s *subject) {
	from := s.revision()
	begun, held, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var begin sync.Once
	var want, got []string
	enough := errors.New("enough")
	ended := make(chan error, 1)
	go func() {
		ended <- s.Watch(s.ctx, "k", from, func(c store.Changes) error {
			begin.Do(func() { close(begun) })
			for _, change := range c.List {
				if got = append(got, change.Key); len(got) == 1 {
					close(held)
					<-release
				}
			}
			if len(got) >= 40 {
				return enough
			}
			return nil
		})
	}()
	await := func(happens <-chan struct{}, what string) {
		select {
		case <-happens:
		case err := <-ended:
			s.Fatalf("the watch ended before %s: %v", what, err)
		case <-s.ctx.Done():
			s.Fatalf("the watch does not bring %s", what)
		}
	}
	await(begun, "the first call")
	written := make(chan struct{})
	letGo := sync.OnceFunc(func() { close(release) })
	defer func() { letGo(); <-written }()
	go func() {
		defer close(written)
		for i := range 40 {
			want = append(want, fmt.Sprintf("k%02d", i))
			s.fill(want[i])
			select {
			case <-held:
			case <-s.ctx.Done():
				return
			}
			if i == 20 || i == 30 {
				s.compact(s.revision())
			}
		}
	}()
	await(held, "the first change")
	select {
	case <-written:
	case <-time.After(100 * time.Millisecond): // the engine waits for the function
	}
	letGo()
	<-written
	err := <-ended
	whole := errors.Is(err, enough) && len(got) == len(want) || errors.Is(err, store.ErrCompacted)
	if !whole || !slices.Equal(got, want[:len(got)]) {
		s.Errorf("the watch has the changes of %q and ends with: %v", got, err)
	}
}

// compact compacts by the engine, or by the kit if the engine leaves compaction to others.
func (s *subject) compact(revision uint64) {
	s.Helper()
	err := s.Compact(s.ctx, revision)
	if s.unsupported("Compact", err) {
		err = s.kit.Compact(s.ctx, s.Engine, revision)
	}
	if err != nil {
		s.Fatalf("Compact(%d): %v", revision, err)
	}
}

// unsupported reports whether a method answers that the engine does not have it. Only Compact may,
// always, and only if the kit says how to compact instead.
func (s *subject) unsupported(method string, err error) bool {
	return method == "Compact" && s.kit.Compact != nil && errors.Is(err, errors.ErrUnsupported)
}
