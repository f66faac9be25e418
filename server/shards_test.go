package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

var poolResource = schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "machinepools"}

// newSharded returns a server whose pools are in an engine of their own, which it returns.
func newSharded(t *testing.T, o ...server.Option) (*server.Server, store.Engine) {
	t.Helper()
	pools := memory.New()
	t.Cleanup(func() { pools.Close() }) // after the server
	return newServer(t, append(o, server.StoreFor(pools, poolResource))...), pools
}

// TestStoreFor checks that the objects of a resource are in its engine and in no other.
func TestStoreFor(t *testing.T) {
	t.Parallel()
	s, engine := newSharded(t)
	count := func() int64 {
		t.Helper()
		n, _, err := engine.Count(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if w := request(s, "POST", machines, machine(`"name":"a"`)); w.Code != http.StatusCreated || count() != 0 {
		t.Errorf("a machine: %d, and the engine of the pools has %d keys", w.Code, count())
	}
	if w := request(s, "POST", pools, pool("web", 2)); w.Code != http.StatusCreated || count() != 1 {
		t.Errorf("a pool: %d, and the engine of the pools has %d keys", w.Code, count())
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []struct{ Metadata struct{ Name string } }
	}
	if err := json.Unmarshal(request(s, "GET", pools, "").Body.Bytes(), &list); err != nil || len(list.Items) != 1 {
		t.Fatalf("%v: %+v", err, list)
	}
	revision, err := engine.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if list.Metadata.ResourceVersion != fmt.Sprint(revision) {
		t.Errorf("a list of pools has the version %s, and their engine %d", list.Metadata.ResourceVersion, revision)
	}
	if body := request(s, "GET", "/metrics", "").Body.String(); !strings.Contains(body, `askind_store_revision{store="1"}`) {
		t.Errorf("metrics: %s", body)
	}
}

// TestStoreForCollection checks that owners and dependants find each other over two engines.
func TestStoreForCollection(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"Background", "Foreground"} {
		s, _ := newSharded(t)
		owned(t, s, "")(policy)
		eventually(t, s, machines+"/a", http.StatusNotFound, "")
		eventually(t, s, machines+"/b", http.StatusNotFound, "")
		eventually(t, s, pools+"/web", http.StatusNotFound, "")
	}
	s, _ := newSharded(t)
	owned(t, s, "")("Orphan")
	eventually(t, s, pools+"/web", http.StatusNotFound, "")
	w := request(s, "GET", machines+"/a", "")
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "ownerRef") {
		t.Errorf("an orphan: %s", w.Body)
	}
}

// late delivers changes only while its lock is free.
type late struct {
	store.Engine
	sync.Mutex
}

func (e *late) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changes, ended := make(chan store.Changes, 1000), make(chan error, 1)
	go func() {
		ended <- e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
			c.List = slices.Clone(c.List)
			changes <- c
			return nil
		})
	}()
	for {
		select {
		case c := <-changes:
			e.Lock()
			err := deliver(c)
			e.Unlock()
			if err != nil {
				return err
			}
		case err := <-ended:
			return err
		}
	}
}

// TestStoreForOrphans has an engine deliver late a dependant that another replica has created
// before its owner is deleted. It must stay.
func TestStoreForOrphans(t *testing.T) {
	t.Parallel()
	inner := memory.New()
	t.Cleanup(func() { inner.Close() })
	engine := &late{Engine: inner}
	s := newServer(t, server.StoreFor(engine, poolResource))
	if w := request(s, "POST", machines, machine(`"name":"owner"`)); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	ref := reference(t, s, machines+"/owner", "fleet.example.com/v1", "Machine")
	child := strings.Replace(pool("web", 2), `"web"`, `"web","ownerReferences":[`+ref+`]`, 1)
	if w := request(s, "POST", pools, child); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	page, err := inner.List(t.Context(), "", store.RangeOptions{})
	if err != nil || len(page.Items) != 1 {
		t.Fatal(page.Items, err)
	}
	if w := request(s, "DELETE", pools+"/web", ""); w.Code != http.StatusOK {
		t.Fatal(w.Body)
	}
	engine.Lock()
	if _, err := inner.Put(t.Context(), page.Items[0].Key, page.Items[0].Value, 0); err != nil {
		t.Fatal(err)
	}
	request(s, "DELETE", machines+"/owner", `{"propagationPolicy":"Orphan"}`)
	time.Sleep(50 * time.Millisecond) // the collector has to wait for the engine
	engine.Unlock()
	eventually(t, s, machines+"/owner", http.StatusNotFound, "")
	time.Sleep(50 * time.Millisecond) // it would be deleted meanwhile
	if w := request(s, "GET", pools+"/web", ""); w.Code != http.StatusOK ||
		strings.Contains(w.Body.String(), "ownerReferences") {
		t.Error(w.Body)
	}
}

// TestStoreForGroups removes and installs a group whose resource has an engine of its own.
func TestStoreForGroups(t *testing.T) {
	t.Parallel()
	s, _ := newSharded(t)
	if w := request(s, "POST", pools, pool("web", 2)); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	const group = "/apis/discovery.k8s.io/v1alpha1/groups/fleet.example.com"
	if w := request(s, "GET", group, ""); !strings.Contains(w.Body.String(), "machinepools") {
		t.Errorf("the group: %s", w.Body)
	}
	if err := s.Remove(schema.GroupVersion{Group: poolResource.Group}); err != nil {
		t.Fatal(err)
	}
	if w := request(s, "GET", pools+"/web", ""); w.Code != http.StatusNotFound {
		t.Errorf("after the removal: %d %s", w.Code, w.Body)
	}
	if err := s.Install(v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo); err != nil {
		t.Fatal(err)
	}
	if w := request(s, "GET", pools+"/web", ""); w.Code != http.StatusOK {
		t.Errorf("after the installation: %s", w.Body)
	}
}

// TestStoreForMistakes checks what is refused, and what is logged.
func TestStoreForMistakes(t *testing.T) {
	t.Parallel()
	a, b := memory.New(), memory.New()
	defer a.Close()
	defer b.Close()
	for _, o := range [][]server.Option{
		{server.StoreFor(a, poolResource), server.StoreFor(b, poolResource)},
		{server.StoreFor(a, schema.GroupResource{Group: "discovery.k8s.io", Resource: "groups"})},
	} {
		if _, err := server.New(fleet(t), b, o...); err == nil || !strings.Contains(err.Error(), "StoreFor") {
			t.Errorf("the error is %v", err)
		}
	}
	closed := memory.New()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := server.New(fleet(t), b, server.StoreFor(closed, poolResource)); err == nil {
		t.Error("an engine that is closed was accepted")
	}
	var log strings.Builder
	s := newServer(t, server.Log(slog.New(slog.NewTextHandler(&log, nil))),
		server.StoreFor(a, schema.GroupResource{Group: "fleet.example.com", Resource: "machinepool"}))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "machinepool.fleet.example.com") {
		t.Errorf("a resource that is not there: %q", &log)
	}
}
