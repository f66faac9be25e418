package json_test

import (
	"fmt"

	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json"
)

// Reading all objects of a stream, with everything that is wrong with them.
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
	input := `{"name": "a", "replicas": 3}
{"name": "b", "repliacs": 3, "paused": "no"}`
	for doc, err := range json.Format().Documents([]byte(input), schema.Limits{}) {
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
	//   line 2, column 15: repliacs: unknown field "repliacs" (did you mean "replicas"?)
	//   line 2, column 40: paused: expected boolean, found string
}
