package store_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// Mistakes that other stores have made, each as a case.

// An object that is created between a list and the watch from its version was never reported
// (tilt-apiserver, issue 88).
func TestAddedBetweenListAndWatch(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	l, err := r.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, r, machine("a", "between"))
	w := watch(t, r, store.WatchOptions{ResourceVersion: l.ResourceVersion()})
	if got := pull(t, w); !slices.Equal(got, []string{"ADDED a/between"}) {
		t.Errorf("events %q", got)
	}
}

// Writers race with clients that begin with initial events: every object is seen once, as one that
// was there or as an event.
func TestInitialEventsAmongWrites(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	const n = 300
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range n {
			create(t, r, machine("a", fmt.Sprintf("m%03d", i)))
		}
	})
	var watches []*store.Watch
	for range 20 {
		w := watch(t, r, store.WatchOptions{Initial: true})
		watches = append(watches, w)
	}
	wg.Wait()
	for _, w := range watches {
		seen := names(w.Initial())
		for _, event := range pull(t, w) {
			seen = append(seen, event[len("ADDED "):])
		}
		if len(seen) != n || !slices.IsSorted(seen) {
			t.Errorf("%d objects were seen, want %d", len(seen), n)
		}
	}
}

// The first object of a new resource was not delivered to watches that had begun before
// (kine, issue 770).
func TestFirstObjectOfAResource(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	w := watch(t, r, store.WatchOptions{Initial: true})
	if w.Initial().Len() != 0 {
		t.Fatal("there are objects")
	}
	ready := w.Ready()
	create(t, r, machine("a", "first"))
	select {
	case <-ready:
	case <-soon(t).Done():
		t.Fatal("the watch was not woken")
	}
	if got := pull(t, w); !slices.Equal(got, []string{"ADDED a/first"}) {
		t.Errorf("events %q", got)
	}
}

// A revision that was drawn before the commit was delivered out of order, and skipped by clients
// that had seen a later one (kine, issue 676; SpiceDB, issue 1272).
func TestRevisionsAreDeliveredInOrder(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	w := watch(t, r, store.WatchOptions{})
	var wg sync.WaitGroup
	for writer := range 8 {
		wg.Go(func() {
			for i := range 50 {
				e := create(t, r, machine(fmt.Sprint("n", writer), fmt.Sprint("m", i)))
				if now := r.Store().Revision(); now < e.Revision() {
					t.Errorf("a write at %d returned when the store was at %d", e.Revision(), now)
				}
			}
		})
	}
	last, n := uint64(0), 0
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for n < 400 {
		events, err := w.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Entry.Revision() <= last {
				t.Fatalf("revision %d after %d", e.Entry.Revision(), last)
			}
			last = e.Entry.Revision()
			n++
		}
		if len(events) == 0 {
			if err := w.Wait(soon(t)); err != nil {
				t.Fatalf("%d events, then %v", n, err)
			}
		}
	}
	<-done
}

// A watch that was resumed at a compacted revision went on without what had been compacted
// (etcd, issues 18089 and 19179).
func TestResumeAcrossCompaction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := memory.New()
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{History: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, store.ResourceOptions{})
		old := create(t, r, machine("a", "old"))
		lost := remove(t, r, store.Key{Namespace: "a", Name: "old"})
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		// The engine has been told to forget it too.
		if _, err := engine.List(t.Context(), "", store.RangeOptions{Revision: old.Revision()}); !errors.Is(err,
			store.ErrCompacted) {
			t.Errorf("the engine still has the past: %v", err)
		}
		_, err = r.Watch(t.Context(), store.WatchOptions{ResourceVersion: old.ResourceVersion()})
		if metav1.ReasonOf(err) != metav1.StatusReasonExpired {
			t.Errorf("a watch from before the deletion: %v", err)
		}
		w, err := r.Watch(t.Context(), store.WatchOptions{ResourceVersion: lost.ResourceVersion()})
		if err != nil {
			t.Fatalf("a watch from the deletion, at which the history begins: %v", err)
		}
		w.Close()
		// A list at the oldest revision that is kept.
		l, err := r.List(t.Context(), store.ListOptions{
			ResourceVersion:      lost.ResourceVersion(),
			ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		})
		if err != nil || l.Len() != 0 {
			t.Errorf("a list at the deletion: %v, %v", l, err)
		}
	})
}

