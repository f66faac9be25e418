package aggregator_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/server"
)

// listen serves a front on a port of its own until the test ends.
func (f *front) listen(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- f.server.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// TestLongRequests checks that watches, logs and upgraded connections of other servers outlast the
// time that the front allows for a request, and that they count as watches.
func TestLongRequests(t *testing.T) {
	t.Parallel()
	const limit = 200 * time.Millisecond
	release := make(chan struct{})
	end := sync.OnceFunc(func() { close(release) })
	defer time.AfterFunc(time.Minute, end).Stop()
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		switch {
		case r.Header.Get("Upgrade") != "":
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "echo")
			w.WriteHeader(http.StatusSwitchingProtocols)
			conn, _, err := control.Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			<-release
			fmt.Fprintln(conn, "late")
		case strings.Contains(r.URL.Path, "/flunders"):
			fmt.Fprintln(w, "early")
			if err := control.Flush(); err != nil {
				t.Error(err)
			}
			select {
			case <-release:
			case <-r.Context().Done():
			}
			fmt.Fprintln(w, "late")
		default:
			answerLegacy(w, r, "", "")
		}
	}))
	t.Cleanup(behind.Close)
	f := newFront(t, nil, server.Limits(server.LimitSettings{RequestTime: limit, UserWatches: 3}))
	f.Set(service("w", behind.URL, "wardle.example.com", "v1"))
	address := f.listen(t)
	const flunders = "/apis/wardle.example.com/v1/namespaces/n/flunders"
	type stream struct {
		name  string
		lines *bufio.Reader
	}
	var open []stream
	for _, target := range []string{
		flunders + "?watch=1", flunders + "/a/log?follow=true", flunders + "/a/exec",
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
		upgrade := ""
		if strings.HasSuffix(target, "exec") {
			upgrade = "Connection: Upgrade\r\nUpgrade: echo\r\n"
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", target, address, upgrade)
		lines := bufio.NewReader(conn)
		resp, err := http.ReadResponse(lines, nil)
		if err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		if upgrade == "" {
			lines = bufio.NewReader(resp.Body)
			if line, err := lines.ReadString('\n'); line != "early\n" {
				t.Fatalf("%s: %d, %q, %v", target, resp.StatusCode, line, err)
			}
		} else if resp.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("%s: %d", target, resp.StatusCode)
		}
		open = append(open, stream{target, lines})
	}
	// An ordinary request ends when its time is over, which is after that of the streams.
	if resp, err := f.http.Get("http://front" + flunders + "/b"); err == nil {
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode == http.StatusOK {
			t.Errorf("a request that takes too long: %q looks complete", text)
		}
	}
	time.Sleep(2 * limit)
	// The user has three long requests, as many as a user may have.
	for _, more := range []string{"?watch=1", "/a?watch=1", "/a/proxy/b", "/a/status?watch=1"} {
		if code, _, body := f.do(t, "GET", flunders+more, ""); code != http.StatusTooManyRequests ||
			!strings.Contains(body, "you have too many watches") {
			t.Errorf("a fourth watch, %s: %d %s", more, code, body)
		}
	}
	end()
	for _, s := range open {
		if line, err := s.lines.ReadString('\n'); line != "late\n" {
			t.Errorf("%s: after the time of a request: %q, %v", s.name, line, err)
		}
		_, _ = io.Copy(io.Discard, s.lines)
	}
}

// TestLongBody checks that the body of a stream may arrive for longer than that of a request.
func TestLongBody(t *testing.T) {
	t.Parallel()
	const limit = 200 * time.Millisecond
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/proxy/upload") {
			answerLegacy(w, r, "", "")
			return
		}
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "%d bytes, %v", n, err)
	}))
	t.Cleanup(behind.Close)
	f := newFront(t, nil, server.Limits(server.LimitSettings{RequestTime: limit}))
	f.Set(service("w", behind.URL, "wardle.example.com", "v1"))
	body, w := io.Pipe()
	go func() {
		fmt.Fprint(w, "early")
		time.Sleep(2 * limit)
		fmt.Fprint(w, "late")
		w.Close()
	}()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		"http://"+f.listen(t)+"/apis/wardle.example.com/v1/namespaces/n/flunders/a/proxy/upload", body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "9 bytes, <nil>" {
		t.Errorf("%d %q, %v", resp.StatusCode, text, err)
	}
}

// TestSlowServerLeavesFront checks that with the default limits a server that does not answer holds
// up neither reads nor writes of the front.
func TestSlowServerLeavesFront(t *testing.T) {
	t.Parallel()
	waiting := make(chan struct{}, 1000)
	release := make(chan struct{})
	slow := handler(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/flunders") {
			waiting <- struct{}{}
			<-release
		}
		answerLegacy(w, r, "", "")
	})
	f := newFrontWith(t, aggregator.Config{
		Transport: func(*v1alpha1.APIServiceSpec) http.RoundTripper { return slow },
	})
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
	var running sync.WaitGroup
	defer running.Wait()
	defer close(release)
	for _, method := range []string{"GET", "POST"} {
		refused := make(chan int, 1000)
		for more := true; more; {
			running.Go(func() {
				code, _, _ := f.do(t, method, "/apis/wardle.example.com/v1/namespaces/n/flunders", "{}")
				refused <- code
			})
			select {
			case <-waiting:
			case code := <-refused:
				if more = false; code != http.StatusTooManyRequests {
					t.Fatalf("%s: %d", method, code)
				}
			}
		}
		if code, _, body := f.do(t, "GET", "/apis/inventory.example.com/v1/sites", ""); code != http.StatusOK {
			t.Errorf("with many %s: a read of the front: %d %s", method, code, body)
		}
		if code, _, body := f.do(t, "POST", "/apis/inventory.example.com/v1/sites",
			`{"kind":"Site","apiVersion":"inventory.example.com/v1","metadata":{"name":"`+strings.ToLower(method)+
				`"},"spec":{"address":"a"}}`); code != http.StatusCreated {
			t.Errorf("with many %s: a write of the front: %d %s", method, code, body)
		}
	}
}
