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

// lossy is an engine that breaks its promises when it is told to.
type lossy struct {
	store.Engine
	lose   atomic.Bool // the next change is not delivered
	breaks atomic.Bool // the watch ends with an error at the next change
	alters atomic.Bool // the next value is delivered otherwise than it was written
}

var errBroken = errors.New("the connection is broken")

func (l *lossy) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	return l.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		if len(c.List) > 0 {
			switch {
			case l.lose.CompareAndSwap(true, false):
				c.List = nil
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

// An engine that loses a change is found out at the next one of the object. The store loads
// everything anew, and watches list again rather than go on without what was lost.
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
		w, err := r.Watch(t.Context(), store.WatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
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
		w, err := r.Watch(t.Context(), store.WatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
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

// zoned declares a field of machines that has an index.
var zoned = store.ResourceOptions{Fields: []store.Field{{Path: "spec.zone", Index: true}}}
