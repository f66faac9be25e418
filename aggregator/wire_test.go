package aggregator_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/server"
)

const flunders = "/apis/wardle.example.com/v1/flunders"

// serveFlunders serves a handler for requests of flunders over HTTP until the test ends, with
// discovery documents. It returns the URL.
func serveFlunders(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(withDiscovery(h))
	t.Cleanup(s.Close)
	return s.URL
}

// withDiscovery adds the discovery documents of a server with flunders to a handler.
func withDiscovery(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, flunders) {
			h(w, r)
			return
		}
		answerLegacy(w, r, "/apis/wardle.example.com/v1", `{"kind":"APIResourceList","apiVersion":"v1",`+
			`"groupVersion":"wardle.example.com/v1","resources":[`+
			`{"name":"flunders","singularName":"","namespaced":false,"kind":"Flunder","verbs":["get"]}]}`)
	})
}

// TestCutAnswers checks that clients notice when the response of a server ends early. They must not
// take a part of a list for the whole.
func TestCutAnswers(t *testing.T) {
	t.Parallel()
	part := `{"kind":"FlunderList","items":[{"metadata":{"name":"a"}},`
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			fmt.Fprint(conn, text)
		}
	}
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	chunk := fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(part), part)
	for name, serve := range map[string]http.HandlerFunc{
		"a malformed chunk":   raw(head + chunk + "zz\r\n"),
		"no last chunk":       raw(head + chunk),
		"less than announced": raw(head + "Content-Length: 1000\r\n\r\n" + part),
		"a panic": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, part)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		f := newFrontWith(t, aggregator.Config{})
		f.Set(service("w", serveFlunders(t, serve), "wardle.example.com", "v1"))
		address := f.listen(t)
		for _, c := range []*http.Client{f.http, {Transport: &http.Transport{DisableKeepAlives: true}}} {
			for _, encoding := range []string{"identity", "gzip"} {
				url := "http://" + address + flunders
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept-Encoding", encoding)
				resp, err := c.Do(r)
				if err != nil {
					continue // the connection broke before the headers came
				}
				text, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err == nil && resp.StatusCode < 500 {
					t.Errorf("%s, %s: %d and %q look complete", name, encoding, resp.StatusCode, text)
				}
			}
		}
	}
}

// framed is a connection of a server for HTTP/2 into which a test can write frames.
type framed struct {
	net.Conn
	mu    sync.Mutex
	begun chan struct{} // closed when the server has sent its settings, which precede all else
}

func (c *framed) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.Conn.Write(p)
	select {
	case <-c.begun:
	default:
		close(c.begun)
	}
	return n, err
}

