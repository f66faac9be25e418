package cbor_test

import (
	"fmt"

	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
)

// Writing an object, and what it looks like.
func ExampleFormat_append() {
	scheme, err := runtime.NewScheme(samplev1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := scheme.Kind(samplev1.GroupVersion.WithKind("Machine"))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := cbor.Format().Append(nil, k, &samplev1.Machine{Name: "a", Key: []byte{1, 2}}, format.Options{})
	fmt.Printf("%q %v\n", out, err)
	// Output:
	// "\xd9\xd9\xf7\xa4Ckey\xd6B\x01\x02DkindGMachineDnameAaJapiVersionTfleet.example.com/v1" <nil>
}

// Reading a sequence, with everything that is wrong with it.
func ExampleFormat_documents() {
	scheme, err := runtime.NewScheme(samplev1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := scheme.Kind(samplev1.GroupVersion.WithKind("Machine"))
	if err != nil {
		fmt.Println(err)
		return
	}
	var input []byte
	for _, text := range []string{`{"name":"a","replicas":3}`, `{"name":"b","repliacs":3}`} {
		if input, err = cbor.FromJSON(input, []byte(text)); err != nil {
			fmt.Println(err)
			return
		}
	}
	for doc, err := range cbor.Format().Documents(input, schema.Limits{}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		var m samplev1.Machine
		problems := doc.Decode(k, &m, runtime.ReadOptions{Strict: true})
		fmt.Println(m.Name, m.Replicas)
		for i := range problems {
			fmt.Println("  " + problems[i].Error())
		}
	}
	// Output:
	// a 3
	// b 0
	//   repliacs: at byte 32: unknown field "repliacs" (did you mean "replicas"?)
}

func ExampleFromJSON() {
	out, err := cbor.FromJSON(nil, []byte(`{"replicas":3,"name":"a","ratio":0.5}`))
	fmt.Printf("%q %v\n", out, err)
	// Output:
	// "\xd9\xd9\xf7\xa3DnameAaEratio\xf98\x00Hreplicas\x03" <nil>
}

func ExampleToJSON() {
	out, err := cbor.ToJSON([]byte("\xa2\x44name\x61a\x43key\xd6\x42\x01\x02"))
	fmt.Println(string(out), err)
	// Output:
	// {"key":"AQI=","name":"a"} <nil>
}
