package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/conversion/carry"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/server"
)

// TestDroppedByHook checks that a client learns of a carried value that a hook of another version
// drops, once.
func TestDroppedByHook(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.For[v1alpha1.MachinePool](server.Hooks[v1alpha1.MachinePool]{
		Prepare: func(_ context.Context, _ *server.Request, _, p *v1alpha1.MachinePool) error {
			if p.Name == "edited" {
				carried := p.Annotations[carry.Annotation]
				p.Annotations[carry.Annotation] = strings.Replace(carried, `"30s"`, `"soon"`, 1)
			}
			return nil
		},
	}))
	for name, want := range map[string]int{"edited": 1, "same": 0} {
		body := strings.Replace(pool(name, 1), `"replicas"`, `"cooldown":"30s","replicas"`, 1)
		w := request(s, "POST", pools, body)
		if w.Code != http.StatusCreated {
			t.Fatalf("%s: %d %s", name, w.Code, w.Body)
		}
		warnings := w.Header().Values("Warning")
		if len(warnings) != want {
			t.Fatalf("%s: warnings %q, want %d", name, warnings, want)
		}
		for _, text := range warnings {
			if !strings.Contains(text, "spec.cooldown: the value carried for fleet.example.com/v1/MachinePool is dropped") {
				t.Errorf("%s: %s", name, text)
			}
		}
		if kept := strings.Contains(w.Body.String(), `"cooldown":"30s"`); kept != (want == 0) {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}

// TestManyWarnings checks that the warnings of one answer are bounded, and none is sent twice.
func TestManyWarnings(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.For[v1alpha1.MachinePool](server.Hooks[v1alpha1.MachinePool]{
		Prepare: func(_ context.Context, r *server.Request, _, _ *v1alpha1.MachinePool) error {
			for range 2 {
				for i := range 30 {
					r.Warn(strings.Repeat("x", i))
				}
			}
			return nil
		},
	}))
	w := request(s, "POST", pools, pool("a", 1))
	got := w.Header().Values("Warning")
	if len(got) != 21 || got[19] != `299 - "`+strings.Repeat("x", 19)+`"` || got[20] != `299 - "20 more warnings are not shown"` {
		t.Errorf("%d %d %q", w.Code, len(got), got)
	}
}
