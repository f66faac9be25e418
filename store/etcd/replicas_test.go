package etcd_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
)

// replica is one of several stores over one etcd.
type replica struct {
	*store.Resource
	name string
}

// replicas opens n stores over a cluster, each with an engine of its own.
func replicas(t *testing.T, members []*member, n int) []replica {
	t.Helper()
	out := make([]replica, n)
	for i := range out {
		out[i] = openReplica(t, dial(t, members, ""), store.Options{}, fmt.Sprint("replica ", i))
	}
	return out
}

// openReplica opens a store on an engine until the test ends.
func openReplica(t *testing.T, e *etcd.Engine, o store.Options, name string) replica {
	t.Helper()
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo)
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
	r, err := s.Add(store.ResourceOptions{Factory: factory, Kind: v1.GroupVersion.WithKind("Machine")})
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
