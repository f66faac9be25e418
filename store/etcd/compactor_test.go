package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// newClient returns a client of etcd, closed when the test ends.
func newClient(t testing.TB, members []*member) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints(members), DialTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// compactAs returns what an administrator does to compact a cluster.
func compactAs(c *clientv3.Client) func(context.Context, store.Engine, uint64) error {
	return func(ctx context.Context, _ store.Engine, revision uint64) error {
		if _, err := c.Compact(ctx, int64(revision)); !errors.Is(err, rpctypes.ErrCompacted) {
			return err
		}
		return nil
	}
}

// fleet is the compactors of several engines over one etcd, with one clock.
type fleet struct {
	*testing.T
	client *clientv3.Client
	clock  time.Time
}

func newFleet(t *testing.T, change func(*embed.Config)) *fleet {
	return &fleet{t, newClient(t, startCluster(t, 1, change)), time.Now()}
}

func (f *fleet) compactor(history time.Duration) *etcd.Compactor {
	return etcd.NewCompactor(f.client, etcd.Compaction{History: history}, func() time.Time { return f.clock })
}

// round lets time pass and moves the compactors.
func (f *fleet) round(pause time.Duration, all ...*etcd.Compactor) {
	f.Helper()
	f.clock = f.clock.Add(pause)
	for _, c := range all {
		if err := c.Round(f.Context()); err != nil {
			f.Fatal(err)
		}
	}
}

// put writes a key that no engine has, and returns the revision.
func (f *fleet) put(value string) int64 {
	f.Helper()
	resp, err := f.client.Put(f.Context(), "other", value)
	if err != nil {
		f.Fatal(err)
	}
	return resp.Header.Revision
}

// want checks whether etcd still has a revision.
func (f *fleet) want(revision int64, kept bool) {
	f.Helper()
	_, err := f.client.Get(f.Context(), "other", clientv3.WithRev(revision))
	if kept && err != nil || !kept && !errors.Is(err, rpctypes.ErrCompacted) {
		f.Fatalf("revision %d: %v; it should be kept: %t", revision, err, kept)
	}
}

// The longest history that is registered applies to all, whichever engine is elected.
func TestLongestHistoryIsKept(t *testing.T) {
	t.Parallel()
	f := newFleet(t, nil)
	short, long := f.compactor(10*time.Minute), f.compactor(time.Hour)
	first, second := f.put("1"), f.put("2")
	f.round(0, short, long)
	third := f.put("3")
	lease, err := f.client.TimeToLive(t.Context(), long.Lease())
	if err != nil || lease.GrantedTTL < int64((time.Hour+2*time.Minute).Seconds()) {
		t.Errorf("the registration lasts %d s, less than its history and two periods (%v)", lease.GrantedTTL, err)
	}
	f.round(30*time.Minute, short, long)
	if !short.Leads() || long.Leads() {
		t.Fatalf("elected: %t and %t", short.Leads(), long.Leads())
	}
	f.want(first, true)
	f.round(30*time.Minute-time.Second, short, long)
	f.want(first, true)
	f.round(time.Second, long) // which is not elected
	f.want(first, true)
	f.round(0, short)
	f.want(first, false)
	f.want(second, false) // registrations came after it
	f.want(third, true)
	f.round(time.Hour, short, long)
	f.want(third, true) // it is what is there
	f.put("4")
	f.round(time.Minute, short)
	f.round(time.Hour, short)
	f.want(third, false)
}

// TestCompactionAfterRestore checks that what is written after etcd was restored from a backup, so
// that its revision went back, is kept as long as it would be otherwise.
func TestCompactionAfterRestore(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	f := &fleet{t, newClient(t, members), time.Now()}
	c := f.compactor(10 * time.Minute)
	f.round(0, c)
	restore := backUp(t, members[0])
	var lost, last int64
	for range 20 {
		lost = f.put("lost")
	}
	f.round(time.Minute, c)
	restore()
	first := f.put("new")
	if first >= lost {
		t.Fatalf("revision %d after %d", first, lost)
	}
	f.round(time.Minute, c)
	for range 40 {
		last = f.put("new")
	}
	f.round(9*time.Minute, c)
	f.want(first, true)
	f.round(time.Minute, c)
	f.want(first, true) // which was there when the one after it was written
	f.round(9*time.Minute, c)
	f.want(first, false)
	f.want(last, true)
}

