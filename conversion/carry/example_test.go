package carry_test

import (
	"fmt"

	"github.com/askind/askind/conversion/carry"
)

// What an object carries can be looked at.
func ExampleEntries() {
	annotations := map[string]string{
		"owner":          "books",
		carry.Annotation: `{"fleet.example.com/v1beta1/Machine":{"spec.firmwareURL":{"hash":"Zt8Q","value":"https://firmware.example.com/7"}}}`,
	}
	for e := range carry.Entries(annotations) {
		fmt.Println(e.Kind, e.Path, string(e.Value))
	}
	// Output: fleet.example.com/v1beta1/Machine spec.firmwareURL "https://firmware.example.com/7"
}

// A server that validates objects can refuse what somebody has damaged; conversions would ignore
// it.
func ExampleCheck() {
	err := carry.Check(
		map[string]string{carry.Annotation: `{"fleet.example.com/v1beta1/Machine":{"spec.firmwareURL":7}}`},
	)
	fmt.Println(err)
	// Output: metadata.annotations[conversion.askind.dev/carried]: malformed carried data at offset 57: expected object, found number; remove the annotation, or leave it as it was
}
