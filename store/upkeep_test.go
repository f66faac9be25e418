package store_test

import (
	"context"
	"errors"
	"fmt"
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

// selfCompacting is an engine that leaves no compaction to stores.
type selfCompacting struct {
	store.Engine
	asked atomic.Int64
}

func (e *selfCompacting) Compact(context.Context, uint64) error {
	e.asked.Add(1)
	return errors.ErrUnsupported
}

// A store compacts its engine to its own floor, except one that answers errors.ErrUnsupported. That
// one keeps its past, while the history of the store ends as it would otherwise.
func TestCompaction(t *testing.T) {
	t.Parallel()
	for name, supported := range map[string]bool{"by the store": true, "by the engine": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				self := &selfCompacting{Engine: memory.New()}
				engine := store.Engine(self)
				if supported {
					engine = self.Engine
				}
				defer engine.Close()
				s, err := store.Open(t.Context(), engine, store.Options{History: time.Minute})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				r := addMachines(t, s, store.ResourceOptions{})
				first := create(t, r, machine("a", "first"))
				create(t, r, machine("a", "second"))
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				_, err = r.Watch(t.Context(), store.WatchOptions{ResourceVersion: first.ResourceVersion()})
				if metav1.ReasonOf(err) != metav1.StatusReasonExpired {
					t.Errorf("the store keeps its history: %v", err)
				}
				_, err = engine.List(t.Context(), "", store.RangeOptions{Revision: first.Revision()})
				if supported != errors.Is(err, store.ErrCompacted) || !supported && err != nil {
					t.Errorf("the engine lists its past with the error %v", err)
				}
				if n := self.asked.Load(); !supported && n != 1 {
					t.Errorf("the store asked %d times for one floor", n)
				}
			})
		})
	}
}

// A store whose history has less room than what its engine has kept opens with the latest part of
// it: lists and watches there are those of the store that wrote, and older ones are refused.
func TestOpenOnLongPast(t *testing.T) {
	t.Parallel()
	engine := memory.New()
	defer engine.Close()
	old := addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{})
	first := create(t, old, machine("a", "first"))
	var late *store.Entry
	for i := range 300 {
		e := create(t, old, machine("a", fmt.Sprint("m", i), "long", strings.Repeat("x", 60)))
		if i == 290 {
			late = e
		}
	}
	s := open(t, engine, store.Options{HistoryBytes: 16 << 10})
	r := addMachines(t, s, store.ResourceOptions{})
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	w := watch(t, r, store.WatchOptions{ResourceVersion: late.ResourceVersion()})
	if got := pull(t, w); len(got) != 9 || got[0] != "ADDED a/m291" || got[8] != "ADDED a/m299" {
		t.Errorf("events %q", got)
	}
	o := store.ListOptions{
		ResourceVersion: late.ResourceVersion(), ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	}
	want, err := old.List(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.List(t.Context(), o)
	if err != nil || !slices.Equal(names(got), names(want)) || len(names(got)) != 292 {
		t.Errorf("%d objects, want %d: %v", len(names(got)), len(names(want)), err)
	}
	_, err = r.Watch(t.Context(), store.WatchOptions{ResourceVersion: first.ResourceVersion()})
	if metav1.ReasonOf(err) != metav1.StatusReasonExpired {
		t.Errorf("a watch from before the history: %v", err)
	}
}

// notCompacting is an engine that does not manage to compact.
type notCompacting struct {
	store.Engine
	asked atomic.Int64
}

func (e *notCompacting) Compact(context.Context, uint64) error {
	e.asked.Add(1)
	return errBroken
}

// TestNoHistory: a store with a history of a nanosecond looked for what is too old without a pause.
func TestNoHistory(t *testing.T) {
	t.Parallel()
	e := &notCompacting{Engine: memoryEngine(t)}
	begin := time.Now()
	r := addMachines(t, open(t, e, store.Options{History: 1}), store.ResourceOptions{})
	create(t, r, machine("a", "first"))
	for time.Since(begin) < 100*time.Millisecond {
		time.Sleep(10 * time.Millisecond)
	}
	const woken = 5 // when it begins and when there is something to compact, or more often
	if n, pauses := e.asked.Load(), int64(time.Since(begin)/(10*time.Millisecond)); n == 0 || n > woken+pauses {
		t.Errorf("it has looked %d times during %d pauses", n, pauses)
	}
}
