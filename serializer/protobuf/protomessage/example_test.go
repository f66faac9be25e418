package protomessage_test

import (
	"fmt"
	"os"
	"time"

	"github.com/askind/askind/internal/gadgets"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/protobuf/protomessage"
	"github.com/askind/askind/serializer/yaml"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// A message that protoc-gen-go generated becomes a kind, in every format.
func ExampleComplete() {
	gvk := schema.GroupVersionKind{Group: "gadgets.example.com", Version: "v1", Kind: "Gadget"}
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, protomessage.Complete(runtime.KindSpec[gadgets.Gadget]{
			GroupVersionKind: gvk,
			Resource:         "gadgets",
		}))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), protobuf.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	obj, err := serializer.Decode[gadgets.Gadget](f, []byte(`
kind: Gadget
apiVersion: gadgets.example.com/v1
metadata:
  name: first
spec:
  mode: MODE_FAST
  volts: 12
`), serializer.DecodeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(obj.GetSpec().GetMode(), obj.GetSpec().GetVolts())
	if err := f.Encode(os.Stdout, obj, serializer.EncodeOptions{MediaType: "application/json"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// MODE_FAST 12
	// {"kind":"Gadget","apiVersion":"gadgets.example.com/v1","metadata":{"name":"first"},"spec":{"mode":"MODE_FAST","volts":12}}
}
