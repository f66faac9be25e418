package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/askind/askind/store"
)

// Watch implements [store.Engine]. From 0 it delivers what etcd has kept of the latest revisions,
// as many as [Config].Past says. The client of etcd resumes it after a lost connection, behind the
// last revision that was delivered.
func (e *Engine) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.watches.Done()
	w := &watch{engine: e, prefix: prefix, deliver: deliver, reached: from, past: from == 0}
	for {
		// Deliver the present revision at once, so that a caller knows that it is up to date.
		err := w.begin(ctx)
		if err == nil {
			err = w.run(ctx)
		}
		switch {
		case !errors.Is(err, errAgain):
			return err
		case !sleep(ctx, e.life, retryPause):
			return e.explain(ctx, "watch", context.Cause(ctx))
		}
	}
}

// retryPause is how long a watch waits before it asks again after the server has ended it.
const retryPause = 100 * time.Millisecond

// errAgain says that the server ended a watch for a reason of its own and that it can go on.
var errAgain = errors.New("the watch is to be resumed")

// errOvertaken reports that etcd sent a progress notification before the changes up to that
// revision. Readers may have seen a state without those changes, so everything must be loaded
// again.
var errOvertaken = fmt.Errorf("store/etcd: etcd sent a change behind the notification of a later progress; "+
	"use etcd 3.4.31, 3.5.13, 3.6 or newer: %w", store.ErrCompacted)

// errWentBack reports that etcd has a revision below one that a watch has reached. The watch would
// not see what is written until that revision is reached again, so everything must be loaded again.
var errWentBack = fmt.Errorf("store/etcd: the revision of etcd went back, as it does when etcd is restored from a "+
	"backup; everything is loaded again: %w", store.ErrFuture)

// enter counts a watch, unless the engine is closed.
func (e *Engine) enter() error {
	e.closing.Lock()
	defer e.closing.Unlock()
	if e.closed {
		return store.ErrClosed
	}
	e.watches.Add(1)
	return nil
}

