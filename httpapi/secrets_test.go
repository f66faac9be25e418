package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// TestInternalErrorsAreLogged checks that a client sees a reference in place of the text of an
// internal error, and that the log has both.
func TestInternalErrorsAreLogged(t *testing.T) {
	t.Parallel()
	secret := errors.New("dial postgres://user:pw@db: refused")
	for name, err := range map[string]error{
		"any": secret, "wrapped": fmt.Errorf("store: %w", secret), "stated": metav1.InternalError(secret),
		"with it": errors.Join(metav1.InternalError(secret), io.EOF),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var logged error
			s := httpapi.Settings{Log: func(_ *http.Request, err error) { logged = err }}
			resp, body := ask(t, failing(t, s, true, err), http.MethodGet, "/", "")
			reference := regexp.MustCompile(
				`internal error; the reference in the log of the server is ([A-Z2-7]{10})"`,
			).
				FindStringSubmatch(body)
			if resp.StatusCode != 500 || reference == nil || strings.Contains(body, "pw") {
				t.Fatalf("%d %s", resp.StatusCode, body)
			}
			if !errors.Is(logged, secret) || !strings.Contains(logged.Error(), reference[1]) ||
				!strings.Contains(logged.Error(), "postgres") {
				t.Errorf("logged %v", logged)
			}
		})
	}
}

// TestAdviceIsNotForClients checks that a message states which limit was exceeded and not how to
// raise it.
func TestAdviceIsNotForClients(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	deep := []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"x":` + strings.Repeat("[", 20_000) + `}}`)
	_, nested := f.Decode(deep)
	for _, err := range []error{nested, &schema.LimitError{
		Limit: "AliasValues", What: "the document", Max: 7,
		Unit: "values",
	}} {
		s := httpapi.StatusOf(err)
		if s.Code != 400 || strings.Contains(fmt.Sprintf("%+v", s), "raise") ||
			!strings.Contains(s.Message, "more than") {
			t.Errorf("of %v the client sees %+v", err, s)
		}
	}
}

func TestNotAcceptableHelps(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	_, body := ask(t, c.handler(), http.MethodGet, "/api/v1/pods", "", "Accept", "text/csv;as=PartialObjectMetadata")
	if !strings.Contains(body, "on offer:") || strings.Count(body, `\n`) < 4 {
		t.Errorf("got %s", body)
	}
}

func TestTableOptionsThatAreWrong(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	resp, body := ask(t, c.handler(), http.MethodGet, "/api/v1/pods?includeObject=Bogus", "")
	if resp.StatusCode != 400 || !strings.Contains(body, "includeObject") || !strings.Contains(body, `"BadRequest"`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

// TestTagOfAny checks that the response for any tag has the tag of the uncompressed response, and
// none if the response could be a compressed one.
func TestTagOfAny(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{Gzip: true})
	got, _ := ask(t, c.handler(), http.MethodGet, "/api/v1/namespaces/example/pods/a", "")
	resp, _ := ask(t, c.handler(), http.MethodGet, "/api/v1/namespaces/example/pods/a", "", "If-None-Match", "*")
	if resp.StatusCode != 304 || resp.Header.Get("Etag") == "" || resp.Header.Get("Etag") != got.Header.Get("Etag") {
		t.Errorf("%d, %s, want %s", resp.StatusCode, resp.Header.Get("Etag"), got.Header.Get("Etag"))
	}
	resp, _ = ask(t, c.handler(), http.MethodGet, "/api/v1/namespaces/example/pods/a", "", "If-None-Match", "*",
		"Accept-Encoding", "gzip")
	if resp.StatusCode != 304 || resp.Header.Get("Etag") != "" {
		t.Errorf("%d, %s, want no tag", resp.StatusCode, resp.Header.Get("Etag"))
	}
}

// TestSlowBody sends only a part of a body.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{BodyTimeout: 50 * time.Millisecond})
	srv := httptest.NewServer(api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("Pod")})
		if err != nil {
			return err
		}
		_, err = x.Body()
		return err
	}))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	answer, err := io.ReadAll(conn) // the server closes the connection
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") ||
		!strings.Contains(string(answer), "within 50ms") {
		t.Errorf("got %s, %v", answer, err)
	}
}

// TestInternalErrorsWithoutLog checks that a reference leads to the log of the server if the
// program sets none.
func TestInternalErrorsWithoutLog(t *testing.T) {
	t.Parallel()
	var logged strings.Builder
	server := &http.Server{ErrorLog: log.New(&logged, "", 0)}
	r := httptest.NewRequest(http.MethodGet, "/pods", nil)
	r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, server))
	w := httptest.NewRecorder()
	failing(t, httpapi.Settings{}, true, errors.New("the disk is full")).ServeHTTP(w, r)
	reference := regexp.MustCompile(`is ([A-Z2-7]{10})"`).FindStringSubmatch(w.Body.String())
	if reference == nil || strings.Contains(w.Body.String(), "disk") {
		t.Fatalf("the client gets %s", w.Body)
	}
	if got := logged.String(); !strings.Contains(got, reference[1]) || !strings.Contains(got, "the disk is full") ||
		!strings.Contains(got, `GET "/pods"`) {
		t.Errorf("logged %q", got)
	}
}
