package server_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/encrypt"
	"github.com/askind/askind/store/memory"
)

// TestMetrics checks that the metrics of a program follow those of the server.
func TestMetrics(t *testing.T) {
	t.Parallel()
	const own = "# HELP cars_sold Cars.\n# TYPE cars_sold counter\ncars_sold 3\n"
	s := newServer(t, server.Metrics(func(w io.Writer) { _, _ = io.WriteString(w, own) }))
	request(s, "GET", machines, "")
	body := request(s, "GET", "/metrics", "").Body.String()
	if !strings.HasSuffix(body, own) || !strings.Contains(body, "\naskind_requests_total{verb=\"list\"") {
		t.Errorf("metrics:\n%s", body)
	}
	for _, want := range []string{`{request_kind="readOnly"} 1`, `{request_kind="mutating"} 0`} { // this request
		if !strings.Contains(body, "\naskind_requests_in_flight"+want+"\n") {
			t.Errorf("there is no %s in\n%s", want, body)
		}
	}
}

// TestMetricsOfMadeUpMethods checks that clients cannot make more and more metrics by methods that
// they make up.
func TestMetricsOfMadeUpMethods(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for i := range 3 {
		request(s, fmt.Sprintf("METHOD%d", i), machines, "")
	}
	body := request(s, "GET", "/metrics", "").Body.String()
	const want = `askind_requests_total{verb="other",group="fleet.example.com",version="v1",resource="machines",` +
		`subresource="",code="405"} 3`
	if strings.Contains(body, "method1") || !strings.Contains(body, want) {
		t.Errorf("metrics:\n%s", body)
	}
}

// TestMetricsOfSilentHandlers checks that a response without a body, and a connection that a
// handler has taken over, are counted with their codes.
func TestMetricsOfSilentHandlers(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Handle("/silent", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})),
		server.Handle("/taken", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: talk\r\nConnection: Upgrade\r\n\r\n")
			_ = c.Close()
		})))
	if w := request(s, "GET", "/silent", ""); w.Header().Get("Cache-Control") == "" {
		t.Errorf("the header is %v", w.Header())
	}
	served := httptest.NewServer(s)
	resp, err := served.Client().Get(served.URL + "/taken")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	served.Close()
	body := request(s, "GET", "/metrics", "").Body.String()
	for _, code := range []string{"200", "101"} {
		if want := `resource="",subresource="",code="` + code + `"} 1`; !strings.Contains(body, want) {
			t.Errorf("metrics:\n%s\nwant %s", body, want)
		}
	}
}

// TestUndecodableMetric checks that objects that lists omit are counted, whether they are reported
// to the program or logged.
func TestUndecodableMetric(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]func(*store.UndecodableError){
		"log": nil, "program": func(*store.UndecodableError) {},
	} {
		db := memory.New()
		defer db.Close()
		if _, err := db.Put(t.Context(), "fleet.example.com/machines/default/m", []byte("sealed"), 0); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		s, err := server.New(fleet(t), db, server.Log(slog.New(slog.NewTextHandler(&log, nil))),
			server.StoreOptions(store.Options{Undecodable: told}))
		if err != nil {
			t.Fatal(err)
		}
		request(s, "GET", machines, "")
		body := request(s, "GET", "/metrics", "").Body.String()
		if err := s.Close(); err != nil { // nothing is logged after that
			t.Error(err)
		}
		// The list and the collector may both find the object first.
		_, count, _ := strings.Cut(body, "\naskind_undecodable_objects_total ")
		if !strings.HasPrefix(count, "1\n") && !strings.HasPrefix(count, "2\n") {
			t.Errorf("%s: metrics:\n%s", name, body)
		}
		if (told == nil) != strings.Contains(log.String(), "cannot be decoded") {
			t.Errorf("%s: the log has %q", name, &log)
		}
	}
}

// TestUndecodableLog checks that a wrong key does not make a line for each object.
func TestUndecodableLog(t *testing.T) {
	t.Parallel()
	db := memory.New()
	defer db.Close()
	sealed := func(secret byte) *encrypt.Engine {
		e, err := encrypt.New(db, encrypt.Keys{{ID: "a", Secret: bytes.Repeat([]byte{secret}, 16)}})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := sealed(1)
	for i := range 200 {
		if _, err := e.Put(t.Context(), fmt.Sprintf("fleet.example.com/machines/default/m%d", i), []byte("{}"), 0); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	s, err := server.New(fleet(t), sealed(2), server.Log(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	request(s, "GET", machines, "")
	if err := s.Close(); err != nil { // nothing is logged after that
		t.Error(err)
	}
	lines := strings.Split(log.String(), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, "cannot be decoded") })
	if len(lines) != 3 || !strings.HasSuffix(lines[2], "times=100") {
		t.Errorf("the log has %q", lines)
	}
}
