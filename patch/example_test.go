package patch_test

import (
	"errors"
	"fmt"

	"github.com/askind/askind/patch"
)

func ExampleParse() {
	p, err := patch.Parse(patch.JSON, []byte(`[
		{"op": "test", "path": "/spec/replicas", "value": 3},
		{"op": "replace", "path": "/spec/replicas", "value": 5}
	]`), patch.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	changed, err := p.Append(nil, []byte(`{"kind":"Web","spec":{"replicas":3}}`))
	fmt.Println(string(changed), err)
	// Output: {"kind":"Web","spec":{"replicas":5}} <nil>
}

func ExamplePatch_Apply() {
	p, err := patch.Parse(patch.Merge, []byte(`{"labels":{"tier":"front","old":null}}`), patch.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	changed, err := p.Apply(map[string]any{"labels": map[string]any{"app": "web", "old": "yes"}})
	fmt.Println(changed, err)
	// Output: map[labels:map[app:web tier:front]] <nil>
}

func ExampleError() {
	p, err := patch.Parse(patch.JSON, []byte(`[{"op":"remove","path":"/spec/replica"}]`), patch.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = p.Append(nil, []byte(`{"spec":{"replicas":3}}`))
	if e, ok := errors.AsType[*patch.Error](err); ok {
		fmt.Println(e.Code(), errors.Is(err, patch.ErrMissing))
	}
	fmt.Println(err)
	// Output:
	// 422 true
	// patch: JSON patch, operation 0 (remove "/spec/replica") at 1:2: "/spec/replica" does not exist, did you mean "replicas"?
}

func ExampleBetween() {
	before := []byte(`{"spec":{"image":"web:1","replicas":3,"ports":[80,443]}}`)
	after := []byte(`{"spec":{"image":"web:2","ports":[80,443,8080]}}`)
	for _, t := range []patch.Type{patch.JSON, patch.Merge} {
		change, err := patch.Between(t, before, after, patch.Options{})
		fmt.Println(string(change), err)
	}
	// Output:
	// [{"op":"replace","path":"/spec/image","value":"web:2"},{"op":"add","path":"/spec/ports/2","value":8080},{"op":"remove","path":"/spec/replicas"}] <nil>
	// {"spec":{"image":"web:2","ports":[80,443,8080],"replicas":null}} <nil>
}
