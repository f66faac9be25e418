package aggregator_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
)

// TestHostileDescriptions registers servers that describe themselves at great length or with tricks
// of HTTP, over connections, beside an honest one.
func TestHostileDescriptions(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	bomb := bytes.Repeat(zipped.Bytes(), 100) // the same MiB again and again
	const discovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	var asked atomic.Int32
	for name, serve := range map[string]http.HandlerFunc{
		"gzip bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		},
		"endless body": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", discovery)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<20)); err != nil {
					return
				}
			}
		},
		"slow body": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", discovery)
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond)
			}
		},
		"broken chunks": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n"+
				"5\r\n{\"kin\r\nzz\r\n", discovery)
		},
		"redirect inside": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/inside", http.StatusFound)
		},
		"header flood": func(w http.ResponseWriter, _ *http.Request) {
			for i := range 3000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("y", 100))
			}
		},
		"deep": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", discovery)
			fmt.Fprint(w, strings.Repeat(`{"kind":[`, 1_000_000))
		},
		"no answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/inside" {
					asked.Add(1)
				}
				serve(w, r)
			}))
			t.Cleanup(behind.Close)
			honest := fleet(t).Transport()
			f := newFrontWith(t, aggregator.Config{
				Period: time.Hour, ProbeTime: time.Second,
				Transport: byHost(map[string]http.RoundTripper{"fleet": honest}),
			})
			f.Set(fleetService("http://fleet"), service("bad", behind.URL, "bad.example.com", "v1"))
			f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
			f.waitFor(t, "bad", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
			for _, path := range []string{"/apis", "/apis/fleet.example.com/v1", machines, "/openapi/v2", "/openapi/v3"} {
				if code, _, body := f.do(t, "GET", path, ""); code != http.StatusOK {
					t.Errorf("%s: %d %.300s", path, code, body)
				}
			}
			if asked.Load() > 0 {
				t.Error("the aggregator followed a redirect")
			}
		})
	}
}
