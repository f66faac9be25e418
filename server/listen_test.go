package server_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// writeCertificate writes a new certificate with a serial number, and its key, and returns a pool
// that trusts it.
func writeCertificate(t *testing.T, certificate, key string, serial int64) *x509.CertPool {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, NotAfter: time.Now().
				Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: der},
		key:         {Type: "EC PRIVATE KEY", Bytes: encoded},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return pool
}

// TestTLS checks that the server speaks TLS and HTTP/2, and takes a new certificate from the files.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	pool := writeCertificate(t, certificate, key, 1)
	told := make(chan slog.Record, 10)
	s := newServer(t, server.CertificateFiles(certificate, key), server.Log(slog.New(records(told))))
	address := listening(t, s)
	get := func() (*http.Response, error) {
		transport := &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true,
			DisableKeepAlives: true,
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/version", nil)
		if err != nil {
			return nil, err
		}
		response, err := transport.RoundTrip(r)
		if err == nil {
			response.Body.Close()
		}
		return response, err
	}
	response, err := get()
	if err != nil || response.ProtoMajor != 2 || response.TLS.PeerCertificates[0].SerialNumber.Int64() != 1 {
		t.Fatalf("got %+v, %v", response, err)
	}
	time.Sleep(10 * time.Millisecond) // for another time of change
	pool = writeCertificate(t, certificate, key, 2)
	// The files are looked at once a second.
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if response, err = get(); err == nil && response.TLS.PeerCertificates[0].SerialNumber.Int64() == 2 {
			break
		}
	}
	if err != nil || response.TLS.PeerCertificates[0].SerialNumber.Int64() != 2 {
		t.Errorf("the new certificate is not taken: %v", err)
	}
	if err := os.WriteFile(key, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for warned := false; !warned; {
		if response, err = get(); err != nil || response.TLS.PeerCertificates[0].SerialNumber.Int64() != 2 {
			t.Fatalf("the last valid certificate is not kept: %v", err)
		}
		select {
		case r := <-told:
			warned = r.Level == slog.LevelWarn && strings.Contains(r.Message, "certificate cannot be read again")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// records is a log handler that passes its records on.
type records chan<- slog.Record

// Enabled implements [slog.Handler].
func (records) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle implements [slog.Handler].
func (c records) Handle(_ context.Context, r slog.Record) error {
	select {
	case c <- r:
	default:
	}
	return nil
}

// WithAttrs implements [slog.Handler].
func (c records) WithAttrs([]slog.Attr) slog.Handler { return c }

// WithGroup implements [slog.Handler].
func (c records) WithGroup(string) slog.Handler { return c }

// TestServeLogsItsURL checks that the log has the port that the system chose.
func TestServeLogsItsURL(t *testing.T) {
	t.Parallel()
	config := tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return nil, errors.New("nobody connects")
	}}
	for _, c := range []struct {
		name, want string
		options    []server.Option
	}{
		{"plain", "http://", nil},
		{"TLS", "https://", []server.Option{server.TLS(&config)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			s := newServer(t, append(c.options, server.Log(slog.New(slog.NewTextHandler(&log, nil))))...)
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := s.Serve(ctx, l); err != nil {
				t.Fatal(err)
			}
			if want := " url=" + c.want + l.Addr().String() + "\n"; !strings.Contains(log.String(), want) {
				t.Errorf("the log has no %q: %s", want, &log)
			}
		})
	}
}

// TestShutdown checks that requests under way are answered, and watches end, when a server stops.
func TestShutdown(t *testing.T) {
	t.Parallel()
	entered, block := make(chan struct{}), make(chan struct{})
	s := newServer(t, server.Handle("/slow", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-block
	})))
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	answered := make(chan int, 2)
	get := func(path string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+path, nil)
		if err != nil {
			t.Error(err)
			return
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Error(err)
			answered <- 0
			return
		}
		defer response.Body.Close()
		answered <- response.StatusCode
	}
	go get("/slow")
	<-entered
	cancel()
	close(block)
	if code := <-answered; code != http.StatusOK {
		t.Errorf("the request under way is answered with %d", code)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if w := request(s, "GET", "/version", ""); w.Code != http.StatusServiceUnavailable {
		t.Errorf("after the end: %d", w.Code)
	}
}

