package json_test

import (
	"fmt"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/json"
)

// Machine is a kind; its functions are those that would be generated.
type Machine = machine

// Reading all objects of a stream, with everything that is wrong with them.
func ExampleSerializer_Documents() {
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) { runtime.AddKind(b, &machineSpec) })
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := scheme.Kind(machineSpec.GroupVersionKind)
	if err != nil {
		fmt.Println(err)
		return
	}
	input := `{"name": "a", "replicas": 3}
{"name": "b", "repliacs": 3, "paused": "no"}`
	for doc, err := range json.Format().Documents([]byte(input)) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		var m Machine
		problems := doc.Decode(k, &m, runtime.ReadOptions{Strict: true})
		fmt.Println(m.Name, m.Replicas)
		for i := range problems {
			fmt.Println("  " + problems[i].Error())
		}
	}
	// Output:
	// a 3
	// b 0
	//   line 2, column 15: repliacs: unknown field "repliacs" (did you mean "replicas"?)
	//   line 2, column 40: paused: expected boolean, found string
}
