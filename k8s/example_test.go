package k8s_test

import (
	"fmt"

	kcorev1 "k8s.io/api/core/v1"

	"github.com/askind/askind/k8s/appsv1"
	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

// A pod of k8s.io/api is read from YAML and shown as a row of a table, as kubectl gets it.
func Example() {
	scheme, err := runtime.NewScheme(corev1.AddTo, appsv1.AddTo, v1.AddTo)
	if err != nil {
		panic(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format(), protobuf.Format())
	if err != nil {
		panic(err)
	}
	pod, err := serializer.Decode[kcorev1.Pod](f, []byte(`
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: main, image: nginx}]
status: {phase: Running}
`))
	if err != nil {
		panic(err)
	}
	table, err := runtime.As[v1.Table](scheme, pod)
	if err != nil {
		panic(err)
	}
	fmt.Println(table.ColumnDefinitions[1].Name, table.Rows[0].Cells[1])
	// Output:
	// Status Running
}

// An object is logged without its secrets.
func Example_redact() {
	scheme, err := runtime.NewScheme(corev1.AddTo)
	if err != nil {
		panic(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		panic(err)
	}
	secret := &kcorev1.Secret{Type: "Opaque", StringData: map[string]string{"password": "hunter2"}}
	shown, err := scheme.Redact(secret)
	if err != nil {
		panic(err)
	}
	text, err := f.Append(nil, shown, serializer.EncodeOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", text)
	// Output:
	// apiVersion: v1
	// kind: Secret
	// metadata: {}
	// stringData:
	//   password: <redacted>
	// type: Opaque
}
