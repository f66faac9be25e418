package server_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/askind/askind/client"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/internal/rounds"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// levels fails the test when the server logs an error.
type levels struct {
	slog.Handler
	t *testing.T
}

// Handle implements [slog.Handler].
func (l levels) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
		l.t.Error(text)
	}
	return nil
}

// TestRequestsDuringRemoval sends requests of all verbs while their group is removed and installed
// again: each is answered as before or as after, never with an internal error.
func TestRequestsDuringRemoval(t *testing.T) {
	t.Parallel()
	db := memory.New()
	s, err := server.New(fleet(t), db, server.Log(slog.New(levels{slog.NewTextHandler(io.Discard, nil), t})))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer s.Close()
	done := make(chan struct{})
	var wg sync.WaitGroup
	merge := "Content-Type: application/merge-patch+json"
	for _, c := range []struct{ method, path, body, header string }{
		{"GET", "/a", "", "Accept: application/json"},
		{"GET", "", "", "Accept: text/plain"},
		{"GET", "?watch=true&timeoutSeconds=1", "", "Accept: application/json"},
		{"POST", "", site("a"), "Content-Type: application/json"},
		{"PUT", "/a", site("a"), "Content-Type: application/json"},
		{"PATCH", "/a", `{"spec":{"address":"there"}}`, merge},
		{"DELETE", "/a", "", "Accept: application/json"},
		{"DELETE", "", "", "Accept: application/json"},
	} {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				w := request(s, c.method, sites+c.path, c.body, c.header)
				if w.Code >= http.StatusInternalServerError || strings.Contains(w.Body.String(), `"code":500`) {
					t.Errorf("%s %s: code %d: %s", c.method, c.path, w.Code, w.Body)
				}
			}
		})
	}
	all := client.Of[inventoryv1.Site](s.Client())
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if _, err := all.Get(t.Context(), "a"); err != nil && metav1.ReasonOf(err) != metav1.StatusReasonNotFound {
				t.Errorf("get in process: %v", err)
			}
		}
	})
	defer wg.Wait()
	defer close(done)
	for range max(20, rounds.Of(200)) {
		if err := s.Remove(inventoryv1.GroupVersion); err != nil {
			t.Fatal(err)
		}
		if err := s.Install(inventoryv1.AddTo); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCanceledRequestsAreNotFailures checks that canceled requests do not fill the log with errors.
func TestCanceledRequestsAreNotFailures(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Log(slog.New(levels{slog.NewTextHandler(io.Discard, nil), t})))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, path := range []string{sites, sites + "/x"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, http.NoBody))
		if w.Code != http.StatusGatewayTimeout {
			t.Errorf("%s: code %d, %s", path, w.Code, w.Body)
		}
	}
}