// TestShutdownOfHooks checks that a hook of a request under way can use the client of the server
// while that stops.
func TestShutdownOfHooks(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	var s *server.Server
	s = newServer(t, server.For(server.Hooks[inventoryv1.Site]{
		Admit: func(ctx context.Context, _ *server.Request, _, new *inventoryv1.Site) error {
			if new == nil || new.Name != "slow" {
				return nil
			}
			close(entered)
			<-ending(s)
			all := client.Of[inventoryv1.Site](s.Client())
			if _, err := all.Get(ctx, "other"); err != nil {
				return err
			}
			return all.Delete(ctx, "other") // through the handler
		},
	}))
	if w := request(s, http.MethodPost, sites, site("other")); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	go func() {
		<-entered
		cancel()
	}()
	response, err := http.Post("http://"+l.Addr().String()+sites, "application/json", strings.NewReader(site("slow")))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); response.StatusCode != http.StatusCreated || err != nil {
		t.Errorf("the request under way is answered with %d: %s", response.StatusCode, body)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// ending returns a channel that is closed when a server begins to close.
func ending(s *server.Server) <-chan struct{} {
	ctx := make(chan context.Context, 1)
	s.Go(func(c context.Context) { ctx <- c })
	return (<-ctx).Done()
}

// TestShutdownTime checks how long a server waits for a request under way.
func TestShutdownTime(t *testing.T) {
	t.Parallel()
	for limit, broken := range map[time.Duration]bool{10 * time.Millisecond: true, -1: false} {
		t.Run(limit.String(), func(t *testing.T) {
			t.Parallel()
			entered := make(chan struct{})
			var s *server.Server
			s = newServer(t, server.Limits(server.LimitSettings{ShutdownTime: limit}),
				server.Handle("/slow", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					close(entered)
					<-ending(s)
					if broken {
						<-r.Context().Done()
					}
				})))
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			answered, served := make(chan error, 1), make(chan error, 1)
			go func() { served <- s.Serve(ctx, l) }()
			go func() {
				url := "http://" + l.Addr().String() + "/slow"
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
				if err == nil {
					_, err = http.DefaultTransport.RoundTrip(r)
				}
				answered <- err
			}()
			<-entered
			cancel()
			if err := <-served; broken != errors.Is(err, context.DeadlineExceeded) ||
				broken && !strings.Contains(err.Error(), "requests that had not ended 10ms after") {
				t.Errorf("the server ends with %v", err)
			}
			if err := <-answered; broken != (err != nil) {
				t.Errorf("the request ends with %v", err)
			}
		})
	}
}

// TestShutdownDuringWrite checks that a write which is under way when a server stops is stored and
// acknowledged, and that an open watch over HTTP/1.1 and HTTP/2 has a complete answer.
func TestShutdownDuringWrite(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %t", secure), func(t *testing.T) {
			t.Parallel()
			db := memory.New()
			defer db.Close()
			entered, block := make(chan struct{}), make(chan struct{})
			options := []server.Option{
				server.Log(slog.New(slog.NewTextHandler(io.Discard, nil))),
				server.Admit(func(_ context.Context, _ *server.Request, _, _ runtime.Object) error {
					close(entered)
					<-block
					return nil
				}),
			}
			address, c := "http://", &http.Client{Transport: &http.Transport{}}
			if secure {
				own := httptest.NewTLSServer(nil) // for its certificate
				defer own.Close()
				options = append(options, server.TLS(&tls.Config{Certificates: own.TLS.Certificates}))
				pool := x509.NewCertPool()
				pool.AddCert(own.Certificate())
				address, c.Transport = "https://", &http.Transport{
					TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true,
				}
			}
			s, err := server.New(fleet(t), db, options...)
			if err != nil {
				t.Fatal(err)
			}
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			address += l.Addr().String() + sites
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- s.Serve(ctx, l) }()
			watching, err := c.Get(address + "?watch=true")
			if err != nil {
				t.Fatal(err)
			}
			defer watching.Body.Close()
			if secure != (watching.ProtoMajor == 2) {
				t.Errorf("the watch is over %s", watching.Proto)
			}
			answered := make(chan string, 1)
			go func() {
				response, err := c.Post(address, "application/json", strings.NewReader(site("a")))
				if err != nil {
					answered <- err.Error()
					return
				}
				defer response.Body.Close()
				answered <- response.Status
			}()
			<-entered
			cancel()
			if rest, err := io.ReadAll(watching.Body); err != nil {
				t.Errorf("the watch ends with %q, %v", rest, err)
			}
			close(block)
			if got := <-answered; !strings.HasPrefix(got, "201") {
				t.Errorf("the write is answered with %s", got)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			again, err := server.New(fleet(t), db)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			run(t, again, sites, []step{{name: "stored", method: "GET", path: "a", code: http.StatusOK}})
		})
	}
}

