package store_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
	"github.com/askind/askind/store/memory"
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

// observer is a client that lists, watches and resumes, and compares what it has been told with
// what is there.
type observer struct {
	t      *testing.T
	r      *store.Resource
	random *rand.Rand
	o      store.WatchOptions
	watch  *store.Watch
	state  map[string]string // version and label by key, as events have it
	seen   uint64            // the revision of the last event
	events int
	lists  int // how often it had to list anew
}

// newObserver returns an observer of something at random.
func newObserver(t *testing.T, r *store.Resource, seed uint64) *observer {
	o := &observer{t: t, r: r, random: rand.New(rand.NewPCG(seed, 3))}
	switch seed % 5 {
	case 1:
		o.o.Namespace = "n1"
	case 2:
		o.o.Labels = selector(t, "x in (1,2)")
	case 3:
		o.o.Fields = fieldSelector(t, "spec.zone=z1")
	case 4:
		o.o.Namespace, o.o.Name = "n0", "m1"
	}
	return o
}

// begin lists and watches, in one of the ways that clients have.
func (o *observer) begin(ctx context.Context) error {
	o.lists++
	opts := o.o
	if o.random.IntN(2) == 0 {
		l, err := o.list(ctx, "", "")
		if err != nil {
			return err
		}
		o.state, o.seen, opts.ResourceVersion = snapshot(o.t, l), l.Revision(), l.ResourceVersion()
		o.watch, err = o.r.Watch(ctx, opts)
		if metav1.ReasonOf(err) == metav1.StatusReasonExpired {
			return o.begin(ctx)
		}
		return err
	}
	opts.Initial = true
	w, err := o.r.Watch(ctx, opts)
	if err != nil {
		return err
	}
	o.watch, o.state, o.seen = w, snapshot(o.t, w.Initial()), w.Initial().Revision()
	return nil
}

// list lists what is watched.
func (o *observer) list(ctx context.Context, version string, match metav1.ResourceVersionMatch) (*store.List, error) {
	return o.r.List(ctx, store.ListOptions{
		Namespace: o.o.Namespace, Name: o.o.Name, Labels: o.o.Labels, Fields: o.o.Fields, ResourceVersion: version,
		ResourceVersionMatch: match,
	})
}

// snapshot is a list as an observer keeps it.
func snapshot(t *testing.T, l *store.List) map[string]string {
	out := map[string]string{}
	for e := range l.Entries() {
		out[e.Key().String()] = about(t, e)
	}
	return out
}

// about is what an observer keeps of an entry.
func about(t *testing.T, e *store.Entry) string {
	m, err := e.Metadata()
	if err != nil {
		t.Error(err)
		return ""
	}
	if m.ResourceVersion != e.ResourceVersion() {
		t.Errorf("%s states version %s, its entry %s", e.Key(), m.ResourceVersion, e.ResourceVersion())
	}
	return m.ResourceVersion + " " + m.Labels["x"]
}

// take reads what is there, and checks every event.
func (o *observer) take(ctx context.Context) error {
	if o.watch == nil {
		if err := o.begin(ctx); err != nil {
			return err
		}
	}
	before := o.watch.Revision()
	events, err := o.watch.Next(make([]store.Event, 0, 1+o.random.IntN(20)))
	for _, e := range events {
		o.check(e)
	}
	if reached := o.watch.Revision(); reached < before {
		o.t.Errorf("a watch went back from %d to %d", before, reached)
	} else if len(events) == 0 && reached < o.seen {
		o.t.Errorf("a bookmark of %d after an event of %d", reached, o.seen)
	}
	if err != nil {
		o.watch.Close()
		o.watch = nil
		if metav1.ReasonOf(err) == metav1.StatusReasonExpired {
			return nil // the next call lists
		}
		return err
	}
	if len(events) == 0 {
		return o.compare(ctx)
	}
	return nil
}

