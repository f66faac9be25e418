package reflectjson_test

import (
	"fmt"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/wire/jsonwire"
)

// Bookmark is a kind without any generated code.
type Bookmark struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	URL        string `json:"url"`
	Visits     int    `json:"visits,omitzero"`
}

func ExampleComplete() {
	v1 := schema.GroupVersion{Group: "web.example.com", Version: "v1"}
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[Bookmark]{GroupVersionKind: v1.WithKind("Bookmark")}))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	kind, err := scheme.Kind(v1.WithKind("Bookmark"))
	if err != nil {
		fmt.Println(err)
		return
	}

	obj := kind.New()
	r := jsonwire.NewReader([]byte(`{"url":"https://example.com/?a&b","Visits":3,"visits":"2"}`),
		jsonwire.Options{Strict: true})
	if err := kind.DecodeJSON(r, obj); err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Problems() {
		fmt.Printf("%d: %s %q\n", p.Offset, p.Code, p.Nearest)
	}
	out, err := kind.AppendJSON(nil, obj)
	fmt.Println(string(out), err)
	// Output:
	// 34: unknown field "visits"
	// 54: wrong type ""
	// {"kind":"Bookmark","apiVersion":"web.example.com/v1","url":"https://example.com/?a\u0026b"} <nil>
}
