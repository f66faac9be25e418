package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// liar is a server at the address of etcd. Requests are answered by its functions, those that are
// nil as an empty etcd at revision 10 does.
type liar struct {
	pb.UnimplementedKVServer
	pb.UnimplementedWatchServer
	pb.UnimplementedMaintenanceServer
	get   func(*pb.RangeRequest) *pb.RangeResponse
	txn   func() *pb.TxnResponse
	watch func(pb.Watch_WatchServer)
}

func headerAt(revision int64) *pb.ResponseHeader { return &pb.ResponseHeader{Revision: revision} }

// Range implements [pb.KVServer].
func (l *liar) Range(_ context.Context, r *pb.RangeRequest) (*pb.RangeResponse, error) {
	if l.get == nil || r.CountOnly {
		return &pb.RangeResponse{Header: headerAt(10)}, nil
	}
	return l.get(r), nil
}

// Txn implements [pb.KVServer].
func (l *liar) Txn(context.Context, *pb.TxnRequest) (*pb.TxnResponse, error) { return l.txn(), nil }

// Status implements [pb.MaintenanceServer].
func (l *liar) Status(context.Context, *pb.StatusRequest) (*pb.StatusResponse, error) {
	return &pb.StatusResponse{Header: headerAt(10), Version: "3.6.0"}, nil
}

// Watch implements [pb.WatchServer].
func (l *liar) Watch(s pb.Watch_WatchServer) error {
	if _, err := s.Recv(); err != nil {
		return err
	}
	if l.watch != nil {
		l.watch(s)
	}
	<-s.Context().Done()
	return s.Context().Err()
}

// dialLiar returns an engine on a liar, with the prefix /askind/.
func dialLiar(t *testing.T, l *liar) *etcd.Engine {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	pb.RegisterKVServer(s, l)
	pb.RegisterWatchServer(s, l)
	pb.RegisterMaintenanceServer(s, l)
	go func() { _ = s.Serve(listener) }()
	t.Cleanup(s.Stop)
	e, err := etcd.Dial(etcd.Config{
		Endpoints: []string{"http://" + listener.Addr().String()}, Compaction: etcd.Compaction{External: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func at(key string, revision int64) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{Key: []byte(key), Value: []byte("{}"), ModRevision: revision, CreateRevision: revision}
}

// TestNonsense reads and writes at a server that answers what etcd does not: other keys, keys that
// repeat for ever, revisions out of order, and parts that are missing.
func TestNonsense(t *testing.T) {
	t.Parallel()
	found := func(more bool, kvs ...*mvccpb.KeyValue) func(*pb.RangeRequest) *pb.RangeResponse {
		return func(*pb.RangeRequest) *pb.RangeResponse {
			return &pb.RangeResponse{Header: headerAt(10), Kvs: kvs, More: more}
		}
	}
	empty := func(*pb.RangeRequest) *pb.RangeResponse { return &pb.RangeResponse{} }
	for name, get := range map[string]func(*pb.RangeRequest) *pb.RangeResponse{
		"no header":                empty,
		"a short key":              found(false, at("/a", 5)),
		"a key of another program": found(false, at("/others/a", 5)),
		"a revision of zero":       found(false, at("/askind/a", 0)),
		"a revision below zero":    found(false, at("/askind/a", -5)),
		"a revision to come":       found(false, at("/askind/a", 11)),
		"the same key for ever":    found(true, at("/askind/a", 5)),
		"keys in the wrong order":  found(false, at("/askind/b", 5), at("/askind/a", 5)),
		"more of nothing":          found(true),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			e := dialLiar(t, &liar{get: get})
			const want = "which etcd never does; check the endpoints"
			if page, err := e.List(ctx, "", store.RangeOptions{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("list: got %+v, %v", page, err)
			}
			switch got, err := e.Get(ctx, "b"); {
			case name == "more of nothing":
			case err == nil || !strings.Contains(err.Error(), want):
				t.Errorf("get: got %+v, %v", got, err)
			}
			if st, err := store.Open(ctx, e, store.Options{}); err == nil || ctx.Err() != nil {
				t.Errorf("a store was opened: %v, %v", st, ctx.Err())
			}
		})
	}
	e := dialLiar(t, &liar{txn: func() *pb.TxnResponse { return &pb.TxnResponse{Succeeded: true} }})
	if _, err := e.Put(t.Context(), "a", []byte("{}"), 0); !errors.Is(err, store.ErrUncertain) {
		t.Errorf("a write without a revision: %v", err)
	}
}

// TestNonsenseInWatches watches at such a server. No watch may deliver what is not below its
// prefix, or go back; one that etcd's client cannot read is asked for again after a pause.
func TestNonsenseInWatches(t *testing.T) {
	t.Parallel()
	changes := func(kvs ...*mvccpb.KeyValue) *pb.WatchResponse {
		out := &pb.WatchResponse{Header: headerAt(12)}
		for _, kv := range kvs {
			out.Events = append(out.Events, &mvccpb.Event{Kv: kv})
		}
		return out
	}
	for name, tt := range map[string]struct {
		answer *pb.WatchResponse
		want   string // in the error, blank if the watch goes on
	}{
		"no header":                {&pb.WatchResponse{}, ""},
		"no key":                   {changes(nil), ""},
		"a short key":              {changes(at("/a", 11)), "check the endpoints"},
		"a key of another program": {changes(at("/others/a", 11)), "check the endpoints"},
		"back":                     {changes(at("/askind/a", 12), at("/askind/b", 11)), "the revision 11 after 12"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			var watches atomic.Int32
			e := dialLiar(t, &liar{watch: func(s pb.Watch_WatchServer) {
				watches.Add(1)
				_ = s.Send(&pb.WatchResponse{Header: headerAt(10), Created: true})
				_ = s.Send(tt.answer)
			}})
			err := e.Watch(ctx, "", 10, func(c store.Changes) error {
				if len(c.List) > 0 {
					return fmt.Errorf("it delivered %+v", c)
				}
				return nil
			})
			if tt.want == "" && !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), tt.want) ||
				watches.Load() > 40 {
				t.Errorf("%v after %d watches", err, watches.Load())
			}
		})
	}
}
