package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// TestUnreadableGroups has somebody else write nonsense in the places of Groups and of what servers
// tell each other. Servers start all the same and put it right.
func TestUnreadableGroups(t *testing.T) {
	t.Parallel()
	for _, replicas := range []bool{false, true} {
		db := memory.New()
		t.Cleanup(func() { _ = db.Close() })
		options := []server.Option{
			server.Identity("a"), server.Discovery(server.DiscoverySettings{Period: 20 * time.Millisecond}),
		}
		if replicas {
			options = append(options, server.Replicas())
		}
		start := func() *server.Server {
			scheme, err := runtime.NewScheme(plainKind(t, "boats.example.com", "boats", "Boat", "v1"))
			if err != nil {
				t.Fatal(err)
			}
			s, err := server.New(scheme, db, options...)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		spoil := func() {
			page, err := db.List(t.Context(), "discovery.k8s.io/", store.RangeOptions{})
			if err != nil || len(page.Items) == 0 {
				t.Fatal(page, err)
			}
			for i, item := range page.Items {
				nonsense := [][]byte{[]byte("{"), []byte(`{"kind":"Pod"}`), []byte("\x00"), []byte("null")}[i%4]
				if _, err := db.Put(t.Context(), item.Key, nonsense, item.Revision); err != nil {
					t.Fatal(err)
				}
			}
		}
		healed := func(s *server.Server) {
			t.Helper()
			var last error
			for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
				list, err := client.Of[v1alpha1.Group](s.Client()).List(t.Context())
				if err == nil && len(list.Items) == 2 && list.Items[0].Name == "boats.example.com" &&
					strings.HasPrefix(v1alpha1.VersionNames(list.Items[0]), "v1") {
					return
				}
				if last = err; time.Now().After(deadline) {
					t.Fatalf("replicas %v: got %+v, %v", replicas, list, last)
				}
			}
		}
		s := start()
		healed(s)
		spoil()
		healed(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		spoil()
		s = start()
		healed(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
