package etcd

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// RunCompactor compacts etcd once in a period and returns when the context is done or the engine is
// closed. What is older than one to two periods is forgotten, so the period must be longer than the
// window in which clients may resume watches; the default for 0 is 5 minutes.
//
// All replicas may call it: in each period one of them wins a compare-and-swap on a key beside the
// prefix, and compacts. Errors of single rounds are passed to report, unless it is nil, and the
// next round goes on.
func (e *Engine) RunCompactor(ctx context.Context, period time.Duration, report func(error)) {
	if period <= 0 {
		period = 5 * time.Minute
	}
	c := compactor{engine: e, key: strings.TrimSuffix(e.prefix, "/") + ".compactor"}
	for sleep(ctx, e.life, period) {
		if err := c.round(ctx); err != nil && ctx.Err() == nil && e.life.Err() == nil && report != nil {
			report(fmt.Errorf("store/etcd: compaction: %w", err))
		}
	}
}

// compactor is one replica's part in the election.
type compactor struct {
	engine   *Engine
	key      string
	version  int64 // version of the key that this replica saw last
	revision int64 // revision at that time
}

// round compacts to the revision of the round before if no other replica has done so since.
func (c *compactor) round(ctx context.Context) error {
	ctx, cancel := c.engine.bound(ctx)
	defer cancel()
	client := c.engine.client
	resp, err := client.Txn(ctx).
		If(clientv3.Compare(clientv3.Version(c.key), "=", c.version)).
		Then(clientv3.OpPut(c.key, strconv.FormatInt(c.revision, 10))).
		Else(clientv3.OpGet(c.key)).
		Commit()
	if err != nil {
		return err
	}
	previous := c.revision
	c.revision = resp.Header.Revision
	if !resp.Succeeded {
		if kvs := rangeOf(resp.Responses); len(kvs) > 0 {
			c.version = kvs[0].Version
		} else {
			c.version = 0
		}
		return nil
	}
	c.version++
	if previous == 0 {
		return nil
	}
	return c.engine.Compact(ctx, uint64(previous))
}