// An engine that has been closed, or whose lease has ended, is followed by another one, which uses
// its own marks. What an engine that is gone has registered counts until its lease ends.
func TestElection(t *testing.T) {
	t.Parallel()
	f := newFleet(t, nil)
	a, b, c := f.compactor(time.Hour), f.compactor(10*time.Minute), f.compactor(10*time.Minute)
	first := f.put("1")
	f.put("2")
	f.round(0, a, b, c)
	a.Resign(t.Context())
	f.round(11*time.Minute, b, c)
	if !b.Leads() || c.Leads() {
		t.Fatalf("after an engine has resigned: %t and %t", b.Leads(), c.Leads())
	}
	f.want(first, true)
	for _, gone := range []*etcd.Compactor{a, b} { // as if they had crashed long ago
		if _, err := f.client.Revoke(t.Context(), gone.Lease()); err != nil {
			t.Fatal(err)
		}
	}
	f.round(0, c)
	if !c.Leads() {
		t.Fatal("no engine follows the one that crashed")
	}
	f.want(first, false)
	b.Resign(t.Context()) // it believes to be elected
	elected, err := f.client.Get(t.Context(), etcd.CompactionPrefix+"leader")
	if err != nil || len(elected.Kvs) != 1 || clientv3.LeaseID(elected.Kvs[0].Lease) != c.Lease() {
		t.Errorf("after another engine has resigned: %v, %v", elected, err)
	}
	f.round(0, b)
	if b.Leads() {
		t.Error("two engines are elected")
	}
	kept, err := f.client.Get(t.Context(), etcd.CompactionPrefix+"members/", clientv3.WithPrefix())
	if err != nil || len(kept.Kvs) != 2 {
		t.Errorf("%d engines are registered, want 2: %v", len(kept.Kvs), err)
	}
}

// Engines whose clocks differ by hours compact no more than those whose clocks are right. That a
// clock is set makes no difference either, since time.Now has a monotonic reading.
func TestClockSkew(t *testing.T) {
	t.Parallel()
	f := newFleet(t, nil)
	compactor := func(skew time.Duration) *etcd.Compactor {
		return etcd.NewCompactor(f.client, etcd.Compaction{History: time.Hour}, func() time.Time {
			return f.clock.Add(skew)
		})
	}
	fast, slow := compactor(5*time.Hour), compactor(-5*time.Hour)
	first := f.put("first")
	f.round(0, fast, slow)
	f.put("second")
	for range 59 {
		f.round(time.Minute, fast, slow)
	}
	f.want(first, true)
	fast.Resign(f.Context())
	f.round(time.Second, slow, fast) // the other one is elected
	if !slow.Leads() {
		t.Fatal("the elected engine has not changed")
	}
	f.want(first, true)
	for range 5 {
		f.round(time.Minute, slow, fast)
	}
	f.want(first, false)
}

// Nothing is compacted while a registration cannot be read, and the error names its key.
func TestUnreadableRegistration(t *testing.T) {
	t.Parallel()
	f := newFleet(t, nil)
	c := f.compactor(time.Minute)
	first := f.put("1")
	f.put("2")
	f.round(0, c)
	key := etcd.CompactionPrefix + "members/x"
	if _, err := f.client.Put(t.Context(), key, "long"); err != nil {
		t.Fatal(err)
	}
	f.clock = f.clock.Add(time.Hour)
	if err := c.Round(t.Context()); err == nil || !strings.Contains(err.Error(), key) {
		t.Errorf("error %v", err)
	}
	f.want(first, true)
	if _, err := f.client.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	f.round(0, c)
	f.want(first, false)
}

