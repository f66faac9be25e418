package server

import (
	"bufio"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"time"
	"weak"

	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store/memory"
)

// TestWatchKeepsNoState checks that a watch does not keep what was served when it began: of the
// state before an installation it needs the factory.
func TestWatchKeepsNoState(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(inventoryv1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	defer db.Close()
	s, err := New(scheme, db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const sites = "http://server/apis/inventory.example.com/v1/sites"
	watch, err := http.NewRequestWithContext(t.Context(), http.MethodGet, sites+"?watch=true", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.Transport().RoundTrip(watch)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response, err)
	}
	defer response.Body.Close()
	before := weak.Make(s.state.Load())
	boat, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{{Name: "v1", Storage: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(boat.AddTo); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); before.Value() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the state of before is still in memory")
		}
		goruntime.GC()
	}
	create, err := http.NewRequestWithContext(t.Context(), http.MethodPost, sites,
		strings.NewReader(`{"metadata":{"name":"a"},"spec":{"address":"b"}}`))
	if err != nil {
		t.Fatal(err)
	}
	created, err := s.Transport().RoundTrip(create)
	if err != nil || created.StatusCode != http.StatusCreated {
		t.Fatal(created, err)
	}
	created.Body.Close()
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, `"ADDED"`) {
		t.Errorf("the watch got %q, %v", line, err)
	}
}
