package v1beta1_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/conversion/carry"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
)

func TestSeconds(t *testing.T) {
	t.Parallel()
	in := v1beta1.MachineSpec{DrainTimeoutSeconds: new(int64(90))}
	var hub v1.MachineSpec
	if err := v1beta1.ConvertMachineSpecToV1(&in, &hub, nil); err != nil {
		t.Fatal(err)
	}
	if hub.DrainTimeout == nil || hub.DrainTimeout.Duration != 90*time.Second {
		t.Errorf("got %v", hub.DrainTimeout)
	}
	var back v1beta1.MachineSpec
	if err := v1beta1.ConvertMachineSpecFromV1(&hub, &back, nil); err != nil {
		t.Fatal(err)
	}
	if back.DrainTimeoutSeconds == nil || *back.DrainTimeoutSeconds != 90 {
		t.Errorf("got %v", back.DrainTimeoutSeconds)
	}
}

// TestNothingIsCutOff checks that what one side cannot say is an error that names the field.
func TestNothingIsCutOff(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		convert func() error
		want    string
	}{
		"seconds": {
			func() error {
				return v1beta1.ConvertMachineSpecToV1(
					&v1beta1.MachineSpec{DrainTimeoutSeconds: new(int64(math.MaxInt64 / 10))}, &v1.MachineSpec{}, nil,
				)
			},
			"drainTimeoutSeconds: value 922337203685477580 seconds does not fit into a duration",
		},
		"duration": {
			func() error {
				return v1beta1.ConvertMachineSpecFromV1(
					&v1.MachineSpec{DrainTimeout: new(metav1.NewDuration(1500 * time.Millisecond))},
					&v1beta1.MachineSpec{}, nil,
				)
			},
			"drainTimeout: value 1.5s does not fit into a number of seconds",
		},
		"cores": {
			func() error {
				return v1beta1.ConvertMachineToV1(
					&v1beta1.Machine{Spec: v1beta1.MachineSpec{Hardware: v1beta1.Hardware{Cores: 1 << 40}}},
					&v1.Machine{}, nil,
				)
			},
			"spec.hardware.cores: value 1099511627776 does not fit into int32",
		},
	} {
		err := tt.convert()
		if !errors.Is(err, conversion.ErrOutOfRange) || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}

func TestMovedThroughPointers(t *testing.T) {
	t.Parallel()
	var hub v1.MachineSpec
	if err := v1beta1.ConvertMachineSpecToV1(&v1beta1.MachineSpec{SerialNumber: "7"}, &hub, nil); err != nil {
		t.Fatal(err)
	}
	if hub.Asset == nil || hub.Asset.SerialNumber != "7" {
		t.Errorf("got %+v", hub.Asset)
	}
	if err := v1beta1.ConvertMachineSpecToV1(&v1beta1.MachineSpec{}, &hub, nil); err != nil {
		t.Fatal(err)
	}
	if hub.Asset != nil {
		t.Errorf("a machine without a serial number is an asset: %+v", hub.Asset)
	}
}

// TestNewPhase checks that a phase which this version does not know is passed on, as its marker
// says.
func TestNewPhase(t *testing.T) {
	t.Parallel()
	var out v1beta1.MachineStatus
	if err := v1beta1.ConvertMachineStatusFromV1(&v1.MachineStatus{Phase: v1.MachineMaintenance}, &out,
		nil); err != nil {
		t.Fatal(err)
	}
	if out.Phase != "Maintenance" {
		t.Errorf("got %q", out.Phase)
	}
}

// TestFirmwareComesBack checks that v1, which has no field for it, carries the address of the
// firmware: an edit of something else leaves it alone, other hardware does not get it.
func TestFirmwareComesBack(t *testing.T) {
	t.Parallel()
	const url = "https://firmware.example.net/7"
	for name, tt := range map[string]struct {
		edit func(*v1.Machine)
		want string
	}{
		"nothing":  {func(*v1.Machine) {}, url},
		"a label":  {func(m *v1.Machine) { m.Labels = map[string]string{"tier": "front"} }, url},
		"the zone": {func(m *v1.Machine) { m.Spec.Zone = "fra-1" }, url},
		"hardware": {func(m *v1.Machine) { m.Spec.Hardware.Cores = 64 }, ""},
	} {
		in := v1beta1.Machine{Spec: v1beta1.MachineSpec{
			Zone: "fra-2", FirmwareURL: url,
			Hardware: v1beta1.Hardware{Cores: 8},
		}}
		var hub v1.Machine
		if err := v1beta1.ConvertMachineToV1(&in, &hub, nil); err != nil {
			t.Fatal(err)
		}
		if hub.Annotations[carry.Annotation] == "" {
			t.Fatal("nothing is carried")
		}
		tt.edit(&hub)
		var back v1beta1.Machine
		if err := v1beta1.ConvertMachineFromV1(&hub, &back, nil); err != nil {
			t.Fatal(err)
		}
		if back.Spec.FirmwareURL != tt.want || back.Annotations != nil {
			t.Errorf("after an edit of %s: %q, annotations %v", name, back.Spec.FirmwareURL, back.Annotations)
		}
	}
}