// goAway sends a GOAWAY frame, which says that streams up to the last one are still processed.
func (c *framed) goAway(last uint32) {
	frame := append([]byte{0, 0, 8, 7, 0, 0, 0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(frame[9:], last)
	<-c.begun
	_, _ = c.Write(frame)
}

// framedListener accepts TLS connections for HTTP/2.
type framedListener struct{ net.Listener }

func (l framedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &framed{Conn: c, begun: make(chan struct{})}, nil
}

// framedKey is the context key of the connection of a request.
type framedKey struct{}

// TestGoAway has servers end HTTP/2 connections with and without the request that is under way.
// Requests that a server has not processed are sent again, and events that it has sent arrive.
func TestGoAway(t *testing.T) {
	t.Parallel()
	const all, none = 1<<31 - 1, 0
	servers := newAuthority(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"},
		Certificates: []tls.Certificate{*servers.issue(t, serverTemplate())},
	})
	if err != nil {
		t.Fatal(err)
	}
	var last atomic.Uint32
	var dead atomic.Bool // the connection ends as well
	var requests atomic.Int32
	arrived := make(chan struct{}) // the first event of a watch
	s := &http.Server{
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, framedKey{}, c)
		},
		Handler: withDiscovery(func(w http.ResponseWriter, r *http.Request) {
			conn := r.Context().Value(framedKey{}).(*framed)
			if r.URL.Query().Get("watch") != "" {
				fmt.Fprintln(w, "one")
				_ = http.NewResponseController(w).Flush()
				<-arrived
				conn.goAway(last.Load())
				if last.Load() == none {
					<-r.Context().Done() // the aggregator ends the stream
					return
				}
				fmt.Fprintln(w, "two")
				return
			}
			if requests.Add(1) > 1 {
				fmt.Fprint(w, "{}")
				return
			}
			conn.goAway(last.Load())
			switch {
			case dead.Load():
				conn.Close()
			case last.Load() == none:
				<-r.Context().Done()
			default:
				fmt.Fprint(w, "{}")
			}
		}),
		Protocols: new(http.Protocols), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	s.Protocols.SetUnencryptedHTTP2(true)
	served := make(chan error, 1)
	go func() { served <- s.Serve(framedListener{l}) }()
	t.Cleanup(func() { s.Close(); <-served })
	f := newFrontWith(t, aggregator.Config{Period: time.Hour})
	w := service("w", "https://"+l.Addr().String(), "wardle.example.com", "v1")
	w.Spec.CABundle = servers.pem()
	f.Set(w)
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
	for _, tt := range []struct {
		name, method string
		last         uint32
		dead         bool
		code         int
		again        bool // the answer has Retry-After
		requests     int32
	}{
		{"a read that goes on", "GET", all, false, http.StatusOK, false, 1},
		{"a read that is refused", "GET", none, false, http.StatusOK, false, 2},
		{"a read that is lost", "GET", all, true, http.StatusServiceUnavailable, true, 1},
		{"a write that goes on", "POST", all, false, http.StatusOK, false, 1},
		{"a write that is lost", "POST", all, true, http.StatusServiceUnavailable, false, 1},
	} {
		requests.Store(0)
		last.Store(tt.last)
		dead.Store(tt.dead)
		code, header, body := f.do(t, tt.method, flunders, "{}")
		if code != tt.code || (header.Get("Retry-After") != "") != tt.again || requests.Load() != tt.requests {
			t.Errorf("%s: %d, Retry-After %q, %d requests: %s", tt.name, code, header.Get("Retry-After"),
				requests.Load(), body)
		}
	}
	for _, tt := range []struct {
		last uint32
		want string
	}{{all, "one\ntwo\n"}, {none, "one\n"}} {
		last.Store(tt.last)
		resp, err := f.http.Get("http://front" + flunders + "?watch=1")
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, len("one\n"))
		if _, err := io.ReadFull(resp.Body, first); err != nil {
			t.Fatal(err)
		}
		arrived <- struct{}{}
		rest, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if text := string(first) + string(rest); text != tt.want || (err == nil) != (tt.last == all) {
			t.Errorf("a watch with GOAWAY of %d: %q, %v", tt.last, text, err)
		}
	}
}

// TestTrailers checks that trailers go neither to clients nor to servers: they come after the
// headers have been confined.
func TestTrailers(t *testing.T) {
	t.Parallel()
	got := make(chan http.Header, 1)
	f := newFront(t, nil)
	f.Set(service("w", serveFlunders(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		got <- r.Trailer
		w.Header().Set("Trailer", "X-Announced, Set-Cookie")
		fmt.Fprint(w, "{}")
		w.Header().Set("X-Announced", "1")
		w.Header().Set("Set-Cookie", "session=stolen")
		w.Header().Set(http.TrailerPrefix+"X-Late", "1")
	}), "wardle.example.com", "v1"))
	conn, err := net.Dial("tcp", f.listen(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nTE: trailers\r\nContent-Type: application/json\r\n"+
		"Transfer-Encoding: chunked\r\nTrailer: X-Remote-User\r\n\r\n2\r\n{}\r\n0\r\nX-Remote-User: root\r\n\r\n",
		flunders, conn.RemoteAddr())
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(text, []byte("HTTP/1.1 200 ")) {
		t.Fatalf("%s", text)
	}
	for _, name := range []string{"Trailer", "X-Announced", "X-Late", "Set-Cookie"} {
		if bytes.Contains(bytes.ToLower(text), []byte(strings.ToLower(name)+":")) {
			t.Errorf("the client gets %s:\n%s", name, text)
		}
	}
	if trailer := <-got; len(trailer) != 0 {
		t.Errorf("the server gets %v", trailer)
	}
}

