package httpapi

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"weak"
)

// TestLargeBuffersAreNotKept checks that one large object does not stay in memory forever.
func TestLargeBuffersAreNotKept(t *testing.T) {
	t.Parallel()
	for range 100 { // a pool may drop what it gets
		large := make([]byte, 0, maxPooled+1)
		release(&large)
		if got := buffers.Get().(*[]byte); cap(*got) > maxPooled {
			t.Fatalf("a buffer of %d bytes was kept", cap(*got))
		}
	}
}

// TestZippersKeepNoResponse checks that a pooled gzip writer does not keep the previous response in
// memory.
func TestZippersKeepNoResponse(t *testing.T) {
	t.Parallel()
	zip := gzip.NewWriter(io.Discard)
	answered := func() weak.Pointer[response] {
		w := &response{ResponseWriter: httptest.NewRecorder()}
		b := &body{x: &Exchange{w: w}, zip: zip}
		zip.Reset(w)
		if _, err := b.pass([]byte("text")); err != nil {
			t.Error(err)
		}
		if err := b.closeZip(nil); err != nil {
			t.Error(err)
		}
		return weak.Make(w)
	}()
	for range 10 {
		if answered.Value() == nil {
			break
		}
		goruntime.GC()
	}
	if answered.Value() != nil {
		t.Error("the response is still in memory")
	}
	goruntime.KeepAlive(zip)
}

// TestWarningHeaders checks that no text injects a header or produces one that is too long.
func TestWarningHeaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"plain", `unknown field "a"`, `299 - "unknown field \"a\""`},
		{"a backslash", `a\`, `299 - "a\\"`},
		{"line ends and controls", "a\r\nSet-Cookie: b\x00\x7f\t", `299 - "a  Set-Cookie: b   "`},
		{"long", strings.Repeat("x", 300), `299 - "` + strings.Repeat("x", maxWarning-3) + `…"`},
		{
			"long, cut within a character", strings.Repeat("x", maxWarning-4) + "€€",
			`299 - "` + strings.Repeat("x", maxWarning-4) + `…"`,
		},
		{"long, of no character", strings.Repeat("\x80", 300), `299 - "…"`},
	} {
		var w warnings
		w.add(tt.text)
		h := http.Header{}
		if w.writeTo(h); h.Get("Warning") != tt.want || len(h) != 1 {
			t.Errorf("%s: %q, want %q", tt.name, h, tt.want)
		}
	}
	for _, tt := range []struct {
		text  string
		shown int
	}{
		{strings.Repeat("x", 98), 40},
		{strings.Repeat(`"`, 49), 40}, // each is written as two bytes
		{"short", maxTexts},           // clients limit the number of headers
	} {
		var w warnings
		for range 1000 {
			w.add(tt.text)
		}
		h := http.Header{}
		w.writeTo(h)
		last := fmt.Sprintf(`299 - "%d more warnings are not shown"`, 1000-tt.shown)
		if got := h["Warning"]; len(got) != tt.shown+1 || got[tt.shown] != last {
			t.Errorf("%d warnings of %q, the last is %s", len(got), tt.text, got[len(got)-1])
		}
	}
}

// deadlines is a connection that records its deadlines.
type deadlines struct {
	http.ResponseWriter
	set  chan time.Time // for writing
	read []time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error { d.set <- at; return nil }

func (d *deadlines) SetReadDeadline(at time.Time) error { d.read = append(d.read, at); return nil }

// TestDeadlineOfABody checks that reading a body has a deadline, which is lifted once all of it has
// been read, and that a connection is not used again whose client is too slow.
func TestDeadlineOfABody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		body    io.Reader
		timeout time.Duration
		code    int32
		lifted  bool
	}{
		{"a body", strings.NewReader("{}"), time.Hour, 0, true},
		{"a slow one", iotest.ErrReader(os.ErrDeadlineExceeded), time.Hour, http.StatusRequestTimeout, false},
		{"a broken one", iotest.ErrReader(io.ErrUnexpectedEOF), time.Hour, http.StatusBadRequest, false},
		{"a body without a timeout", strings.NewReader("{}"), -1, 0, false},
	} {
		d := &deadlines{ResponseWriter: httptest.NewRecorder()}
		x := &Exchange{
			api: &API{settings: Settings{BodyTimeout: tt.timeout}}, w: &response{ResponseWriter: d},
			r: httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", tt.body),
		}
		before := time.Now()
		_, err := x.Body()
		code := int32(0)
		if err != nil {
			code = StatusOf(err).Code
		}
		if closes := d.Header().Get("Connection") == "close"; code != tt.code || closes != (code == 408) {
			t.Errorf("%s: %v, the connection is closed: %v", tt.name, err, closes)
		}
		switch {
		case tt.timeout < 0:
			if len(d.read) > 0 {
				t.Errorf("%s: the deadlines %v are set", tt.name, d.read)
			}
		case len(d.read) == 0 || d.read[0].Before(before.Add(tt.timeout)):
			t.Errorf("%s: the deadlines are %v, want one in %v", tt.name, d.read, tt.timeout)
		case tt.lifted != d.read[len(d.read)-1].IsZero():
			t.Errorf("%s: the last deadline is %v", tt.name, d.read[len(d.read)-1])
		}
	}
}

// TestDeadlineOfAWatch checks that a client that does not read cannot hold a finished watch open,
// and that the deadline does not apply to the next request on the connection.
func TestDeadlineOfAWatch(t *testing.T) {
	t.Parallel()
	d := &deadlines{ResponseWriter: httptest.NewRecorder(), set: make(chan time.Time, 3)}
	ctx, cancel := context.WithCancel(t.Context())
	s := &watchStream{ctx: ctx, control: http.NewResponseController(d)}
	end := s.guard()
	if at := <-d.set; !at.IsZero() || len(d.read) != 1 || !d.read[0].IsZero() {
		t.Errorf("while it runs it has the deadline %v, and %v for reading", at, d.read)
	}
	before := time.Now()
	cancel()
	if at := <-d.set; at.Before(before.Add(lastWrite)) || at.After(time.Now().Add(lastWrite)) {
		t.Errorf("at its end it has the deadline %v, want %v from now", at, lastWrite)
	}
	end()
	if at := <-d.set; !at.IsZero() {
		t.Errorf("afterwards the deadline is %v", at)
	}
}
