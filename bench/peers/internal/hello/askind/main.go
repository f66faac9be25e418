// Askind reads and writes a machine of the example.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		return err
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		return err
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	obj, err := f.Decode(data, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	if err != nil {
		return err
	}
	return f.Encode(out, obj, serializer.EncodeOptions{})
}