// TestLargeHeadersAndBodies sends more than either side accepts.
func TestLargeHeadersAndBodies(t *testing.T) {
	t.Parallel()
	var size atomic.Int64
	f := newFrontWith(t, aggregator.Config{Period: time.Hour}, server.Limits(server.LimitSettings{Body: 1 << 20}))
	f.Set(service("w", serveFlunders(t, func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		size.Store(n)
		switch {
		case err != nil:
			return
		case r.URL.Path == flunders+"/headers":
			w.Header().Set("X-Large", strings.Repeat("x", 128<<10))
		case r.URL.Path == flunders+"/many":
			for i := range 2000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 50))
			}
		case r.URL.Path == flunders+"/body":
			_, _ = w.Write(bytes.Repeat([]byte("x"), 20<<20))
		}
	}), "wardle.example.com", "v1"))
	address := f.listen(t)
	send := func(method, path, body string, header ...string) (int, int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path,
			struct{ io.Reader }{strings.NewReader(body)})
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, 0 // the connection was closed
		}
		defer resp.Body.Close()
		n, _ := io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, int(n)
	}
	for _, path := range []string{"/headers", "/many"} {
		if code, _ := send("GET", flunders+path, ""); code != http.StatusServiceUnavailable {
			t.Errorf("large headers of a server, %s: %d", path, code)
		}
	}
	if code, n := send("GET", flunders+"/body", ""); code != http.StatusOK || n != 20<<20 {
		t.Errorf("a large body of a server: %d, %d bytes", code, n)
	}
	large := strings.Repeat("x", 2<<20)
	if code, _ := send("GET", flunders, "", "X-Large", large); code != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("large headers of a client: %d", code)
	}
	// It is for the other server to limit the bodies that it takes.
	if code, _ := send("POST", flunders, strings.Repeat("x", 1<<22)); code != http.StatusOK || size.Load() != 1<<22 {
		t.Errorf("a large body of a client: %d; the server read %d bytes", code, size.Load())
	}
}

// TestCanceledRequests checks that a request whose client goes away ends at the server, and no
// longer counts.
func TestCanceledRequests(t *testing.T) {
	t.Parallel()
	began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	f := newFrontWith(t, aggregator.Config{Period: time.Hour, Requests: 1, Watches: 1})
	f.Set(service("w", serveFlunders(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "" {
			_ = http.NewResponseController(w).Flush()
		}
		began <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	}), "wardle.example.com", "v1"))
	address := f.listen(t)
	for _, target := range []string{flunders, flunders + "?watch=1"} {
		for range 3 { // more than may be in flight
			var conn net.Conn
			eventually(t, target+" begins", func() bool { // 429 until the one before has been counted off
				var err error
				if conn, err = net.Dial("tcp", address); err != nil {
					t.Fatal(err)
				}
				refused := make(chan struct{})
				fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, address)
				go func() {
					defer close(refused)
					line, _ := bufio.NewReader(conn).ReadString('\n')
					if !strings.Contains(line, "429") {
						<-t.Context().Done()
					}
				}()
				select {
				case <-began:
					return true
				case <-refused:
					conn.Close()
					return false
				}
			})
			conn.Close()
			select {
			case <-ended:
			case <-time.After(2 * time.Minute):
				t.Fatalf("%s did not end", target)
			}
		}
	}
}

// TestWatchesEndWithTheFront checks that the end of the front ends the watches of other servers as
// it ends its own: the clients get the whole of what was sent, and no error.
func TestWatchesEndWithTheFront(t *testing.T) {
	t.Parallel()
	f := newFrontWith(t, aggregator.Config{Period: time.Hour})
	f.Set(service("w", serveFlunders(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "one")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}), "wardle.example.com", "v1"))
	resp, err := f.http.Get("http://front" + flunders + "?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	go f.server.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("the watch ends with %q, %v", rest, err)
	}
}

// TestFlappingServer has a server that fails and answers by turns, at every look of the aggregator.
// Its condition follows, it is not asked more often than once in a period for it, its resources
// stay in discovery all the time, and no goroutines are left. It is not parallel, because it counts
// them.
func TestFlappingServer(t *testing.T) {
	const period = 40 * time.Millisecond
	var looks atomic.Int32
	s := withDiscovery(nil)
	began := time.Now()
	f := newFrontWith(t, aggregator.Config{Period: period, Transport: func(*v1alpha1.APIServiceSpec) http.RoundTripper {
		return handler(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/apis" && looks.Add(1)%2 == 0 {
				http.Error(w, "down", http.StatusBadGateway)
				return
			}
			s.ServeHTTP(w, r)
		})
	}})
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
	goroutines := 0
	for i := range 15 {
		if i == 3 {
			goroutines = runtime.NumGoroutine()
		}
		f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
		if _, _, body := f.do(t, "GET", "/apis/wardle.example.com/v1", ""); !strings.Contains(body, `"flunders"`) {
			t.Fatalf("the resources are gone: %s", body)
		}
		f.waitFor(t, "w", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
		if _, _, body := f.do(t, "GET", "/apis/wardle.example.com/v1", ""); !strings.Contains(body, `"flunders"`) {
			t.Fatalf("the resources are gone: %s", body)
		}
	}
	if n := runtime.NumGoroutine(); n > goroutines+5 {
		t.Errorf("%d goroutines after three cycles, and %d at the end", goroutines, n)
	}
	if n, most := int(looks.Load()), 2+int(time.Since(began)/(period*3/4)); n > most {
		t.Errorf("the server was asked %d times in %v, want at most %d", n, time.Since(began), most)
	}
}
