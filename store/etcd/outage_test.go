package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// dialFor returns an engine whose requests end after a time, closed when the test ends.
func dialFor(t *testing.T, endpoint string, timeout time.Duration) *etcd.Engine {
	t.Helper()
	e, err := etcd.Dial(etcd.Config{
		Endpoints: []string{endpoint}, RequestTimeout: timeout, Compaction: etcd.Compaction{External: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// TestServerWithoutEtcd stops the only member under a server. Requests that need etcd get 503 with
// Retry-After, reads of any version go on, and everything works again when etcd is back. The
// requests have no deadline, so a server that waited for etcd would not answer at all.
func TestServerWithoutEtcd(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo)
	if err != nil {
		t.Fatal(err)
	}
	db := dialFor(t, endpoints(members)[0], 3*time.Second)
	srv, err := server.New(scheme, db, server.Log(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	const machines = "/apis/fleet.example.com/v1/namespaces/default/machines"
	send := func(method, path, name string) *httptest.ResponseRecorder {
		body := ""
		if name != "" {
			body = `{"apiVersion":"fleet.example.com/v1","kind":"Machine","metadata":{"name":"` + name + `"},"spec":
				{"zone":"z","hardware":{"cores":1,"memory":"1Gi"},"boot":{"type":"Network","network":{"url":"http://x"}}}}`
		}
		r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		return w
	}
	if w := send("POST", machines, "a"); w.Code != http.StatusCreated {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	members[0].stop()
	var requests sync.WaitGroup
	for _, tt := range []struct {
		method, path, name string
		code               int
	}{
		{"GET", machines + "/a", "", http.StatusServiceUnavailable},
		{"GET", machines, "", http.StatusServiceUnavailable},
		{"GET", machines + "?limit=1", "", http.StatusServiceUnavailable},
		{"POST", machines, "b", http.StatusServiceUnavailable},
		{"DELETE", machines + "/a", "", http.StatusServiceUnavailable},
		{"GET", machines + "/a?resourceVersion=0", "", http.StatusOK},
		{"GET", machines + "?resourceVersion=0", "", http.StatusOK},
		{"GET", machines + "?watch=true&resourceVersion=0&timeoutSeconds=1", "", http.StatusOK},
	} {
		requests.Go(func() {
			w := send(tt.method, tt.path, tt.name)
			retry := w.Header().Get("Retry-After")
			if w.Code != tt.code || (retry != "") != (tt.code != http.StatusOK) {
				t.Errorf("%s %s: %d, Retry-After %q: %s", tt.method, tt.path, w.Code, retry, w.Body)
			}
		})
	}
	requests.Wait()
	if _, err := db.Revision(t.Context()); !errors.Is(err, store.ErrUnavailable) ||
		!strings.Contains(err.Error(), "connection refused") {
		t.Errorf("the error does not have the cause: %v", err)
	}
	if _, err := etcd.Dial(etcd.Config{Endpoints: endpoints(members), DialTimeout: time.Second}); err == nil ||
		!strings.Contains(err.Error(), "connection refused") {
		t.Errorf("the error of Dial does not have the cause: %v", err)
	}
	members[0].restart()
	for deadline := time.Now().Add(time.Minute); ; {
		w := send("POST", machines, "c")
		if w.Code == http.StatusCreated {
			break
		}
		if w.Code != http.StatusServiceUnavailable || time.Now().After(deadline) {
			t.Fatalf("after the restart %d: %s", w.Code, w.Body)
		}
	}
	w := send("GET", machines, "")
	if body := w.Body.String(); w.Code != http.StatusOK || strings.Count(body, `"uid"`) != 2 ||
		!strings.Contains(body, `"name":"a"`) || !strings.Contains(body, `"name":"c"`) {
		t.Errorf("after the restart %d: %s", w.Code, body)
	}
}

// TestStalledWrite sends writes that etcd does not answer. They may have been applied, which is
// what the error says, and not that another try is harmless.
func TestStalledWrite(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	p := startProxy(t, members[0].config.AdvertiseClientUrls[0].Host)
	e := dialFor(t, p.url(), 2*time.Second)
	r := openReplica(t, e, store.Options{}, "")
	p.stalled.Lock()
	_, put := e.Put(t.Context(), "k", []byte("1"), 0)
	_, created := set(t.Context(), r, "a", 1)
	p.stalled.Unlock()
	if !errors.Is(put, store.ErrUncertain) || !errors.Is(put, store.ErrUnavailable) {
		t.Errorf("a write that was sent: %v", put)
	}
	// This one reads first, which fails, so it is certain that nothing was written.
	if metav1.ReasonOf(created) != metav1.StatusReasonServiceUnavailable {
		t.Errorf("a write that was not sent: %v", created)
	}
}

// TestRefusedWrites holds which errors of etcd leave open whether a write took effect. Most of them
// were taken to do so, such as a lease that etcd does not know.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	var refusal error
	applied := false // although it is refused
	refuse := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		o ...grpc.CallOption,
	) error {
		if strings.HasSuffix(method, "/Txn") {
			if applied {
				_ = invoke(ctx, method, req, reply, cc, o...) // the key shows whether it did
			}
			return refusal
		}
		return invoke(ctx, method, req, reply, cc, o...)
	}
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Compaction: etcd.Compaction{External: true},
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(refuse)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, tt := range []struct {
		err                    error
		uncertain, unavailable bool
	}{
		{rpctypes.ErrGRPCLeaseNotFound, false, false},
		{rpctypes.ErrGRPCPermissionDenied, false, false},
		{rpctypes.ErrGRPCDuplicateKey, false, false},
		{rpctypes.ErrGRPCInvalidAuthToken, false, true},
		{rpctypes.ErrGRPCAuthOldRevision, false, true},
		{rpctypes.ErrGRPCRequestTooLarge, false, false},
		{rpctypes.ErrGRPCRequestTooManyRequests, false, true},
		{rpctypes.ErrGRPCNoLeader, false, true},
		{rpctypes.ErrGRPCLeaderChanged, true, true},
		{rpctypes.ErrGRPCTimeout, true, true},
		{rpctypes.ErrGRPCStopped, true, true},
		{rpctypes.ErrGRPCNoSpace, false, false},
		{status.Error(codes.Unavailable, "error reading from server: EOF"), true, true},
		{status.Error(codes.Unknown, "panic"), true, false},
		{status.Error(codes.Unknown, "raft proposal dropped"), false, true},
	} {
		refusal = tt.err
		_, err := e.Put(t.Context(), "k", []byte("1"), 0)
		uncertain, unavailable := errors.Is(err, store.ErrUncertain), errors.Is(err, store.ErrUnavailable)
		if err == nil || uncertain != tt.uncertain || unavailable != tt.unavailable {
			t.Errorf("%v: uncertain: %t, want %t; unavailable: %t, want %t: %v", tt.err, uncertain, tt.uncertain, unavailable,
				tt.unavailable, err)
		}
	}
	refusal, applied = rpctypes.ErrGRPCNoSpace, true
	if _, err := e.Put(t.Context(), "k", []byte("1"), 0); !errors.Is(err, store.ErrUncertain) ||
		!errors.Is(err, store.ErrNoSpace) {
		t.Errorf("a write that etcd has carried out before it found that there is no space: %v", err)
	}
}

// TestReconnects counts how often an engine tries to connect to a member that is away. gRPC would
// pause for minutes after a long outage; the ninth attempt would come after 70 seconds.
func TestReconnects(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	p := startProxy(t, members[0].config.AdvertiseClientUrls[0].Host)
	dialFor(t, p.url(), time.Second)
	p.setCut(true)
	for deadline := time.Now().Add(50 * time.Second); p.refused.Load() < 9; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d attempts to connect", p.refused.Load())
		}
	}
}

// TestLeasesInAnOutage holds that writes with a TTL that wait for one lease fail together. Each of
// them asked again when the one before had failed.
func TestLeasesInAnOutage(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e := dialFor(t, endpoints(members)[0], 500*time.Millisecond)
	members[0].stop()
	const writes = 200
	until := time.Now().Add(time.Hour)
	begun := time.Now()
	var wg sync.WaitGroup
	for i := range writes {
		wg.Go(func() {
			_, err := e.PutUntil(t.Context(), fmt.Sprint("k", i), []byte("1"), 0, until)
			if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUncertain) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if took := time.Since(begun); took > writes/3*500*time.Millisecond {
		t.Errorf("%d writes took %v, one after the other", writes, took)
	}
}

// TestListsInManyRequests holds that the time of a request does not bound a list: objects of a
// hundred kilobytes come twenty at a time.
func TestListsInManyRequests(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	var ranges atomic.Int64
	count := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		o ...grpc.CallOption,
	) error {
		if strings.HasSuffix(method, "/Range") {
			ranges.Add(1)
		}
		return invoke(ctx, method, req, reply, cc, o...)
	}
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Compaction: etcd.Compaction{External: true},
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(count)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	value := []byte(strings.Repeat("x", 100<<10))
	for i := range 150 {
		if _, err := e.Put(t.Context(), fmt.Sprintf("k%03d", i), value, 0); err != nil {
			t.Fatal(err)
		}
	}
	ranges.Store(0)
	page, err := e.List(t.Context(), "", store.RangeOptions{})
	if err != nil || len(page.Items) != 150 || page.More {
		t.Fatalf("%d items, more: %t, %v", len(page.Items), page.More, err)
	}
	if n := ranges.Load(); n != 4 { // 100, 20, 20 and 10
		t.Errorf("the list took %d requests, want 4", n)
	}
}
