package yaml_test

import (
	"fmt"

	samplev1 "github.com/askind/askind/internal/sample/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/yaml"
)

// Reading a file of several documents, with everything that is wrong with it.
func ExampleFormat_documents() {
	scheme, err := runtime.NewScheme(samplev1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := scheme.Kind(samplev1.GroupVersion.WithKind("Machine"))
	if err != nil {
		fmt.Println(err)
		return
	}
	input := `# Two machines and a typing error.
name: no
replicas: 3
labels:
  version: 1.10
---
name: b
repliacs: 3
name: c
---
name: "d
`
	for doc, err := range yaml.Format().Documents([]byte(input), schema.Limits{}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		var m samplev1.Machine
		problems := doc.Decode(k, &m, runtime.ReadOptions{Strict: true})
		fmt.Println(m.Name, m.Replicas, m.Labels)
		for i := range problems {
			fmt.Println("  " + problems[i].Error())
		}
	}
	// Output:
	// no 3 map[version:1.10]
	// c 0 map[]
	//   line 8, column 1: repliacs: unknown field "repliacs" (did you mean "replicas"?)
	//   line 9, column 1: name: duplicate field "name"
	// line 11, column 7: the quotes that open here are not closed
}

func ExampleFromJSON() {
	out, err := yaml.FromJSON(nil, []byte(`{"name":"yes","ports":[{"port":80},{"port":443}],"note":"two\nlines\n"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(out))
	// Output:
	// name: "yes"
	// note: |
	//   two
	//   lines
	// ports:
	// - port: 80
	// - port: 443
}

func ExampleToJSON() {
	out, err := yaml.ToJSON([]byte("base: &base {cpu: 2, memory: 4Gi}\nlarge:\n  <<: *base\n  cpu: 0x10\n"))
	fmt.Println(string(out), err)
	// Output:
	// {"base":{"cpu":2,"memory":"4Gi"},"large":{"cpu":16,"memory":"4Gi"}} <nil>
}

// Members in the order in which people write them, with metadata before everything else.
func ExampleOptions() {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{
		"zone": "z",
		"app":  "w",
	}}}
	k, err := scheme.KindOf(obj)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, declared := range []bool{false, true} {
		out, err := yaml.Format(yaml.Options{Declared: declared}).Append(nil, k, obj, format.Options{})
		fmt.Printf("---\n%s", out)
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// ---
	// apiVersion: meta.k8s.io/v1
	// kind: PartialObjectMetadata
	// metadata:
	//   labels:
	//     app: w
	//     zone: z
	//   name: a
	// ---
	// apiVersion: meta.k8s.io/v1
	// kind: PartialObjectMetadata
	// metadata:
	//   name: a
	//   labels:
	//     app: w
	//     zone: z
}

// Changing a file that people write: its comments, its order and its other document stay.
func ExampleEdit() {
	out, err := yaml.Edit([]byte(`# The front end.
kind: Machine
metadata:
  labels: {app: web} # who owns it
spec:
  replicas: 2 # see the runbook
  disks:
  - name: root
    size: 10Gi
---
kind: Machine
spec: {}
`),
		yaml.Change{Path: "spec.replicas", Value: []byte(`3`)},
		yaml.Change{Path: "metadata.labels[tier]", Value: []byte(`"front"`)},
		yaml.Change{Path: "spec.disks[1]", Value: []byte(`{"name":"data","size":"1Ti"}`)},
		yaml.Change{Document: 1, Path: "spec.replicas", Value: []byte(`1`)},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(out))

	// A comment that cannot stay is an error, unless the change says otherwise.
	_, err = yaml.Edit(out, yaml.Change{Path: "metadata.labels"})
	fmt.Println(err)
	// Output:
	// # The front end.
	// kind: Machine
	// metadata:
	//   labels: {app: web, tier: front} # who owns it
	// spec:
	//   replicas: 3 # see the runbook
	//   disks:
	//   - name: root
	//     size: 10Gi
	//   - name: data
	//     size: 1Ti
	// ---
	// kind: Machine
	// spec:
	//   replicas: 1
	// yaml: 4:35: metadata.labels: a comment would be lost: # who owns it
}

// A field that the newer version of a kind nests deeper takes its comments along.
func ExampleEdit_moves() {
	out, err := yaml.Edit([]byte(`kind: Machine
spec:
  # enough for a year
  size: 10Gi # see the runbook
  replicas: 2
`), yaml.Change{Path: "spec", Value: []byte(`{"disk":{"size":"10Gi","medium":"SSD"},"replicas":2}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(out))
	// Output:
	// kind: Machine
	// spec:
	//   disk:
	//     medium: SSD
	//     # enough for a year
	//     size: 10Gi # see the runbook
	//   replicas: 2
}
