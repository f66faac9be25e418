package dynamic_test

import (
	"errors"
	"fmt"

	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// A kind without a Go type is read, converted and shown like any other.
func Example() {
	boats, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{
			{Name: "v1", Storage: true, Columns: []dynamic.Column{
				{Name: "Crew", Type: "integer", JSONPath: ".spec.crew"},
			}},
			{Name: "v1beta1"},
		},
	})
	if err != nil {
		panic(err)
	}
	scheme, err := runtime.NewScheme(metav1.AddTo, boats.AddTo)
	if err != nil {
		panic(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
	if err != nil {
		panic(err)
	}
	obj, err := f.Decode([]byte("apiVersion: harbor.example.com/v1beta1\nkind: Boat\nmetadata: {name: ada}\nspec: {crew: 3}\n"),
		serializer.DecodeOptions{})
	if err != nil {
		panic(err)
	}
	obj, err = scheme.ConvertTo(obj, schema.GroupVersion{Group: "harbor.example.com", Version: "v1"})
	if err != nil {
		panic(err)
	}
	boat := obj.(*dynamic.Object)
	fmt.Println(boat.APIVersion(), boat.Name, boat.Text("spec", "crew"))
	table, err := scheme.As(boat, metav1.GroupVersion.WithKind("Table"))
	if err != nil {
		panic(err)
	}
	fmt.Println(table.(*metav1.Table).Rows[0].Cells)
	// Output:
	// harbor.example.com/v1 ada 3
	// [ada 3]
}

// An object without a value at the path of its size cannot be shown as a Scale.
func ExampleErrNoSize() {
	boats, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{{
			Name: "v1", Storage: true,
			Scale: &dynamic.Scale{SpecReplicas: ".spec.crew", StatusReplicas: ".status.crew"},
		}},
	})
	if err != nil {
		panic(err)
	}
	scheme, err := runtime.NewScheme(metav1.AddTo, boats.AddTo)
	if err != nil {
		panic(err)
	}
	boat := new(dynamic.Object)
	boat.SetType("harbor.example.com/v1", "Boat")
	_, err = runtime.As[metav1.Scale](scheme, boat)
	fmt.Println(errors.Is(err, dynamic.ErrNoSize))
	if err := boat.Content.Set(3, "spec", "crew"); err != nil {
		panic(err)
	}
	size, err := runtime.As[metav1.Scale](scheme, boat)
	if err != nil {
		panic(err)
	}
	fmt.Println(size.Spec.Replicas)
	// Output:
	// true
	// 3
}
