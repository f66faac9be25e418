package discovery_test

import (
	"fmt"

	"github.com/askind/askind/discovery"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

func ExampleNew() {
	d, err := discovery.New(discovery.Config{Resources: []discovery.Resource{{
		GroupVersionResource: schema.GroupVersionResource{Group: "cars.example.com", Version: "v1", Resource: "cars"},
		Kind:                 schema.GroupVersionKind{Kind: "Car"}, Singular: "car", Verbs: []string{
			"get",
			"list", "watch",
		},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for path := range d.Paths() {
		doc, _ := d.Find(path)
		fmt.Println(path, "answers with an", doc.Kind().Kind)
	}
	for _, g := range d.Groups() {
		fmt.Println("the Group", g.Name, "has version", g.Status.Versions[0].Name)
	}
	// Output:
	// /apis answers with an APIGroupList
	// /apis/cars.example.com answers with an APIGroup
	// /apis/cars.example.com/v1 answers with an APIResourceList
	// the Group cars.example.com has version v1
}

func ExampleServerAddress() {
	list := []metav1.ServerAddressByClientCIDR{
		{ClientCIDR: "0.0.0.0/0", ServerAddress: "cars.example.com"},
		{ClientCIDR: "10.0.0.0/8", ServerAddress: "10.0.0.1:6443"},
	}
	client := discovery.ClientIP("", "", "10.2.3.4:40000")
	fmt.Println(discovery.ServerAddress(list, client))
	// Output: 10.0.0.1:6443
}
