package conversion_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
)

type poolV1 struct{ Replicas int64 }

type poolV1beta1 struct{ Size int32 }

// A conversion renames a field and checks that its number fits.
func convertPoolToV1beta1(in *poolV1, out *poolV1beta1, _ *conversion.Scope) error {
	size, err := conversion.Narrow[int32](in.Replicas)
	if err != nil {
		return schema.AtField(err, "replicas")
	}
	out.Size = size
	return nil
}

func ExampleFunc() {
	convert := conversion.Func[poolV1, poolV1beta1](convertPoolToV1beta1)
	var out poolV1beta1
	fmt.Println(convert(&poolV1{Replicas: 3}, &out, nil), out.Size)
	fmt.Println(convert(&poolV1{Replicas: 3_000_000_000}, &out, nil))
	// Output:
	// <nil> 3
	// replicas: value 3000000000 does not fit into int32
}

func ExampleNarrow() {
	n, err := conversion.Narrow[uint8](200.0)
	fmt.Println(n, err)
	_, err = conversion.Narrow[uint8](int64(-1))
	fmt.Println(err, errors.Is(err, conversion.ErrOutOfRange))
	// Output:
	// 200 <nil>
	// value -1 does not fit into uint8 true
}

// A function that knows the type of the options finds them in its scope.
func ExampleScope() {
	type showOptions struct{ Upper bool }
	show := func(in, out *string, s *conversion.Scope) error {
		*out = *in
		if o, ok := s.Options().(showOptions); ok && o.Upper {
			*out = strings.ToUpper(*in)
		}
		return nil
	}
	name, shown := "rack", ""
	fmt.Println(show(&name, &shown, conversion.NewScope(conversion.ScopeOptions{Options: showOptions{Upper: true}})),
		shown)
	fmt.Println(show(&name, &shown, nil), shown)
	// Output:
	// <nil> RACK
	// <nil> rack
}

// Plan how to get from the oldest version to the newest one over those between.
func ExampleGraph_Plan() {
	g := conversion.NewGraph([]conversion.Edge[string]{
		{From: "v1alpha1", To: "v1beta1"},
		{From: "v1beta1", To: "v1"},
		{
			From: "v1alpha1", To: "v1",
			Losses: []conversion.Loss{{Path: "spec.rack", Reason: "this conversion is older than racks"}},
		},
	}, conversion.GraphOptions[string]{})
	route, err := g.Plan("v1alpha1", "v1")
	fmt.Println(route.Nodes, err)
	_, err = g.Plan("v1beta1", "v1alpha1")
	fmt.Println(err)
	// Output:
	// [v1alpha1 v1beta1 v1] <nil>
	// conversion: no route from v1beta1 to v1alpha1: it leads only to v1; add a conversion to v1alpha1 from one of these
}
