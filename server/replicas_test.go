package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// TestReplicas has two servers of one engine that serve different versions, as while a program is
// updated: the Group says what both serve, whichever is asked, until one of them ends.
func TestReplicas(t *testing.T) {
	t.Parallel()
	db := memory.New()
	defer db.Close()
	start := func(name, release string, db store.Engine, groups ...func(*runtime.Builder)) *server.Server {
		t.Helper()
		scheme, err := runtime.NewScheme(groups...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := server.New(scheme, db, server.Replicas(), server.Identity(name),
			server.ServerVersion(server.Version{GitVersion: release}))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const group = "/apis/discovery.k8s.io/v1alpha1/groups/fleet.example.com"
	versions := func(s *server.Server) string {
		w := request(s, "GET", group, "", "Accept: text/plain")
		if w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
		return w.Body.String()
	}
	old := start("a", "v1.0.0", db, v1.AddTo)
	if got := versions(old); strings.Contains(got, "v1beta1") {
		t.Errorf("one server: %s", got)
	}
	young := start("b", "v1.1.0", db, v1.AddTo, v1beta1.AddTo)
	for _, s := range []*server.Server{old, young} {
		eventually(t, s, group, http.StatusOK, "v1beta1")
	}
	if err := young.Close(); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if !strings.Contains(versions(old), "v1beta1") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if got := versions(old); strings.Contains(got, "v1beta1") {
		t.Errorf("the version of a server that has ended remains: %s", got)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
}
