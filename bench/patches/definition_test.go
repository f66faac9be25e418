package patches_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/runtime"
	askindschema "github.com/askind/askind/schema"
)

// itemSchema is the schema of an item of a gadget, whose items within have schemas to a depth.
func itemSchema(depth int, more string) string {
	sub := ""
	if depth > 0 {
		sub = `,"sub":` + itemSchema(depth-1, "")
	}
	return `{"type":"object"` + more + `,"required":["name"],"properties":{"name":{"type":"string"},"value":{"type":"integer"},
		"ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],"items":{
			"type":"object","required":["port"],"properties":{"port":{"type":"integer"},"name":{"type":"string"},
			"protocol":{"type":"string","default":"TCP"}}}},
		"words":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
		"labels":{"type":"object","additionalProperties":{"type":"string"}}` + sub + `}}`
}

// gadgetSchema is the schema of the kind of this file's definition: that of gadgets.
func gadgetSchema(replicas string) string {
	const owner = `{"type":"object","x-kubernetes-map-type":"atomic","required":["name"],"properties":{"name":{"type":"string"},
		"value":{"type":"integer"},"labels":{"type":"object","additionalProperties":{"type":"string"}}}}`
	return `{"type":"object","properties":{
		"spec":{"type":"object","properties":{
			"name":{"type":"string"},
			"` + replicas + `":{"type":"integer"},
			"labels":{"type":"object","additionalProperties":{"type":"string"}},
			"selector":{"type":"object","additionalProperties":{"type":"string"},"x-kubernetes-map-type":"atomic"},
			"items":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":` + itemSchema(1, "") + `},
			"words":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
			"numbers":{"type":"array","items":{"type":"number"},"x-kubernetes-list-type":"set"},
			"open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"name":{"type":"string"},
				"sub":` + itemSchema(1, "") + `,"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
			"plain":{"type":"array","items":` + itemSchema(0, "") + `},
			"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
			"sub":` + itemSchema(1, "") + `,
			"whole":` + itemSchema(0, `,"x-kubernetes-map-type":"atomic"`) + `,
			"table":{"type":"object","additionalProperties":` + itemSchema(0, "") + `},
			"owners":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":` + owner + `},
			"owned":{"type":"object","additionalProperties":` + owner + `}}},
		"status":{"type":"object","properties":{
			"phase":{"type":"string"},
			"words":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}}}}`
}

// metaSchema is the schema of the metadata, as far as gadgets have it.
const metaSchema = `{"type":"object","properties":{"name":{"type":"string"},"namespace":{"type":"string"},
	"uid":{"type":"string"},"resourceVersion":{"type":"string"},
	"labels":{"type":"object","additionalProperties":{"type":"string"}},
	"annotations":{"type":"object","additionalProperties":{"type":"string"}},
	"finalizers":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
	"managedFields":{"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"atomic"}}}`

// TestManagedFieldsOfDefinitionsAsKubernetes compares like TestManagedFieldsAsKubernetes, for a
// kind without a Go type: both sides take from the schema of its definition how the fields merge.
func TestManagedFieldsOfDefinitionsAsKubernetes(t *testing.T) {
	definition := dynamic.Definition{
		Group: group, Kind: "Gadget", Resource: "gadgets", Scope: runtime.Namespaced,
		Versions: []dynamic.Version{
			{Name: "v1", Storage: true, Schema: []byte(gadgetSchema("replicas"))},
			{Name: "v2", Schema: []byte(gadgetSchema("count"))},
		},
	}
	resource, err := dynamic.New(definition)
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := runtime.NewScheme(resource.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	c := &theirs{map[string]typed.ParseableType{}}
	types := map[string]*structure.Type{}
	for _, v := range definition.Versions {
		gv := askindschema.GroupVersion{Group: group, Version: v.Name}
		kind, err := scheme.Kind(gv.WithKind("Gadget"))
		if err != nil {
			t.Fatal(err)
		}
		types[gv.String()] = structure.Of(kind)
		// API servers add the type and a reference to the metadata.
		text := strings.Replace(string(v.Schema), `"properties":{`, `"properties":{"apiVersion":{"type":"string"},
			"kind":{"type":"string"},"metadata":{"$ref":"#/components/schemas/meta"},`, 1)
		models := map[string]*spec.Schema{}
		for name, text := range map[string]string{"gadget": text, "meta": metaSchema} {
			models[name] = new(spec.Schema)
			if err := json.Unmarshal([]byte(text), models[name]); err != nil {
				t.Fatal(fmt.Errorf("%s: %w", name, err))
			}
		}
		converted, err := schemaconv.ToSchemaFromOpenAPI(models, false)
		if err != nil {
			t.Fatal(err)
		}
		name := "gadget"
		c.parsers[gv.String()] = typed.ParseableType{
			Schema: converted, TypeRef: smdschema.TypeRef{NamedType: &name},
		}
	}
	compareManagers(t, c, types, nil)
}
