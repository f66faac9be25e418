package unstructured_test

import (
	"fmt"
	"os"

	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// Read a document of a kind that nobody has registered, change it, and write it in another format.
func Example() {
	scheme, err := runtime.NewScheme()
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	data := []byte(`
apiVersion: shop.example.com/v1
kind: Rollout
metadata: {name: checkout}
spec:
  containers:
  - {name: app, image: "checkout:1"}
`)
	obj, err := f.Decode(data, serializer.DecodeOptions{Unknown: unstructured.Kind})
	if err != nil {
		fmt.Println(err)
		return
	}
	rollout := obj.(*unstructured.Object)
	image, found, err := rollout.String("spec", "containers", "0", "image")
	fmt.Println(rollout.Name(), image, found, err)

	fmt.Println(rollout.Set("checkout:2", "spec", "containers", "0", "image"))
	fmt.Println(rollout.Set(true, "spec", "containers", "paused"))
	fmt.Println(f.Encode(os.Stdout, rollout, serializer.EncodeOptions{}))
	// Output:
	// checkout checkout:1 true <nil>
	// <nil>
	// unstructured: spec.containers: expected an object with "paused", found an array
	// {"apiVersion":"shop.example.com/v1","kind":"Rollout","metadata":{"name":"checkout"},"spec":{"containers":[{"image":"checkout:2","name":"app"}]}}
	// <nil>
}

func ExampleObject_Elements() {
	obj, err := unstructured.FromMap(map[string]any{
		"kind": "Rollout", "apiVersion": "shop.example.com/v1",
		"spec": map[string]any{"containers": []any{
			map[string]any{"name": "app", "port": 8080},
			map[string]any{"name": "proxy"},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	containers, err := obj.Elements("spec", "containers")
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range containers {
		name, _, _ := c.String("name")
		port, found, err := c.Int64("port")
		fmt.Println(i, name, port, found, err)
	}
	// Output:
	// 0 app 8080 true <nil>
	// 1 proxy 0 false <nil>
}

func ExampleList_Items() {
	var obj unstructured.Object
	err := obj.UnmarshalJSON(
		[]byte(
			`{"kind":"RolloutList","apiVersion":"shop.example.com/v1","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`,
		),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := obj.List()
	if err != nil {
		fmt.Println(err)
		return
	}
	items, err := list.Items()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range items {
		items[i].SetLabels(map[string]string{"seen": "true"})
	}
	fmt.Println(list)
	// Output:
	// {"apiVersion":"shop.example.com/v1","items":[{"apiVersion":"shop.example.com/v1","kind":"Rollout","metadata":{"labels":{"seen":"true"},"name":"a"}},{"apiVersion":"shop.example.com/v1","kind":"Rollout","metadata":{"labels":{"seen":"true"},"name":"b"}}],"kind":"RolloutList"}
}

// Take a scale apart without its type, and put it together again.
func ExampleTo() {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	obj, err := unstructured.From(scheme, &metav1.Scale{Spec: metav1.ScaleSpec{Replicas: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(obj.Set(3, "spec", "replicas"))
	scale, err := unstructured.To[metav1.Scale](scheme, obj)
	fmt.Println(scale.Spec.Replicas, err)
	// Output:
	// <nil>
	// 3 <nil>
}

func ExampleNew() {
	obj := unstructured.New(schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Rollout"})
	obj.SetName("checkout")
	obj.SetLabels(map[string]string{"team": "payments"})
	fmt.Println(obj)
	// Output: {"apiVersion":"shop.example.com/v1","kind":"Rollout","metadata":{"labels":{"team":"payments"},"name":"checkout"}}
}

// Serve a resource that the program learns of at run time, and show its objects as a table.
func ExampleDefinition() {
	rollouts := &unstructured.Definition{
		Kind:     schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Rollout"},
		Resource: "rollouts",
		Columns: []unstructured.Column{
			{Name: "Replicas", Type: "integer", Path: []string{"spec", "replicas"}},
		},
	}
	scheme, err := runtime.NewScheme(metav1.AddTo, rollouts.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	obj, err := unstructured.FromMap(map[string]any{
		"kind": "Rollout", "apiVersion": "shop.example.com/v1",
		"metadata": map[string]any{"name": "checkout"}, "spec": map[string]any{"replicas": 3},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := runtime.As[metav1.Table](scheme, obj)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range table.ColumnDefinitions {
		fmt.Println(c.Name, table.Rows[0].Cells[i])
	}
	// Output:
	// Name checkout
	// Replicas 3
}