// Lists at the very beginning of a history that has events.
func TestListAtTheFloor(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	floor := strconv.FormatUint(r.Store().Revision(), 10)
	for i := range 100 {
		create(t, r, machine("a", fmt.Sprint("m", i)))
	}
	l, err := r.List(t.Context(), store.ListOptions{
		ResourceVersion:      floor,
		ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	})
	if err != nil || l.Len() != 0 {
		t.Errorf("%v, %v", l, err)
	}
}

// With initial events, an unset version and an empty collection there was no bookmark, or one
// without a version (Kubernetes, issue 122805).
func TestInitialEventsOfAnEmptyCollection(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	for _, version := range []string{"", "0"} {
		w, err := r.Watch(t.Context(), store.WatchOptions{Initial: true, ResourceVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		l := w.Initial()
		if l == nil || l.Len() != 0 || l.ResourceVersion() == "" || l.ResourceVersion() == "0" {
			t.Fatalf("initial events %v", l)
		}
		obj, err := r.Bookmark(l.Revision(), true)
		if err != nil {
			t.Fatal(err)
		}
		m := obj.(*v1.Machine)
		if m.ResourceVersion != l.ResourceVersion() || m.Annotations[metav1.InitialEventsAnnotationKey] != "true" ||
			m.Kind != "Machine" {
			t.Errorf("bookmark %+v", m)
		}
		w.Close()
	}
}

// One client that did not read held up all others, and the writers (Kubernetes, issue 141450;
// tilt-apiserver).
func TestASlowWatchDelaysNobody(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{HistoryBytes: 256 << 10})
	var stalled []*store.Watch
	for range 100 {
		w := watch(t, r, store.WatchOptions{})
		w.Ready()
		stalled = append(stalled, w)
	}
	healthy := watch(t, r, store.WatchOptions{})
	for i := range 2000 {
		create(t, r, machine("a", fmt.Sprint("m", i)))
		events, err := healthy.Next(nil)
		if err != nil || len(events) != 1 {
			t.Fatalf("write %d: %d events, %v", i, len(events), err)
		}
	}
	for _, w := range stalled {
		if _, err := w.Next(nil); metav1.ReasonOf(err) != metav1.StatusReasonExpired {
			t.Fatalf("a watch that never read: %v", err)
		}
	}
}

// A client that never reads costs no memory beyond what is configured.
func TestMemoryIsBounded(t *testing.T) {
	// Not beside other tests, which have a heap too.
	r := machines(t, store.Options{HistoryBytes: 1 << 20, CacheBytes: 1 << 20})
	var watches []*store.Watch
	for i := range 100 {
		w := watch(t, r, store.WatchOptions{Namespace: fmt.Sprint("n", i%3)})
		w.Ready()
		watches = append(watches, w)
	}
	key := store.Key{Namespace: "a", Name: "m"}
	m := machine("a", "m")
	m.Annotations = map[string]string{"large": string(make([]byte, 1000))}
	create(t, r, m)
	write := func(n int) {
		for i := range n {
			relabel(t, r, key, "x", fmt.Sprint(i))
		}
	}
	write(3000) // fills the history
	before := heapBytes()
	write(6000)
	if after := heapBytes(); after > before+(8<<20) {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
	goruntime.KeepAlive(watches)
}

// A watch does not keep the objects that were there when it began, once its events are asked for.
func TestInitialObjectsAreDropped(t *testing.T) {
	// Not beside other tests, which have a heap too.
	r := machines(t, store.Options{HistoryBytes: 1 << 20, CacheBytes: 1 << 20})
	const rounds, objects = 40, 50
	write := func(round int) {
		for i := range objects {
			m := machine("a", fmt.Sprint("m", i))
			m.Annotations = map[string]string{"large": strings.Repeat(string(rune('a'+round%26)), 10_000)}
			key, o := store.Key{Namespace: "a", Name: m.Name}, store.WriteOptions{CreateIfMissing: true}
			_, err := r.Update(t.Context(), key, o,
				func(context.Context, runtime.Object) (runtime.Object, error) { return m, nil })
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write(0)
	before := heapBytes()
	for round := range rounds {
		w := watch(t, r, store.WatchOptions{Initial: true})
		if n := w.Initial().Len(); n != objects {
			t.Fatalf("%d objects", n)
		}
		if _, err := w.Next(nil); err != nil || w.Initial() != nil {
			t.Fatalf("%v, %v", w.Initial(), err)
		}
		write(round + 1)
	}
	if after := heapBytes(); after > before+(8<<20) {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
}

// heapBytes returns the bytes of live objects.
func heapBytes() uint64 {
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A no-op update must not lose the version (tilt-apiserver, pull request 56).
func TestNoOpUpdateKeepsTheVersion(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	e := create(t, r, machine("a", "m", "x", "1"))
	same := relabel(t, r, store.Key{Namespace: "a", Name: "m"}, "x", "1")
	m, err := same.Metadata()
	if err != nil || m.ResourceVersion != e.ResourceVersion() {
		t.Errorf("version %q, want %q; %v", m.ResourceVersion, e.ResourceVersion(), err)
	}
}

// Watches and stores leave no goroutines.
func TestNoGoroutinesAreLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The test fails if a goroutine is left when this function returns.
		engine := memory.New()
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := addMachines(t, s, store.ResourceOptions{})
		before := goruntime.NumGoroutine()
		for range 1000 {
			w, err := r.Watch(t.Context(), store.WatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			w.Ready()
		}
		// Goroutines of earlier tests may end meanwhile.
		if n := goruntime.NumGoroutine(); n > before+100 {
			t.Errorf("%d goroutines before 1000 watches, %d with them", before, n)
		}
		create(t, r, machine("a", "m"))
		if err := errors.Join(s.Close(), engine.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Bookmarks come each minute and before the end, with the revision of the store, so that watches of
// what seldom changes can be resumed.
func TestBookmarks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := memory.New()
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, store.ResourceOptions{})
		w := watch(t, r, store.WatchOptions{Namespace: "quiet"})
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
		defer cancel()
		stream := w.Stream(true)
		var got []string
		for {
			events, err := stream.Next(make([]serializer.Event, 0, 4))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				version := e.Object.(*v1.Machine).ResourceVersion
				if version != strconv.FormatUint(s.Revision(), 10) {
					t.Errorf("a bookmark of %s, the store is at %d", version, s.Revision())
				}
				got = append(got, fmt.Sprint(e.Type, " ", time.Since(begin)))
			}
			if len(events) > 0 {
				create(t, r, machine("loud", fmt.Sprint("m", len(got))))
				continue
			}
			if err := stream.Wait(ctx); err != nil {
				break
			}
		}
		if want := []string{"BOOKMARK 1m0s", "BOOKMARK 2m0s", "BOOKMARK 2m28s"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// A stream encodes each object once for all watches.
func TestStreamsShareEncodings(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	var streams []*store.Stream
	for range 10 {
		w := watch(t, r, store.WatchOptions{})
		streams = append(streams, w.Stream(false))
	}
	create(t, r, machine("a", "m"))
	var first runtime.Object
	for i, s := range streams {
		events, err := s.Next(nil)
		if err != nil || len(events) != 1 || events[0].Type != metav1.WatchAdded {
			t.Fatalf("%v, %v", events, err)
		}
		if i == 0 {
			first = events[0].Object
		} else if events[0].Object != first {
			t.Error("two watches do not share what is encoded")
		}
	}
}

// compactedOnce is an engine whose first watch finds that the past has been compacted, as when
// another server compacts while a store is opened.
type compactedOnce struct {
	store.Engine
	watches atomic.Int64
}

func (e *compactedOnce) Watch(ctx context.Context, prefix string, from uint64,
	deliver func(store.Changes) error,
) error {
	if e.watches.Add(1) == 1 {
		return store.ErrCompacted
	}
	return e.Engine.Watch(ctx, prefix, from, deliver)
}

// TestCompactedWhileOpening: a store whose past was compacted while it was opened waited for that
// past forever.
func TestCompactedWhileOpening(t *testing.T) {
	t.Parallel()
	e := &compactedOnce{Engine: memory.New()}
	defer e.Close()
	if _, err := e.Put(t.Context(), "a", []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := store.Open(ctx, e, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now, err := e.Put(t.Context(), "b", []byte("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for s.Revision() < now && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if s.Revision() < now {
		t.Errorf("the store stands at %d, the engine at %d", s.Revision(), now)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// overtaken is an engine that others write to and compact after it was listed, before the first
// watch begins.
type overtaken struct {
	store.Engine
	between func()
	once    sync.Once
}

func (e *overtaken) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	e.once.Do(e.between)
	return e.Engine.Watch(ctx, prefix, from, deliver)
}

// TestOvertakenWhileOpening: a store lacked what was written after it had read everything if that
// was compacted before its watch began.
func TestOvertakenWhileOpening(t *testing.T) {
	t.Parallel()
	inner := memoryEngine(t)
	writer := addMachines(t, open(t, inner, store.Options{}), store.ResourceOptions{})
	create(t, writer, machine("a", "before"))
	e := &overtaken{Engine: inner, between: func() {
		create(t, writer, machine("a", "between"))
		if err := inner.Compact(t.Context(), create(t, writer, machine("a", "compacted")).Revision()); err != nil {
			t.Error(err)
		}
		create(t, writer, machine("a", "later"))
	}}
	r := addMachines(t, open(t, e, store.Options{}), store.ResourceOptions{})
	l, err := r.List(soon(t), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(l); len(got) != 4 {
		t.Errorf("the store has %q", got)
	}
	if err := r.Store().Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// compacting is an engine that others write to and compact to the present after each page, so that
// no two pages of one revision can be read.
type compacting struct {
	store.Engine
	write func()
}

func (e *compacting) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	o.Limit = min(o.Limit, 7)
	page, err := e.Engine.List(ctx, prefix, o)
	e.write()
	now, failed := e.Revision(ctx)
	return page, errors.Join(err, failed, e.Compact(ctx, now))
}

// TestCompactedBetweenPages: a store was never opened on an engine that is compacted more often
// than all of it can be read. What is created, changed and deleted meanwhile must be right.
func TestCompactedBetweenPages(t *testing.T) {
	t.Parallel()
	inner := memoryEngine(t)
	writer := addMachines(t, open(t, inner, store.Options{}), store.ResourceOptions{})
	key := func(i int) store.Key { return store.Key{Namespace: "a", Name: fmt.Sprintf("m%03d", i)} }
	const before = 60
	for i := range before {
		create(t, writer, machine("a", key(i).Name))
	}
	n := 0
	e := &compacting{Engine: inner, write: func() {
		n++
		create(t, writer, machine("a", fmt.Sprint("new", n)))
		relabel(t, writer, key(n%20), "n", fmt.Sprint(n))
		if i := before - n%9 - 1; n < 9 {
			remove(t, writer, key(i))
			create(t, writer, machine("a", key(i).Name, "again", "1"))
		} else if n < 18 {
			remove(t, writer, key(i))
		}
	}}
	s, err := store.Open(soon(t), e, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e.write()
	r := addMachines(t, s, store.ResourceOptions{})
	l, err := r.List(soon(t), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := writer.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(l), names(all); !slices.Equal(got, want) || n < 3 {
		t.Errorf("after %d writes the store has %q, want %q", n, got, want)
	}
}

// TestHistoryAfterOpening: the first events of a store made it forget the past, because the nodes
// of the trees that it had loaded or indexed counted as nodes that the past keeps in memory.
func TestHistoryAfterOpening(t *testing.T) {
	t.Parallel()
	inner := &selfCompacting{Engine: memoryEngine(t)}
	for i := range 40_000 {
		name := fmt.Sprint("m", i)
		value := fmt.Appendf(nil, `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":%q,`+
			`"namespace":"a"},"spec":{"zone":"z"}}`, name)
		if _, err := inner.Put(t.Context(), machinesPrefix+"a/"+name, value, 0); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, inner, store.Options{HistoryBytes: 600_000})
	r := addMachines(t, s, zoned)
	from := s.Revision()
	for i := range 70 {
		create(t, r, machine("b", fmt.Sprint("m", i)))
	}
	if floor := s.Floor(); floor > from {
		t.Errorf("of 70 events, %d are kept", s.Revision()-floor)
	}
}

// halting is an engine whose first watch delivers some of the past and ends with an error.
type halting struct {
	store.Engine
	watches atomic.Int64
	deliver int // how many changes of the past the first watch delivers
}

func (e *halting) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	first := e.watches.Add(1) == 1
	return e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		if !first {
			return deliver(c)
		}
		c.List = c.List[:e.deliver]
		c.Revision = c.List[e.deliver-1].Revision
		return errors.Join(deliver(c), errBroken)
	})
}

// TestBrokenWhileRestoring: if the watch of the engine ended while it delivered the past, the
// history lacked the changes that had not come, and watches that resumed there lost them.
func TestBrokenWhileRestoring(t *testing.T) {
	t.Parallel()
	inner := memoryEngine(t)
	writer := addMachines(t, open(t, inner, store.Options{}), store.ResourceOptions{})
	var want []string
	begin := create(t, writer, machine("a", "first"))
	for i := range 9 {
		m := machine("a", fmt.Sprint("m", i))
		create(t, writer, m)
		want = append(want, "ADDED a/"+m.Name)
	}
	s, err := store.Open(soon(t), &halting{Engine: inner, deliver: 4}, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := addMachines(t, s, store.ResourceOptions{})
	w, err := r.Watch(t.Context(), store.WatchOptions{ResourceVersion: begin.ResourceVersion()})
	if metav1.ReasonOf(err) == metav1.StatusReasonExpired {
		return // the past may be forgotten, but not in part
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got := pull(t, w); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

// shared is an engine that others use too, such as a cluster of etcd: it delivers the changes of
// this store, and says how far it is otherwise only after it was asked for its revision.
type shared struct {
	store.Engine
	mu      sync.Mutex
	deliver func(store.Changes) error
	held    store.Changes // what has not been delivered
}

func (e *shared) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	return e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		c.List = slices.DeleteFunc(slices.Clone(c.List), func(c store.Change) bool { return c.Key == "other" })
		if e.deliver != nil && len(c.List) == 0 {
			e.held.Revision = c.Revision
			return nil
		}
		if e.deliver != nil {
			c.After = e.held.After
		}
		e.deliver, e.held = deliver, store.Changes{After: c.Revision, Revision: c.Revision}
		return deliver(c)
	})
}

func (e *shared) Revision(ctx context.Context) (uint64, error) {
	revision, err := e.Engine.Revision(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held.Revision > e.held.After {
		err = errors.Join(err, e.deliver(e.held))
		e.held.After = e.held.Revision
	}
	return revision, err
}

// TestConflictOnASharedEngine: after a conflict a write waited for the revision that the engine had
// then, which others had moved. Nothing brought the store there, so the write waited for the next
// change of any object.
func TestConflictOnASharedEngine(t *testing.T) {
	t.Parallel()
	inner := memoryEngine(t)
	r := addMachines(t, open(t, &shared{Engine: inner}, store.Options{}), store.ResourceOptions{})
	other := addMachines(t, open(t, inner, store.Options{}), store.ResourceOptions{})
	key := store.Key{Namespace: "a", Name: "m"}
	create(t, r, machine("a", "m"))
	var revision uint64
	conflict := func(value string) {
		relabel(t, other, key, "by", value)
		var err error
		if revision, err = inner.Put(t.Context(), "other", []byte("1"), revision); err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	_, err := r.Update(soon(t), key, store.WriteOptions{},
		func(_ context.Context, current runtime.Object) (runtime.Object, error) {
			if calls++; calls == 1 {
				conflict("update")
			}
			m := current.(*v1.Machine)
			m.Labels = map[string]string{"last": m.Labels["by"]}
			return m, nil
		})
	if err != nil || calls != 2 {
		t.Errorf("the update took %d calls: %v", calls, err)
	}
	calls = 0
	e, err := r.Delete(soon(t), key, store.WriteOptions{}, func(context.Context, runtime.Object) error {
		if calls++; calls == 1 {
			conflict("delete")
		}
		return nil
	})
	if err != nil || calls != 2 {
		t.Errorf("the deletion took %d calls: %v", calls, err)
	}
	if err != nil {
		return
	}
	if obj, err := e.Object(); err != nil || obj.(*v1.Machine).Labels["by"] != "delete" {
		t.Errorf("%v, %v", obj, err)
	}
}

// together is an engine in which the first two changes have one revision, as those of one
// transaction of etcd.
type together struct {
	store.Engine
}

func (e *together) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	var held []store.Change
	var reached uint64
	return e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		if reached > 0 {
			c.After = reached
		}
		if held = append(held, c.List...); len(held) == 1 {
			return nil
		}
		for i := range held {
			held[i].Revision = c.Revision
		}
		c.List, held, reached = held, nil, c.Revision
		return deliver(c)
	})
}

// TestChangesOfOneRevision checks that a watch that has delivered only some of the changes of a
// revision does not say that it has reached it.
func TestChangesOfOneRevision(t *testing.T) {
	t.Parallel()
	inner := memoryEngine(t)
	other := addMachines(t, open(t, inner, store.Options{}), store.ResourceOptions{})
	r := addMachines(t, open(t, &together{inner}, store.Options{}), store.ResourceOptions{})
	w := watch(t, r, store.WatchOptions{})
	create(t, other, machine("a", "m1"))
	revision := create(t, other, machine("a", "m2")).Revision()
	ctx := soon(t)
	for r.Store().Revision() < revision && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	for i, reached := range []bool{false, true} {
		events, err := w.Next(make([]store.Event, 0, 1))
		if err != nil || len(events) != 1 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		if got := w.Revision() >= revision; got != reached {
			t.Errorf("after event %d the watch is at %d, the changes have %d", i, w.Revision(), revision)
		}
	}
}
