package serializer_test

import (
	"fmt"
	"log"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// A file in an old version is checked by the rules of the new one. The paths are those of the new
// version, the lines those of the file, in which spec.boot is called spec.bootSource.
func ExampleDecodeOptions_validateConverted() {
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, metav1.AddTo)
	if err != nil {
		log.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		log.Fatal(err)
	}
	_, err = serializer.Decode[v1.Machine](f, []byte(`apiVersion: fleet.example.com/v1beta1
kind: Machine
metadata: {name: web-1}
spec:
  zone: z-1
  pool: blue ones
  hardware: {cores: 4, memory: 8Gi}
  bootSource: {type: Image}
`), serializer.DecodeOptions{File: "web.yaml", Default: true, ValidateConverted: true})
	fmt.Println(err)
	// Output:
	// web.yaml:6:9: spec.poolName: Invalid value: "blue ones": a name consists of lower-case letters, digits, hyphens and dots, and begins and ends with a letter or digit
	// web.yaml:8:15: spec.boot.image: Required value: type is Image
}

// A value that an old version could not express travels in an annotation. It is dropped if what it
// depends on has been edited there, and the caller learns of it.
func ExampleDecodeOptions_dropped() {
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, metav1.AddTo)
	if err != nil {
		log.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		log.Fatal(err)
	}
	// The firmware belongs to the hardware: this is what v1 shows of a machine with both.
	newer, err := f.Decode([]byte(`{"apiVersion":"fleet.example.com/v1beta1","kind":"Machine",
		"spec":{"hardware":{"cores":4,"memory":"8Gi"},"firmwareURL":"https://firmware.example.net/7"}}`),
		serializer.DecodeOptions{Version: v1.GroupVersion})
	if err != nil {
		log.Fatal(err)
	}
	m := newer.(*v1.Machine)
	m.Spec.Hardware.Cores = 8 // an edit in v1
	text, err := f.Append(nil, m, serializer.EncodeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = serializer.Decode[v1beta1.Machine](f, text, serializer.DecodeOptions{
		Dropped: func(d conversion.DroppedValue) { fmt.Println(d) },
	})
	fmt.Println(err)
	// Output:
	// spec.firmwareURL: the value carried for fleet.example.com/v1beta1/Machine is dropped: what it depends on has changed
	// <nil>
}
