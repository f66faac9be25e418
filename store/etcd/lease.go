package etcd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/askind/askind/store"
)

const (
	// leaseWindow is the range of expiry times that share a lease. etcd keeps each lease in memory
	// and writes to its disk to grant one.
	leaseWindow = time.Minute
	// leaseDelay is how long a lease outlives its values. Stores delete values in time, one by one
	// and with a revision each; the lease removes what no store has deleted.
	leaseDelay = time.Minute
	// maxLeased bounds the values of one lease, which etcd removes in one transaction.
	maxLeased = 1000
	// maxLease is how long etcd lets a lease last at most: 285 years.
	maxLease = 9_000_000_000 * time.Second
)

// leases holds the leases of an engine by window. Each window has at most one that accepts more
// values.
type leases struct {
	mu            sync.Mutex
	window, delay time.Duration
	open          map[time.Time]*lease // by the end of the window
}

// lease is one that a caller has asked etcd for. The others who need it wait until it is granted.
type lease struct {
	values  int           // guarded by leases.mu
	granted chan struct{} // closed when id and err are set
	id      clientv3.LeaseID
	err     error
}

// PutUntil implements [store.ExpiringEngine]: etcd removes the value one to two minutes after its
// time, by a lease that up to 1,000 values share. The time is counted by the clock of etcd from now
// on.
func (e *Engine) PutUntil(ctx context.Context, key string, value []byte, expected uint64, until time.Time,
) (uint64, error) {
	if err := store.CheckWrite(key, value); err != nil {
		return 0, err
	}
	for again := true; ; again = false {
		shared, err := e.lease(ctx, until)
		if err != nil {
			return 0, err
		}
		put := clientv3.OpPut(e.prefix+key, string(value), clientv3.WithLease(shared.id))
		revision, err := e.write(ctx, key, expected, put)
		if !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return revision, err
		}
		e.leases.forget(shared) // somebody revoked it, or etcd was restored
		if !again {
			return 0, fmt.Errorf("%w: %w", store.ErrUnavailable, err) // nothing was written
		}
	}
}

// lease returns a lease that ends after a time. If the caller that asks etcd for it gives up, one
// of those who wait asks again.
func (e *Engine) lease(ctx context.Context, until time.Time) (*lease, error) {
	l := &e.leases
	end := until.Truncate(l.window).Add(l.window)
	for {
		shared, first := l.take(end)
		if first {
			if shared.id, shared.err = e.grant(ctx, end); shared.err != nil {
				l.forget(shared)
			}
			close(shared.granted)
			return shared, shared.err
		}
		select {
		case <-shared.granted:
			if !errors.Is(shared.err, context.Canceled) && !errors.Is(shared.err, context.DeadlineExceeded) {
				return shared, shared.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-e.life.Done():
			return nil, store.ErrClosed
		}
	}
}

// take counts a value to the lease of a window, and reports whether the caller must ask etcd for
// that lease.
func (l *leases) take(end time.Time) (shared *lease, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for other := range l.open {
		if other.Before(now) {
			delete(l.open, other)
		}
	}
	shared = l.open[end]
	if first = shared == nil || shared.values == maxLeased; first {
		shared = &lease{granted: make(chan struct{})}
		if l.open == nil {
			l.open = map[time.Time]*lease{}
		}
		l.open[end] = shared
	}
	shared.values++
	return shared, first
}

// grant asks etcd for a lease that outlives a window.
func (e *Engine) grant(ctx context.Context, end time.Time) (clientv3.LeaseID, error) {
	caller := ctx
	ctx, cancel := e.bound(ctx)
	defer cancel()
	delay := e.leases.delay
	ttl := min(max(0, time.Until(end)), maxLease-delay) + delay
	var granted *clientv3.LeaseGrantResponse
	err := e.retry(ctx, func() (err error) {
		granted, err = e.client.Grant(ctx, int64((ttl+time.Second-1)/time.Second))
		return err
	})
	if err != nil {
		return 0, e.explain(caller, fmt.Sprintf("grant a lease of %v", ttl), err)
	}
	return granted.ID, nil
}

// forget drops a lease that etcd has not granted, or does not have any more.
func (l *leases) forget(gone *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for end, found := range l.open {
		if found == gone {
			delete(l.open, end)
		}
	}
}
