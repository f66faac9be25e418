package store_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
	"github.com/askind/askind/store/memory"
	"github.com/askind/askind/store/storetest"
)

// long makes the random tests run for minutes rather than seconds.
var long = flag.Bool("long", false, "run the random tests of the store for long")

// rounds returns how many rounds a random test has.
func rounds(short int) int {
	if *long {
		return 100 * short
	}
	return short
}

// Watches are ordered, unique, atomic, reliable, resumable and filtered, bookmarks are true, states
// before are right, and a list at a revision is the replay of the watch up to it: on every engine,
// and with a history so short that slow clients fall out of it. The kit of storetest has more of
// these, on any engine; here they have more seeds.
func TestWatchesKeepTheirPromises(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]store.Options{"": {}, " with a short history": {HistoryBytes: 48 << 10}} {
		for engine, open := range map[string]func(t *testing.T) store.Engine{
			"memory": func(*testing.T) store.Engine { return memory.New() },
			"file":   func(t *testing.T) store.Engine { return openFile(t, filepath.Join(t.TempDir(), "db")) },
		} {
			t.Run(engine+name, func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(rounds(3)) {
					e := open(t)
					s, err := store.Open(t.Context(), e, o)
					if err != nil {
						t.Fatal(err)
					}
					r := storetest.AddBoxes(t, s)
					var observers []*storetest.Observer
					for i := range uint64(10) {
						observers = append(observers, storetest.NewObserver(t, r, seed*10+i))
					}
					storetest.Observe(t, r, seed, observers, 150)
					if err := errors.Join(s.Close(), e.Close()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

func openFile(t testing.TB, path string) *file.Engine {
	t.Helper()
	e, err := file.Open(path, file.Sync(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// Schedules of writes, pauses, compactions and expiries from seeds, in time that only passes when
// all wait.
func TestSchedules(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(30)) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 11))
			engine := memory.New()
			defer engine.Close()
			s, err := store.Open(t.Context(), engine,
				store.Options{History: time.Duration(1+random.IntN(10)) * time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			r := storetest.AddBoxes(t, s)
			var observers []*storetest.Observer
			for i := range uint64(5) {
				observers = append(observers, storetest.NewObserver(t, r, seed*5+i))
			}
			for range 60 {
				switch random.IntN(6) {
				case 0:
					time.Sleep(time.Duration(random.IntN(300)) * time.Second)
				case 1:
					box := storetest.NewBox(store.Key{Namespace: "n0", Name: fmt.Sprint("t", random.IntN(1000))})
					_, err := r.Create(t.Context(), box,
						store.WriteOptions{TTL: time.Duration(1+random.IntN(400)) * time.Second})
					if err != nil && metav1.ReasonOf(err) != metav1.StatusReasonAlreadyExists {
						t.Error(err)
					}
				case 2:
					if err := engine.Compact(t.Context(), s.Revision()); err != nil {
						t.Error(err)
					}
				default:
					if err := storetest.WriteAtRandom(t.Context(), r, random); err != nil {
						t.Error(err)
					}
				}
				o := observers[random.IntN(len(observers))]
				if err := errors.Join(o.Take(t.Context()), o.Resume(t.Context())); err != nil {
					t.Error(err)
				}
			}
			for _, o := range observers {
				if err := o.CatchUp(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
