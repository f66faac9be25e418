package server_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	workshopv1beta1 "github.com/askind/askind/internal/workshop/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

const (
	protobufType = "application/vnd.kubernetes.protobuf"
	orders       = "/apis/workshop.example.com/v1/namespaces/default/orders"
)

var (
	machineResource = v1.GroupVersion.WithResource("machines").GroupResource()
	orderResource   = workshopv1.GroupVersion.WithResource("orders").GroupResource()
)

// memoryOf returns an engine in memory until the test is over.
func memoryOf(t *testing.T) store.Engine {
	t.Helper()
	e := memory.New()
	t.Cleanup(func() { e.Close() })
	return e
}

// newStoring returns a server of machines, which have no protobuf, and orders, which do.
func newStoring(t *testing.T, engine store.Engine, o ...server.Option) *server.Server {
	t.Helper()
	scheme, err := runtime.NewScheme(v1.AddTo, workshopv1.AddTo, workshopv1beta1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	clock := server.Clock(func() time.Time { return time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC) })
	s, err := server.New(scheme, engine, append(o, clock)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// storedAs names the format of what an engine holds at a key.
func storedAs(t *testing.T, e store.Engine, key string) string {
	t.Helper()
	got, err := e.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	for name, magic := range map[string]string{"json": "{", "protobuf": "k8s\x00", "cbor": "\xd9\xd9\xf7"} {
		if bytes.HasPrefix(got.Value, []byte(magic)) {
			return name
		}
	}
	t.Fatalf("%s is stored as %q", key, got.Value)
	return ""
}

// TestStorageFormat writes the same objects to servers that store them in different formats. All
// answers are equal, and a migration gives old objects the format of the server.
func TestStorageFormat(t *testing.T) {
	t.Parallel()
	random := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{16}`) // UIDs and resource versions
	order := `{"apiVersion":"workshop.example.com/v1beta1","kind":"Order","metadata":{"name":"o"},"spec":{"client":"Ann"}}`
	answers := func(s *server.Server) (out []string) {
		ask := func(method, path, body string, headers ...string) {
			w := request(s, method, path, body, headers...)
			out = append(out, fmt.Sprintf("%s %s %s: %d %q", method, path, headers, w.Code,
				random.ReplaceAll(w.Body.Bytes(), []byte("*"))))
		}
		for _, c := range []struct{ path, object, name, patch string }{
			{machines, machine(`"name":"m","labels":{"app":"web"}`), "m", `{"metadata":{"labels":{"tier":"front"}}}`},
			{strings.Replace(orders, "/v1/", "/v1beta1/", 1), order, "o", `{"spec":{"priority":"7"}}`},
		} {
			one := c.path + "/" + c.name
			ask("POST", c.path, c.object)
			ask("PATCH", one, c.patch, "Content-Type: application/merge-patch+json")
			ask("PATCH", one+"?fieldManager=me&force=true", c.object, "Content-Type: application/apply-patch+yaml")
			for _, accept := range []string{
				"application/json", "application/yaml", "application/cbor", protobufType, "application/json;as=Table;v=v1;g=meta.k8s.io",
				protobufType + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
			} {
				ask("GET", one, "", "Accept: "+accept)
				ask("GET", c.path+"?labelSelector=tier!=back", "", "Accept: "+accept)
			}
			ask("GET", c.path+"?watch=1&timeoutSeconds=1&resourceVersion=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "")
		}
		return out
	}
	want := answers(newStoring(t, memoryOf(t)))
	for _, answer := range want {
		if !strings.Contains(answer, ": 20") && !strings.Contains(answer, ": 406 ") {
			t.Errorf("refused: %s", answer)
		}
	}
	for _, c := range []struct {
		name               string
		options            []server.Option
		ofMachine, ofOrder string
	}{
		{"protobuf", []server.Option{server.StorageFormat(protobufType)}, "json", "protobuf"},
		{"CBOR", []server.Option{server.StorageFormat("application/cbor")}, "cbor", "cbor"},
		{"CBOR for orders", []server.Option{server.StorageFormat("application/cbor", orderResource)}, "json", "cbor"},
		{
			"all but machines", []server.Option{
				server.StorageFormat("application/json", machineResource), server.StorageFormat("application/cbor"),
			}, "json", "cbor",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			engine := memoryOf(t)
			s := newStoring(t, engine, c.options...)
			for i, got := range answers(s) {
				if got != want[i] {
					t.Errorf("got  %s\nwant %s", got, want[i])
				}
			}
			stored := func() string {
				return storedAs(t, engine, "fleet.example.com/machines/default/m") + " " +
					storedAs(t, engine, "workshop.example.com/orders/default/o")
			}
			if got := stored(); got != c.ofMachine+" "+c.ofOrder {
				t.Errorf("stored as %s", got)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = newStoring(t, engine)
			for _, gr := range []schema.GroupResource{machineResource, orderResource} {
				r, ok := s.StoreOf(gr).Resource(gr)
				if !ok {
					t.Fatalf("the store does not have %s", gr)
				}
				if _, err := r.Migrate(t.Context(), store.MigrateOptions{}); err != nil {
					t.Error(err)
				}
			}
			if got := stored(); got != "json json" {
				t.Errorf("after the migration: stored as %s", got)
			}
		})
	}
}

// TestStorageFormatMistakes checks what is refused, and what is logged.
func TestStorageFormatMistakes(t *testing.T) {
	t.Parallel()
	for media, want := range map[string]string{
		protobufType: "protobuf cannot hold objects of fleet.example.com/v1, Kind=Machine",
		"text/csv":   "csv cannot hold objects of fleet.example.com/v1, Kind=Machine",
		"text/x":     `"text/x"`,
	} {
		_, err := server.New(fleet(t), memoryOf(t), server.StorageFormat(media, machineResource))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", media, err, want)
		}
	}
	for media, want := range map[string]string{"text/x": `"text/x"`, "text/csv": "csv cannot hold objects"} {
		_, err := server.New(fleet(t), memoryOf(t), server.StorageFormat(media))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s for all resources: the error is %v, want %s", media, err, want)
		}
	}
	var log strings.Builder
	s := newServer(t, server.Log(slog.New(slog.NewTextHandler(&log, nil))),
		server.StorageFormat("application/cbor", schema.GroupResource{Group: "fleet.example.com", Resource: "machine"}))
	if w := request(s, http.MethodPost, machines, machine(`"name":"m"`)); w.Code != http.StatusCreated {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "machine.fleet.example.com") {
		t.Errorf("a resource that is not there: %q", &log)
	}
}

// TestAllResources checks that the stores of a server have each of its resources once, so that all
// can be migrated.
func TestAllResources(t *testing.T) {
	t.Parallel()
	s, _ := newSharded(t)
	name := func(gr schema.GroupResource) string { return gr.Group + "/" + gr.Resource }
	var main, other []string
	for r := range s.Store().Resources() {
		main = append(main, name(r.GroupResource()))
	}
	for r := range s.StoreOf(poolResource).Resources() {
		other = append(other, name(r.GroupResource()))
	}
	if !slices.IsSorted(main) || !slices.Contains(main, name(machineResource)) ||
		slices.Contains(main, name(poolResource)) || !slices.Contains(other, name(poolResource)) {
		t.Errorf("the stores have %q and %q", main, other)
	}
	for range s.Store().Resources() {
		break // a loop may end early
	}
}

// TestStoreOf checks that a resource with an engine of its own is found in the store over it.
func TestStoreOf(t *testing.T) {
	t.Parallel()
	s, _ := newSharded(t)
	if s.StoreOf(machineResource) != s.Store() || s.StoreOf(poolResource) == s.Store() {
		t.Error("the stores are mixed up")
	}
	if _, ok := s.StoreOf(poolResource).Resource(poolResource); !ok {
		t.Error("the store of the pools does not have them")
	}
}
