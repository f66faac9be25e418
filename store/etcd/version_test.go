package etcd_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// TestOldVersions has members state versions, and holds that those are refused that lose changes.
func TestOldVersions(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	for version, old := range map[string]bool{
		"2.3.8": true, "3.3.27": true, "3.4.23": true, "3.4.31": false, "3.5.0": true, "3.5.12": true, "3.5.13": false,
		"3.6.0-rc.1": false, "3.7.3": false, "4.0.0": false, "unknown": false,
	} {
		pretend := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, call grpc.UnaryInvoker,
			opts ...grpc.CallOption,
		) error {
			err := call(ctx, method, req, reply, cc, opts...)
			if status, ok := reply.(*pb.StatusResponse); ok {
				status.Version = version
			}
			return err
		}
		e, err := etcd.Dial(etcd.Config{
			Endpoints: endpoints(members), Compaction: etcd.Compaction{External: true},
			DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(pretend)},
		})
		if err == nil {
			err = e.Close()
		}
		switch {
		case old && (!errors.Is(err, etcd.ErrOldVersion) || !strings.Contains(err.Error(), version)):
			t.Errorf("etcd %s: %v, want ErrOldVersion with the version", version, err)
		case !old && err != nil:
			t.Errorf("etcd %s: %v", version, err)
		}
	}
}

// TestOvertakenChange has etcd state a progress before it sends the change that made it, as old
// versions do. The change must not be taken for one that has been delivered.
func TestOvertakenChange(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e := dialTampered(t, members, func(r *pb.WatchResponse) []*pb.WatchResponse {
		return []*pb.WatchResponse{{Header: r.Header, WatchId: r.WatchId}, r}
	})
	ready := make(chan struct{})
	ended := make(chan error, 1)
	from := start(t, e)
	go func() {
		first := true
		ended <- e.Watch(t.Context(), "", from, func(c store.Changes) error {
			if first {
				first = false
				close(ready)
			}
			if len(c.List) > 0 {
				t.Errorf("the change of revision %d was delivered after its progress", c.Revision)
			}
			return nil
		})
	}()
	<-ready
	if _, err := e.Put(t.Context(), "k", []byte("v"), 0); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, store.ErrCompacted) || !strings.Contains(err.Error(), "behind the notification") {
		t.Errorf("the watch ended with %v", err)
	}
}
