package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// spy records whether it is written to a connection itself.
type spy struct {
	*gathered
	connected atomic.Bool
}

func (s *spy) WriteTo(w io.Writer) (int64, error) {
	_, connected := w.(syscall.Conn)
	s.connected.Store(connected)
	return s.gathered.WriteTo(w)
}

// TestGatheredReachesTheConnection checks whether net/http passes a source on to a connection that
// can write slices, which is not documented, and that every other way of reading gives the same
// bytes.
func TestGatheredReachesTheConnection(t *testing.T) {
	t.Parallel()
	slices := func() [][]byte { return [][]byte{[]byte("ab"), nil, []byte(strings.Repeat("c", 100_000)), []byte("d")} }
	source := &spy{gathered: newGathered(slices())}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100003")
		w.WriteHeader(http.StatusOK)
		if n, err := (&response{ResponseWriter: w}).ReadFrom(source); n != 100_003 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
	}))
	defer s.Close()
	want := "ab" + strings.Repeat("c", 100_000) + "d"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got, err := io.ReadAll(answer.Body); string(got) != want || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	s.Close() // and wait for the handler
	if source.connected.Load() != passesOn || source.Len() != 0 {
		t.Errorf("the connection itself: %v; %d bytes are left", source.connected.Load(), source.Len())
	}
	var text strings.Builder // a writer that is not a connection
	if n, err := newGathered(slices()).WriteTo(&text); n != 100_003 || err != nil || text.String() != want {
		t.Errorf("a writer got %d bytes, %v", n, err)
	}
	if got, err := io.ReadAll(struct{ io.Reader }{newGathered(slices())}); string(got) != want || err != nil {
		t.Errorf("a reader got %d bytes, %v", len(got), err)
	}
}

// longest records the longest piece, and fails when it has no room left.
type longest struct{ room, piece int }

func (l *longest) Write(p []byte) (int, error) {
	l.piece = max(l.piece, len(p))
	n := min(len(p), l.room)
	if l.room -= n; n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// TestGatheredIsCopiedInPieces checks that little of a long source is copied at once for a writer
// that is not a connection, and that its errors are returned with the bytes before them.
func TestGatheredIsCopiedInPieces(t *testing.T) {
	t.Parallel()
	const size, count = 10 << 10, 100
	for _, room := range []int{size * count, size*count - 1, 1, copiedPiece + 3*size} {
		slices := make([][]byte, count)
		for i := range slices {
			slices[i] = make([]byte, size)
		}
		w := longest{room: room}
		n, err := newGathered(slices).WriteTo(&w)
		if n != int64(room) || (err == nil) != (room == size*count) || w.piece > copiedPiece+size {
			t.Errorf("room for %d bytes: %d, %v, the longest piece of %d", room, n, err, w.piece)
		}
	}
}
