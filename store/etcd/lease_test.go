package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// newOn returns an engine on a client, closed when the test ends. It does not compact.
func newOn(t *testing.T, client *clientv3.Client, prefix string) *etcd.Engine {
	t.Helper()
	e, err := etcd.New(client, prefix, etcd.Compaction{External: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// TestLeases writes values that expire while nothing but etcd runs.
func TestLeases(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	client := newClient(t, members)
	ctx := t.Context()
	e := newOn(t, client, "/leases/")
	e.SetLeases(time.Second, time.Second)
	put := func(key string, expected uint64, until time.Time) uint64 {
		t.Helper()
		revision, err := e.PutUntil(ctx, key, []byte("v"), expected, until)
		if err != nil {
			t.Fatal(err)
		}
		return revision
	}
	soon := time.Now().Truncate(time.Second).Add(5500 * time.Millisecond) // after all that is written
	for i := range 3 {
		put(fmt.Sprint("temporary/", i), 0, soon)
	}
	leased, err := client.Leases(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(leased.Leases) != 1 {
		t.Errorf("three values that expire at the same time have %d leases, want 1", len(leased.Leases))
	}
	written := put("kept/by-a-later-write", 0, soon)
	if _, err := store.PutUntil(ctx, e, "kept/by-a-later-write", []byte("w"), written, time.Time{}); err != nil {
		t.Fatal(err)
	}
	put("kept/longer", 0, time.Now().Add(time.Hour))
	if _, err := e.PutUntil(ctx, "kept/longer", []byte("v"), 0, soon); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a key that is there gives %v, want a conflict", err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		left, err := client.Get(ctx, "/leases/temporary/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			t.Fatal(err)
		}
		if left.Count == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d values are left long after their time", left.Count)
		}
	}
	if n, _, err := e.Count(ctx, "kept/"); n != 2 || err != nil {
		t.Errorf("%d values are left of those that are to be kept, want 2 (%v)", n, err)
	}
}

// TestFullLease writes more values that expire at the same time than one lease holds.
func TestFullLease(t *testing.T) {
	t.Parallel()
	client := newClient(t, startCluster(t, 1, nil))
	e := newOn(t, client, "/leases/")
	until := time.Now().Add(time.Hour)
	var writing sync.WaitGroup
	var next atomic.Int64
	for range 50 {
		writing.Go(func() {
			for i := next.Add(1); i <= 1001; i = next.Add(1) {
				if _, err := e.PutUntil(t.Context(), fmt.Sprint(i), []byte("v"), 0, until); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	leased, err := client.Leases(t.Context())
	if err != nil || len(leased.Leases) != 2 {
		t.Errorf("%d leases, want 2 (%v)", len(leased.Leases), err)
	}
}

// TestLostLease has somebody revoke the lease that an engine uses.
func TestLostLease(t *testing.T) {
	t.Parallel()
	client := newClient(t, startCluster(t, 1, nil))
	ctx := t.Context()
	e := newOn(t, client, "/leases/")
	until := time.Now().Add(time.Hour)
	if _, err := e.PutUntil(ctx, "a", []byte("v"), 0, until); err != nil {
		t.Fatal(err)
	}
	leased, err := client.Leases(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leased.Leases {
		if _, err := client.Revoke(ctx, l.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.PutUntil(ctx, "b", []byte("v"), 0, until); err != nil {
		t.Fatal(err)
	}
	if n, _, err := e.Count(ctx, ""); n != 1 || err != nil {
		t.Errorf("%d values are there, want the second one alone (%v)", n, err)
	}
}

// TestLeaseLostAgain revokes each lease before the write that needs it, as when etcd is restored
// twice in a row. Nothing is written, which the error says, and the next write has its own lease.
func TestLeaseLostAgain(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	client := newClient(t, members)
	var losing atomic.Bool
	lose := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		o ...grpc.CallOption,
	) error {
		if losing.Load() && strings.HasSuffix(method, "/Txn") {
			leased, err := client.Leases(ctx)
			if err != nil {
				return err
			}
			for _, l := range leased.Leases {
				if _, err := client.Revoke(ctx, l.ID); err != nil {
					return err
				}
			}
		}
		return invoke(ctx, method, req, reply, cc, o...)
	}
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Compaction: etcd.Compaction{External: true},
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(lose)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	until := time.Now().Add(time.Hour)
	losing.Store(true)
	_, err = e.PutUntil(t.Context(), "a", []byte("v"), 0, until)
	if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUncertain) {
		t.Errorf("a write whose lease is lost again: %v", err)
	}
	losing.Store(false)
	if _, err := e.PutUntil(t.Context(), "a", []byte("v"), 0, until); err != nil {
		t.Error(err)
	}
}

// TestLongestLease writes values that expire in centuries, which is longer than etcd lets leases
// last.
func TestLongestLease(t *testing.T) {
	t.Parallel()
	client := newClient(t, startCluster(t, 1, nil))
	ctx := t.Context()
	e := newOn(t, client, "/leases/")
	for i, in := range []time.Duration{math.MaxInt64 - 365*24*time.Hour, math.MaxInt64} {
		if _, err := e.PutUntil(ctx, fmt.Sprint(i), []byte("v"), 0, time.Now().Add(in)); err != nil {
			t.Errorf("a value for %v: %v", in, err)
		}
	}
	leased, err := client.Leases(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leased.Leases {
		left, err := client.TimeToLive(ctx, l.ID)
		if err != nil {
			t.Fatal(err)
		}
		if century := int64(100 * 365 * 24 * 3600); left.TTL < century {
			t.Errorf("a value that expires in centuries has a lease that ends in %d s", left.TTL)
		}
	}
}

// TestHangingLease has etcd not answer a request for a lease. Writes that have their lease already
// go on, and when the writer that asked gives up, another one that waits for the lease asks again.
func TestHangingLease(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	var hang atomic.Bool
	asked := make(chan struct{}, 10)
	intercept := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
		invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		if hang.Load() && strings.HasSuffix(method, "/LeaseGrant") {
			asked <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Compaction: etcd.Compaction{External: true},
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(intercept)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	soon, later := time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
	if _, err := e.PutUntil(t.Context(), "a", []byte("v"), 0, soon); err != nil {
		t.Fatal(err)
	}
	hang.Store(true)
	put := func(ctx context.Context, key string) chan error {
		done := make(chan error, 1)
		go func() {
			_, err := e.PutUntil(ctx, key, []byte("v"), 0, later)
			done <- err
		}()
		return done
	}
	impatient, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	first := put(impatient, "b")
	<-asked
	second := put(t.Context(), "c")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := e.PutUntil(ctx, "d", []byte("v"), 0, soon); err != nil {
		t.Errorf("a write whose lease is there: %v", err)
	}
	waiting, stop := context.WithCancel(t.Context())
	third := put(waiting, "e")
	stop()
	if err := <-third; !errors.Is(err, context.Canceled) {
		t.Errorf("the writer that gave up while it waited for another one: %v", err)
	}
	hang.Store(false)
	giveUp()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the writer that gave up: %v", err)
	}
	if err := <-second; err != nil {
		t.Errorf("the writer that asks again: %v", err)
	}
	if n, _, err := e.Count(t.Context(), ""); n != 3 || err != nil {
		t.Errorf("%d values are there, want 3 (%v)", n, err)
	}
}

// TestRefusedLeases holds that writes which wait for one lease fail together, whatever the reason
// for which etcd refuses it. Each of them asked again when the one before had failed.
func TestRefusedLeases(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	const writes = 100
	var asked atomic.Int64
	refuse := make(chan struct{})
	intercept := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
		invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		if !strings.HasSuffix(method, "/LeaseGrant") {
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		asked.Add(1)
		<-refuse
		return rpctypes.ErrGRPCNoSpace
	}
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Compaction: etcd.Compaction{External: true},
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(intercept)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	until := time.Now().Add(time.Hour)
	var working sync.WaitGroup
	for i := range writes {
		working.Go(func() {
			_, err := e.PutUntil(t.Context(), fmt.Sprint("k", i), []byte("v"), 0, until)
			if !errors.Is(err, etcd.ErrNoSpace) {
				t.Error(err)
			}
		})
	}
	for deadline := time.Now().Add(time.Minute); e.Leased() < writes && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	close(refuse)
	working.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("%d writes asked for a lease %d times", writes, n)
	}
}