// TestWatchesEndQuietly holds that watches which a server ends by closing end as those do whose
// time is over: clients resume elsewhere, and nobody reads of an internal error.
func TestWatchesEndQuietly(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newServer(t, server.Log(slog.New(slog.NewTextHandler(&log, nil))))
	request(s, "POST", sites, site("a"))
	watches := make([]*stream, 50)
	for i := range watches {
		watches[i] = watch(t, s, sites+"?watch=true")
		watches[i].expect("ADDED a")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, w := range watches {
		if rest, _ := io.ReadAll(w.lines); len(rest) > 0 {
			t.Fatalf("a watch of a closed server ends with %s", rest)
		}
	}
	if log.Len() > 0 {
		t.Errorf("the log has %s", log.String())
	}
}

// TestClosed holds that a closed server answers every request with 503 and logs no failure.
func TestClosed(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newServer(t, server.Log(slog.New(slog.NewTextHandler(&log, nil))))
	notes := s.Client()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/version", "/readyz", "/apis", sites, sites + "/a", sites + "?watch=true"} {
		w := request(s, http.MethodGet, path, "")
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
			t.Errorf("%s: code %d, headers %v, want 503 with Retry-After", path, w.Code, w.Header())
		}
	}
	_, err := client.Of[inventoryv1.Site](notes).Get(t.Context(), "a")
	if e, ok := errors.AsType[*metav1.StatusError](err); !ok || e.Status.Code != http.StatusServiceUnavailable {
		t.Errorf("a client in the process gets %v, want 503", err)
	}
	if log.Len() > 0 {
		t.Errorf("the log has\n%s", &log)
	}
}

// TestCloseWaits checks that Close waits for the functions of Go, and that their context ends, or
// has ended on a closed server.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var returned atomic.Bool
	s.Go(func(ctx context.Context) {
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond)
		returned.Store(true)
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !returned.Load() {
		t.Error("Close has not waited")
	}
	late := make(chan error, 1)
	s.Go(func(ctx context.Context) { late <- ctx.Err() })
	if err := <-late; !errors.Is(err, context.Canceled) {
		t.Errorf("on a closed server: %v", err)
	}
}

// TestClosedMeanwhile checks that a request that meets the closing of the server is answered with
// 503 too.
func TestClosedMeanwhile(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var s *server.Server
	s = newServer(t, server.Log(slog.New(slog.NewTextHandler(&log, nil))),
		server.Admit(func(context.Context, *server.Request, runtime.Object, runtime.Object) error { return s.Close() }))
	if w := request(s, http.MethodPost, sites, site("a")); w.Code != http.StatusServiceUnavailable {
		t.Errorf("code %d, want 503: %s", w.Code, w.Body)
	}
	if log.Len() > 0 {
		t.Errorf("the log has\n%s", &log)
	}
}

// TestEndedEngine checks that a server whose engine has ended, which no request can mend, says so
// in its health, and that Serve returns the cause.
func TestEndedEngine(t *testing.T) {
	t.Parallel()
	sites := inventoryv1.GroupVersion.WithResource("sites").GroupResource()
	for _, name := range []string{"main", "other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engines := map[string]store.Engine{"main": memory.New(), "other": memory.New()}
			s, err := server.New(fleet(t), engines["main"], server.Log(slog.New(slog.DiscardHandler)),
				server.StoreFor(engines["other"], sites))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			defer engines["main"].Close()
			defer engines["other"].Close()
			run(t, s, "", []step{
				{
					name: "alive", method: "GET", path: "/livez?verbose", code: 200,
					want: []string{"[+]store ok", "livez check passed"},
				},
				{name: "ready", method: "GET", path: "/readyz/store", code: 200},
			})
			if err := engines[name].Close(); err != nil {
				t.Fatal(err)
			}
			ended := s.Store()
			if name == "other" {
				ended = s.StoreOf(sites)
			}
			<-ended.Done()
			for _, path := range []string{"/livez", "/readyz", "/readyz/store"} {
				w := request(s, http.MethodGet, path, "")
				if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "[-]store failed") {
					t.Errorf("%s: %d %s", path, w.Code, w.Body)
				}
			}
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Serve(t.Context(), l); !errors.Is(err, store.ErrClosed) {
				t.Errorf("Serve: %v, want %v", err, store.ErrClosed)
			}
		})
	}
}

