package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// smallEngine accepts values of up to 64 KiB, as etcd does up to 1.5 MiB.
type smallEngine struct{ *memory.Engine }

func (e smallEngine) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	if len(value) > 64<<10 {
		return 0, fmt.Errorf("etcd at 10.0.0.7: %w", store.ErrTooLarge)
	}
	return e.Engine.Put(ctx, key, value, expected)
}

// TestOversized checks that an object which the engine does not accept is a 413 whose message has
// the size and what to do, and nothing about the engine.
func TestOversized(t *testing.T) {
	t.Parallel()
	engine := memory.New()
	srv, err := server.New(fleet(t), smallEngine{engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close(); _ = engine.Close() })
	large := `"annotations":{"a":"` + strings.Repeat("x", 100<<10) + `"}`
	if w := request(srv, "POST", sites, site("a")); w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	named := func(name string) string {
		return strings.Replace(site(name), `"name":`, large+`,"name":`, 1)
	}
	for _, c := range []struct {
		method, path, body string
		headers            []string
	}{
		{"POST", sites, named("b"), nil},
		{"PUT", sites + "/a", named("a"), nil},
		{"PATCH", sites + "/a", `{"metadata":{` + large + `}}`, []string{"Content-Type: application/merge-patch+json"}},
	} {
		w := request(srv, c.method, c.path, c.body, c.headers...)
		text := w.Body.String()
		if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(text, "bytes in its stored form") ||
			!strings.Contains(text, "make it smaller") || strings.Contains(text, "10.0.0.7") {
			t.Errorf("%s: %d %s", c.method, w.Code, text)
		}
	}
	if w := request(srv, "GET", sites+"/a", ""); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "xxx") {
		t.Errorf("after that: %d %s", w.Code, w.Body)
	}
}
