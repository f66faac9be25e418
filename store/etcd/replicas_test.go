package etcd_test

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
)

// replica is one of several stores over one etcd.
type replica struct {
	*store.Resource
	name string
}

// replicas opens n stores over a cluster, each with an engine of its own.
func replicas(t testing.TB, members []*member, n int) []replica {
	t.Helper()
	out := make([]replica, n)
	for i := range out {
		out[i] = openReplica(t, dial(t, members, ""), store.Options{}, fmt.Sprint("replica ", i))
	}
	return out
}

// openReplica opens a store on an engine until the test ends.
func openReplica(t testing.TB, e store.Engine, o store.Options, name string) replica {
	t.Helper()
	return openStoring(t, e, o, name, v1.GroupVersion)
}

// openStoring is openReplica for one that stores machines in a version.
func openStoring(t testing.TB, e store.Engine, o store.Options, name string, storage schema.GroupVersion) replica {
	t.Helper()
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), e, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	r, err := s.Add(store.ResourceOptions{Factory: factory, Kind: storage.WithKind("Machine")})
	if err != nil {
		t.Fatal(err)
	}
	return replica{r, name}
}

// set writes a label of the machine of a name, which is created if it is missing.
func set(ctx context.Context, r replica, name string, value int) (*store.Entry, error) {
	label := map[string]string{"n": strconv.Itoa(value)}
	return r.Update(ctx, store.Key{Namespace: "default", Name: name}, store.WriteOptions{CreateIfMissing: true},
		func(_ context.Context, current runtime.Object) (runtime.Object, error) {
			if current == nil {
				return &v1.Machine{
					ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: label},
				}, nil
			}
			current.(*v1.Machine).Labels = label
			return current, nil
		})
}

// TestReadYourWrites reads on each replica what was just written on another one.
func TestReadYourWrites(t *testing.T) {
	t.Parallel()
	all := replicas(t, startCluster(t, 1, nil), 3)
	for i := range 30 {
		written, err := set(t.Context(), all[i%3], "a", i)
		if err != nil {
			t.Fatal(err)
		}
		key := store.Key{Namespace: "default", Name: "a"}
		for _, how := range []store.GetOptions{{}, {ResourceVersion: written.ResourceVersion()}} {
			read, err := all[(i+1)%3].Get(t.Context(), key, how)
			if err != nil {
				t.Fatal(err)
			}
			if read.Revision() != written.Revision() {
				t.Fatalf("after revision %d, with %+v, another replica has %d", written.Revision(), how,
					read.Revision())
			}
		}
	}
}

