package serializer_test

import (
	"fmt"
	"os"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// A server lists what it has stored by metadata alone. Nothing else of the objects is decoded.
func ExampleRepresentation_EncodeProjected() {
	scheme, err := runtime.NewScheme(metav1.AddTo, v1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	stored := func(yield func([]byte, error) bool) {
		for _, name := range []string{"a", "b"} {
			if !yield([]byte(`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"`+name+
				`"},"spec":{"zone":"fra-1"}}`), nil) {
				return
			}
		}
	}
	rep, err := f.Negotiate([]string{"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
		serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
	if err != nil {
		fmt.Println(err)
		return
	}
	how, err := rep.EncodeProjected(os.Stdout, &v1.MachineList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}, stored,
		serializer.DecodeOptions{MediaType: "application/json"})
	fmt.Println(how.Fast, "without decoding,", how.Decoded, "decoded", err)
	// Output:
	// {"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}},{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"b"}}]}
	// 2 without decoding, 0 decoded <nil>
}

// A store leaves out what the representation does not read.
func ExampleRepresentation_ReadsOnlyMetadata() {
	scheme, err := runtime.NewScheme(metav1.AddTo, v1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	machine, err := scheme.Kind(v1.GroupVersion.WithKind("Machine"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, as := range []string{"PartialObjectMetadataList", "Table"} {
		rep, err := f.Negotiate([]string{"application/json;g=meta.k8s.io;v=v1;as=" + as},
			serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(as, rep.ReadsOnlyMetadata(machine))
	}
	// Output:
	// PartialObjectMetadataList true
	// Table false
}
