// Package hello has programs whose sizes command sizes measures: with each library, they read a pod
// from JSON, strictly, and write it again.
package hello

import (
	"fmt"
	"io"
	"os"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// Main is the main function of the programs with askind, which know the kinds of one group.
func Main(group func(*runtime.Builder)) {
	if err := run(group, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(group func(*runtime.Builder), in io.Reader, out io.Writer) error {
	scheme, err := runtime.NewScheme(group)
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
