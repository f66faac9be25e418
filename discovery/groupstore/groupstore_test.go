package groupstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/groupstore"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// replica opens its own store over an engine, as each server of an API does.
func replica(t testing.TB, engine store.Engine) (*groupstore.Storage, *store.Resource) {
	t.Helper()
	s, err := runtime.NewScheme(metav1.AddTo, discovery.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), engine, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	groups, err := st.Add(store.ResourceOptions{Factory: f, Kind: v1alpha1.GroupVersion.WithKind("Group")})
	if err != nil {
		t.Fatal(err)
	}
	storage, err := groupstore.New(groups,
		groupstore.Options{Complete: func(g *v1alpha1.Group) { g.UID = "uid-of-" + g.Name }})
	if err != nil {
		t.Fatal(err)
	}
	return storage, groups
}

func serves(t testing.TB, groupVersions ...string) *discovery.Documents {
	t.Helper()
	var c discovery.Config
	for _, text := range groupVersions {
		gv, err := schema.ParseGroupVersion(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Resources = append(c.Resources, discovery.Resource{
			GroupVersionResource: gv.WithResource("things"), Kind: schema.GroupVersionKind{Kind: "Thing"},
			Verbs: []string{"get"},
		})
	}
	d, err := discovery.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestThreeServers runs three servers over one engine, replaces them by newer ones, and checks the
// events of a watcher.
func TestThreeServers(t *testing.T) {
	t.Parallel()
	engine := memory.New()
	t.Cleanup(func() { _ = engine.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	start := func(server, release string, serving ...string) func() {
		storage, _ := replica(t, engine)
		c, err := discovery.NewController(discovery.ControllerConfig{
			Storage: storage, Server: server,
			Release: release,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Set(ctx, serves(t, serving...)); err != nil {
			t.Fatal(err)
		}
		running, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := c.Run(running); err != nil {
				t.Error(err)
			}
		})
		return func() { stop(); wg.Wait() }
	}
	storage, groups := replica(t, engine)
	watch, err := groups.Watch(ctx, store.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	old := []string{"cars.example.com/v1", "boats.example.com/v1"}
	next := []string{"cars.example.com/v2", "cars.example.com/v1", "planes.example.com/v1"}
	stopA, stopB := start("a", "1.0", old...), start("b", "1.0", old...)
	stopC := start("c", "1.1", next...)
	stopA()
	stopD := start("d", "1.1", next...)
	stopB()
	eventually(t, ctx, storage, "cars.example.com=v2,v1 planes.example.com=v1")
	stopC()
	stopD()
	var seen []string
	for {
		events, err := watch.Next(make([]store.Event, 0, 64))
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			seen = append(seen, e.Type+" "+e.Entry.Key().Name)
		}
	}
	slices.Sort(seen)
	want := []string{
		"ADDED boats.example.com", "ADDED cars.example.com", "ADDED planes.example.com",
		"DELETED boats.example.com", "MODIFIED cars.example.com",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("got events %q, want %q", seen, want)
	}
	g, err := storage.Group(ctx, "planes.example.com")
	if err != nil || g.UID != "uid-of-planes.example.com" {
		t.Errorf("got %+v, %v", g, err)
	}
	if records, err := storage.Records(ctx, ""); err != nil || len(records) != 0 {
		t.Errorf("records are left: %v, %v", records, err)
	}
}

// TestGroupWithColon checks that a group whose name has the character that separates the segments
// of a record is stored too.
func TestGroupWithColon(t *testing.T) {
	t.Parallel()
	engine := memory.New()
	t.Cleanup(func() { _ = engine.Close() })
	storage, _ := replica(t, engine)
	c, err := discovery.NewController(discovery.ControllerConfig{Storage: storage, Server: "a:1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Set(t.Context(), serves(t, "cars:old/v1", "cars/v1")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cars:old", "cars"} {
		if g, err := storage.Group(t.Context(), name); err != nil || g == nil {
			t.Errorf("%s: got %v, %v", name, g, err)
		}
	}
}

// eventually waits until the Groups have the expected state.
func eventually(t *testing.T, ctx context.Context, s *groupstore.Storage, want string) {
	t.Helper()
	for {
		groups, err := s.Groups(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, g := range groups {
			got += fmt.Sprintf("%s=%s ", g.Name, v1alpha1.VersionNames(g))
		}
		if got == want+" " {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("got Groups %s, want %s", got, want)
		}
	}
}

// unreachable is an engine whose revision cannot be read at one call.
type unreachable struct {
	store.Engine
	calls atomic.Int64 // until that call; below 0 after it
}

func (e *unreachable) Revision(ctx context.Context) (uint64, error) {
	if e.calls.Add(-1) == 0 {
		return 0, store.ErrUnavailable
	}
	return e.Engine.Revision(ctx)
}

// TestChangedAfterFailure checks that changes are waited for again after the engine was away.
func TestChangedAfterFailure(t *testing.T) {
	t.Parallel()
	engine := &unreachable{Engine: memory.New()}
	t.Cleanup(func() { _ = engine.Close() })
	s, _ := replica(t, engine)
	for call := range int64(2) {
		engine.calls.Store(call + 1)
		if err := s.Changed(t.Context()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("call %d: %v", call, err)
		}
	}
	if err := s.Changed(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestUnreadableRecord has a record that another program has written, such as one that is encrypted
// with a key that is not known any more.
func TestUnreadableRecord(t *testing.T) {
	t.Parallel()
	engine := memory.New()
	t.Cleanup(func() { _ = engine.Close() })
	key := "records.discovery.k8s.io/records/leases/a"
	if _, err := engine.Put(t.Context(), key, []byte("?"), 0); err != nil {
		t.Fatal(err)
	}
	s, _ := replica(t, engine)
	if err := s.PutRecord(t.Context(), "leases/a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	records, err := s.Records(t.Context(), "leases/")
	if err != nil || len(records) != 1 || string(records[0].Value) != "1" {
		t.Errorf("got %v, %v", records, err)
	}
}

func TestStorageConflicts(t *testing.T) {
	t.Parallel()
	engine := memory.New()
	t.Cleanup(func() { _ = engine.Close() })
	ctx := t.Context()
	s, _ := replica(t, engine)
	g := serves(t, "cars.example.com/v1").Groups()[0]
	if err := s.PutGroup(ctx, g); err != nil {
		t.Fatal(err)
	}
	stored, err := s.Group(ctx, g.Name)
	if err != nil {
		t.Fatal(err)
	}
	again := serves(t, "cars.example.com/v2").Groups()[0]
	if err := s.PutGroup(ctx, again); !errors.Is(err, metav1.ErrConflict) {
		t.Errorf("a Group that is there was created: %v", err)
	}
	again.ResourceVersion = stored.ResourceVersion
	if err := s.PutGroup(ctx, again); err != nil {
		t.Error(err)
	}
	if err := s.DeleteGroup(ctx, g.Name, stored.ResourceVersion); !errors.Is(err, metav1.ErrConflict) {
		t.Errorf("another version was deleted: %v", err)
	}
	if g, err := s.Group(ctx, "nothing.example.com"); g != nil || err != nil {
		t.Errorf("got %v, %v", g, err)
	}
	for _, key := range []string{"leases/a", "announcements/cars.example.com/a", "announcements/cars.example.com/b"} {
		if err := s.PutRecord(ctx, key, []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	for prefix, want := range map[string]int{
		"": 3, "leases/": 1, "announcements/": 2,
		"announcements/cars.example.com/": 2, "announcements/cars/": 0,
	} {
		records, err := s.Records(ctx, prefix)
		if err != nil || len(records) != want {
			t.Errorf("%q: got %d records, %v", prefix, len(records), err)
		}
		for _, r := range records {
			if r.Key != string(r.Value) {
				t.Errorf("got %s: %s", r.Key, r.Value)
			}
		}
	}
	records, err := s.Records(ctx, "leases/")
	if err != nil {
		t.Fatal(err)
	}
	err = s.DeleteRecord(ctx, "leases/a", records[0].Revision-1)
	if !errors.Is(err, metav1.ErrConflict) {
		t.Errorf("another revision was deleted: %v", err)
	}
	if err := errors.Join(s.DeleteRecord(ctx, "leases/a", records[0].Revision),
		s.DeleteRecord(ctx, "leases/a", 1)); err != nil {
		t.Error(err)
	}
}
