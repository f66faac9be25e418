package storetest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/meta/selector"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
)

// boxKind is the kind of the objects that are written at random.
var boxKind = schema.GroupVersionKind{Group: "storetest.example.com", Version: "v1", Kind: "Box"}

// AddBoxes adds a resource of untyped objects to a store. They can be selected by spec.zone, which
// has an index.
func AddBoxes(t testing.TB, s *store.Store) *store.Resource {
	t.Helper()
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Add(store.ResourceOptions{
		Factory: factory, Kind: boxKind, Untyped: true, Resource: "boxes", Scope: runtime.Namespaced,
		Fields: []store.Field{{Path: "spec.zone", Index: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// NewBox returns an object of [AddBoxes].
func NewBox(key store.Key) *unstructured.Object {
	box := unstructured.New(boxKind)
	box.SetNamespace(key.Namespace)
	box.SetName(key.Name)
	return box
}

// Observer is a client that lists, watches and resumes. It compares every event with the events
// before it, and the state that they lead to with lists. An Observer is for one goroutine.
type Observer struct {
	t        testing.TB
	resource *store.Resource
	random   *rand.Rand
	options  store.WatchOptions
	watch    *store.Watch
	state    map[string]string // version and label by key, as events have it
	seen     uint64            // the revision of the last event
	lists    int               // how often it had to list
}

// NewObserver returns an observer of boxes. What it selects, and how it lists and reads, follows
// from the seed.
func NewObserver(t testing.TB, r *store.Resource, seed uint64) *Observer {
	t.Helper()
	o := &Observer{t: t, resource: r, random: rand.New(rand.NewPCG(seed, 3))}
	var err error
	switch seed % 5 {
	case 1:
		o.options.Namespace = "n1"
	case 2:
		o.options.Labels, err = selector.Parse("x in (1,2)")
	case 3:
		o.options.Fields, err = store.ParseFieldSelector("spec.zone=z1")
	case 4:
		o.options.Namespace, o.options.Name = "n0", "m1"
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Lists returns how often the observer had to list, because it began or its position had expired.
func (o *Observer) Lists() int { return o.lists }

// begin lists and watches, in one of the ways that clients have.
func (o *Observer) begin(ctx context.Context) error {
	o.lists++
	opts := o.options
	if o.random.IntN(2) == 0 {
		l, err := o.list(ctx, "", "")
		if err != nil {
			return err
		}
		o.state, o.seen, opts.ResourceVersion = snapshot(o.t, l), l.Revision(), l.ResourceVersion()
		o.watch, err = o.resource.Watch(ctx, opts)
		if metav1.ReasonOf(err) == metav1.StatusReasonExpired {
			return o.begin(ctx)
		}
		return err
	}
	opts.Initial = true
	w, err := o.resource.Watch(ctx, opts)
	if err != nil {
		return err
	}
	o.watch, o.state, o.seen = w, snapshot(o.t, w.Initial()), w.Initial().Revision()
	return nil
}

// list lists what is watched.
func (o *Observer) list(ctx context.Context, version string, match metav1.ResourceVersionMatch) (*store.List, error) {
	return o.resource.List(ctx, store.ListOptions{
		Namespace: o.options.Namespace, Name: o.options.Name, Labels: o.options.Labels, Fields: o.options.Fields,
		ResourceVersion: version, ResourceVersionMatch: match,
	})
}

// snapshot returns a list as an observer keeps it.
func snapshot(t testing.TB, l *store.List) map[string]string {
	out := map[string]string{}
	for e := range l.Entries() {
		out[e.Key().String()] = about(t, e)
	}
	return out
}

// about is what an observer keeps of an entry.
func about(t testing.TB, e *store.Entry) string {
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

// Take reads some events and checks each. When all have been read it compares what they lead to
// with a list of that revision.
func (o *Observer) Take(ctx context.Context) error {
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

// check compares one event with what watches promise.
func (o *Observer) check(e store.Event) {
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

// compare compares what the events have led to with a list of that revision.
func (o *Observer) compare(ctx context.Context) error {
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

// Resume leaves the watch and begins another one at the same revision.
func (o *Observer) Resume(ctx context.Context) error {
	if o.watch == nil {
		return nil
	}
	return o.resumeAt(ctx, max(o.seen, o.watch.Revision()))
}

// Switch resumes on another resource, which shows the same objects: on another replica, or after a
// restart. It begins after the last event.
func (o *Observer) Switch(ctx context.Context, r *store.Resource) error {
	o.resource = r
	if o.seen == 0 {
		return nil
	}
	return o.resumeAt(ctx, o.seen)
}

func (o *Observer) resumeAt(ctx context.Context, revision uint64) error {
	opts := o.options
	opts.ResourceVersion = strconv.FormatUint(revision, 10)
	if o.watch != nil {
		o.watch.Close()
	}
	var err error
	if o.watch, err = o.resource.Watch(ctx, opts); metav1.ReasonOf(err) == metav1.StatusReasonExpired {
		o.watch = nil
		return nil
	}
	return err
}

// CatchUp reads until the observer has reached the revision of its store.
func (o *Observer) CatchUp(ctx context.Context) error {
	for o.watch == nil || o.watch.Revision() < o.resource.Store().Revision() {
		if err := o.Take(ctx); err != nil {
			return err
		}
	}
	return nil
}

// WriteAtRandom creates, changes or deletes one of eight boxes.
func WriteAtRandom(ctx context.Context, r *store.Resource, random *rand.Rand) error {
	key := store.Key{Namespace: fmt.Sprint("n", random.IntN(2)), Name: fmt.Sprint("m", random.IntN(4))}
	var err error
	if random.IntN(4) == 0 {
		_, err = r.Delete(ctx, key, store.WriteOptions{}, nil)
	} else {
		label, zone := fmt.Sprint(random.IntN(4)), fmt.Sprint("z", random.IntN(3))
		_, err = r.Update(ctx, key, store.WriteOptions{CreateIfMissing: true}, func(_ context.Context,
			current runtime.Object,
		) (runtime.Object, error) {
			box, _ := current.(*unstructured.Object)
			if box == nil {
				box = NewBox(key)
			}
			box.SetLabels(map[string]string{"x": label})
			return box, box.Set(zone, "spec", "zone")
		})
	}
	if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
		return nil
	}
	return err
}

// Observe writes at random to a resource, with three goroutines that make the given number of
// writes each, while observers read. It returns when all observers have seen all writes.
func Observe(t testing.TB, r *store.Resource, seed uint64, observers []*Observer, writes int) {
	t.Helper()
	ctx := t.Context()
	var writers, all sync.WaitGroup
	over := make(chan struct{})
	for i := range 3 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for range writes {
				if err := WriteAtRandom(ctx, r, random); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, o := range observers {
		all.Go(func() {
			if err := o.run(ctx, r, over); err != nil {
				t.Error(err)
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

// run reads, slowly at times, until writing is over and everything has been read.
func (o *Observer) run(ctx context.Context, r *store.Resource, over <-chan struct{}) error {
	for last := false; ; {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("an observer has not reached revision %d: %w", r.Store().Revision(), err)
		}
		select {
		case <-over:
			last = true
		default:
		}
		if o.random.IntN(10) == 0 {
			if err := o.Resume(ctx); err != nil {
				return err
			}
		}
		if err := o.Take(ctx); err != nil {
			return err
		}
		if last && o.watch != nil && o.watch.Revision() >= r.Store().Revision() {
			return nil
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
}
