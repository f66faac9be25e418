package serializer_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// A server that reads from strangers sets limits once, for all formats, and raises one where it
// expects more.
func ExampleFactoryOptions_limits() {
	scheme, err := runtime.NewScheme(library)
	if err != nil {
		log.Fatal(err)
	}
	f, err := serializer.FactoryOptions{Limits: schema.Limits{Size: 3 << 20, Depth: 100, String: 16}}.NewFactory(scheme,
		json.Format())
	if err != nil {
		log.Fatal(err)
	}
	book := []byte(`{"kind":"Book","apiVersion":"library.example.com/v1","title":"The Lathe of Heaven"}`)

	_, err = f.Decode(book)
	fmt.Println(err)
	if e, ok := errors.AsType[*schema.LimitError](err); ok && errors.Is(err, runtime.ErrLimit) {
		fmt.Println(e.Limit, e.Max, e.Got)
	}
	_, err = f.Decode(book, serializer.DecodeOptions{Limits: schema.Limits{String: 256}})
	fmt.Println(err)
	// Output:
	// line 1, column 29: apiVersion: a string has 22 bytes, more than 16; raise Limits.String to read it
	// String 16 22
	// <nil>
}
