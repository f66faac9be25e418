package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// refusing is an engine whose first watch ends after a second, and that refuses all others with an
// error. Lists fail with one, too.
type refusing struct {
	store.Engine
	watch, list error
	watches     int
	lists       int
}

// Watch implements [store.Engine].
func (e *refusing) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	e.watches++
	if e.watch == nil {
		return e.Engine.Watch(ctx, prefix, from, deliver)
	}
	if e.watches == 1 {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = e.Engine.Watch(ctx, prefix, from, deliver)
	}
	return e.watch
}

// List implements [store.Engine].
func (e *refusing) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	if e.lists++; e.list != nil {
		return store.Page{}, e.list
	}
	return e.Engine.List(ctx, prefix, o)
}

// TestEnginesThatFail checks how often a store asks an engine that refuses every watch, with or
// without a reason to load everything again, or that compacts whenever it is listed: first after 10
// ms, and later every ten seconds.
func TestEnginesThatFail(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]*refusing{
		"watches":   {watch: errors.New("no permission")},
		"history":   {watch: store.ErrCompacted},
		"each list": {list: store.ErrCompacted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e.Engine = memory.New()
				defer e.Close()
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				st, err := store.Open(ctx, e, store.Options{})
				switch {
				case e.list != nil && !errors.Is(err, context.DeadlineExceeded):
					t.Errorf("got %v", err)
				case e.list == nil && err != nil:
					t.Fatal(err)
				case err == nil:
					<-ctx.Done()
					st.Close()
				}
				if n := max(e.watches, e.lists); n < 50 || n > 80 {
					t.Errorf("%d watches and %d lists in ten minutes", e.watches, e.lists)
				}
			})
		})
	}
}