// An engine whose registration failed after it had got a lease registers in its next round. If it
// only kept the lease alive, others would not know its history.
func TestFailedRegistration(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	var failing atomic.Bool
	failing.Store(true)
	client, err := clientv3.New(clientv3.Config{
		Endpoints: endpoints(members),
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string,
			req, reply any, cc *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption,
		) error {
			if failing.Load() && strings.HasSuffix(method, "/Put") {
				return rpctypes.ErrGRPCNoSpace
			}
			return call(ctx, method, req, reply, cc, opts...)
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	c := etcd.NewCompactor(client, etcd.Compaction{}, time.Now)
	if err := c.Round(t.Context()); !errors.Is(err, rpctypes.ErrNoSpace) {
		t.Errorf("the round ends with %v", err)
	}
	failing.Store(false)
	if err := c.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := client.Get(t.Context(), etcd.CompactionPrefix+"members/", clientv3.WithPrefix())
	if err != nil || len(kept.Kvs) != 1 {
		t.Errorf("%d engines are registered, want 1: %v", len(kept.Kvs), err)
	}
}

// An idle cluster is not written to, and a long history needs few marks.
func TestIdleCompactor(t *testing.T) {
	t.Parallel()
	f := newFleet(t, nil)
	c := f.compactor(100 * time.Hour)
	f.round(0, c)
	before := f.put("1")
	for range 1200 {
		f.round(5*time.Minute, c)
	}
	if after := f.put("2"); after != before+1 {
		t.Errorf("the rounds wrote %d times", after-before-1)
	}
	if n := c.Marks(); n < 256 || n > 520 {
		t.Errorf("%d marks", n)
	}
}

// An elected engine compacts also when etcd has no space for writes.
func TestCompactionWithoutSpace(t *testing.T) {
	t.Parallel()
	f := newFleet(t, func(c *embed.Config) { c.QuotaBackendBytes = 4 << 20 })
	c := f.compactor(time.Minute)
	first := f.put("1")
	f.put("2")
	f.round(0, c)
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		_, err = f.client.Put(t.Context(), "fill", strings.Repeat("x", 1<<19))
	}
	if !errors.Is(err, rpctypes.ErrNoSpace) {
		t.Fatal(err)
	}
	f.want(first, true)
	f.round(time.Hour, c)
	f.want(first, false)
}

// failures fails a test with what is written to it.
type failures struct{ *testing.T }

func (f failures) Write(p []byte) (int, error) {
	f.Errorf("logged: %s", p)
	return len(p), nil
}

// Engines compact by themselves, unless something else does.
func TestCompaction(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	client := newClient(t, members)
	for _, external := range []bool{true, false} { // the external one first: the other one compacts all
		e, err := etcd.Dial(etcd.Config{
			Endpoints: endpoints(members), Prefix: fmt.Sprint("/external/", external),
			Compaction: etcd.Compaction{External: external, History: -1, Period: 10 * time.Millisecond},
			Log:        slog.New(slog.NewTextHandler(failures{t}, &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
		if err != nil {
			t.Fatal(err)
		}
		first, err := e.Put(t.Context(), "k", []byte("1"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Put(t.Context(), "k", []byte("2"), first); err != nil {
			t.Fatal(err)
		}
		if err := e.Compact(t.Context(), first); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Compact: %v", err)
		}
		for deadline := time.Now().Add(time.Minute); !external; time.Sleep(5 * time.Millisecond) {
			_, err := e.List(t.Context(), "", store.RangeOptions{Revision: first})
			if errors.Is(err, store.ErrCompacted) {
				break
			}
			if err != nil || time.Now().After(deadline) {
				t.Fatal("nothing was compacted:", err)
			}
		}
		if all, _ := content(t, e); len(all) != 1 {
			t.Errorf("the keys of the election are visible: %v", all)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		keys, err := client.Get(t.Context(), etcd.CompactionPrefix, clientv3.WithPrefix())
		if err != nil {
			t.Fatal(err)
		}
		// The registration stays after Close, and the election does not.
		if want := map[bool]int{true: 0, false: 1}[external]; len(keys.Kvs) != want {
			t.Errorf("external: %t; %d keys of the election are left, want %d", external, len(keys.Kvs), want)
		}
		if external {
			if _, err := client.Get(t.Context(), "k", clientv3.WithRev(int64(first))); err != nil {
				t.Errorf("the past is gone: %v", err)
			}
		}
	}
}

// A store whose own history is over leaves the past of etcd to the others.
func TestStoresDoNotCompact(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e := dial(t, members, "")
	r := openReplica(t, e, store.Options{History: time.Millisecond}, "short")
	first, err := set(t.Context(), r, "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, deadline := 1, time.Now().Add(time.Minute); ; i++ {
		if _, err := set(t.Context(), r, "a", i); err != nil {
			t.Fatal(err)
		}
		w, err := r.Watch(t.Context(), store.WatchOptions{ResourceVersion: first.ResourceVersion()})
		if metav1.ReasonOf(err) == metav1.StatusReasonExpired {
			break
		}
		if err != nil || time.Now().After(deadline) {
			t.Fatal("the store keeps its history:", err)
		}
		w.Close()
	}
	if _, err := e.List(t.Context(), "", store.RangeOptions{Revision: first.Revision()}); err != nil {
		t.Errorf("the past of etcd is gone: %v", err)
	}
}
