package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	jsonformat "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
)

// TestUntyped answers with untyped objects, of kinds in the scheme and of a resource that was added
// at run time.
func TestUntyped(t *testing.T) {
	t.Parallel()
	robots := &unstructured.Definition{
		Kind:     schema.GroupVersionKind{Group: "third.party", Version: "v1", Kind: "Robot"},
		Resource: "robots",
		Columns:  []unstructured.Column{{Name: "Arms", Type: "integer", Path: []string{"spec", "arms"}}},
	}
	scheme, err := runtime.NewScheme(corev1.AddTo, metav1.AddTo, robots.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, jsonformat.Format(), protobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	robotList := schema.GroupVersionKind{Group: "third.party", Version: "v1", Kind: "RobotList"}
	robot := `{"apiVersion":"third.party/v1","kind":"Robot","metadata":{"name":"r2"},"spec":{"arms":2}}`
	for _, tt := range []struct {
		name   string
		kind   schema.GroupVersionKind
		object string
		accept string
		code   int
		want   string
	}{
		{
			"pod as table", corev1.GroupVersion.WithKind("Pod"),
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}`, "application/json;as=Table", 200,
			`"cells":["p"`,
		},
		{
			"pod that does not fit", corev1.GroupVersion.WithKind("Pod"),
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":[]}}`,
			"application/json;as=Table", 500,
			`"kind":"Status"`,
		},
		{
			"robots as table", robotList, `{"apiVersion":"third.party/v1","kind":"RobotList","items":[` + robot + `]}`,
			"application/json;as=Table", 200, `"cells":["r2",2]`,
		},
		{
			"a robot as metadata", robotList.GroupVersion().WithKind("Robot"), robot,
			"application/json;as=PartialObjectMetadata", 200, `"metadata":{"name":"r2"}`,
		},
		{
			"a robot in protobuf", robotList.GroupVersion().WithKind("Robot"), robot,
			"application/vnd.kubernetes.protobuf", 406, "NotAcceptable",
		},
		{
			"an object of a kind that is not offered", robotList.GroupVersion().WithKind("Robot"),
			`{"apiVersion":"other.party/v1","kind":"Android"}`, "application/json", 500, `"kind":"Status"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			obj := new(unstructured.Object)
			if err := obj.UnmarshalJSON([]byte(tt.object)); err != nil {
				t.Fatal(err)
			}
			api := httpapi.New(f, httpapi.Settings{Compact: true})
			handler := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
				x, err := api.Begin(w, r, httpapi.Offer{Kind: tt.kind})
				if err != nil {
					return err
				}
				return x.Respond(http.StatusOK, obj)
			})
			resp, body := ask(t, handler, http.MethodGet, "/", "", "Accept", tt.accept)
			if resp.StatusCode != tt.code || !strings.Contains(body, tt.want) {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
}
