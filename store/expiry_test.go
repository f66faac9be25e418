package store_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/encrypt"
	"github.com/askind/askind/store/memory"
)

// expiring is an engine that notes when values expire.
type expiring struct {
	store.Engine
	until []time.Time // of the calls of PutUntil
}

func (e *expiring) PutUntil(ctx context.Context, key string, value []byte, expected uint64, until time.Time,
) (uint64, error) {
	e.until = append(e.until, until)
	return e.Put(ctx, key, value, expected)
}

// TestEnginesKnowWhatExpires checks that an engine is told when an object expires, also behind
// another engine, and that objects that stay are put as ever.
func TestEnginesKnowWhatExpires(t *testing.T) {
	t.Parallel()
	inner := &expiring{Engine: memory.New()}
	outer, err := encrypt.New(inner, encrypt.Keys{{ID: "a", Secret: make([]byte, 32)}})
	if err != nil {
		t.Fatal(err)
	}
	r := addMachines(t, open(t, outer, store.Options{}), store.ResourceOptions{})
	before := time.Now()
	if _, err := r.Create(t.Context(), machine("a", "temporary"), store.WriteOptions{TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	create(t, r, machine("a", "stays"))
	if len(inner.until) != 1 {
		t.Fatalf("the engine received %d expiry times, want one", len(inner.until))
	}
	if left := inner.until[0].Sub(before); left < time.Hour || left > time.Hour+time.Minute {
		t.Errorf("the engine was told that the object lives for %v, want an hour", left)
	}
}

// deleting is an engine that counts deletions.
type deleting struct {
	store.Engine
	calls atomic.Int32
}

func (e *deleting) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	e.calls.Add(1)
	return e.Engine.Delete(ctx, key, expected)
}

// TestOldExpiryIsForgotten checks that the engine is not asked to delete an object that was written
// again. Each write of an object with a TTL led to another one by each store on an engine, which
// failed.
func TestOldExpiryIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &deleting{Engine: memory.New()}
		defer engine.Close()
		r := addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{})
		key := store.Key{Namespace: "a", Name: "m"}
		if _, err := r.Create(t.Context(), machine("a", "m"), store.WriteOptions{TTL: time.Minute}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Update(t.Context(), key, store.WriteOptions{TTL: time.Hour}, func(_ context.Context,
			current runtime.Object,
		) (runtime.Object, error) {
			return current, nil
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := engine.calls.Load(); n != 0 || r.Count("") != 1 {
			t.Errorf("%d deletions were tried, %d objects are left", n, r.Count(""))
		}
	})
}

// TestLongestTTL checks that the longest duration does not wrap into the past.
func TestLongestTTL(t *testing.T) {
	t.Parallel()
	engine := &expiring{Engine: memory.New()}
	r := addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{})
	if _, err := r.Create(t.Context(), machine("a", "m"), store.WriteOptions{TTL: math.MaxInt64}); err != nil {
		t.Fatal(err)
	}
	if until := engine.until[0]; time.Until(until) < 100*365*24*time.Hour {
		t.Errorf("the object expires at %v, want centuries from now", until)
	}
}

// silent is an engine that does what it is told and says that it does not know.
type silent struct{ store.Engine }

func (e *silent) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	_, err := e.Engine.Put(ctx, key, value, expected)
	return 0, errors.Join(err, fmt.Errorf("the connection broke: %w", store.ErrUncertain))
}

// TestUncertainWrites checks that a client is told that its write may have taken effect.
func TestUncertainWrites(t *testing.T) {
	t.Parallel()
	r := addMachines(t, open(t, &silent{memory.New()}, store.Options{}), store.ResourceOptions{})
	_, err := r.Create(t.Context(), machine("a", "m"), store.WriteOptions{})
	if metav1.ReasonOf(err) != metav1.StatusReasonTimeout || !errors.Is(err, store.ErrUncertain) ||
		!strings.Contains(err.Error(), "read the object before you try again") {
		t.Errorf("error %v, want a timeout that says what to do", err)
	}
	if _, err := r.Get(t.Context(), store.Key{Namespace: "a", Name: "m"}, store.GetOptions{}); err != nil {
		t.Errorf("the object that was written: %v", err)
	}
}

