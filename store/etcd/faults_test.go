package etcd_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// TestFaults writes and watches while parts of the cluster fail. No acknowledged write may be
// missing, and what the watch delivered must be what a list shows.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		short bool
		fault func(t *testing.T, members []*member)
	}{
		{"the leader moves", true, func(t *testing.T, members []*member) {
			for range 3 {
				moveLeader(t, members)
				time.Sleep(300 * time.Millisecond)
			}
		}},
		{"a member is lost and returns", true, func(_ *testing.T, members []*member) {
			members[0].stop()
			time.Sleep(time.Second)
			members[0].restart()
		}},
		{"each member restarts in turn", false, func(_ *testing.T, members []*member) {
			for _, m := range members {
				m.stop()
				time.Sleep(time.Second)
				m.restart()
			}
		}},
		{"all members are down", true, func(_ *testing.T, members []*member) {
			for _, m := range members {
				m.stop()
			}
			pause := 30 * time.Second
			if testing.Short() {
				pause = 2 * time.Second
			}
			time.Sleep(pause)
			restarted := make(chan struct{})
			for _, m := range members {
				go func() { m.restart(); restarted <- struct{}{} }()
			}
			for range members {
				<-restarted
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() && !tt.short {
				t.Skip("takes several restarts")
			}
			members := startCluster(t, 3, nil)
			writing, reading := dial(t, members, ""), dial(t, members, "")
			watch := follow(t, reading, start(t, reading))
			a, b := write(writing, "a"), write(reading, "b")
			time.Sleep(300 * time.Millisecond)
			tt.fault(t, members)
			time.Sleep(500 * time.Millisecond)
			acked := a.finish(t)
			for key, n := range b.finish(t) {
				acked[key] = n
			}
			compareAll(t, reading, watch, acked)
		})
	}
}

// TestNetworkCut cuts the connection between the engine and etcd for longer than the client's
// keep-alive, while another client goes on writing.
func TestNetworkCut(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	p := startProxy(t, members[0].config.AdvertiseClientUrls[0].Host)
	near := dial(t, members, "")
	far, err := etcd.Dial(etcd.Config{Endpoints: []string{p.url()}})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	watch := follow(t, far, start(t, far))
	w := write(near, "a")
	for range 3 {
		time.Sleep(300 * time.Millisecond)
		p.setCut(true)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if _, err := far.Revision(ctx); err == nil {
			t.Error("a consistent read succeeded without a connection")
		}
		cancel()
		p.setCut(false)
	}
	compareAll(t, far, watch, w.finish(t))
}