// sleep waits, and reports whether neither context has ended.
func sleep(ctx, life context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-life.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// watch is one call of [Engine.Watch].
type watch struct {
	engine  *Engine
	prefix  string
	deliver func(store.Changes) error
	reached uint64 // every change up to it has been delivered
	changed uint64 // the revision of the last change, or that after which the watch began
	now     uint64 // the revision of etcd when the watch began
	started bool
	past    bool // the watch is to begin with what is kept, and has not delivered anything
	buffer  []store.Change
}

// begin refuses a revision that has been compacted or is yet to come. A watch of etcd would wait
// for the latter, and would accept a revision that is one below the compacted one, although the
// values at it are gone. A read at the revision fails in both cases.
func (w *watch) begin(ctx context.Context) error {
	if w.started {
		return nil
	}
	if w.reached > math.MaxInt64 { // a negative number for etcd, which stands for the latest
		return store.ErrFuture
	}
	resp, err := w.engine.get(ctx, "watch", w.engine.prefix, clientv3.WithCountOnly(),
		clientv3.WithRev(int64(w.reached)))
	if err != nil {
		return err
	}
	w.started, w.now = true, uint64(resp.Header.Revision)
	if w.past && w.now > w.engine.past {
		w.reached = w.now - w.engine.past
	}
	w.changed = w.reached
	return nil
}

// run watches until the stream ends.
func (w *watch) run(caller context.Context) error {
	// The watch runs under the engine's context, because etcd's client groups watches by the values
	// in the context, and a progress request reaches the watches of its group alone.
	ctx, cancel := context.WithCancelCause(clientv3.WithRequireLeader(w.engine.life))
	defer cancel(nil)
	defer context.AfterFunc(caller, func() { cancel(nil) })()

	from, end := w.engine.bounds(w.prefix)
	channel := w.engine.client.Watch(ctx, from, clientv3.WithRange(end), clientv3.WithRev(int64(w.reached)+1),
		clientv3.WithPrevKV(), clientv3.WithProgressNotify(), clientv3.WithCreatedNotify())
	member := w.engine.progress.join(w.reached, cancel)
	defer w.engine.progress.leave(member)
	w.engine.requestProgress(w.now)
	for resp := range channel {
		if err := w.handle(resp); err != nil {
			return err
		}
		member.reached.Store(w.reached)
		w.engine.wake()
	}
	switch cause := context.Cause(ctx); {
	case caller.Err() != nil || w.engine.life.Err() != nil:
		return w.engine.explain(caller, "watch", caller.Err())
	case errors.Is(cause, errWentBack):
		return cause
	}
	return errAgain
}

// checkStreams refuses answers to watches that the client of etcd could not read: it panics if the
// header or the key of an event is missing. With other codes it would ask again without a pause.
func checkStreams(ctx context.Context, d *grpc.StreamDesc, cc *grpc.ClientConn, method string, next grpc.Streamer,
	options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	stream, err := next(ctx, d, cc, method, options...)
	return checkedStream{stream}, err
}

type checkedStream struct{ grpc.ClientStream }

// RecvMsg implements [grpc.ClientStream].
func (s checkedStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	resp, ok := m.(*pb.WatchResponse)
	if err != nil || !ok {
		return err
	}
	for _, event := range resp.Events {
		if event.GetKv() == nil {
			return status.Error(codes.DataLoss, "the server sent an event without a key")
		}
	}
	if resp.Header == nil {
		return status.Error(codes.DataLoss, "the server sent no revision")
	}
	return nil
}

// handle passes on one answer of etcd.
func (w *watch) handle(resp clientv3.WatchResponse) error {
	switch err := resp.Err(); {
	case resp.CompactRevision != 0 && w.past:
		// What came after the compacted revision is kept.
		w.reached = max(w.reached, uint64(resp.CompactRevision))
		w.changed = w.reached
		return errAgain
	case resp.CompactRevision != 0:
		return store.ErrCompacted
	case errors.Is(err, rpctypes.ErrNoLeader):
		return errAgain
	case err != nil && resp.Canceled:
		// The read of begin fails if the cause lasts, such as a revoked permission. A watch of the
		// past has just been there, and where it begins may be compacted meanwhile.
		w.started = w.past
		if isOldToken(err) {
			w.engine.progress.leaveStream()
		}
		return errAgain
	case err != nil:
		return w.engine.explain(context.Background(), "watch", err)
	}
	// If everything up to the present is compacted, the next answer comes with the next change.
	if resp.Created && w.past && len(resp.Events) == 0 && w.reached < w.now {
		return nil // the next answer says where what is kept begins
	}
	w.buffer = w.buffer[:0]
	revision := w.reached
	for _, event := range resp.Events {
		switch at := uint64(event.Kv.ModRevision); {
		case !strings.HasPrefix(string(event.Kv.Key), w.engine.prefix+w.prefix) || event.Kv.ModRevision < 1:
			return nonsense("watch "+w.prefix, "a change of %q at revision %d", event.Kv.Key, event.Kv.ModRevision)
		case at <= w.changed:
			continue // it has been delivered
		case at <= w.reached:
			return errOvertaken
		case at < revision:
			return nonsense("watch "+w.prefix, "the revision %d after %d", at, revision)
		}
		c := store.Change{KeyValue: w.engine.keyValue(event.Kv)}
		if event.Type == clientv3.EventTypeDelete {
			c.Value = nil
		}
		switch {
		case event.PrevKv != nil:
			c.Before, c.BeforeRevision = valueOf(event.PrevKv), uint64(event.PrevKv.ModRevision)
		case !event.IsCreate():
			// etcd omits the value before, without an error, if it was compacted before the event
			// was sent.
			return store.ErrCompacted
		}
		w.buffer = append(w.buffer, c)
		revision = c.Revision
	}
	if resp.IsProgressNotify() {
		revision = uint64(resp.Header.Revision)
	}
	if revision < w.reached || len(w.buffer) == 0 && revision == w.reached && !resp.Created {
		return nil
	}
	if len(w.buffer) > 0 {
		w.changed = w.buffer[len(w.buffer)-1].Revision
	}
	changes := store.Changes{After: w.reached, List: w.buffer, Revision: revision}
	w.reached, w.past = revision, false
	return w.deliver(changes)
}

// isOldToken reports whether etcd refuses a watch because it no longer accepts the token with which
// the stream was opened: it has expired, or users or roles have changed.
func isOldToken(err error) bool {
	return slices.ContainsFunc([]error{
		rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision, rpctypes.ErrUserEmpty,
	}, func(cause error) bool { return strings.Contains(err.Error(), rpctypes.ErrorDesc(cause)) })
}

// progress knows which watches are there and which revision they are to reach.
type progress struct {
	log     *slog.Logger
	mu      sync.Mutex
	members map[*progressMember]struct{}
	running bool
	wanted  uint64
	done    sync.WaitGroup
	woken   chan struct{}
}

// progressMember is one watch.
type progressMember struct {
	reached atomic.Uint64
	end     context.CancelCauseFunc
}

// progressPause is how long to wait for the answer to a progress request before the next one. etcd
// does not answer while a watch of the stream is behind.
const progressPause = 50 * time.Millisecond

// join adds a watch that has reached a revision.
func (p *progress) join(reached uint64, end context.CancelCauseFunc) *progressMember {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.members == nil {
		p.members = map[*progressMember]struct{}{}
	}
	member := &progressMember{end: end}
	member.reached.Store(reached)
	p.members[member] = struct{}{}
	return member
}

// highest returns the latest revision that a watch has reached. What etcd answers to a linearizable
// request that begins afterwards has no revision below it.
func (p *progress) highest() (revision uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for member := range p.members {
		revision = max(revision, member.reached.Load())
	}
	return revision
}

// check takes the revision of such an answer, and ends the watches if etcd went back.
func (p *progress) check(highest, revision uint64) error {
	if revision >= highest {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = 0
	p.log.Warn("store/etcd: the revision of etcd went back, as it does when etcd is restored from a backup; "+
		"everything is loaded again", "from", highest, "to", revision)
	for member := range p.members {
		if member.reached.Load() > revision {
			member.end(errWentBack)
		}
	}
	return fmt.Errorf("store/etcd: %w: its revision went back from %d to %d, and everything is loaded again",
		store.ErrUnavailable, highest, revision)
}

// leaveStream ends all watches, which then go on. The client of etcd closes their stream with the
// last of them, and opens the next one with a new token.
func (p *progress) leaveStream() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for member := range p.members {
		member.end(errAgain)
	}
}

func (p *progress) leave(member *progressMember) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.members, member)
}

