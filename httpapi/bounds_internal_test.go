package httpapi

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"
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

// deadlines is a connection that records its write deadlines.
type deadlines struct {
	http.ResponseWriter
	set chan time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error { d.set <- at; return nil }

// TestDeadlineOfAWatch checks that a client that does not read cannot hold a finished watch open,
// and that the deadline does not apply to the next request on the connection.
func TestDeadlineOfAWatch(t *testing.T) {
	t.Parallel()
	d := &deadlines{httptest.NewRecorder(), make(chan time.Time, 3)}
	ctx, cancel := context.WithCancel(t.Context())
	s := &watchStream{ctx: ctx, control: http.NewResponseController(d)}
	end := s.guard()
	if at := <-d.set; !at.IsZero() {
		t.Errorf("while it runs it has the deadline %v", at)
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