// start returns the present revision.
func start(t *testing.T, e *etcd.Engine) uint64 {
	t.Helper()
	revision, err := e.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

// moveLeader makes another member the leader.
func moveLeader(t *testing.T, members []*member) {
	t.Helper()
	for i, m := range members {
		if m.server.Server.Leader() != m.server.Server.MemberID() {
			continue
		}
		to := members[(i+1)%len(members)].server.Server.MemberID()
		if err := m.server.Server.MoveLeader(t.Context(), uint64(m.server.Server.MemberID()), uint64(to)); err != nil {
			t.Log(err)
		}
		return
	}
}

// compareAll holds that the watch and the list agree, and that every acknowledged write is there.
func compareAll(t *testing.T, e *etcd.Engine, watch *record, acked map[string]int) {
	t.Helper()
	listed, revision := content(t, e)
	if now := start(t, e); now < revision {
		t.Fatalf("revision %d after %d", now, revision)
	}
	if diff := cmp.Diff(listed, watch.until(t, revision)); diff != "" {
		t.Errorf("the watch differs from the list (-list +watch):\n%s", diff)
	}
	for key, n := range acked {
		// The last write may have taken effect without an acknowledgement.
		if got, err := strconv.Atoi(listed[key]); err != nil || got < n || got > n+1 {
			t.Errorf("%s holds %q, and %d was acknowledged", key, listed[key], n)
		}
	}
	if len(acked) == 0 || watch.changes < 10 {
		t.Errorf("only %d keys and %d changes were seen", len(acked), watch.changes)
	}
}

// TestCompacted holds that a watch and a list below the compacted revision are told so, and that a
// watch from the beginning starts at what is kept.
func TestCompacted(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e, compact := dial(t, members, ""), compactAs(newClient(t, members))
	revision, revisions := uint64(0), []uint64{}
	for i := range 10 {
		var err error
		if revision, err = e.Put(t.Context(), "k", fmt.Appendf(nil, "%d", i), revision); err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, revision)
	}
	if err := compact(t.Context(), e, revisions[5]); err != nil {
		t.Fatal(err)
	}
	ignore := func(store.Changes) error { return nil }
	if err := e.Watch(t.Context(), "", revisions[2], ignore); !errors.Is(err, store.ErrCompacted) {
		t.Errorf("watch: %v", err)
	}
	if err := e.Watch(t.Context(), "", revision+100, ignore); !errors.Is(err, store.ErrFuture) {
		t.Errorf("watch from the future: %v", err)
	}
	if _, err := e.List(t.Context(), "", store.RangeOptions{Revision: revisions[2]}); !errors.Is(err,
		store.ErrCompacted) {
		t.Errorf("list: %v", err)
	}
	seen := 0
	stop := errors.New("enough")
	err := e.Watch(t.Context(), "", 0, func(c store.Changes) error {
		if seen += len(c.List); c.Revision >= revision {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || seen < 4 || seen > 6 {
		t.Errorf("a watch from the beginning saw %d changes: %v", seen, err)
	}
}

// TestLimitsOfEtcd holds that what etcd refuses is explained.
func TestLimitsOfEtcd(t *testing.T) {
	t.Parallel()
	e := dial(t, startCluster(t, 1, func(c *embed.Config) { c.QuotaBackendBytes = 4 << 20 }), "")
	if _, err := e.Put(t.Context(), "large", bytes.Repeat([]byte("x"), 2<<20), 0); !errors.Is(err, etcd.ErrTooLarge) {
		t.Errorf("a large value: %v", err)
	}
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		_, err = e.Put(t.Context(), fmt.Sprint(i), bytes.Repeat([]byte("x"), 1<<19), 0)
	}
	if !errors.Is(err, etcd.ErrNoSpace) {
		t.Errorf("a full disk: %v", err)
	}
	if _, err := e.Get(t.Context(), "0"); err != nil {
		t.Errorf("reading from a full etcd: %v", err)
	}
}

// TestPrefixesStandApart holds that servers with different prefixes do not see each other's keys.
func TestPrefixesStandApart(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	a, b := dial(t, members, "/a"), dial(t, members, "/a/b/")
	watch := follow(t, a, start(t, a))
	if _, err := a.Put(t.Context(), "k", []byte("a"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(t.Context(), "k", []byte("b"), 0); err != nil {
		t.Fatal(err)
	}
	if got, _ := content(t, b); len(got) != 1 || got["k"] != "b" {
		t.Errorf("b has %v", got)
	}
	want := map[string]string{"k": "a", "b/k": "b"}
	if diff := cmp.Diff(want, watch.until(t, start(t, a))); diff != "" {
		t.Errorf("nested prefixes (-want +got):\n%s", diff)
	}
}

// TestClosed holds that a closed engine answers ErrClosed and that its watches end.
func TestClosed(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e, err := etcd.Dial(etcd.Config{Endpoints: endpoints(members)})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- e.Watch(context.Background(), "", 0, func(store.Changes) error { return nil }) }()
	time.Sleep(50 * time.Millisecond)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, store.ErrClosed) {
		t.Errorf("the watch ended with %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if _, err := e.Get(t.Context(), "k"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Get after Close: %v", err)
	}
}
