package etcd_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
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
			watch.atLeast(t, 10)
			acked := a.finish(t)
			for key, n := range b.finish(t) {
				acked[key] = n
			}
			compareAll(t, reading, watch, acked)
		})
	}
}

// TestIsolatedMember cuts a member off from the others while clients still reach it. A third of all
// requests went there: each failed after the time of a request, and whether a write had taken
// effect was uncertain.
func TestIsolatedMember(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 3, nil)
	e := dial(t, members, "")
	if _, err := e.Put(t.Context(), "k", []byte("v"), 0); err != nil {
		t.Fatal(err)
	}
	for _, m := range members[1:] {
		members[0].server.Server.CutPeer(m.server.Server.MemberID())
		m.server.Server.CutPeer(members[0].server.Server.MemberID())
	}
	eventually(t, "the member has no leader", func() bool { return members[0].server.Server.Leader() == 0 })
	for i := range 20 {
		if _, err := e.Revision(t.Context()); err != nil {
			t.Error(err)
		}
		key := fmt.Sprint("k", i)
		if _, err := e.Put(t.Context(), key, []byte("v"), 0); err != nil {
			t.Error(err)
		}
		until := time.Now().Add(time.Duration(i) * time.Hour) // each needs a lease of its own
		if _, err := e.PutUntil(t.Context(), key+"u", []byte("v"), 0, until); err != nil {
			t.Error(err)
		}
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
	watch.atLeast(t, 10)
	compareAll(t, far, watch, w.finish(t))
}

