// Package servertest has servers for tests: in memory, ready within milliseconds, with a clock that
// the test sets and an engine that fails when the test wants it to.
//
//	srv := servertest.New(t, scheme)
//	notes := client.Of[v1.Note](srv.Client()).In("default")
//	…
//	srv.Clock.Add(time.Hour)
//	srv.Engine.Fail(servertest.Put, errors.New("the disk is full"), 1)
//
// Clients of the Kubernetes API run on the server's Transport, without a port:
//
//	config := &rest.Config{Host: "http://server", Transport: srv.Transport()}
package servertest

import (
	"log/slog"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// Server is a server for a test.
type Server struct {
	*server.Server

	// Clock is the clock of time stamps and ages. It stands still until it is set.
	Clock *Clock
	// Engine keeps the objects, in memory.
	Engine *Engine
}

// New returns a server for the kinds of a scheme. It logs to the test, and ends with it. Options
// come after those of this package, so they may replace its clock and its logger.
func New(t testing.TB, scheme *runtime.Scheme, options ...server.Option) *Server {
	t.Helper()
	out := &Server{Clock: NewClock(), Engine: NewEngine(memory.New())}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	options = append([]server.Option{server.Clock(out.Clock.Now), server.Log(log)}, options...)
	var err error
	if out.Server, err = server.New(scheme, out.Engine, options...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := out.Server.Close(); err != nil {
			t.Error(err)
		}
		if err := out.Engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return out
}
