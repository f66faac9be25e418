package runtime_test

import (
	"fmt"

	core "github.com/askind/askind/internal/seedapi/core/v1"
	"github.com/askind/askind/runtime"
)

// An exported object is what a user would have written.
func ExampleKind_Export() {
	s, err := runtime.NewScheme(core.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := s.KindOf(&core.Pod{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pod := &core.Pod{Status: core.PodStatus{Phase: "Running"}}
	pod.Name, pod.UID = "web", "0f8fad5b"
	if err := k.Default(pod); err != nil {
		fmt.Println(err)
		return
	}
	exported, err := k.Export(pod)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, obj := range []runtime.Object{pod, exported} {
		text, err := k.AppendJSON(nil, obj)
		fmt.Println(string(text), err)
	}
	// Output:
	// {"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","uid":"0f8fad5b"},"spec":{"restartPolicy":"Always"},"status":{"phase":"Running"}} <nil>
	// {"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}} <nil>
}
