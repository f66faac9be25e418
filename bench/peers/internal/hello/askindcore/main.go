// Askindcore reads and writes a pod of k8s.io/api through functions generated for askind.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/askind/askind/k8s/corev1"
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
	scheme, err := runtime.NewScheme(corev1.AddTo)
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