// TestStalledNetwork lets nothing through for longer than the client's keep-alive, and closes no
// connection, as when a machine is gone or a firewall drops packets.
func TestStalledNetwork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the keep-alive")
	}
	members := startCluster(t, 1, nil)
	p := startProxy(t, members[0].config.AdvertiseClientUrls[0].Host)
	far, err := etcd.Dial(etcd.Config{Endpoints: []string{p.url()}, Compaction: etcd.Compaction{External: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	watch := follow(t, far, start(t, far))
	w := write(dial(t, members, ""), "a")
	time.Sleep(300 * time.Millisecond)
	p.stalled.Lock()
	time.Sleep(20 * time.Second)
	p.stalled.Unlock()
	watch.atLeast(t, 10)
	compareAll(t, far, watch, w.finish(t))
}

// TestCompactionUnderSlowStore cuts a store off while others write and etcd compacts what it would
// need to go on. It loads again when the connection is back: watches from before are told to list,
// and what is listed is the present.
func TestCompactionUnderSlowStore(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	near := openReplica(t, dial(t, members, ""), store.Options{}, "near")
	p := startProxy(t, members[0].config.AdvertiseClientUrls[0].Host)
	engine, err := etcd.Dial(etcd.Config{Endpoints: []string{p.url()}, Compaction: etcd.Compaction{External: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	far := openReplica(t, engine, store.Options{}, "far")
	first, err := set(t.Context(), near, "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	key := store.Key{Namespace: "default", Name: "a"}
	if _, err := far.Get(t.Context(), key, store.GetOptions{}); err != nil { // has it
		t.Fatal(err)
	}
	w, err := far.Watch(t.Context(), store.WatchOptions{ResourceVersion: first.ResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p.setCut(true)
	var last *store.Entry
	for i := range 20 {
		if last, err = set(t.Context(), near, "a", i+1); err != nil {
			t.Fatal(err)
		}
	}
	if err := compactAs(newClient(t, members))(t.Context(), nil, last.Revision()); err != nil {
		t.Fatal(err)
	}
	p.setCut(false)
	got, err := far.Get(t.Context(), key, store.GetOptions{ResourceVersion: last.ResourceVersion()})
	for i := 0; metav1.ReasonOf(err) == metav1.StatusReasonTimeout && i < 10; i++ { // it is not there yet
		got, err = far.Get(t.Context(), key, store.GetOptions{ResourceVersion: last.ResourceVersion()})
	}
	if err != nil || got.Revision() != last.Revision() {
		t.Fatalf("a read of revision %d: %v, %v", last.Revision(), got, err)
	}
	if events, err := w.Next(make([]store.Event, 0, 64)); metav1.ReasonOf(err) != metav1.StatusReasonExpired {
		t.Errorf("a watch over what was missed has %d events and ends with %v", len(events), err)
	}
	if err := far.Store().Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := set(t.Context(), far, "a", 100); err != nil {
		t.Error(err)
	}
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
		if n == 0 && listed[key] == "" {
			continue // no write has taken effect
		}
		// The last write may have taken effect without an acknowledgement.
		if got, err := strconv.Atoi(listed[key]); err != nil || got < n || got > n+1 {
			t.Errorf("%s holds %q, and %d was acknowledged", key, listed[key], n)
		}
	}
	if len(acked) == 0 || watch.changes < 10 {
		t.Errorf("only %d keys and %d changes were seen", len(acked), watch.changes)
	}
}

// TestCompacted checks that a watch and a list below the compacted revision are told so, and that a
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

// TestPast checks that no more of the past is read than is asked for, whether etcd has kept it or
// not.
func TestPast(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Past: 5, Compaction: etcd.Compaction{External: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	revision := uint64(0)
	for range 20 {
		if revision, err = e.Put(t.Context(), "k", []byte("v"), revision); err != nil {
			t.Fatal(err)
		}
	}
	seen := func() (revisions []uint64) {
		t.Helper()
		stop := errors.New("enough")
		after := uint64(0)
		err := e.Watch(t.Context(), "", 0, func(c store.Changes) error {
			if after == 0 {
				after = c.After
			}
			for _, change := range c.List {
				revisions = append(revisions, change.Revision-after)
			}
			if c.Revision >= revision {
				return stop
			}
			return nil
		})
		if !errors.Is(err, stop) {
			t.Error(err)
		}
		return revisions
	}
	if diff := cmp.Diff([]uint64{1, 2, 3, 4, 5}, seen()); diff != "" {
		t.Errorf("revisions behind the first (-want +got):\n%s", diff)
	}
	if err := compactAs(newClient(t, members))(t.Context(), e, revision-2); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint64{1, 2}, seen()); diff != "" {
		t.Errorf("revisions behind the compacted one (-want +got):\n%s", diff)
	}
}

// TestPastIsCompacted watches from the beginning when etcd has compacted everything up to the
// present, as administrators do before they defragment it. The watch delivers that there are no
// changes; it waited for the next one, and so did a store that was opened.
func TestPastIsCompacted(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e := dial(t, members, "")
	revision, err := e.Put(t.Context(), "k", []byte("v"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := compactAs(newClient(t, members))(t.Context(), e, revision); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	stop := errors.New("enough")
	err = e.Watch(ctx, "", 0, func(c store.Changes) error {
		if c.After != revision || len(c.List) > 0 || c.Revision != revision {
			t.Errorf("%d changes from %d to %d, want none at %d", len(c.List), c.After, c.Revision, revision)
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Errorf("the watch ends with %v", err)
	}
}

// TestOpenDuringCompactions opens a store while others write and compact to the present far more
// often than everything can be read. It was never opened.
func TestOpenDuringCompactions(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	near, compact := dial(t, members, ""), compactAs(newClient(t, members))
	for i := range 700 {
		if _, err := near.Put(t.Context(), fmt.Sprintf("k%03d", i), []byte("v"), 0); err != nil {
			t.Fatal(err)
		}
	}
	slow := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		o ...grpc.CallOption,
	) error {
		if r, ok := req.(*pb.RangeRequest); ok && !r.CountOnly {
			sleep(ctx, 150*time.Millisecond)
		}
		return invoke(ctx, method, req, reply, cc, o...)
	}
	far, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Compaction: etcd.Compaction{External: true},
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(slow)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			revision, err := near.Put(ctx, fmt.Sprintf("new%04d", i), []byte("v"), 0)
			if err == nil {
				err = compact(ctx, near, revision)
			}
			if err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
			sleep(ctx, 100*time.Millisecond)
		}
	})
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := store.Open(soon, far, store.Options{})
	stop()
	writing.Wait()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := start(t, far)
	eventually(t, "the store is there", func() bool { return s.Revision() >= now })
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// sleep waits, at most until a context is done.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// TestLimitsOfEtcd checks that what etcd refuses is explained, to clients too.
func TestLimitsOfEtcd(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e := dial(t, members, "")
	for _, size := range []int{2 << 20, 5 << 20} { // the server refuses the one before it has read the other
		_, err := e.Put(t.Context(), "large", bytes.Repeat([]byte("x"), size), 0)
		if !errors.Is(err, etcd.ErrTooLarge) || !errors.Is(err, store.ErrTooLarge) {
			t.Errorf("a value of %d bytes: %v", size, err)
		}
	}
	r := openReplica(t, e, store.Options{}, "")
	_, err := r.Create(t.Context(), &v1.Machine{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "large", Annotations: map[string]string{"a": strings.Repeat("x", 2<<20)},
	}}, store.WriteOptions{})
	if metav1.ReasonOf(err) != metav1.StatusReasonRequestEntityTooLarge {
		t.Errorf("a large object: %v", err)
	}
	if _, err := e.Put(t.Context(), "small", []byte("x"), 0); err != nil {
		t.Error(err)
	}
}

// TestOtherLimitsOfEtcd sets the limits of etcd lower and higher than by default: transactions of
// one operation suffice, compaction included, and larger objects are written, listed and watched.
func TestOtherLimitsOfEtcd(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, func(c *embed.Config) { c.MaxTxnOps, c.MaxRequestBytes = 1, 6<<20 })
	e := dial(t, members, "")
	watch := follow(t, e, start(t, e))
	want := strings.Repeat("x", 5<<20)
	revision, err := e.Put(t.Context(), "large", []byte(want), 0)
	if err != nil {
		t.Fatal(err)
	}
	if listed, _ := content(t, e); listed["large"] != want || watch.until(t, revision)["large"] != want {
		t.Errorf("%d bytes are listed and %d watched, want %d", len(listed["large"]),
			len(watch.until(t, revision)["large"]), len(want))
	}
	if _, err := e.PutUntil(t.Context(), "large", []byte("x"), revision, time.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	}
	if _, err := e.Put(t.Context(), "larger", bytes.Repeat([]byte("x"), 7<<20), 0); !errors.Is(err, etcd.ErrTooLarge) {
		t.Errorf("a value above the limit: %v", err)
	}
	c := etcd.NewCompactor(newClient(t, members), etcd.Compaction{}, time.Now)
	if err := c.Round(t.Context()); err != nil || !c.Leads() {
		t.Errorf("compaction: elected: %t, %v", c.Leads(), err)
	}
}

// TestPrefixOfElection checks that no engine is put on the keys with which engines elect one that
// compacts.
func TestPrefixOfElection(t *testing.T) {
	t.Parallel()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for prefix, ok := range map[string]bool{
		"askind.compaction": false, "askind.compaction/": false, "askind.compaction/members": false,
		"askind.compactions": true, "/askind.compaction/": true, "askind": true,
	} {
		e, err := etcd.New(client, prefix, etcd.Compaction{External: true})
		if (err == nil) != ok {
			t.Errorf("%q: %v", prefix, err)
		}
		if err == nil {
			_ = e.Close()
			continue
		}
		_, dialed := etcd.Dial(etcd.Config{Endpoints: []string{"http://127.0.0.1:1"}, Prefix: prefix})
		if dialed == nil || dialed.Error() != err.Error() || !strings.Contains(err.Error(), prefix) {
			t.Errorf("%q: Dial: %v, New: %v", prefix, dialed, err)
		}
	}
}

// TestLog checks that what the client of etcd reports goes to the logger of the configuration, such
// as that a read failed while etcd was away.
func TestLog(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	var text lockedBuffer
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), RequestTimeout: 500 * time.Millisecond,
		Compaction: etcd.Compaction{External: true},
		Log:        slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	members[0].stop()
	if _, err := e.Get(t.Context(), "k"); err == nil {
		t.Fatal("a read succeeds without etcd")
	}
	if got := text.String(); !strings.Contains(got, "level=DEBUG") || !strings.Contains(got, "store/etcd: retrying") ||
		!strings.Contains(got, "error=") {
		t.Errorf("the log has %q", got)
	}
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestNoSpace checks that a full etcd refuses writes for certain, that it can be read and watched
// and its objects deleted, and that writes go on, without a restart, when an administrator has made
// space.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, func(c *embed.Config) { c.QuotaBackendBytes = 4 << 20 })
	e, admin := dial(t, members, ""), newClient(t, members)
	watch := follow(t, e, start(t, e))
	value, revision := bytes.Repeat([]byte("x"), 1<<19), uint64(0)
	other, err := e.Put(t.Context(), "other", []byte("small"), 0)
	for last := uint64(0); err == nil; revision = max(revision, last) {
		last, err = e.Put(t.Context(), "k", value, revision)
	}
	if !errors.Is(err, etcd.ErrNoSpace) {
		t.Fatalf("a full disk: %v", err)
	}
	got, getErr := e.Get(t.Context(), "k")
	if getErr != nil || (got.Revision != revision) != errors.Is(err, store.ErrUncertain) {
		t.Fatalf("reading from a full etcd: revision %d, not %d: %v, after %v", got.Revision, revision, getErr, err)
	}
	revision = got.Revision
	for _, until := range []time.Time{{}, time.Now().Add(time.Hour)} {
		_, err := e.PutUntil(t.Context(), "k", value, revision, until)
		if !errors.Is(err, store.ErrNoSpace) || errors.Is(err, store.ErrUncertain) {
			t.Errorf("a write until %v to a full etcd: %v", until, err)
		}
	}
	deleted, err := e.Delete(t.Context(), "other", other)
	if err != nil {
		t.Fatal(err)
	}
	watch.until(t, deleted)
	// Until it is carried out, the compaction frees no space.
	if _, err := admin.Compact(t.Context(), int64(revision), clientv3.WithCompactPhysical()); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Defragment(t.Context(), endpoints(members)[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.AlarmDisarm(t.Context(), &clientv3.AlarmMember{}); err != nil {
		t.Fatal(err)
	}
	if revision, err = e.Put(t.Context(), "k", []byte("small"), revision); err != nil {
		t.Fatal(err)
	}
	if got := watch.until(t, revision); got["k"] != "small" {
		t.Errorf("the watch has %d bytes", len(got["k"]))
	}
}

// TestPrefixesStandApart checks that servers with different prefixes do not see each other's keys.
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

// TestClosed checks that a closed engine answers ErrClosed and that its watches end.
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
