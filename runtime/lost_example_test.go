package runtime_test

import (
	"fmt"
	"log"

	"github.com/askind/askind/conversion"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// A function in the scope learns which values the target version cannot express.
func ExampleScheme_ConvertWith_dropped() {
	scheme, err := runtime.NewScheme(fleetv1.AddTo, v1alpha1.AddTo, metav1.AddTo)
	if err != nil {
		log.Fatal(err)
	}
	m := &v1alpha1.Machine{Spec: v1alpha1.MachineSpec{CPU: "4", Memory: "8Gi", Rack: "r7"}}
	scope := conversion.NewScope(conversion.ScopeOptions{
		Dropped: func(d conversion.DroppedValue) { fmt.Printf("%v\nit was %v\n", d, d.Value) },
	})
	_, err = scheme.ConvertWith(m, fleetv1.GroupVersion, scope)
	fmt.Println(err)
	// Output:
	// spec.rack: the value is dropped in fleet.example.com/v1/Machine: since v1 the provider knows the racks
	// it was r7
	// <nil>
}
