package runtime

import (
	"fmt"
	"testing"

	"github.com/askind/askind/schema"
)

type plainKind struct{ A int }

// TestRoutesToUnknownVersions checks that versions that clients invent are not remembered.
func TestRoutesToUnknownVersions(t *testing.T) {
	t.Parallel()
	gvk := schema.GroupVersionKind{Group: "a.example.com", Version: "v1", Kind: "A"}
	s, err := NewScheme(func(b *Builder) { AddKind(b, &KindSpec[plainKind]{GroupVersionKind: gvk}) })
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.KindOf(&plainKind{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if _, err := s.route(k, schema.GroupVersion{Group: gvk.Group, Version: fmt.Sprintf("v1%d", i)}); err == nil {
			t.Fatal("a route to a version that does not exist")
		}
	}
	if known := k.routes.convert.Load(); known != nil && len(*known) > 0 {
		t.Errorf("%d routes are kept", len(*known))
	}
}