func (p *progress) wait() { p.done.Wait() }

// behind reports whether a watch has not reached the wanted revision. The caller holds the lock.
func (p *progress) behind() bool {
	for member := range p.members {
		if member.reached.Load() < p.wanted {
			return true
		}
	}
	return false
}

// requestProgress sees to it that every watch reaches a revision: it asks etcd for notifications
// until they have. One goroutine does that for all callers, and it ends when nobody is behind.
func (e *Engine) requestProgress(revision uint64) {
	p := &e.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = max(p.wanted, revision)
	if p.running || !p.behind() || e.life.Err() != nil {
		return
	}
	p.running = true
	p.woken = make(chan struct{}, 1)
	p.done.Add(1)
	go e.pushProgress()
}

// wake tells the goroutine of requestProgress that a watch has moved.
func (e *Engine) wake() {
	p := &e.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running {
		select {
		case p.woken <- struct{}{}:
		default:
		}
	}
}

func (e *Engine) pushProgress() {
	p := &e.progress
	defer p.done.Done()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-e.life.Done():
			p.mu.Lock()
			p.running = false
			p.mu.Unlock()
			return
		case <-p.woken:
		case <-timer.C:
			// An error means that there is no connection; the next round asks again.
			_ = e.client.RequestProgress(clientv3.WithRequireLeader(e.life))
			timer.Reset(progressPause)
		}
		p.mu.Lock()
		if !p.behind() {
			p.running = false
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
}
