package store_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// lossy is an engine that breaks its promises when it is told to.
type lossy struct {
	store.Engine
	lose   atomic.Bool // the next change is not delivered
	breaks atomic.Bool // the watch ends with an error at the next change
	alters atomic.Bool // the next value is delivered otherwise than it was written
	skips  atomic.Bool // the call with the next change is not made
}

var errBroken = errors.New("the connection is broken")

func (l *lossy) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	return l.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		if len(c.List) > 0 {
			switch {
			case l.lose.CompareAndSwap(true, false):
				c.List = nil
			case l.skips.CompareAndSwap(true, false):
				return nil
			case l.breaks.CompareAndSwap(true, false):
				return errBroken
			case l.alters.CompareAndSwap(true, false):
				changed := slices.Clone(c.List)
				changed[0].Value = []byte(
					`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"m","namespace":"a"}}`,
				)
				c.List = changed
			}
		}
		return deliver(c)
	})
}

// An engine that loses a change is detected at the next one of the object. The store loads
// everything again, and watches list again rather than go on without what was lost.
func TestLostChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &lossy{Engine: memory.New()}
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, zoned)
		create(t, r, machine("a", "m"))
		w := watch(t, r, store.WatchOptions{})
		ready := w.Ready()
		if err := s.Verify(t.Context()); err != nil {
			t.Errorf("before: %v", err)
		}
		engine.lose.Store(true)
		create(t, r, machine("a", "lost"))
		if err := s.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "a/lost") {
			t.Errorf("what is lost is not found: %v", err)
		}
		// Somebody else changes the lost object, which this store does not know.
		other := addMachines(t, open(t, engine.Engine, store.Options{}), store.ResourceOptions{})
		relabel(t, other, store.Key{Namespace: "a", Name: "lost"}, "x", "1")
		time.Sleep(time.Minute)
		synctest.Wait()
		if err := s.Verify(t.Context()); err != nil {
			t.Errorf("after it was found: %v", err)
		}
		select {
		case <-ready:
		default:
			t.Error("the watch was not woken")
		}
		if _, err := w.Next(nil); metav1.ReasonOf(err) != metav1.StatusReasonExpired {
			t.Errorf("the watch goes on: %v", err)
		}
		l, err := r.List(t.Context(), store.ListOptions{Labels: selector(t, "x=1")})
		if err != nil || !slices.Equal(names(l), []string{"a/lost"}) {
			t.Errorf("%v, %v", l, err)
		}
		// And it goes on as before.
		w, err = r.Watch(t.Context(), store.WatchOptions{ResourceVersion: l.ResourceVersion()})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		create(t, r, machine("a", "next"))
		if got := pull(t, w); !slices.Equal(got, []string{"ADDED a/next"}) {
			t.Errorf("events %q", got)
		}
	})
}

// TestSkippedCall checks that a gap between two calls of an engine is detected at the second one,
// whatever object that is about.
func TestSkippedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &lossy{Engine: memory.New()}
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, store.ResourceOptions{})
		other := addMachines(t, open(t, engine.Engine, store.Options{}), store.ResourceOptions{})
		engine.skips.Store(true)
		create(t, other, machine("a", "skipped"))
		create(t, other, machine("a", "next"))
		time.Sleep(time.Minute)
		l, err := r.List(t.Context(), store.ListOptions{})
		if err != nil || !slices.Equal(names(l), []string{"a/next", "a/skipped"}) {
			t.Errorf("%v, %v", names(l), err)
		}
	})
}

// TestLostModification checks that a change that an engine does not deliver is detected
// at the next change of the object, by the revision before it.
func TestLostModification(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &lossy{Engine: memory.New()}
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, zoned)
		create(t, r, machine("a", "m"))
		w := watch(t, r, store.WatchOptions{})
		other := addMachines(t, open(t, engine.Engine, store.Options{}), store.ResourceOptions{})
		engine.lose.Store(true)
		relabel(t, other, store.Key{Namespace: "a", Name: "m"}, "x", "1")
		relabel(t, other, store.Key{Namespace: "a", Name: "m"}, "x", "2")
		time.Sleep(time.Minute)
		synctest.Wait()
		if _, err := w.Next(nil); metav1.ReasonOf(err) != metav1.StatusReasonExpired {
			t.Errorf("the watch goes on over a lost change: %v", err)
		}
		if err := s.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A watch of the engine that breaks goes on where it was, and watches of the store notice nothing.
func TestBrokenWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &lossy{Engine: memory.New()}
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, zoned)
		w := watch(t, r, store.WatchOptions{})
		var want []string
		for i := range 5 {
			engine.breaks.Store(true)
			name := fmt.Sprint("m", i)
			create(t, r, machine("a", name)) // waits until it is seen here
			want = append(want, "ADDED a/"+name)
		}
		if got := pull(t, w); !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
		if err := s.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestVerifyEvery has a store find a lost change by itself, and load everything again.
func TestVerifyEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &lossy{Engine: memory.New()}
		defer engine.Close()
		var found []string
		s, err := store.Open(t.Context(), engine, store.Options{
			VerifyEvery: time.Minute, Differs: func(err error) { found = append(found, err.Error()) },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, store.ResourceOptions{})
		create(t, r, machine("a", "m"))
		w := watch(t, r, store.WatchOptions{})
		time.Sleep(90 * time.Second)
		synctest.Wait()
		if len(found) > 0 {
			t.Errorf("without a loss: %q", found)
		}
		engine.lose.Store(true)
		create(t, r, machine("a", "lost"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(found) != 1 || !strings.Contains(found[0], "a/lost") {
			t.Errorf("found %q", found)
		}
		if _, err := w.Next(nil); metav1.ReasonOf(err) != metav1.StatusReasonExpired {
			t.Errorf("the watch goes on: %v", err)
		}
		l, err := r.List(t.Context(), store.ListOptions{})
		if err != nil || !slices.Equal(names(l), []string{"a/lost", "a/m"}) {
			t.Errorf("%v, %v", l, err)
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if len(found) != 1 {
			t.Errorf("after everything was loaded again: %q", found)
		}
	})
}

// cut is an engine that calls with a change that does not fit, and that cannot be read from then
// on.
type cut struct {
	store.Engine
	calls atomic.Int64
}

func (e *cut) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	return e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		if len(c.List) > 0 {
			e.calls.Add(1)
			lost := c.List[0]
			lost.Key, lost.BeforeRevision, lost.Revision = lost.Key+"-lost", 1, lost.Revision+1
			c.List, c.Revision = append(slices.Clone(c.List), lost), lost.Revision
		}
		return deliver(c)
	})
}

func (e *cut) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	if e.calls.Load() > 0 {
		return store.Page{}, store.ErrUnavailable
	}
	return e.Engine.List(ctx, prefix, o)
}

// TestHalfOfACall checks that nothing is seen of a call whose changes do not fit together, whatever
// makes the store publish its state before it has loaded everything again.
func TestHalfOfACall(t *testing.T) {
	t.Parallel()
	engine := &cut{Engine: memoryEngine(t)}
	s := open(t, engine, store.Options{})
	before := s.Revision()
	if _, err := engine.Put(t.Context(), machinesPrefix+"a/m", []byte("{}"), 0); err != nil {
		t.Fatal(err)
	}
	r := addMachines(t, s, zoned) // which publishes a state with its index
	if n := r.Count(""); n != 0 || s.Revision() != before || engine.calls.Load() == 0 {
		t.Errorf("%d objects at revision %d, which was reached before", n, s.Revision())
	}
}

func TestVerifyComparesValues(t *testing.T) {
	t.Parallel()
	engine := &lossy{Engine: memory.New()}
	s := open(t, engine, store.Options{})
	r := addMachines(t, s, zoned)
	engine.alters.Store(true)
	create(t, r, machine("a", "m", "x", "1"))
	if err := s.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "another value") {
		t.Errorf("error %v", err)
	}
}

// TestVerifyMissesNothing checks that an object whose deletion was lost is a difference.
func TestVerifyMissesNothing(t *testing.T) {
	t.Parallel()
	engine := &lossy{Engine: memory.New()}
	s := open(t, engine, store.Options{})
	r := addMachines(t, s, store.ResourceOptions{})
	create(t, r, machine("a", "m"))
	if err := s.Verify(t.Context()); err != nil {
		t.Errorf("error %v", err)
	}
	engine.lose.Store(true)
	remove(t, r, store.Key{Namespace: "a", Name: "m"})
	if err := s.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "1 objects that the engine does not") {
		t.Errorf("error %v", err)
	}
}

// zoned declares a field of machines that has an index.
var zoned = store.ResourceOptions{Fields: []store.Field{{Path: "spec.zone", Index: true}}}

// failing is an engine that writes nothing.
type failing struct{ store.Engine }

func (failing) Put(context.Context, string, []byte, uint64) (uint64, error) { return 0, errBroken }

// TestFailedWritesAreForgotten checks that the store keeps nothing of writes that have failed.
func TestFailedWritesAreForgotten(t *testing.T) {
	engine := memory.New()
	defer engine.Close()
	s := open(t, failing{engine}, store.Options{})
	r := addMachines(t, s, store.ResourceOptions{})
	m := machine("a", "m")
	m.Annotations = map[string]string{"large": strings.Repeat("x", 64<<10)}
	memoryInUse := func() int64 {
		var stats goruntime.MemStats
		goruntime.GC()
		goruntime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	before := memoryInUse()
	for range 500 {
		if _, err := r.Create(t.Context(), m, store.WriteOptions{}); err == nil {
			t.Fatal("the write has not failed")
		}
	}
	if kept := memoryInUse() - before; kept > 8<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
}
