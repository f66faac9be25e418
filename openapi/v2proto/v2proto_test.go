package v2proto_test

import (
	"testing"

	gnostic "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	kubeproto "k8s.io/kube-openapi/pkg/util/proto"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/openapi/v2proto"
	"github.com/askind/askind/runtime"
)

// TestClientsReadIt decodes a document as kubectl does and looks for a kind and its fields.
func TestClientsReadIt(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := scheme.Kind(v1.GroupVersion.WithKind("Machine"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi.New(openapi.Config{}, scheme,
		openapi.Resource{Kind: machine, Verbs: []string{"get", "list", "patch"}}).V2()
	if err != nil {
		t.Fatal(err)
	}
	text, err := v2proto.Encode(doc.JSON())
	if err != nil {
		t.Fatal(err)
	}
	var message gnostic.Document
	if err := proto.Unmarshal(text, &message); err != nil {
		t.Fatal(err)
	}
	models, err := kubeproto.NewOpenAPIData(&message)
	if err != nil {
		t.Fatal(err)
	}
	kind, ok := models.LookupModel("com.example.fleet.v1.Machine").(*kubeproto.Kind)
	if !ok {
		t.Fatalf("there is no Machine among %v", models.ListModels())
	}
	if kind.Fields["spec"] == nil || kind.GetExtensions()["x-kubernetes-group-version-kind"] == nil {
		t.Errorf("the fields are %v, the extensions %v", kind.Keys(), kind.GetExtensions())
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	if _, err := v2proto.Encode([]byte(`{"swagger": []}`)); err == nil {
		t.Error("a malformed document was written")
	}
}
