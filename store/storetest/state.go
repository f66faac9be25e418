package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
)

// storeCases put one or several stores in front of the engine.
var storeCases = []testCase{
	{name: "watches keep their promises", run: func(s *subject) {
		_, r := s.openStore(store.Options{})
		Observe(s, r, 1, s.observers(10, r), s.kit.writes(50))
	}},
	{name: "watches keep their promises with a short history", compacts: true, run: func(s *subject) {
		_, r := s.openStore(store.Options{HistoryBytes: 48 << 10})
		Observe(s, r, 2, s.observers(10, r), s.kit.writes(50))
	}},
	{name: "watches move between stores", run: func(s *subject) {
		first, a := s.openStore(store.Options{})
		second, b := s.openStore(store.Options{})
		rs := []*store.Resource{a, b}
		observers := append(s.observers(5, a), s.observers(5, b)...)
		for turn := range 4 {
			Observe(s, rs[turn%2], uint64(turn), observers, s.kit.writes(15))
			for i, o := range observers {
				if err := o.Switch(s.ctx, rs[(i+turn)%2]); err != nil {
					s.Fatal(err)
				}
			}
		}
		s.wantOneList(observers)
		for _, st := range []*store.Store{first, second} {
			if err := st.Verify(s.ctx); err != nil {
				s.Error(err)
			}
		}
	}},
	{name: "watches go on when the engine is reopened", run: func(s *subject) {
		if s.kit.Reopen == nil {
			s.Skip("the engine keeps nothing")
		}
		var observers []*Observer
		for life := range 4 {
			st, r := s.openStore(store.Options{})
			if life == 0 {
				observers = s.observers(10, r)
			}
			for _, o := range observers {
				if err := o.Switch(s.ctx, r); err != nil {
					s.Fatalf("life %d: %v", life, err)
				}
			}
			Observe(s, r, uint64(life), observers, s.kit.writes(15))
			if err := st.Close(); err != nil {
				s.Fatal(err)
			}
			s.reopen()
		}
		s.wantOneList(observers)
	}},
	{name: "a version of one store is served by another", run: func(s *subject) {
		_, a := s.openStore(store.Options{})
		_, b := s.openStore(store.Options{})
		for i := range 20 {
			key := store.Key{Namespace: "n0", Name: fmt.Sprint("box", i)}
			written, err := a.Create(s.ctx, NewBox(key), store.WriteOptions{})
			if err != nil {
				s.Fatal(err)
			}
			for _, version := range []string{"", written.ResourceVersion()} {
				read, err := b.Get(s.ctx, key, store.GetOptions{ResourceVersion: version})
				if err != nil || read.Revision() != written.Revision() {
					s.Fatalf("version %q: %v", version, err)
				}
			}
			// A version that one store states is served by the other, whether or not an object of
			// the resource was written at it.
			s.put(fmt.Sprintf("elsewhere/%02d", i), "1", 0)
			l, err := a.List(s.ctx, store.ListOptions{})
			if err != nil {
				s.Fatal(err)
			}
			if _, err := b.List(s.ctx, store.ListOptions{ResourceVersion: l.ResourceVersion()}); err != nil {
				s.Fatalf("the version %s of a list: %v", l.ResourceVersion(), err)
			}
		}
	}},
	{name: "two stores are linearizable", run: linearizableStores},
}

// writes returns how many writes a goroutine makes, more in a long run.
func (k *Kit) writes(n int) int { return n * max(1, k.Long) }

// openStore opens a store on the engine, closed when the case ends.
func (s *subject) openStore(o store.Options) (*store.Store, *store.Resource) {
	s.Helper()
	st, err := store.Open(s.ctx, s.Engine, o)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { st.Close() })
	return st, AddBoxes(s, st)
}

// observers returns observers of different things.
func (s *subject) observers(n uint64, r *store.Resource) []*Observer {
	s.Helper()
	var out []*Observer
	for i := range n {
		out = append(out, NewObserver(s, r, i))
	}
	return out
}

// wantOneList checks that no observer had to list again.
func (s *subject) wantOneList(observers []*Observer) {
	s.Helper()
	for i, o := range observers {
		if o.Lists() != 1 {
			s.Errorf("observer %d had to list %d times", i, o.Lists())
		}
	}
}