// fullDisk is an engine that ends by a write, and whose write returns after that has been noticed.
type fullDisk struct {
	store.Engine
	ended   chan struct{}
	noticed func() <-chan struct{}
}

var errFullDisk = fmt.Errorf("%w: no space left on device", store.ErrClosed)

// Put implements [store.Engine].
func (e *fullDisk) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	if !strings.Contains(key, "/sites/") {
		return e.Engine.Put(ctx, key, value, expected)
	}
	close(e.ended)
	<-e.noticed()
	return 0, errFullDisk
}

// Watch implements [store.Engine].
func (e *fullDisk) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-e.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := e.Engine.Watch(ctx, prefix, from, deliver)
	select {
	case <-e.ended:
		return errFullDisk
	default:
		return err
	}
}

// TestEngineEndsByWrite checks that clients are not told to repeat the write by which an engine
// ends, which may have taken effect, although the server ends meanwhile.
func TestEngineEndsByWrite(t *testing.T) {
	t.Parallel()
	var s *server.Server
	db := &fullDisk{Engine: memory.New(), ended: make(chan struct{})}
	db.noticed = func() <-chan struct{} { return ending(s) }
	defer db.Close()
	s, err := server.New(fleet(t), db, server.Log(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context(), l) }()
	if w := request(s, http.MethodPost, sites, site("a")); w.Code != http.StatusInternalServerError ||
		w.Header().Get("Retry-After") != "" {
		t.Errorf("the write is answered with %d and %v, want 500 without Retry-After", w.Code, w.Header())
	}
	if err := <-done; !errors.Is(err, errFullDisk) {
		t.Errorf("Serve: %v, want %v", err, errFullDisk)
	}
}

// TestClosedWhileServing checks that a program that closes its server ends it without an error.
func TestClosedWhileServing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// brokenListener is a listener that fails when the channel is closed.
type brokenListener struct {
	net.Listener
	broken <-chan struct{}
}

var errBroken = errors.New("the network is gone")

// Accept implements [net.Listener].
func (l brokenListener) Accept() (net.Conn, error) {
	conns := make(chan net.Conn)
	go func() {
		if conn, err := l.Listener.Accept(); err == nil {
			conns <- conn
		}
	}()
	select {
	case conn := <-conns:
		return conn, nil
	case <-l.broken:
		return nil, errBroken
	}
}

// TestListenerFails checks that a request that is under way when the listener fails is finished,
// and that its connection is closed then.
func TestListenerFails(t *testing.T) {
	t.Parallel()
	begun, finish := make(chan struct{}), make(chan struct{})
	s := newServer(t, server.Handle("/slow", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-finish
		fmt.Fprint(w, "done")
	})))
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	broken := make(chan struct{})
	served := make(chan error, 1)
	go func() { served <- s.Serve(t.Context(), brokenListener{l, broken}) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprint(conn, "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-begun
	close(broken)
	select {
	case err := <-served:
		t.Errorf("Serve has not waited for a request: %v", err)
		served <- err
	case <-time.After(100 * time.Millisecond):
	}
	close(finish)
	if text, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(text), "done") {
		t.Errorf("got %q, %v", text, err)
	}
	if err := <-served; !errors.Is(err, errBroken) {
		t.Errorf("Serve: %v", err)
	}
}

// TestServeEndsWithClose checks that a server that is closed leaves its port, and that it does not
// serve again.
func TestServeEndsWithClose(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.Addr().String()+"/livez", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil || ctx.Err() != nil {
		t.Errorf("Serve: %v, the context: %v", err, ctx.Err())
	}
	if err := s.ListenAndServe(ctx, "127.0.0.1:0"); err != nil || ctx.Err() != nil {
		t.Errorf("ListenAndServe after Close: %v, the context: %v", err, ctx.Err())
	}
}

