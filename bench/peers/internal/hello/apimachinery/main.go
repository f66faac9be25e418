// Apimachinery reads and writes a pod of k8s.io/api through its codec factory.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return err
	}
	info, ok := runtime.SerializerInfoForMediaType(serializer.NewCodecFactory(scheme).SupportedMediaTypes(),
		runtime.ContentTypeJSON)
	if !ok {
		return errors.New("no JSON")
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	obj, _, err := info.StrictSerializer.Decode(data, nil, nil)
	if err != nil {
		return err
	}
	return info.Serializer.Encode(obj, out)
}
