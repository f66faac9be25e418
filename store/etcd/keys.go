package etcd

import (
	"context"
	"errors"
	"fmt"
	"math"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/connectivity"

	"github.com/askind/askind/store"
)

// Get implements [store.Engine] by a linearizable read.
func (e *Engine) Get(ctx context.Context, key string) (store.GetResult, error) {
	if err := store.CheckKey(key); err != nil {
		return store.GetResult{}, err
	}
	resp, err := e.get(ctx, "get "+key, e.prefix+key)
	if err != nil {
		return store.GetResult{}, err
	}
	result := store.GetResult{Now: uint64(resp.Header.Revision), KeyValue: store.KeyValue{Key: key}}
	for _, kv := range resp.Kvs {
		if string(kv.Key) != e.prefix+key || kv.ModRevision < 1 || kv.ModRevision > resp.Header.Revision {
			return store.GetResult{}, nonsense("get "+key, "the key %q at revision %d", kv.Key, kv.ModRevision)
		}
		result.KeyValue = e.keyValue(kv)
	}
	return result, nil
}

const (
	// firstKeys is how many keys the first request of a list asks for, whose size is not known.
	firstKeys = 100
	// pageBytes is the size of the answers that the further requests aim at. A slow network must
	// carry one within the time of a request.
	pageBytes = 2 << 20
)

// List implements [store.Engine]. A list of the latest revision is a linearizable read. etcd is
// asked for 1,000 keys or two MiB at once, because it holds a whole answer in memory, and so that
// each answer comes in time however long the list is.
func (e *Engine) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	if o.Revision > math.MaxInt64 { // etcd would take it for a negative number, and list the latest
		return store.Page{}, store.ErrFuture
	}
	from, end := e.bounds(prefix)
	if o.From != "" {
		from = min(max(from, e.prefix+o.From), end)
	}
	page := store.Page{Revision: o.Revision}
	for chunk := min(firstKeys, e.chunk); ; {
		limit := chunk
		if o.Limit > 0 {
			limit = min(limit, o.Limit-len(page.Items))
		}
		options := []clientv3.OpOption{
			clientv3.WithRange(end), clientv3.WithLimit(int64(limit)), clientv3.WithRev(int64(page.Revision)),
		}
		if from == end { // nothing can be there, but the revision must be checked and returned
			options = append(options, clientv3.WithRange(end+"\x00"), clientv3.WithCountOnly())
		}
		resp, err := e.get(ctx, "list "+prefix, from, options...)
		if err != nil {
			return store.Page{}, err
		}
		if page.Revision == 0 {
			page.Revision = uint64(resp.Header.Revision)
		}
		size := 1
		for _, kv := range resp.Kvs {
			// A list must come to its end, so each key is behind the one before.
			if key := string(kv.Key); key < from || key >= end || kv.ModRevision < 1 ||
				uint64(kv.ModRevision) > page.Revision {
				return store.Page{}, nonsense("list "+prefix, "the key %q at revision %d", key, kv.ModRevision)
			}
			from = string(kv.Key) + "\x00"
			page.Items = append(page.Items, e.keyValue(kv))
			size += len(kv.Key) + len(kv.Value)
		}
		if len(resp.Kvs) > limit || resp.More && len(resp.Kvs) == 0 && from != end {
			return store.Page{}, nonsense("list "+prefix, "%d of %d keys, and that there are more: %t",
				len(resp.Kvs), limit, resp.More)
		}
		page.More = resp.More
		if len(resp.Kvs) == 0 || !resp.More || len(page.Items) == o.Limit {
			return page, nil
		}
		chunk = max(1, min(pageBytes*len(resp.Kvs)/size, e.chunk))
	}
}

// get is one read, within the time of a request.
func (e *Engine) get(ctx context.Context, op, key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	caller := ctx
	ctx, cancel := e.bound(ctx)
	defer cancel()
	var resp *clientv3.GetResponse
	err := e.retry(ctx, func() (err error) {
		resp, err = e.client.Get(ctx, key, options...)
		return err
	})
	if err != nil {
		return nil, e.explain(caller, op, err)
	}
	if resp.Header.GetRevision() < 1 {
		return nil, nonsense(op, "the revision %d", resp.Header.GetRevision())
	}
	return resp, nil
}

// nonsense returns the error for an answer that etcd does not give.
func nonsense(op, format string, args ...any) error {
	return fmt.Errorf("store/etcd: %s: the server answered %s, which etcd never does; check the endpoints", op,
		fmt.Sprintf(format, args...))
}

// Count implements [store.Engine].
func (e *Engine) Count(ctx context.Context, prefix string) (n int64, revision uint64, err error) {
	from, end := e.bounds(prefix)
	resp, err := e.get(ctx, "count "+prefix, from, clientv3.WithRange(end), clientv3.WithCountOnly())
	if err != nil {
		return 0, 0, err
	}
	return resp.Count, uint64(resp.Header.Revision), nil
}

