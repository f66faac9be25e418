package main

import (
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// TestScheme exercises every function that is registered, and plans every route.
func TestScheme(t *testing.T) {
	t.Parallel()
	if err := mustScheme(t).Check(); err != nil {
		t.Error(err)
	}
}

func TestStorageVersions(t *testing.T) {
	t.Parallel()
	scheme := mustScheme(t)
	for gk, want := range map[schema.GroupKind]string{
		{Group: "fleet.example.com", Kind: "Machine"}:     "fleet.example.com/v1",
		{Group: "fleet.example.com", Kind: "MachinePool"}: "fleet.example.com/v1",
		{Group: "inventory.example.com", Kind: "Machine"}: "inventory.example.com/v1",
		{Group: "inventory.example.com", Kind: "Site"}:    "inventory.example.com/v1",
	} {
		k, err := scheme.StorageVersion(gk)
		if err != nil {
			t.Error(err)
			continue
		}
		if k.APIVersion() != want {
			t.Errorf("%s is stored as %s, want %s", gk, k.APIVersion(), want)
		}
	}
}

// TestWithoutVersion checks that a version can be left out.
func TestWithoutVersion(t *testing.T) {
	t.Parallel()
	scheme, err := mustScheme(t).Without(schema.GroupVersion{Group: "fleet.example.com", Version: "v1alpha1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := scheme.Check(); err != nil {
		t.Error(err)
	}
	if got := len(scheme.Versions("fleet.example.com")); got != 2 {
		t.Errorf("%d versions are left, want 2", got)
	}
}

// TestCheckWithoutHub checks that each missing route is reported once, with the package that would
// provide it.
func TestCheckWithoutHub(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(v1beta1.AddTo, v1alpha1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(s.Check().Error()) {
		if seen[line] || !strings.Contains(line, "/api/fleet/v1, whose kinds are not registered") {
			t.Errorf("got %s", line)
		}
		seen[line] = true
	}
	if len(seen) == 0 {
		t.Error("nothing was reported")
	}
}
