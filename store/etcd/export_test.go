package etcd

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Compactor is a compactor whose rounds and clock a test moves.
type Compactor struct {
	c *compactor
}

// NewCompactor returns the compactor that an engine with the settings would run.
func NewCompactor(client *clientv3.Client, c Compaction, now func() time.Time) *Compactor {
	inner := newCompactor(client, c)
	inner.now = now
	return &Compactor{inner}
}

// Round is one period.
func (c *Compactor) Round(ctx context.Context) error { return c.c.round(ctx) }

// Resign is what the end of the engine does.
func (c *Compactor) Resign(ctx context.Context) { c.c.resign(ctx) }

// Leads reports whether the compactor was elected in its last round.
func (c *Compactor) Leads() bool { return c.c.leads }

// Lease returns the lease of the registration.
func (c *Compactor) Lease() clientv3.LeaseID { return c.c.lease }

// Marks returns the number of marks in memory.
func (c *Compactor) Marks() int { return len(c.c.marks) }

// CompactionPrefix is that of the keys of the election.
const CompactionPrefix = compactionPrefix

// SetChunk sets how many keys an engine lists with one request.
func (e *Engine) SetChunk(n int) { e.chunk = n }

// SetLeases sets how far apart values may expire that share a lease of an engine, and how long a
// lease outlives them.
func (e *Engine) SetLeases(window, delay time.Duration) {
	e.leases.window, e.leases.delay = window, delay
}

// Leased returns how many values the leases count that accept more.
func (e *Engine) Leased() (n int) {
	e.leases.mu.Lock()
	defer e.leases.mu.Unlock()
	for _, l := range e.leases.open {
		n += l.values
	}
	return n
}
