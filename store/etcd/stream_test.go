package etcd_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// tamper is what stands between a client and the streams of its watches. Its functions are called
// with each answer that has events; the result is what comes in place of it.
type tamper func(*pb.WatchResponse) []*pb.WatchResponse

// dialTampered returns an engine whose watches are tampered with.
func dialTampered(t *testing.T, members []*member, f tamper) *etcd.Engine {
	t.Helper()
	intercept := func(ctx context.Context, d *grpc.StreamDesc, cc *grpc.ClientConn, method string, s grpc.Streamer,
		opts ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		stream, err := s(ctx, d, cc, method, opts...)
		if err != nil || !strings.HasSuffix(method, "/Watch") {
			return stream, err
		}
		return &tampered{ClientStream: stream, f: f, cancelled: map[int64]bool{}}, nil
	}
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Compaction: etcd.Compaction{External: true},
		DialOptions: []grpc.DialOption{grpc.WithChainStreamInterceptor(intercept)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// tampered is a stream that is tampered with. One goroutine at a time receives from it.
type tampered struct {
	grpc.ClientStream
	f         tamper
	next      []*pb.WatchResponse
	cancelled map[int64]bool // the watches that have been cancelled, which get nothing any more
}

// RecvMsg implements [grpc.ClientStream].
func (s *tampered) RecvMsg(m any) error {
	out := m.(*pb.WatchResponse)
	for len(s.next) == 0 {
		proto.Reset(out)
		if err := s.ClientStream.RecvMsg(out); err != nil || len(out.Events) == 0 {
			return err
		}
		if !s.cancelled[out.WatchId] {
			s.next = s.f(proto.CloneOf(out))
		}
	}
	s.cancelled[s.next[0].WatchId] = s.next[0].Canceled
	proto.Reset(out)
	proto.Merge(out, s.next[0])
	s.next = s.next[1:]
	return nil
}

// TestDuplicatedDelivery checks that changes which etcd sends twice come once.
func TestDuplicatedDelivery(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	var before *pb.WatchResponse
	e := dialTampered(t, members, func(r *pb.WatchResponse) []*pb.WatchResponse {
		out := []*pb.WatchResponse{r, r}
		if before != nil {
			out = append(out, before, r) // and late
		}
		before = r
		return out
	})
	watch := follow(t, e, start(t, e))
	w := write(dial(t, members, ""), "a")
	watch.atLeast(t, 100)
	compareAll(t, e, watch, w.finish(t))
}

// TestCancelledByServer checks that a watch which etcd cancels goes on behind what it has
// delivered.
func TestCancelledByServer(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	var n, cancelled atomic.Int64
	e := dialTampered(t, members, func(r *pb.WatchResponse) []*pb.WatchResponse {
		if n.Add(1)%10 != 0 {
			return []*pb.WatchResponse{r}
		}
		cancelled.Add(1)
		return []*pb.WatchResponse{{
			Header: r.Header, WatchId: r.WatchId, Canceled: true, CancelReason: "etcdserver: the watch is cancelled",
		}}
	})
	watch := follow(t, e, start(t, e))
	w := write(dial(t, members, ""), "a")
	for deadline := time.Now().Add(time.Minute); cancelled.Load() < 3 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	compareAll(t, e, watch, w.finish(t))
	if cancelled.Load() < 3 {
		t.Errorf("%d watches were cancelled", cancelled.Load())
	}
}

// TestValueBeforeIsGone has etcd omit the values before, as it does if it compacts them before it
// sends an event. The watch must not report the change without it.
func TestValueBeforeIsGone(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e := dialTampered(t, members, func(r *pb.WatchResponse) []*pb.WatchResponse {
		for _, event := range r.Events {
			event.PrevKv = nil
		}
		return []*pb.WatchResponse{r}
	})
	var delivered atomic.Int64
	created := make(chan struct{})
	ended := make(chan error, 1)
	from := start(t, e)
	go func() {
		ended <- e.Watch(t.Context(), "", from, func(c store.Changes) error {
			if delivered.Add(int64(len(c.List))) == 1 && len(c.List) == 1 {
				close(created)
			}
			return nil
		})
	}()
	revision, err := e.Put(t.Context(), "k", []byte("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	<-created // nothing was there before
	if _, err := e.Put(t.Context(), "k", []byte("2"), revision); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, store.ErrCompacted) || delivered.Load() != 1 {
		t.Errorf("after %d changes the watch ends with %v", delivered.Load(), err)
	}
}

// observed is a stream that reports how it ends.
type observed struct {
	grpc.ClientStream
	ended chan<- error
}

// RecvMsg implements [grpc.ClientStream].
func (s *observed) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil {
		select {
		case s.ended <- err:
		default: // it is known that one has ended
		}
	}
	return err
}

// TestWatchWithoutLeader checks that a member that has lost its leader ends the watches of engines,
// so that they go on at another member. etcd would leave them open, without any changes, if they
// did not require a leader.
func TestWatchWithoutLeader(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 3, nil)
	ended := make(chan error, 1)
	observe := func(ctx context.Context, d *grpc.StreamDesc, cc *grpc.ClientConn, method string, s grpc.Streamer,
		opts ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		stream, err := s(ctx, d, cc, method, opts...)
		if err != nil || !strings.HasSuffix(method, "/Watch") {
			return stream, err
		}
		return &observed{stream, ended}, nil
	}
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members[:1]), Compaction: etcd.Compaction{External: true},
		DialOptions: []grpc.DialOption{grpc.WithChainStreamInterceptor(observe)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	watch := follow(t, e, start(t, e))
	revision, err := e.Put(t.Context(), "k", []byte("v"), 0)
	if err != nil {
		t.Fatal(err)
	}
	watch.until(t, revision)
	select {
	case <-ended: // the leader moved while the machine was busy
	default:
	}
	members[1].stop()
	members[2].stop()
	select {
	case err := <-ended:
		t.Log(err)
	case <-time.After(time.Minute):
		t.Error("the watch goes on without a leader")
	}
}
