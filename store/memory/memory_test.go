package memory_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
	"github.com/askind/askind/store/storetest"
)

func TestEngine(t *testing.T) {
	t.Parallel()
	storetest.Kit{Open: func(testing.TB) store.Engine { return memory.New() }}.Run(t)
}

// Revisions of a former life are below all that an engine knows.
func TestRevisionsBeginNow(t *testing.T) {
	t.Parallel()
	before := uint64(time.Now().UnixMicro())
	revision, err := memory.New().Revision(t.Context())
	if err != nil || revision < before || revision > uint64(time.Now().UnixMicro()) {
		t.Errorf("revision %d, %v; it is %d", revision, err, before)
	}
}

// TestCompactNeverGoesBack checks that what was forgotten is not promised again.
func TestCompactNeverGoesBack(t *testing.T) {
	t.Parallel()
	e := memory.New()
	defer e.Close()
	var revisions []uint64
	for _, key := range []string{"a", "b", "c"} {
		revision, err := e.Put(t.Context(), key, []byte("x"), 0)
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, revision)
	}
	for _, revision := range []uint64{revisions[2], revisions[0]} {
		if err := e.Compact(t.Context(), revision); err != nil {
			t.Fatal(err)
		}
	}
	_, err := e.List(t.Context(), "", store.RangeOptions{Revision: revisions[1]})
	if !errors.Is(err, store.ErrCompacted) {
		t.Errorf("a list of the past: %v", err)
	}
}

// TestWatchThatHasEnded checks that a watch is forgotten when its context is done.
func TestWatchThatHasEnded(t *testing.T) {
	t.Parallel()
	e := memory.New()
	defer e.Close()
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	done := make(chan error)
	began := make(chan struct{}, 1)
	go func() {
		done <- e.Watch(ctx, "", 0, func(store.Changes) error {
			if calls++; calls == 1 {
				began <- struct{}{}
			}
			return nil
		})
	}()
	<-began
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Put(t.Context(), "a", []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	if calls != 1 {
		t.Errorf("a watch that has ended was called %d times", calls-1)
	}
}

// TestListOfThePast checks that a list at an earlier revision leaves the changes before it to
// watches.
func TestListOfThePast(t *testing.T) {
	t.Parallel()
	e := memory.New()
	defer e.Close()
	first, err := e.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b", "c"} {
		if _, err := e.Put(t.Context(), key, []byte(key), 0); err != nil {
			t.Fatal(err)
		}
	}
	page, err := e.List(t.Context(), "", store.RangeOptions{Revision: first + 2})
	if err != nil || len(page.Items) != 2 {
		t.Errorf("%d items, %v", len(page.Items), err)
	}
	enough := errors.New("enough")
	err = e.Watch(t.Context(), "", first, func(c store.Changes) error {
		if len(c.List) != 3 {
			t.Errorf("%d changes, want 3", len(c.List))
		}
		return enough
	})
	if !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
}

// TestCloseDuringWrites closes an engine that others are using, for the race detector.
func TestCloseDuringWrites(t *testing.T) {
	t.Parallel()
	for range 20 {
		e := memory.New()
		var wg, began sync.WaitGroup
		for i := range 4 {
			began.Add(1)
			wg.Go(func() {
				began.Done()
				for n := range 100 {
					key := fmt.Sprintf("%d/%d", i, n)
					if _, err := e.Put(t.Context(), key, []byte("1"), 0); errors.Is(err, store.ErrClosed) {
						return
					} else if err != nil {
						t.Error(err)
					}
				}
			})
		}
		began.Wait()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if _, err := e.Get(t.Context(), "0/0"); !errors.Is(err, store.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}
