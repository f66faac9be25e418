package main

import (
	"testing"

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
