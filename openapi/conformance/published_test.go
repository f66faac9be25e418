package conformance

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	openapiv2 "k8s.io/apiextensions-apiserver/pkg/controller/openapi/v2"

	"github.com/askind/askind/openapi"
)

// TestPublishedSchemas compares the schemas of random definitions in documents of OpenAPI with what
// apiextensions-apiserver publishes.
func TestPublishedSchemas(t *testing.T) {
	t.Parallel()
	r := sample{rand.New(rand.NewPCG(7, 8))}
	embedded := 0
	for range 300 {
		p := newStructuralPair(t, map[string]any{
			"type": "object", "properties": map[string]any{"spec": r.structure(3)},
		})
		if p == nil {
			continue
		}
		set := openapi.New(openapi.Config{}, p.scheme, openapi.Resource{Kind: p.kind, Verbs: []string{"get"}})
		structural := p.structural.Unfold()
		v3, err := set.V3("apis/a.b/v1")
		if err != nil {
			t.Fatal(err)
		}
		compareSpec(t, p.text, schemasOf(t, v3, "components", "schemas"), structural.ToKubeOpenAPI(), &embedded)
		v2, err := set.V2()
		if err != nil {
			t.Fatal(err)
		}
		want := openapiv2.ToStructuralOpenAPIV2(structural).ToKubeOpenAPI()
		compareSpec(t, p.text, schemasOf(t, v2, "definitions"), want, new(int))
	}
	if embedded < 10 {
		t.Errorf("%d schemas have embedded objects, want more", embedded)
	}
}

// schemasOf returns the schemas in a document.
func schemasOf(t *testing.T, d *openapi.Document, path ...string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := json.Unmarshal(d.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range path {
		out = out[name].(map[string]any)
	}
	return out
}

// compareSpec compares the schema of the spec of a Thing with that of a peer. It counts the
// embedded objects.
func compareSpec(t *testing.T, text []byte, schemas map[string]any, peer any, embedded *int) {
	t.Helper()
	encoded, err := json.Marshal(peer)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{}
	if err := json.Unmarshal(encoded, &want); err != nil {
		t.Fatal(err)
	}
	got := schemas["b.a.v1.Thing"].(map[string]any)["properties"].(map[string]any)["spec"]
	spec := want["properties"].(map[string]any)["spec"]
	plain(t, got, embedded)
	plain(t, spec, new(int))
	if !reflect.DeepEqual(got, spec) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(spec)
		t.Fatalf("schema %s\ngot    %s\nwant   %s", text, a, b)
	}
}

// plain removes from a schema the keywords that are false, and the members of embedded objects that
// all objects have, which the peer adds elsewhere.
func plain(t *testing.T, v any, embedded *int) {
	t.Helper()
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, name := range []string{"nullable", "exclusiveMinimum", "exclusiveMaximum", "additionalProperties"} {
		if s[name] == false {
			delete(s, name)
		}
	}
	plain(t, s["items"], embedded)
	plain(t, s["additionalProperties"], embedded)
	properties, _ := s["properties"].(map[string]any)
	if s["x-kubernetes-embedded-resource"] == true {
		delete(s, "required")
		if properties["metadata"] != nil {
			*embedded++
		}
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			delete(properties, name)
		}
		if len(properties) == 0 {
			delete(s, "properties")
		}
	}
	if len(properties) == 0 {
		delete(s, "required") // the peer keeps a member there that may be null
	}
	for _, p := range properties {
		plain(t, p, embedded)
	}
}