// boxCall is what a client of a store asks for: a box is read, or written as it was when the client
// saw it last.
type boxCall struct {
	name, verb, version, label string
}

// boxAnswer is the result of a [boxCall].
type boxAnswer struct {
	version, label string
	reason         metav1.StatusReason
}

// boxModel is a box under one name: its version, blank if it is not there, and its label.
var boxModel = porcupine.Model{
	Partition: partition(func(input any) string { return input.(boxCall).name }),
	Init:      func() any { return boxAnswer{} },
	Step: func(state, input, output any) (bool, any) {
		now, in, out := state.(boxAnswer), input.(boxCall), output.(boxAnswer)
		there := now.version != ""
		switch in.verb {
		case "get":
			if !there {
				return out.reason == metav1.StatusReasonNotFound, now
			}
			return out == now, now
		case "create":
			if there {
				return out.reason == metav1.StatusReasonAlreadyExists, now
			}
		default:
			if !there {
				return out.reason == metav1.StatusReasonNotFound, now
			}
			if in.version != "" && in.version != now.version {
				return out.reason == metav1.StatusReasonConflict, now
			}
		}
		if out.reason != "" || !later(out.version, now.version) {
			return false, now
		}
		if in.verb == "delete" {
			return out.label == now.label, boxAnswer{}
		}
		return out.label == in.label, boxAnswer{version: out.version, label: in.label}
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// later reports whether one version is later than another; every version is later than a blank one.
func later(a, b string) bool {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint("0"+b, 10, 64)
	return errX == nil && errY == nil && x > y
}

// do carries out a call.
func (c *boxCall) do(ctx context.Context, r *store.Resource) (boxAnswer, error) {
	key := store.Key{Namespace: "a", Name: c.name}
	label := map[string]string{"x": c.label}
	var e *store.Entry
	var err error
	switch c.verb {
	case "get":
		e, err = r.Get(ctx, key, store.GetOptions{})
	case "create":
		box := NewBox(key)
		box.SetLabels(label)
		e, err = r.Create(ctx, box, store.WriteOptions{})
	case "update":
		e, err = r.Update(ctx, key, store.WriteOptions{ResourceVersion: c.version},
			func(_ context.Context, current runtime.Object) (runtime.Object, error) {
				current.(*unstructured.Object).SetLabels(label)
				return current, nil
			})
	case "delete":
		e, err = r.Delete(ctx, key, store.WriteOptions{ResourceVersion: c.version}, nil)
	}
	if err != nil {
		if reason := metav1.ReasonOf(err); reason != "" {
			return boxAnswer{reason: reason}, nil
		}
		return boxAnswer{}, err
	}
	m, err := e.Metadata()
	if err != nil {
		return boxAnswer{}, err
	}
	return boxAnswer{version: m.ResourceVersion, label: m.Labels["x"]}, nil
}

// linearizableStores records what clients of two stores on one engine do to a few boxes, and checks
// that it could have happened in some order, one after the other.
func linearizableStores(s *subject) {
	_, a := s.openStore(store.Options{})
	_, b := s.openStore(store.Options{})
	stores := []*store.Resource{a, b}
	var mu sync.Mutex
	var history []porcupine.Operation
	var failures error
	var wg sync.WaitGroup
	start := time.Now()
	for client := range 6 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(client), 5))
			seen := map[string]string{}
			for i := range 40 {
				c := boxCall{
					name: fmt.Sprint("m", random.IntN(3)), label: fmt.Sprint(client, "-", i),
					verb: []string{"get", "create", "update", "update", "delete"}[random.IntN(5)],
				}
				if random.IntN(2) == 0 && (c.verb == "update" || c.verb == "delete") {
					c.version = seen[c.name]
				}
				begin := time.Since(start)
				out, err := c.do(s.ctx, stores[random.IntN(2)])
				end := time.Since(start)
				seen[c.name] = out.version
				mu.Lock()
				failures = errors.Join(failures, err)
				history = append(history, porcupine.Operation{
					ClientId: client, Input: c, Call: int64(begin), Output: out, Return: int64(end),
				})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if failures != nil {
		s.Fatal(failures)
	}
	if result := porcupine.CheckOperationsTimeout(boxModel, history, s.kit.Patience); result != porcupine.Ok {
		s.Errorf("the history of %d calls is not linearizable: %s", len(history), result)
	}
}
