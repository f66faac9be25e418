package schema_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/askind/askind/schema"
)

// Read the type that an object states about itself.
func ExampleFromAPIVersionAndKind() {
	gvk, err := schema.FromAPIVersionAndKind("fleet.example.com/v1", "Machine")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(gvk.Group, gvk.Version, gvk.Kind)
	fmt.Println(gvk.APIVersion())
	// Output:
	// fleet.example.com v1 Machine
	// fleet.example.com/v1
}

// A malformed apiVersion is an error that says where and what to write instead.
func ExampleParseGroupVersion() {
	_, err := schema.ParseGroupVersion("fleet.example.com/v1/machines")
	fmt.Println(err)
	if e, ok := errors.AsType[*schema.ParseError](err); ok {
		fmt.Println(e.Offset)
	}
	// Output:
	// schema: apiVersion "fleet.example.com/v1/machines": there is more than one '/' at byte 20: write group/version, such as fleet.example.com/v1, or a version alone, such as v1
	// 20
}

// An argument with two dots or more can be read with a version and without.
func ExampleParseResourceArg() {
	gvr, gr, err := schema.ParseResourceArg("machines.v1.fleet.example.com")
	fmt.Println(gvr, err)
	fmt.Println(gr)
	// Output:
	// fleet.example.com/v1, Resource=machines <nil>
	// machines.v1.fleet.example.com
}

// Sort versions with the preferred one first.
func ExampleCompareVersions() {
	versions := []string{"v1alpha1", "v1", "v2beta1", "v10", "v2", "v1beta1"}
	slices.SortFunc(versions, schema.CompareVersions)
	fmt.Println(versions)
	// Output: [v10 v2 v1 v2beta1 v1beta1 v1alpha1]
}

// Carry a path while walking down and print it when something is wrong.
func ExamplePath() {
	spec := schema.NewPath("spec")
	containers := spec.Child("containers")
	fmt.Println(containers.Index(2).Child("image"))
	fmt.Println(schema.NewPath("metadata", "labels").Key("app.kubernetes.io/name"))
	// Output:
	// spec.containers[2].image
	// metadata.labels[app.kubernetes.io/name]
}

func ExampleParsePath() {
	p, err := schema.ParsePath("spec.containers[2].image")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range p.Steps() {
		switch step.Kind {
		case schema.StepIndex:
			fmt.Println(step.Kind, step.Index)
		default:
			fmt.Println(step.Kind, step.Name)
		}
	}
	// Output:
	// field spec
	// field containers
	// index 2
	// field image
}

// Add the path on the way back up, so that it costs nothing without an error.
func ExampleAtField() {
	errPort := errors.New("port 99999 is too large")
	checkPort := func(port int) error {
		if port > 65535 {
			return errPort
		}
		return nil
	}
	checkPorts := func(ports []int) error {
		for i, port := range ports {
			if err := checkPort(port); err != nil {
				return schema.AtIndex(err, i)
			}
		}
		return nil
	}
	err := schema.AtField(checkPorts([]int{80, 99999}), "ports")
	fmt.Println(err)
	fmt.Println(errors.Is(err, errPort))
	// Output:
	// ports[1]: port 99999 is too large
	// true
}

func ExamplePositionOf() {
	text := []byte("kind: Machine\r\nsize: größer\r\n")
	fmt.Println(schema.PositionOf(text, len("kind: Machine\r\nsize: grö")))
	// Output: 2:10
}

func ExampleNearest() {
	if near, ok := schema.Nearest("replcias", []string{"replicas", "selector", "template"}); ok {
		fmt.Printf("did you mean %q?\n", near)
	}
	// Output: did you mean "replicas"?
}
