package serializer_test

import (
	"fmt"
	"os"
	"time"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/text"
)

// textFactory writes machines as text for people.
func textFactory() (*serializer.Factory, error) {
	scheme, err := runtime.NewScheme(v1.AddTo, v1.AddDescriptionsTo, metav1.AddTo)
	if err != nil {
		return nil, err
	}
	return serializer.NewFactory(scheme, json.Format(), text.Format())
}

func twoMachines() *v1.MachineList {
	created := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	list := &v1.MachineList{}
	for i, name := range []string{"web-10", "web-9"} {
		m := v1.Machine{ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "shop",
			Labels: map[string]string{"tier": "front"}, CreationTimestamp: created,
		}}
		m.Spec.Zone, m.Spec.Hardware.Cores = "fra-1", int32(4+i)
		list.Items = append(list.Items, m)
	}
	return list
}

// The options of a table come from the query of a request, as a rule.
func ExampleRepresentation_With() {
	f, err := textFactory()
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := f.Negotiate([]string{"text/plain;as=Table"},
		serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
	if err != nil {
		fmt.Println(err)
		return
	}
	rep = rep.With(conversion.ScopeOptions{
		Options: &metav1.TableOptions{LabelColumns: []string{"tier"}, SortBy: []string{"Name"}},
		Now:     time.Date(2026, 1, 4, 4, 0, 0, 0, time.UTC),
	})
	if err := rep.Encode(os.Stdout, twoMachines()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// NAME     ZONE    CORES   MEMORY   DISK   PHASE   READY   AGE    TIER
	// web-9    fra-1   5       0                               3d4h   front
	// web-10   fra-1   4       0                               3d4h   front
}

// Any object whose group describes its kinds can be shown to people.
func ExampleRepresentation_description() {
	f, err := textFactory()
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := f.Negotiate([]string{"text/plain;as=Description"},
		serializer.Offer{Kind: v1.GroupVersion.WithKind("Machine")})
	if err != nil {
		fmt.Println(err)
		return
	}
	rep = rep.With(conversion.ScopeOptions{Now: time.Date(2026, 1, 4, 4, 0, 0, 0, time.UTC)})
	machine := twoMachines().Items[0]
	machine.Spec.DrainTimeout = &metav1.Duration{Duration: 90 * time.Second}
	if err := rep.Encode(os.Stdout, &machine); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Name:         web-10
	// Namespace:    shop
	// Kind:         Machine
	// API Version:  fleet.example.com/v1
	// Labels:       tier=front
	// Annotations:  <none>
	// Created:      2026-01-01T00:00:00Z (3d4h ago)
	// Spec:
	//   Zone:           fra-1
	//   Hardware:
	//     Cores:   4
	//     Memory:  0
	//   Boot:           <none>
	//   Drain Timeout:  1m30s
}