// TestAnonymousProbe checks that a policy can let probes without credentials see the health alone.
func TestAnonymousProbe(t *testing.T) {
	t.Parallel()
	rule := auth.Rule{Verbs: []string{"get"}, Paths: []string{"/livez", "/readyz"}}
	policy, err := auth.NewPolicy(auth.Policy{
		Roles:    []auth.Role{{Name: "probe", Rules: []auth.Rule{rule}}},
		Bindings: []auth.Binding{{Role: "probe", Users: []string{auth.AnonymousName}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, server.Authenticate(auth.Tokens(nil)), server.AllowAnonymous(), server.Authorize(policy))
	for path, want := range map[string]int{
		"/livez": http.StatusOK, "/readyz": http.StatusOK, "/metrics": http.StatusForbidden,
		"/apis": http.StatusForbidden, sites: http.StatusForbidden,
	} {
		if w := request(s, http.MethodGet, path, ""); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	healthy := false
	s := newServer(t, server.Check("database", func(context.Context) error {
		if healthy {
			return nil
		}
		return os.ErrNotExist
	}))
	run(t, s, "", []step{
		{name: "alive", method: "GET", path: "/livez", code: http.StatusOK, want: []string{"ok"}},
		{
			name: "not ready", method: "GET", path: "/readyz", code: http.StatusInternalServerError,
			want: []string{"[-]database failed: reason withheld", "[+]ping ok", "readyz check failed"}, not: []string{"exist"},
		},
		{name: "one check", method: "GET", path: "/readyz/ping", code: http.StatusOK},
		{name: "the one that fails", method: "GET", path: "/readyz/database", code: http.StatusInternalServerError},
		{
			name: "without it", method: "GET", path: "/readyz?exclude=database&verbose", code: http.StatusOK,
			want: []string{"[+]database excluded: ok"},
		},
		{name: "no check", method: "GET", path: "/readyz/nothing", code: http.StatusNotFound},
		{
			name: "another method", method: "POST", path: "/readyz", code: http.StatusMethodNotAllowed,
			want: []string{"Allow: GET, HEAD"},
		},
		{
			name: "the index", method: "GET", path: "/", code: http.StatusOK,
			want: []string{`"/apis/fleet.example.com/v1"`, `"/openapi/v3"`, `"/readyz/database"`},
		},
	})
	healthy = true
	run(t, s, "", []step{{name: "ready", method: "GET", path: "/readyz", code: http.StatusOK}})
}

// TestIndexForManyClients checks that requests for the index change nothing that they share.
func TestIndexForManyClients(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Check("database", func(context.Context) error { return nil }))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if w := request(s, "GET", "/", ""); strings.Count(w.Body.String(), "/readyz/database") != 1 {
					t.Errorf("the index: %s", w.Body)
				}
			}
		})
	}
	all.Wait()
}

// TestFutureRevisionsAreNotFailures checks that requests for revisions that do not exist yet, which
// clients make up, do not fill the log.
func TestFutureRevisionsAreNotFailures(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newServer(t, server.Log(slog.New(slog.NewTextHandler(&log, nil))))
	w := request(s, http.MethodGet, sites+"?resourceVersion=9223372036854775807", "")
	if w.Code != http.StatusGatewayTimeout {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if log.Len() > 0 {
		t.Errorf("the log has %s", &log)
	}
}

// TestNewWithoutParts holds that forgotten arguments are an error rather than a panic.
func TestNewWithoutParts(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(inventoryv1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.New(scheme, nil); err == nil || !strings.Contains(err.Error(), "must not be nil") {
		t.Errorf("no engine: %v", err)
	}
	if _, err := server.New(nil, memory.New()); err == nil || !strings.Contains(err.Error(), "must not be nil") {
		t.Errorf("no scheme: %v", err)
	}
}

// TestNewWithoutHub holds that the error for versions whose common hub was forgotten names it.
func TestNewWithoutHub(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1beta1.AddTo, v1alpha1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	_, err = server.New(scheme, memory.New())
	const want = "conversions lead to github.com/askind/askind/examples/fleet/api/fleet/v1, whose kinds are not registered"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
