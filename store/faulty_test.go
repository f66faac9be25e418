package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
	"github.com/askind/askind/store/storetest"
)

// faulty is an engine that fails at random, as one that is reached over a network and shared with
// other programs: lists come in short pages or not at all, watches end, also in the midst of what
// they were to deliver, and others write and compact between two calls.
type faulty struct {
	store.Engine
	mu     sync.Mutex
	random *rand.Rand
	over   bool // nothing fails any more
}

// chance returns true once in n calls.
func (e *faulty) chance(n int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.over && e.random.IntN(n) == 0
}

// interfere creates a box, at times, and may compact up to it.
func (e *faulty) interfere(ctx context.Context) {
	if !e.chance(6) {
		return
	}
	now, err := e.Revision(ctx)
	if err != nil {
		return
	}
	name := fmt.Sprint("other", now)
	now, err = e.Put(ctx, "storetest.example.com/boxes/n0/"+name, fmt.Appendf(nil,
		`{"kind":"Box","apiVersion":"storetest.example.com/v1","metadata":{"name":%q,"namespace":"n0"}}`, name), 0)
	if err == nil && e.chance(2) {
		_ = e.Compact(ctx, now)
	}
}

// List implements [store.Engine].
func (e *faulty) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	if e.chance(4) {
		return store.Page{}, store.ErrUnavailable
	}
	o.Limit = min(o.Limit, 20)
	page, err := e.Engine.List(ctx, prefix, o)
	e.interfere(ctx)
	return page, err
}

// Watch implements [store.Engine].
func (e *faulty) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	e.interfere(ctx)
	switch {
	case e.chance(6):
		return store.ErrUnavailable
	case e.chance(6):
		return store.ErrCompacted
	}
	return e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		switch half := len(c.List) / 2; {
		case e.chance(20):
			return errBroken
		case e.chance(20):
			return store.ErrCompacted
		case half > 0 && e.chance(3):
			c.List, c.Revision = c.List[:half], c.List[half-1].Revision
			return errors.Join(deliver(c), errBroken)
		}
		return deliver(c)
	})
}

// TestFaultySchedules opens stores on engines that fail, writes and watches, all by schedules from
// seeds. When nothing fails any more, every store has what the engine has, and every watch has seen
// it.
func TestFaultySchedules(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(30)) {
		synctest.Test(t, func(t *testing.T) { faultySchedule(t, seed) })
		if t.Failed() {
			t.Fatalf("with the seed %d", seed)
		}
	}
}

func faultySchedule(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 13))
	shared := memory.New()
	defer shared.Close()
	var engines []*faulty
	var resources []*store.Resource
	open := func() {
		e := &faulty{Engine: shared, random: rand.New(rand.NewPCG(seed, uint64(len(engines))))}
		o := store.Options{History: time.Duration(1+random.IntN(600)) * time.Second}
		s, err := store.Open(t.Context(), e, o)
		for errors.Is(err, store.ErrUnavailable) {
			s, err = store.Open(t.Context(), e, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		engines, resources = append(engines, e), append(resources, storetest.AddBoxes(t, s))
	}
	open()
	var observers []*storetest.Observer
	for i := range uint64(5) {
		observers = append(observers, storetest.NewObserver(t, resources[0], seed*5+i))
	}
	must := func(err error) {
		if err != nil && metav1.ReasonOf(err) != metav1.StatusReasonTimeout { // of a revision not reached yet
			t.Error(err)
		}
	}
	for range 80 {
		o, r := observers[random.IntN(len(observers))], resources[random.IntN(len(resources))]
		switch random.IntN(10) {
		case 0:
			time.Sleep(time.Duration(random.IntN(300)) * time.Second)
		case 1:
			time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
		case 2:
			must(o.Switch(t.Context(), r))
		case 3:
			if len(engines) < 4 {
				open()
			}
		default:
			must(storetest.WriteAtRandom(t.Context(), r, random))
		}
		must(o.Take(t.Context()))
		must(o.Resume(t.Context()))
	}
	for _, e := range engines {
		e.mu.Lock()
		e.over = true
		e.mu.Unlock()
	}
	time.Sleep(time.Minute)
	for _, r := range resources {
		must(r.Store().Verify(t.Context()))
	}
	for _, o := range observers {
		must(o.CatchUp(t.Context()))
	}
}