// away is an engine that cannot be reached for some deletions.
type away struct {
	store.Engine
	deletions int
}

func (e *away) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	if e.deletions--; e.deletions >= 0 {
		return 0, fmt.Errorf("no route to host: %w", store.ErrUnavailable)
	}
	return e.Engine.Delete(ctx, key, expected)
}

// TestExpiryDuringAnOutage checks that an object that expires while the engine cannot be reached is
// deleted when it can.
func TestExpiryDuringAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &away{memory.New(), 10}
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, store.ResourceOptions{})
		if _, err := r.Create(t.Context(), machine("a", "m"), store.WriteOptions{TTL: time.Minute}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute + 5*time.Second)
		if n := r.Count(""); n != 1 {
			t.Fatalf("%d objects while the engine is away", n)
		}
		time.Sleep(10 * time.Second)
		if n := r.Count(""); n != 0 {
			t.Errorf("%d objects after it is back", n)
		}
	})
}

// TestManyExpiringObjects checks that a store that is opened on thousands of objects with a TTL,
// and one that loads all of them again, deletes each in time. Opening one panicked, and loading
// again forgot most of the times.
func TestManyExpiringObjects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &lossy{Engine: memory.New()}
		defer engine.Close()
		writer, err := store.Open(t.Context(), engine.Engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := addMachines(t, writer, store.ResourceOptions{})
		const n = 3000
		write := func(name string) {
			for i := range n {
				_, err := r.Create(t.Context(), machine("a", fmt.Sprint(name, i)), store.WriteOptions{TTL: time.Hour})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		write("before")
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		// It misses a change, so it loads everything again, which has other objects by then.
		engine.lose.Store(true)
		relabel(t, r, store.Key{Namespace: "a", Name: "before0"}, "x", "1")
		write("after")
		relabel(t, r, store.Key{Namespace: "a", Name: "before0"}, "x", "2")
		if err := writer.Close(); err != nil { // which would delete them
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if found, _, err := engine.Count(t.Context(), ""); err != nil || found != 2*n {
			t.Fatalf("%d objects, %v; want %d", found, err, 2*n)
		}
		time.Sleep(time.Hour)
		if left, _, err := engine.Count(t.Context(), ""); err != nil || left != 0 {
			t.Errorf("%d objects are left when all have expired: %v", left, err)
		}
	})
}

// slow is an engine that takes a second for each deletion and fails for one of the keys.
type slow struct {
	store.Engine
	stuck string
}

func (e *slow) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	time.Sleep(time.Second)
	if strings.HasSuffix(key, e.stuck) {
		return 0, store.ErrUnavailable
	}
	return e.Engine.Delete(ctx, key, expected)
}

// TestObjectsExpireTogether checks that objects that expire at the same time do not wait for each
// other, nor for one that cannot be deleted.
func TestObjectsExpireTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &slow{memory.New(), "/m0"}
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, store.ResourceOptions{})
		for i := range 600 {
			_, err := r.Create(t.Context(), machine("a", fmt.Sprint("m", i)), store.WriteOptions{TTL: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute + 15*time.Second)
		if n := r.Count(""); n != 1 {
			t.Errorf("%d objects are left after 15 seconds, want one", n)
		}
	})
}

// TestExpiryLeavesTimeForHistory checks that a store drops history that is too old, although there
// are more expired objects than it can try to delete before the first of them is due again.
func TestExpiryLeavesTimeForHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := &slow{memory.New(), ""}
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{History: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, store.ResourceOptions{})
		for i := range 600 {
			_, err := r.Create(t.Context(), machine("a", fmt.Sprint("m", i)), store.WriteOptions{TTL: time.Second})
			if err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Minute)
		_, err = r.Watch(t.Context(), store.WatchOptions{ResourceVersion: "1"})
		if metav1.ReasonOf(err) != metav1.StatusReasonExpired {
			t.Errorf("a watch from long ago: %v", err)
		}
	})
}
