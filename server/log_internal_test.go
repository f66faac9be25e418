package server

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// timedWriter records for how long each part may be written.
type timedWriter struct {
	http.ResponseWriter
	limits []time.Duration
	sizes  []int
}

func (w *timedWriter) SetWriteDeadline(at time.Time) error {
	w.limits = append(w.limits, time.Until(at).Round(time.Hour))
	return nil
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.sizes = append(w.sizes, len(p))
	return w.ResponseWriter.Write(p)
}

// TestTimeOfParts checks that a client has the same time for each part of an answer, so that one
// who stops reading is noticed after that time.
func TestTimeOfParts(t *testing.T) {
	t.Parallel()
	w := &timedWriter{ResponseWriter: httptest.NewRecorder()}
	s := &statusWriter{ResponseWriter: w, time: 100 * time.Hour}
	body := make([]byte, 2<<20+300<<10+1)
	if n, err := s.Write(body); n != len(body) || err != nil {
		t.Fatal(n, err)
	}
	if n, err := s.ReadFrom(bytes.NewReader(body[:10])); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	sizes := []int{1 << 20, 1 << 20, 300<<10 + 1, 10}
	if !slices.Equal(w.sizes, sizes) || len(w.limits) != len(sizes) ||
		slices.ContainsFunc(w.limits, func(limit time.Duration) bool { return limit != 100*time.Hour }) {
		t.Fatalf("parts of %v bytes within %v", w.sizes, w.limits)
	}
}
