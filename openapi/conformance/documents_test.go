package conformance

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	ruledv1 "github.com/askind/askind/internal/ruled/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/runtime"
)

func set(t *testing.T) *openapi.Set {
	t.Helper()
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, inventoryv1.AddTo, ruledv1.AddTo,
		metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	var resources []openapi.Resource
	for k := range scheme.Kinds() {
		if k.IsList() || k.ListKind() == nil || k.Info().Shared {
			continue
		}
		resources = append(resources, openapi.Resource{
			Kind: k, Verbs: verbs,
			Subresources: []openapi.Subresource{{Name: "status", Kind: k, Verbs: []string{"get", "update", "patch"}}},
		})
	}
	return openapi.New(openapi.Config{}, scheme, resources...)
}

func TestOpenAPI3IsValid(t *testing.T) {
	t.Parallel()
	s := set(t)
	for _, path := range s.Paths() {
		d, err := s.V3(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := openapi3.NewLoader().LoadFromData(d.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		// Go and JSON Schema have different pattern syntaxes, and the examples are not ours.
		if err := doc.Validate(t.Context(), openapi3.DisableSchemaPatternValidation()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestOpenAPI2IsValid(t *testing.T) {
	t.Parallel()
	d, err := set(t).V2()
	if err != nil {
		t.Fatal(err)
	}
	var old openapi2.T
	if err := old.UnmarshalJSON(d.Bytes()); err != nil {
		t.Fatal(err)
	}
	doc, err := openapi2conv.ToV3(&old)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.DisableSchemaPatternValidation()); err != nil {
		t.Error(err)
	}
}
