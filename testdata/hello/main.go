// Command hello builds a scheme, decodes an object and writes it, with generated code only. The tests of the module root measure its binary.
package main

import (
	"os"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// canary has a method that nothing calls. A linker that eliminates dead code leaves it out, even though the type is in an interface.
type canary struct{ n int }

// NeverCalled is exported, so that a linker which must fear calls by name keeps it.
//
//go:noinline
func (c *canary) NeverCalled() int { return c.n }

var kept any = &canary{}

func main() {
	if kept == nil {
		os.Exit(2)
	}
	if err := run(); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

func run() error {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		return err
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		return err
	}
	obj, err := f.Decode([]byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"hello"}}`))
	if err != nil {
		return err
	}
	return f.Encode(os.Stdout, obj, serializer.EncodeOptions{})
}
