package server_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// fleet returns the scheme of the example.
func fleet(t testing.TB) *runtime.Scheme {
	t.Helper()
	s, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, inventoryv1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newServer returns a server for the fleet in memory.
func newServer(t testing.TB, o ...server.Option) *server.Server {
	t.Helper()
	db := memory.New()
	s, err := server.New(fleet(t), db,
		append([]server.Option{server.Log(slog.New(slog.NewTextHandler(t.Output(), nil)))}, o...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// request sends a request and returns the answer. Headers are "Name: value".
func request(s http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// step is a request and what is expected of its answer.
type step struct {
	name    string
	method  string
	path    string
	body    string
	headers []string
	code    int
	want    []string // texts in the answer, headers included
	not     []string // texts that are not there
}

// run sends the requests of a conversation one after the other. Paths that do not begin with a
// slash are below the path given. The texts {uid} and {version} in paths and bodies are those of
// the object that was answered last.
func run(t *testing.T, s http.Handler, base string, steps []step) {
	t.Helper()
	var last struct {
		Metadata struct{ UID, ResourceVersion string }
	}
	for _, c := range steps {
		if !strings.HasPrefix(c.path, "/") {
			c.path = strings.TrimSuffix(base+"/"+c.path, "/")
		}
		fill := strings.NewReplacer("{uid}", last.Metadata.UID, "{version}", last.Metadata.ResourceVersion).Replace
		for i := range c.headers {
			c.headers[i] = fill(c.headers[i])
		}
		w := request(s, c.method, fill(c.path), fill(c.body), c.headers...)
		var text strings.Builder
		_ = w.Header().Write(&text)
		text.WriteString(w.Body.String())
		if w.Code != c.code {
			t.Errorf("%s: %s %s: code %d, want %d\n%s", c.name, c.method, c.path, w.Code, c.code, &text)
		}
		for _, want := range c.want {
			if !strings.Contains(text.String(), fill(want)) {
				t.Errorf("%s: %s %s: there is no %s in\n%s", c.name, c.method, c.path, fill(want), &text)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text.String(), fill(not)) {
				t.Errorf("%s: %s %s: there is %s in\n%s", c.name, c.method, c.path, fill(not), &text)
			}
		}
		next := last
		if json.Unmarshal(w.Body.Bytes(), &next) == nil && next.Metadata.ResourceVersion != "" &&
			next.Metadata.UID != "" {
			last = next
		}
	}
}

const (
	machines = "/apis/fleet.example.com/v1/namespaces/default/machines"
	pools    = "/apis/fleet.example.com/v1/namespaces/default/machinepools"
	sites    = "/apis/inventory.example.com/v1/sites"
)

// machine returns the body of a machine with metadata.
func machine(metadata string) string {
	return fmt.Sprintf(
		`{"apiVersion":"fleet.example.com/v1","kind":"Machine","metadata":{%s},"spec":{"zone":"fra-1","hardware":{"cores":4,"memory":"8Gi"},"boot":{"image":{"name":"debian-13"}}}}`, metadata,
	)
}

// pool returns the body of a pool of a size.
func pool(name string, replicas int) string {
	return fmt.Sprintf(
		`{"apiVersion":"fleet.example.com/v1","kind":"MachinePool","metadata":{"name":%q},"spec":{"replicas":%d,"template":{"metadata":{"labels":{"app":"web"}},"spec":{"zone":"fra-1","hardware":{"cores":4,"memory":"8Gi"},"boot":{"image":{"name":"debian-13"}}}}}}`, name, replicas,
	)
}

// site returns the body of a site.
func site(name string) string {
	return fmt.Sprintf(
		`{"apiVersion":"inventory.example.com/v1","kind":"Site","metadata":{"name":%q},"spec":{"address":"Hanauer Landstr. 302"}}`, name,
	)
}
