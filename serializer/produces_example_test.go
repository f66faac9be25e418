package serializer_test

import (
	"encoding/json"
	"fmt"
	"os"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	askindjson "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// The responses of an operation in an OpenAPI document list what its endpoint can answer with, as
// keys of content.
func ExampleEndpoint_Produces() {
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, askindjson.Format(), yaml.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	endpoint, err := f.Endpoint(serializer.Offer{
		Kind:       v1.GroupVersion.WithKind("Machine"),
		MediaTypes: []string{"application/json"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	content := map[string]any{}
	for _, h := range endpoint.Produces() {
		content[h.MediaType] = map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/" + h.Target.Kind}}
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	if err := e.Encode(map[string]any{"200": map[string]any{"description": "OK", "content": content}}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "200": {
	//     "content": {
	//       "application/json": {
	//         "schema": {
	//           "$ref": "#/components/schemas/Machine"
	//         }
	//       },
	//       "application/json+vnd.kubernetes.export": {
	//         "schema": {
	//           "$ref": "#/components/schemas/Machine"
	//         }
	//       },
	//       "application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata": {
	//         "schema": {
	//           "$ref": "#/components/schemas/PartialObjectMetadata"
	//         }
	//       },
	//       "application/json;g=meta.k8s.io;v=v1;as=Table": {
	//         "schema": {
	//           "$ref": "#/components/schemas/Table"
	//         }
	//       }
	//     },
	//     "description": "OK"
	//   }
	// }
}
