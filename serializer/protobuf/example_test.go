package protobuf_test

import (
	"fmt"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
)

// An object that arrived as protobuf is written as JSON.
func Example() {
	scheme, err := runtime.NewScheme(addTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, json.Format(), protobuf.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	in := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	data, err := f.Append(nil, in, serializer.EncodeOptions{MediaType: protobuf.MediaType})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", data[:4])
	obj, err := f.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := f.Append(nil, obj, serializer.EncodeOptions{})
	fmt.Print(string(text), err)
	// Output:
	// "k8s\x00"
	// {"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"web"}}
	// <nil>
}
