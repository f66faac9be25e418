package serializer_test

import (
	"fmt"
	"log"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
)

// A client has put an object in CBOR into a list in protobuf. The factory knows both formats, so
// the list can be written in a third one.
func ExampleFactory_Decode_transcoding() {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		log.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		log.Fatal(err)
	}
	inner, err := cbor.FromJSON(nil, []byte(`{"kind":"Note","apiVersion":"example.com/v1","text":"hello"}`))
	if err != nil {
		log.Fatal(err)
	}
	list := &metav1.List{Items: []runtime.RawExtension{{Raw: inner}}}
	stored, err := f.Append(nil, list, serializer.EncodeOptions{MediaType: "application/vnd.kubernetes.protobuf"})
	if err != nil {
		log.Fatal(err)
	}

	obj, err := f.Decode(stored)
	if err != nil {
		log.Fatal(err)
	}
	text, err := f.Append(nil, obj, serializer.EncodeOptions{})
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// {"kind":"List","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[{"apiVersion":"example.com/v1","kind":"Note","text":"hello"}]}
	// <nil>
}
