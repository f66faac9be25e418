package server

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/client"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store/memory"
)

// TestCollectorDelays checks that the collector tries to delete an object whose deletion a hook
// refuses at growing intervals, up to a minute, and forgets them when it has succeeded.
func TestCollectorDelays(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(inventoryv1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	defer db.Close()
	var allowed atomic.Bool
	s, err := New(scheme, db, Log(slog.New(slog.DiscardHandler)),
		Admit(func(_ context.Context, r *Request, _, new runtime.Object) error {
			if new == nil && !allowed.Load() {
				return r.Forbidden("it stays")
			}
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	child := &inventoryv1.Site{Spec: inventoryv1.SiteSpec{Address: "a"}}
	child.Name = "child"
	child.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: inventoryv1.GroupVersion.String(), Kind: "Site", Name: "gone", UID: "x",
	}}
	if _, err := client.Of[inventoryv1.Site](s.Client()).Create(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	g := newCollector(s) // besides that of the server
	g.watch(t.Context(), s.state.Load())
	defer g.stop()
	work := func() []time.Duration {
		for p := range g.dirty {
			g.dirty[p] = time.Time{}
		}
		g.work(t.Context())
		return slices.Collect(maps.Values(g.delays))
	}
	for _, seconds := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		if got := work(); len(got) != 1 || got[0] != seconds*time.Second {
			t.Fatalf("the delay is %v, want %d s", got, seconds)
		}
	}
	allowed.Store(true)
	if got := work(); len(got) != 0 || len(g.dirty) != 0 {
		t.Errorf("the delays are %v, and %d objects are to be looked at", got, len(g.dirty))
	}
}
