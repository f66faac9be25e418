package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/encrypt"
	"github.com/askind/askind/store/memory"
)

// TestReplicas has two servers of one engine that serve different versions, as while a program is
// updated: the Group says what both serve, whichever is asked, until one of them ends.
func TestReplicas(t *testing.T) {
	t.Parallel()
	db := memory.New()
	defer db.Close()
	start := func(name, release string, db store.Engine, groups ...func(*runtime.Builder)) *server.Server {
		t.Helper()
		scheme, err := runtime.NewScheme(groups...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := server.New(scheme, db, server.Replicas(), server.Identity(name),
			server.ServerVersion(server.Version{GitVersion: release}))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const group = "/apis/discovery.k8s.io/v1alpha1/groups/fleet.example.com"
	versions := func(s *server.Server) string {
		w := request(s, "GET", group, "", "Accept: text/plain")
		if w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
		return w.Body.String()
	}
	old := start("a", "v1.0.0", db, v1.AddTo)
	if got := versions(old); strings.Contains(got, "v1beta1") {
		t.Errorf("one server: %s", got)
	}
	young := start("b", "v1.1.0", db, v1.AddTo, v1beta1.AddTo)
	for _, s := range []*server.Server{old, young} {
		eventually(t, s, group, http.StatusOK, "v1beta1")
	}
	const machines = "/apis/fleet.example.com/v1beta1/namespaces/default/machines"
	if w := request(old, "GET", machines, ""); w.Code != http.StatusServiceUnavailable ||
		w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "another replica") {
		t.Errorf("a resource of another replica: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := request(old, "GET", strings.Replace(machines, "machines", "planes", 1), ""); w.Code != http.StatusNotFound {
		t.Errorf("a resource of no replica: %d %s", w.Code, w.Body)
	}
	if err := young.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if !strings.Contains(versions(old), "v1beta1") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if got := versions(old); strings.Contains(got, "v1beta1") {
		t.Errorf("the version of a server that has ended remains: %s", got)
	}
	eventually(t, old, machines, http.StatusNotFound, "")
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestReplicaWithoutOldKey starts a server whose records of before, when its process was killed,
// are encrypted with a key that is not there any more.
func TestReplicaWithoutOldKey(t *testing.T) {
	t.Parallel()
	db := memory.New()
	defer db.Close()
	before, err := encrypt.New(db, encrypt.Keys{{ID: "old", Secret: make([]byte, 16)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"leases/a", "leases/b", "announcements/fleet.example.com/a"} {
		if _, err := before.Put(t.Context(), "discovery.k8s.io/servers/"+key, []byte("{}"), 0); err != nil {
			t.Fatal(err)
		}
	}
	now, err := encrypt.New(db, encrypt.Keys{{ID: "new", Secret: make([]byte, 32)}})
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(scheme, now, server.Replicas(), server.Identity("a"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	eventually(t, s, "/apis/discovery.k8s.io/v1alpha1/groups/fleet.example.com", http.StatusOK, "machines")
}

// TestReplicasCloseQuietly closes a server whose controller compares its Groups all the time, and
// its engine before or after it: neither is a failure of its background work.
func TestReplicasCloseQuietly(t *testing.T) {
	t.Parallel()
	for _, engineFirst := range []bool{false, true} {
		var log bytes.Buffer
		db := memory.New()
		s, err := server.New(fleet(t), db, server.Replicas(), server.Log(slog.New(slog.NewTextHandler(&log, nil))),
			server.Discovery(server.DiscoverySettings{Period: time.Millisecond, Lease: 3 * time.Millisecond}))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if engineFirst {
			db.Close()
			time.Sleep(10 * time.Millisecond) // the controller meets the closed engine
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		db.Close()
		if log.Len() > 0 {
			t.Errorf("the engine is closed first: %t; the log has\n%s", engineFirst, &log)
		}
	}
}

// restored is an engine that is restored from a backup: its watches end, and what they had reached
// is in the future until another write.
type restored struct {
	store.Engine
	lost    atomic.Uint64   // the revision before
	done    context.Context // done when it is restored
	watched chan struct{}   // closed when the Groups are watched again
	once    sync.Once
}

func (e *restored) Watch(ctx context.Context, prefix string, after uint64, deliver func(store.Changes) error) error {
	if e.done.Err() != nil {
		if after <= e.lost.Load() {
			return store.ErrFuture
		}
		if prefix == "discovery.k8s.io/" {
			e.once.Do(func() { close(e.watched) })
		}
		return e.Engine.Watch(ctx, prefix, after, deliver)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.done, cancel)()
	err := e.Engine.Watch(ctx, prefix, after, deliver)
	if e.done.Err() != nil {
		return store.ErrFuture
	}
	return err
}

// TestReplicasAfterRestore holds that a server goes on to see what other replicas serve when the
// revision of its engine goes back, that watches expire, and that the log does not count either as
// failures.
func TestReplicasAfterRestore(t *testing.T) {
	t.Parallel()
	done, restore := context.WithCancel(t.Context())
	db := &restored{Engine: memory.New(), done: done, watched: make(chan struct{})}
	defer db.Close()
	var log bytes.Buffer
	s, err := server.New(fleet(t), db, server.Replicas(), server.Log(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	watch, err := (&http.Client{Transport: s.Transport()}).Get("http://server" + sites + "?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Body.Close()
	revision, err := db.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	db.lost.Store(revision)
	restore()
	if w := request(s, "POST", sites, site("a")); w.Code != http.StatusCreated {
		t.Errorf("code %d: %s", w.Code, w.Body)
	}
	select {
	case <-db.watched:
	case <-time.After(2 * time.Minute):
		t.Error("the Groups are not watched")
	}
	if got, err := io.ReadAll(watch.Body); err != nil || !strings.Contains(string(got), `"reason":"Expired"`) {
		t.Errorf("the watch got %s, %v", got, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if log.Len() > 0 {
		t.Errorf("the log has\n%s", &log)
	}
}

// unconfirmed is an engine whose connection breaks after each write, once it is told to.
type unconfirmed struct {
	store.Engine
	broken atomic.Bool
}

func (e *unconfirmed) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	revision, err := e.Engine.Put(ctx, key, value, expected)
	if e.broken.Load() {
		return 0, errors.Join(err, store.ErrUncertain, errors.New("the cable is cut"))
	}
	return revision, err
}

// TestUncertainWrites holds that the log says why a write is answered with 504, which the answer
// does not.
func TestUncertainWrites(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	db := &unconfirmed{Engine: memory.New()}
	s, err := server.New(fleet(t), db, server.Log(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	db.broken.Store(true)
	w := request(s, "POST", sites, site("a"))
	if w.Code != http.StatusGatewayTimeout || strings.Contains(w.Body.String(), "cable") {
		t.Errorf("code %d: %s", w.Code, w.Body)
	}
	db.broken.Store(false)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if got := log.String(); strings.Count(got, "the cable is cut") != 1 {
		t.Errorf("the log has\n%s", got)
	}
}
