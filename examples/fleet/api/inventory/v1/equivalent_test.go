package v1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
)

// TestEquivalent converts a machine of the inventory to one of the fleet and back.
func TestEquivalent(t *testing.T) {
	t.Parallel()
	in := &v1.Machine{
		ObjectMeta: metav1.ObjectMeta{Name: "m", Labels: map[string]string{"a": "b"}},
		Spec: v1.AssetSpec{
			SerialNumber: "7", Model: "R210", Owner: "4711",
			PurchasedOn: new(metav1.Unix(1700000000, 0)), Site: "fra-1", Cores: 4,
		},
	}
	var fleet fleetv1.Machine
	if err := v1.ConvertMachineToFleetV1(in, &fleet, nil); err != nil {
		t.Fatal(err)
	}
	if s := fleet.Spec; s.Zone != "fra-1" || s.Hardware.Cores != 4 || s.Asset == nil || s.Asset.Model != "R210" {
		t.Errorf("got %+v", s)
	}
	var back v1.Machine
	if err := v1.ConvertMachineFromFleetV1(&fleet, &back, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(in, &back); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if fleet.Labels["a"] = "changed"; in.Labels["a"] != "b" {
		t.Error("the machine of the fleet shares its labels with that of the inventory")
	}
}

func TestValidateSite(t *testing.T) {
	t.Parallel()
	site := &v1.Site{ObjectMeta: metav1.ObjectMeta{Name: "s"}}
	want := "spec.address: Required value"
	if got := v1.ValidateSite(t.Context(), site).Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
