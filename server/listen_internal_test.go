package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestShutdownBreaksOff checks that the error of a shutdown says what took too long.
func TestShutdownBreaksOff(t *testing.T) {
	t.Parallel()
	entered, done := make(chan struct{}), make(chan error, 1)
	h := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	}))
	defer h.Close()
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL, nil)
		if err == nil {
			_, err = h.Client().Do(r)
		}
		done <- err
	}()
	<-entered
	err := shutDown(t.Context(), h.Config, 10*time.Millisecond)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "requests that had not ended 10ms after") {
		t.Errorf("error %v", err)
	}
	if err := <-done; err == nil {
		t.Error("the request has an answer")
	}
}
