package conformance

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	clientopenapi "k8s.io/client-go/openapi"
	"k8s.io/kube-openapi/pkg/spec3"
	explain "k8s.io/kubectl/pkg/explain/v2"

	"github.com/askind/askind/openapi"
)

// server serves the documents of a set.
type server struct{ set *openapi.Set }

func (s server) Paths() (map[string]clientopenapi.GroupVersion, error) {
	out := map[string]clientopenapi.GroupVersion{}
	for _, path := range s.set.Paths() {
		out[path] = document{s.set, path}
	}
	return out, nil
}

type document struct {
	set  *openapi.Set
	path string
}

func (d document) Schema(string) ([]byte, error) {
	doc, err := d.set.V3(d.path)
	if err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

func (d document) ServerRelativeURL() string { return "/openapi/v3/" + d.path }

// TestKubectlExplains runs kubectl explain on the documents.
func TestKubectlExplains(t *testing.T) {
	t.Parallel()
	client := server{set(t)}
	machines := schema.GroupVersionResource{Group: "fleet.example.com", Version: "v1", Resource: "machines"}
	for _, c := range []struct {
		fields []string
		want   []string
	}{
		{nil, []string{
			"KIND:       Machine", "VERSION:    v1", "Machine is one computer of the fleet",
			"metadata\t<ObjectMeta>", "spec\t<MachineSpec> -required-",
		}},
		{[]string{"spec", "hardware"}, []string{
			"FIELD: hardware <Hardware>", "cores\t<integer> -required-",
			"memory\t<Quantity> -required-",
		}},
		{[]string{"spec", "disks", "size"}, []string{"FIELD: size <Quantity>", "Size is the capacity."}},
		{[]string{"metadata", "ownerReferences"}, []string{"FIELD: ownerReferences <[]OwnerReference>"}},
	} {
		var out bytes.Buffer
		if err := explain.PrintModelDescription(c.fields, &out, client, machines, false, 0, "plaintext"); err != nil {
			t.Errorf("%v: %v", c.fields, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: no %q in\n%s", c.fields, want, out.String())
			}
		}
	}
}

// TestKubectlFindsMergeKeys looks up patch strategies as kubectl apply does.
func TestKubectlFindsMergeKeys(t *testing.T) {
	t.Parallel()
	d, err := set(t).V3("apis/fleet.example.com/v1")
	if err != nil {
		t.Fatal(err)
	}
	var doc spec3.OpenAPI
	if err := json.Unmarshal(d.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	all := doc.Components.Schemas
	machine := strategicpatch.PatchMetaFromOpenAPIV3{SchemaList: all, Schema: all["com.example.fleet.v1.Machine"]}
	metadata, _, err := machine.LookupPatchMetadataForStruct("metadata")
	if err != nil {
		t.Fatal(err)
	}
	_, meta, err := metadata.LookupPatchMetadataForSlice("ownerReferences")
	if err != nil {
		t.Fatal(err)
	}
	if meta.GetPatchMergeKey() != "uid" || len(meta.GetPatchStrategies()) != 1 ||
		meta.GetPatchStrategies()[0] != "merge" {
		t.Errorf("owners merge by %q, %v", meta.GetPatchMergeKey(), meta.GetPatchStrategies())
	}
}