// check holds one event to what watches promise.
func (o *observer) check(e store.Event) {
	o.events++
	key := e.Entry.Key().String()
	known, there := o.state[key]
	revision := e.Entry.Revision()
	if revision <= o.seen {
		o.t.Errorf("%s %s of revision %d after one of %d: repeated or out of order", e.Type, key, revision, o.seen)
	}
	o.seen = revision
	if (e.Before != nil) != there || there && about(o.t, e.Before) != known {
		o.t.Errorf("%s %s at %d: before it, the watch had %q (%t)", e.Type, key, revision, known, there)
	}
	if (e.Type == metav1.WatchAdded) == there {
		o.t.Errorf("%s %s at %d, when it was there: %t", e.Type, key, revision, there)
	}
	if e.Type == metav1.WatchDeleted {
		delete(o.state, key)
		return
	}
	o.state[key] = about(o.t, e.Entry)
}

// compare holds what the events have led to beside a list of that revision.
func (o *observer) compare(ctx context.Context) error {
	at := o.watch.Revision()
	l, err := o.list(ctx, strconv.FormatUint(at, 10), metav1.ResourceVersionMatchExact)
	if metav1.ReasonOf(err) == metav1.StatusReasonExpired {
		return nil
	}
	if err != nil {
		return err
	}
	if want := snapshot(o.t, l); !maps.Equal(o.state, want) {
		o.t.Errorf("at %d the watch has led to %v, the list is %v", at, o.state, want)
	}
	return nil
}

// resume leaves a watch and begins another one where it was.
func (o *observer) resume(ctx context.Context) error {
	if o.watch == nil {
		return nil
	}
	opts := o.o
	opts.ResourceVersion = strconv.FormatUint(max(o.seen, o.watch.Revision()), 10)
	o.watch.Close()
	var err error
	if o.watch, err = o.r.Watch(ctx, opts); metav1.ReasonOf(err) == metav1.StatusReasonExpired {
		o.watch = nil
		return nil
	}
	return err
}

// writeAtRandom does something to one of a few machines.
func writeAtRandom(ctx context.Context, r *store.Resource, random *rand.Rand) error {
	key := store.Key{Namespace: fmt.Sprint("n", random.IntN(2)), Name: fmt.Sprint("m", random.IntN(4))}
	var err error
	switch random.IntN(4) {
	case 0:
		_, err = r.Delete(ctx, key, store.WriteOptions{}, nil)
	default:
		_, err = r.Update(ctx, key, store.WriteOptions{CreateIfMissing: true}, func(_ context.Context,
			current runtime.Object,
		) (runtime.Object, error) {
			m, _ := current.(*v1.Machine)
			if m == nil {
				m = machine(key.Namespace, key.Name)
			}
			m.Labels = map[string]string{"x": fmt.Sprint(random.IntN(4))}
			m.Spec.Zone = fmt.Sprint("z", random.IntN(3))
			return m, nil
		})
	}
	if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
		return nil
	}
	return err
}

