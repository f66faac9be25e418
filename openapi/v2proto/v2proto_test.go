package v2proto_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	gnostic "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	kubeproto "k8s.io/kube-openapi/pkg/util/proto"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/openapi/v2proto"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// TestClientsReadIt checks that kubectl can decode a document.
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
	text, err := v2proto.Encode(doc.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	checkMachine(t, text)
}

// TestServed decodes the response of a server to the request of kubectl before 1.24.
func TestServed(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(scheme, memory.New(), server.OpenAPIProto(v2proto.Encode))
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	r := httptest.NewRequest(http.MethodGet, "http://localhost/openapi/v2", nil)
	r.Header.Set("Accept", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("code %d: %s", w.Code, w.Body)
	}
	checkMachine(t, w.Body.Bytes())
}

// checkMachine decodes a document as kubectl does and looks for the kind Machine and its fields.
func checkMachine(t *testing.T, text []byte) {
	t.Helper()
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
		t.Fatalf("no Machine among %v", models.ListModels())
	}
	if kind.Fields["spec"] == nil || kind.GetExtensions()["x-kubernetes-group-version-kind"] == nil {
		t.Errorf("the fields are %v, the extensions %v", kind.Keys(), kind.GetExtensions())
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	if _, err := v2proto.Encode([]byte(`{"swagger": []}`)); err == nil {
		t.Error("a malformed document was encoded")
	}
}
