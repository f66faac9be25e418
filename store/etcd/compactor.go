package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Compaction says how much of its past etcd keeps. The zero value keeps 10 minutes.
//
// etcd compacts a whole cluster, not single prefixes. Therefore all engines of a cluster take part,
// whatever their prefixes: each of them registers its History, the longest one applies to the
// cluster, and one elected engine compacts. What was written within the longest History is never
// compacted. A registration outlives its engine by at least its History, so that a server that
// restarts finds the past that it has asked for.
type Compaction struct {
	_ struct{} // literals name their fields

	// External says that something else compacts the cluster, such as etcd itself with
	// --auto-compaction-retention, or a kube-apiserver. The engine neither compacts nor registers
	// then, and the other settings have no effect. All engines of a cluster must agree, because
	// the others do not respect the needs of this one.
	External bool
	// History is for how long etcd keeps what was written. It should be longer than the History of
	// [store.Options] of the stores on the engine, and longer than a connection to etcd may be lost
	// without loading everything again. The default is 10 minutes. Negative values count as 0.
	History time.Duration
	// Period is the time between two compactions. What is kept may be older than the History by two
	// periods and a 512th of the History. The default is 1 minute.
	Period time.Duration
}

// orDefaults returns the settings with defaults for what is not set.
func (c Compaction) orDefaults() Compaction {
	switch {
	case c.History == 0:
		c.History = 10 * time.Minute
	case c.History < 0:
		c.History = 0
	}
	if c.Period <= 0 {
		c.Period = time.Minute
	}
	return c
}

// The keys of the election, which are those of the whole cluster. Prefixes of engines begin
// otherwise, so no engine shows them.
const (
	compactionPrefix = "askind.compaction/"
	leaderKey        = compactionPrefix + "leader"
	membersPrefix    = compactionPrefix + "members/" // a lease in hexadecimal; the value is a duration
)

const (
	minTTL        = time.Minute      // of a registration
	roundTimeout  = 30 * time.Second // of one round's requests together
	resignTimeout = 10 * time.Second // of the request of an engine that is closed
)

// compactor is the part of one engine in the compaction of a cluster. It is for one goroutine.
//
// The election only spares requests. What protects the past is that every compactor goes no further
// than to a revision that it saw itself at least the longest registered History ago. So two that
// both believe to be elected do no harm, and one that is elected needs nothing from the one before:
// all of them take marks all the time.
type compactor struct {
	Compaction
	client    *clientv3.Client
	now       func() time.Time
	lease     clientv3.LeaseID // holds the registration and the election; 0 before the first round
	leads     bool
	marks     marks
	compacted int64
}

func newCompactor(client *clientv3.Client, c Compaction) *compactor {
	return &compactor{Compaction: c.orDefaults(), client: client, now: time.Now}
}

// run takes part until the context is done. It logs the errors of rounds; the next round tries
// again.
func (c *compactor) run(ctx context.Context, log *slog.Logger) {
	defer c.resign(ctx)
	for {
		if err := c.round(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "store/etcd: compaction failed", "error", err)
		}
		if !sleep(ctx, ctx, c.Period) {
			return
		}
	}
}

// round renews the registration, takes a mark, and compacts if this engine is elected.
func (c *compactor) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), roundTimeout)
	defer cancel()
	if err := c.register(ctx); err != nil {
		return fmt.Errorf("registering the history of this engine: %w", err)
	}
	members, err := c.client.Get(ctx, membersPrefix, clientv3.WithPrefix())
	if err != nil {
		return fmt.Errorf("reading what other engines need: %w", err)
	}
	window := c.History
	for _, kv := range members.Kvs {
		history, err := time.ParseDuration(string(kv.Value))
		if err != nil {
			return fmt.Errorf("the value of the key %q is not a duration, so nothing is compacted; delete the key: %w",
				kv.Key, err)
		}
		window = max(window, history)
	}
	now := c.now()
	c.marks.add(mark{now, members.Header.Revision}, window/markParts)
	c.compacted = min(c.compacted, members.Header.Revision)
	revision := c.marks.before(now.Add(-window))
	if err := c.elect(ctx); err != nil {
		return fmt.Errorf("electing an engine: %w", err)
	}
	if !c.leads || revision <= c.compacted {
		return nil
	}
	if _, err := c.client.Compact(ctx, revision); err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return fmt.Errorf("compacting to revision %d: %w", revision, err)
	}
	c.compacted = revision
	return nil
}

// elect sets leads, and makes this engine the leader unless there is one. An elected engine does
// not write, since it must compact also when etcd has no space for writes.
func (c *compactor) elect(ctx context.Context) error {
	leader, err := c.client.Get(ctx, leaderKey)
	if err != nil {
		return err
	}
	if len(leader.Kvs) > 0 {
		c.leads = clientv3.LeaseID(leader.Kvs[0].Lease) == c.lease
		return nil
	}
	resp, err := c.client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(leaderKey), "=", 0)).
		Then(clientv3.OpPut(leaderKey, c.memberKey(), clientv3.WithLease(c.lease))).
		Commit()
	c.leads = err == nil && resp.Succeeded
	return err
}

// register keeps the lease of the engine alive, and makes a new one if etcd does not know it.
func (c *compactor) register(ctx context.Context) error {
	if c.lease != 0 {
		if _, err := c.client.KeepAliveOnce(ctx, c.lease); !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return err
		}
		c.lease = 0
	}
	// The last renewal may be one period old when a server ends.
	ttl := max(c.History+2*c.Period, minTTL)
	lease, err := c.client.Grant(ctx, int64((ttl+time.Second-1)/time.Second))
	if err != nil {
		return err
	}
	c.lease = lease.ID
	if _, err := c.client.Put(ctx, c.memberKey(), c.History.String(), clientv3.WithLease(lease.ID)); err != nil {
		c.lease = 0
		return err
	}
	return nil
}

func (c *compactor) memberKey() string { return fmt.Sprintf("%s%016x", membersPrefix, c.lease) }

// resign lets another engine be elected at once. The registration stays until its lease ends.
func (c *compactor) resign(ctx context.Context) {
	if !c.leads {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resignTimeout)
	defer cancel()
	// An error does no harm: the key ends with the lease.
	_, _ = c.client.Txn(ctx).
		If(clientv3.Compare(clientv3.LeaseValue(leaderKey), "=", c.lease)).
		Then(clientv3.OpDelete(leaderKey)).
		Commit()
}

// mark says that what was written after a time has a later revision.
type mark struct {
	at       time.Time
	revision int64
}

// marks are in the order of time.
type marks []mark

// markParts is into how many parts the marks divide the history, at most.
const markParts = 512

// add appends a mark, unless the one before is less than a pause older. If etcd went back, as when
// it is restored from a backup, the marks before say nothing of what is written now.
func (m *marks) add(next mark, pause time.Duration) {
	if n := len(*m); n > 0 && next.revision < (*m)[n-1].revision {
		*m = nil
	}
	if n := len(*m); n == 0 || next.at.Sub((*m)[n-1].at) >= pause {
		*m = append(*m, next)
	}
}

// before returns the latest revision that was seen at a time or before it, 0 for none, and drops
// the marks before that one.
func (m *marks) before(t time.Time) int64 {
	n := 0
	for n < len(*m) && !(*m)[n].at.After(t) {
		n++
	}
	if n == 0 {
		return 0
	}
	*m = append((*m)[:0], (*m)[n-1:]...)
	return (*m)[0].revision
}
