package clienttest

import (
	"context"
	"net"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	fleetv1beta1 "github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	notesv1 "github.com/askind/askind/examples/notes/api/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// each runs a test with a server in the process and with one behind a port.
func each(t *testing.T, test func(t *testing.T, ctx context.Context, config *rest.Config)) {
	eachServer(t, func(t *testing.T, ctx context.Context, _ *server.Server, config *rest.Config) {
		test(t, ctx, config)
	})
}

// eachServer is each for a test that changes what the server serves.
func eachServer(t *testing.T,
	test func(t *testing.T, ctx context.Context, srv *server.Server, config *rest.Config),
) {
	dials := map[string]func(*testing.T, *server.Server) *rest.Config{"in process": inProcess, "TCP": overTCP}
	for name, dial := range dials {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			srv := newServer(t)
			test(t, ctx, srv, dial(t, srv))
		})
	}
}

func newServer(t *testing.T, o ...server.Option) *server.Server {
	t.Helper()
	s, err := runtime.NewScheme(fleetv1.AddTo, fleetv1beta1.AddTo, notesv1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	srv, err := server.New(s, db, o...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = srv.Close()
		_ = db.Close()
	})
	return srv
}

func inProcess(_ *testing.T, srv *server.Server) *rest.Config {
	return &rest.Config{Host: "http://server", Transport: srv.Transport(), QPS: -1}
}

func overTCP(t *testing.T, srv *server.Server) *rest.Config {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &rest.Config{Host: "http://" + l.Addr().String(), QPS: -1}
}

// must fails the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, ctx context.Context, what string, holds func() bool) {
	t.Helper()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatal(what, "does not come true")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