// TestWatchMovesBetweenReplicas follows changes with a client that goes to another replica after
// every event, and holds that it sees each change once and in order.
func TestWatchMovesBetweenReplicas(t *testing.T) {
	t.Parallel()
	all := replicas(t, startCluster(t, 1, nil), 3)
	first, err := set(t.Context(), all[0], "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	const changes = 60
	failed := make(chan error, 1)
	go func() {
		for i := 1; i <= changes; i++ {
			if _, err := set(t.Context(), all[i%3], "a", i); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	version, seen := first.ResourceVersion(), 0
	for turn := 0; seen < changes; turn++ {
		event := next(t, all[turn%3], version)
		m, err := event.Entry.Object()
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if got := m.(*v1.Machine).Labels["n"]; got != strconv.Itoa(seen) {
			t.Fatalf("change %d is number %s", seen, got)
		}
		version = event.Entry.ResourceVersion()
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
}

// next returns the first event after a version. A replica may not know the version for a moment.
func next(t *testing.T, r replica, version string) store.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w, err := r.Watch(ctx, store.WatchOptions{ResourceVersion: version})
	if err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	defer w.Close()
	for {
		events, err := w.Next(make([]store.Event, 0, 1))
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if len(events) > 0 {
			return events[0]
		}
		if err := w.Wait(ctx); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
	}
}

// TestStorageVersionChanges replaces replicas that store v1beta1 by replicas that store v1, one
// after the other, while all that run count in the same objects. No count may be lost, every
// replica reads what the others write in either version, and a migration leaves one version behind.
func TestStorageVersionChanges(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	const objects, rounds = 3, 40
	open := func(i int, storage schema.GroupVersion) replica {
		name := fmt.Sprint("replica ", i, " of ", storage)
		return openStoring(t, dial(t, members, ""), store.Options{}, name, storage)
	}
	all := make([]replica, 3)
	for i := range all {
		all[i] = open(i, v1beta1.GroupVersion)
	}
	for round := range rounds {
		if i := round/10 - 1; round%10 == 5 && i >= 0 {
			all[i].Store().Close()
			all[i] = open(i, v1.GroupVersion)
		}
		var counting sync.WaitGroup
		for _, r := range all {
			counting.Go(func() {
				for n := range objects {
					if err := count(t.Context(), r, fmt.Sprint("m", n)); err != nil {
						t.Errorf("%s: %v", r.name, err)
					}
				}
			})
		}
		if counting.Wait(); t.Failed() {
			return
		}
	}
	want := strconv.Itoa(rounds * len(all))
	for _, r := range all {
		for n := range objects {
			key := store.Key{Namespace: "default", Name: fmt.Sprint("m", n)}
			e, err := r.Get(t.Context(), key, store.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if m, err := e.Object(); err != nil || labels(m)["n"] != want {
				t.Errorf("%s: m%d is %v, %v; want the count %s", r.name, n, m, err, want)
			}
		}
	}
	if report, err := all[1].Migrate(t.Context(), store.MigrateOptions{}); err != nil || report.Seen != objects {
		t.Errorf("migration: %+v, %v", report, err)
	}
	stored, err := dial(t, members, "").List(t.Context(), "fleet.example.com/", store.RangeOptions{})
	if err != nil || len(stored.Items) != objects {
		t.Fatalf("%d values, %v", len(stored.Items), err)
	}
	for _, kv := range stored.Items {
		if !bytes.Contains(kv.Value, []byte(`"apiVersion":"fleet.example.com/v1"`)) {
			t.Errorf("%s is stored as %s", kv.Key, kv.Value)
		}
	}
}

// count adds one to the label n of a machine, which is created if it is missing.
func count(ctx context.Context, r replica, name string) error {
	_, err := r.Update(ctx, store.Key{Namespace: "default", Name: name}, store.WriteOptions{CreateIfMissing: true},
		func(_ context.Context, current runtime.Object) (runtime.Object, error) {
			if current == nil {
				m := &v1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
				m.Labels = map[string]string{"n": "1"}
				return m, nil
			}
			n, err := strconv.Atoi(labels(current)["n"])
			labels(current)["n"] = strconv.Itoa(n + 1)
			return current, err
		})
	return err
}

// labels returns the labels of a machine of either version.
func labels(obj runtime.Object) map[string]string {
	if m, ok := obj.(*v1beta1.Machine); ok {
		return m.Labels
	}
	return obj.(*v1.Machine).Labels
}

// overtaken is an engine that others write to between the load of a store and its watch.
type overtaken struct {
	*etcd.Engine
	write func()
}

// Watch implements [store.Engine].
func (e overtaken) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	e.write()
	return e.Engine.Watch(ctx, prefix, from, deliver)
}

// TestLoadLongerThanPast opens a store while others make more changes than the engine reads of the
// past, so that its watch begins later than what was loaded. No change may be missing.
func TestLoadLongerThanPast(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	near := openReplica(t, dial(t, members, ""), store.Options{}, "near")
	write := func(objects, value int) {
		for i := range objects {
			if _, err := set(t.Context(), near, fmt.Sprint("m", i), value); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(10, 1)
	short, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Past: 5, Compaction: etcd.Compaction{External: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer short.Close()
	once := sync.OnceFunc(func() { write(20, 2) })
	far := openReplica(t, overtaken{short, once}, store.Options{}, "far")
	if err := far.Store().Verify(t.Context()); err != nil {
		t.Error(err)
	}
	list, err := far.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if list.Len() != 20 {
		t.Errorf("%d machines, want 20", list.Len())
	}
	if _, err := set(t.Context(), near, "m0", 3); err != nil {
		t.Fatal(err)
	}
	if event := next(t, far, list.ResourceVersion()); event.Entry.Key().Name != "m0" || event.Before == nil {
		t.Errorf("after the list there is %+v", event)
	}
}
