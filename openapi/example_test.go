package openapi_test

import (
	"encoding/json"
	"fmt"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/runtime"
)

func ExampleNew() {
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo)
	if err != nil {
		panic(err)
	}
	machine, err := scheme.Kind(v1.GroupVersion.WithKind("Machine"))
	if err != nil {
		panic(err)
	}
	set := openapi.New(openapi.Config{Title: "fleet", Version: "v1.2.0", Description: "Computers of all sites."}, scheme,
		openapi.Resource{
			Kind: machine, Verbs: []string{"get", "list", "create"}, Consumes: []string{"application/json"},
		})

	doc, err := set.V3("apis/fleet.example.com/v1")
	if err != nil {
		panic(err)
	}
	var content struct {
		Info  struct{ Title, Version, Description string }
		Paths map[string]struct {
			Post struct {
				RequestBody struct{ Content map[string]struct{} }
			}
		}
		Components struct {
			Schemas map[string]struct{ Description string }
		}
	}
	if err := json.Unmarshal(doc.Bytes(), &content); err != nil {
		panic(err)
	}
	fmt.Println(set.Paths(), content.Info.Title, content.Info.Version, content.Info.Description)
	fmt.Println(content.Paths["/apis/fleet.example.com/v1/namespaces/{namespace}/machines"].Post.RequestBody.Content)
	fmt.Println(content.Components.Schemas["com.example.fleet.v1.Machine"].Description)
	// Output:
	// [apis/fleet.example.com/v1] fleet v1.2.0 Computers of all sites.
	// map[application/json:{}]
	// Machine is one computer of the fleet, real or virtual.
}