// Put implements [store.Engine] by one transaction. An error that leaves open whether etcd applied
// the write is an [*UncertainError].
func (e *Engine) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	if err := store.CheckWrite(key, value); err != nil {
		return 0, err
	}
	return e.write(ctx, key, expected, clientv3.OpPut(e.prefix+key, string(value)))
}

// Delete implements [store.Engine] by one transaction, as Put does.
func (e *Engine) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	if err := store.CheckKey(key); err != nil {
		return 0, err
	}
	if expected == 0 {
		// etcd would find its comparison true for a key that is not there, and delete nothing.
		found, err := e.Get(ctx, key)
		if err != nil {
			return 0, err
		}
		return 0, &store.ConflictError{Key: key, Current: found.Revision}
	}
	return e.write(ctx, key, expected, clientv3.OpDelete(e.prefix+key))
}

// write carries out an operation if the key has the expected revision, and returns the new one.
func (e *Engine) write(ctx context.Context, key string, expected uint64, op clientv3.Op) (uint64, error) {
	if err := ctx.Err(); err != nil { // nothing is uncertain about a write that was not sent
		return 0, err
	}
	// Without a connection the write would wait for one, and perhaps be sent in the last moment.
	// After a read that fails it is certain that nothing was written.
	if e.client.ActiveConnection().GetState() != connectivity.Ready {
		if _, err := e.get(ctx, fmt.Sprintf("write %q", key), e.prefix, clientv3.WithCountOnly()); err != nil {
			return 0, err
		}
	}
	caller := ctx
	ctx, cancel := e.bound(ctx)
	defer cancel()
	full := e.prefix + key
	highest := e.progress.highest()
	var resp *clientv3.TxnResponse
	err := e.retry(ctx, func() (err error) {
		resp, err = e.client.Txn(ctx).
			If(clientv3.Compare(clientv3.ModRevision(full), "=", int64(expected))).
			Then(op).
			Else(clientv3.OpGet(full, clientv3.WithKeysOnly())).
			Commit()
		return err
	})
	switch {
	case err != nil && (uncertain(err) || isNoSpace(err) && e.applied(caller, key, expected)):
		return 0, &UncertainError{Key: key, Err: e.explain(caller, "write", err)}
	case err != nil:
		return 0, e.explain(caller, fmt.Sprintf("write %q", key), err)
	}
	if resp.Header.GetRevision() < 1 {
		return 0, &UncertainError{Key: key, Err: nonsense("write", "the revision %d", resp.Header.GetRevision())}
	}
	_ = e.progress.check(highest, uint64(resp.Header.Revision)) // the write is what etcd says it is
	if resp.Succeeded {
		return uint64(resp.Header.Revision), nil
	}
	conflict := &store.ConflictError{Key: key, Expected: expected}
	if kvs := rangeOf(resp.Responses); len(kvs) > 0 {
		conflict.Current = uint64(kvs[0].ModRevision)
	}
	return 0, conflict
}

// applied reports whether a write that etcd has answered with a lack of space may have been
// applied. etcd refuses such writes, except that a member whose quota is reached while it applies
// one reports that afterwards. The answer comes after that, so the key shows it.
func (e *Engine) applied(ctx context.Context, key string, expected uint64) bool {
	now, err := e.Get(ctx, key)
	return err != nil || now.Revision != expected
}

// rangeOf returns what the only read of a transaction found.
func rangeOf(responses []*pb.ResponseOp) []*mvccpb.KeyValue {
	if len(responses) == 0 {
		return nil
	}
	return responses[0].GetResponseRange().GetKvs()
}

// Revision implements [store.Engine] by a linearizable read, and brings every watch to the revision
// that it returns.
func (e *Engine) Revision(ctx context.Context) (uint64, error) {
	highest := e.progress.highest()
	resp, err := e.get(ctx, "read the revision", e.prefix, clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	revision := uint64(resp.Header.Revision)
	if err := e.progress.check(highest, revision); err != nil {
		return 0, err
	}
	e.requestProgress(revision)
	return revision, nil
}

// Compact implements [store.Engine]. It always returns [errors.ErrUnsupported], because etcd
// compacts a whole cluster, and what one store does not need any more may be needed by others; see
// [Compaction].
func (e *Engine) Compact(context.Context, uint64) error { return errors.ErrUnsupported }

// bounds returns the range of the keys with a prefix in etcd.
func (e *Engine) bounds(prefix string) (from, end string) {
	from = e.prefix + prefix
	return from, clientv3.GetPrefixRangeEnd(from)
}

// keyValue returns what etcd has under a key, without the prefix of the engine.
func (e *Engine) keyValue(kv *mvccpb.KeyValue) store.KeyValue {
	return store.KeyValue{Key: string(kv.Key[len(e.prefix):]), Value: valueOf(kv), Revision: uint64(kv.ModRevision)}
}

// valueOf returns the value of a key. One without bytes cannot be read: it stands for a key that is
// gone.
func valueOf(kv *mvccpb.KeyValue) []byte {
	if len(kv.Value) == 0 {
		return emptyValue
	}
	return kv.Value
}

var emptyValue = store.Unreadable(errors.New("the value is empty; another program has written it"))