// observe runs writers and observers beside each other.
func observe(t *testing.T, r *store.Resource, seed uint64, observers []*observer, writes int) {
	t.Helper()
	ctx := t.Context()
	var writers, all sync.WaitGroup
	over := make(chan struct{})
	for i := range 3 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for range writes {
				if err := writeAtRandom(ctx, r, random); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, o := range observers {
		all.Go(func() {
			for last := false; ; {
				select {
				case <-over:
					last = true
				default:
				}
				if o.random.IntN(10) == 0 {
					if err := o.resume(ctx); err != nil {
						t.Error(err)
					}
				}
				if err := o.take(ctx); err != nil {
					t.Error(err)
					return
				}
				if last && o.watch != nil && o.watch.Revision() >= r.Store().Revision() {
					return
				}
				if o.watch == nil || o.random.IntN(20) == 0 {
					time.Sleep(time.Millisecond) // a slow client
					continue
				}
				select {
				case <-o.watch.Ready():
				case <-time.After(time.Duration(1+o.random.IntN(5)) * time.Millisecond):
				}
			}
		})
	}
	writers.Wait()
	close(over)
	all.Wait()
	for i, o := range observers {
		if len(o.state) > 8 {
			t.Errorf("observer %d has %d objects", i, len(o.state))
		}
		if err := o.compare(ctx); err != nil {
			t.Error(err)
		}
	}
}

// fields are the declared fields of machines in random tests.
var fields = store.ResourceOptions{Fields: []store.Field{{Path: "spec.zone", Index: true}}}

// Watches are ordered, unique, atomic, reliable, resumable and filtered, bookmarks are true, states
// before are right, and a list at a revision is the replay of the watch up to it: on every engine,
// and with a history so short that slow clients fall out of it.
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
					r := addMachines(t, s, fields)
					var observers []*observer
					for i := range uint64(10) {
						observers = append(observers, newObserver(t, r, seed*10+i))
					}
					observe(t, r, seed, observers, 150)
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

// Clients go on with their watches when the program with the file has been restarted, at random
// times.
func TestWatchesGoOnOverRestarts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	var observers []*observer
	for life := range uint64(rounds(8)) {
		e, err := file.Open(path, file.Sync(-1))
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(t.Context(), e, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := addMachines(t, s, fields)
		if life == 0 {
			for i := range uint64(10) {
				observers = append(observers, newObserver(t, r, i))
			}
		}
		for _, o := range observers {
			o.r = r
			if o.seen > 0 {
				opts := o.o
				opts.ResourceVersion = strconv.FormatUint(o.seen, 10)
				if o.watch, err = r.Watch(t.Context(), opts); err != nil {
					t.Fatalf("life %d: %v", life, err)
				}
			}
		}
		observe(t, r, life, observers, 20)
		if err := errors.Join(s.Close(), e.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for i, o := range observers {
		if o.lists != 1 {
			t.Errorf("observer %d had to list %d times", i, o.lists)
		}
	}
}

// Two stores on one engine, as two processes have them: what one writes the other shows, and a
// client may change from one to the other at any time.
func TestReplicas(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	var rs []*store.Resource
	for range 2 {
		rs = append(rs, addMachines(t, open(t, engine, store.Options{}), fields))
	}
	var observers []*observer
	for i := range uint64(10) {
		observers = append(observers, newObserver(t, rs[i%2], i))
	}
	for turn := range uint64(rounds(6)) {
		observe(t, rs[turn%2], turn, observers, 30)
		for i, o := range observers {
			o.r = rs[(i+int(turn))%2]
			if err := o.resume(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, o := range observers {
		if o.lists != 1 {
			t.Errorf("observer %d had to list %d times", i, o.lists)
		}
	}
	var lists [2][]string
	for i, r := range rs {
		l, err := r.List(t.Context(), store.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		lists[i] = names(l)
	}
	if !slices.Equal(lists[0], lists[1]) {
		t.Errorf("%q and %q", lists[0], lists[1])
	}
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
			r := addMachines(t, s, fields)
			var observers []*observer
			for i := range uint64(5) {
				observers = append(observers, newObserver(t, r, seed*5+i))
			}
			for range 60 {
				switch random.IntN(6) {
				case 0:
					time.Sleep(time.Duration(random.IntN(300)) * time.Second)
				case 1:
					m := machine("n0", fmt.Sprint("t", random.IntN(1000)))
					_, err := r.Create(t.Context(), m,
						store.WriteOptions{TTL: time.Duration(1+random.IntN(400)) * time.Second})
					if err != nil && metav1.ReasonOf(err) != metav1.StatusReasonAlreadyExists {
						t.Error(err)
					}
				case 2:
					if err := engine.Compact(t.Context(), s.Revision()); err != nil {
						t.Error(err)
					}
				default:
					if err := writeAtRandom(t.Context(), r, random); err != nil {
						t.Error(err)
					}
				}
				o := observers[random.IntN(len(observers))]
				if err := errors.Join(o.take(t.Context()), o.resume(t.Context())); err != nil {
					t.Error(err)
				}
			}
			for _, o := range observers {
				for o.watch == nil || o.watch.Revision() < s.Revision() {
					if err := o.take(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}
