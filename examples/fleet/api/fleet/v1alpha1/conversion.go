package v1alpha1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
)

// ConvertMachineSpecToV1 converts the three fields about booting to the union of v1. Because it has
// the name of the generated function, that one is named convertMachineSpecToV1Fields and converts
// all other fields.
func ConvertMachineSpecToV1(in *MachineSpec, out *v1.MachineSpec, s *conversion.Scope) error {
	if err := convertMachineSpecToV1Fields(in, out, s); err != nil {
		return err
	}
	out.Boot = v1.BootSource{}
	switch {
	case in.Image != "":
		out.Boot.Type, out.Boot.Image = v1.BootFromImage, &v1.BootImage{Name: in.Image}
	case in.NetbootURL != "":
		out.Boot.Type, out.Boot.Network = v1.BootFromNetwork, &v1.BootNetwork{URL: in.NetbootURL}
	case in.BootDisk != "":
		out.Boot.Type, out.Boot.Disk = v1.BootFromDisk, &v1.BootDisk{Name: in.BootDisk}
	}
	return nil
}

// ConvertMachineSpecFromV1 converts the union of v1 to three fields.
func ConvertMachineSpecFromV1(in *v1.MachineSpec, out *MachineSpec, s *conversion.Scope) error {
	if err := convertMachineSpecFromV1Fields(in, out, s); err != nil {
		return err
	}
	out.Image, out.NetbootURL, out.BootDisk = "", "", ""
	if b := in.Boot.Image; b != nil {
		out.Image = b.Name
	}
	if b := in.Boot.Network; b != nil {
		out.NetbootURL = b.URL
	}
	if b := in.Boot.Disk; b != nil {
		out.BootDisk = b.Name
	}
	return nil
}

// The functions below convert single values. The generator uses each of them wherever its source
// and target types correspond, also in lists and maps.

func convertTextToCount(in *string, out *int32, _ *conversion.Scope) error {
	n, err := strconv.ParseInt(*in, 10, 32)
	if err != nil {
		if errors.Is(err, strconv.ErrRange) {
			return &conversion.RangeError{Value: *in, Type: "int32"}
		}
		return fmt.Errorf("%q is not a whole number", *in)
	}
	*out = int32(n)
	return nil
}

func convertCountToText(in *int32, out *string, _ *conversion.Scope) error {
	*out = strconv.Itoa(int(*in))
	return nil
}

func convertTextToQuantity(in *string, out *resource.Quantity, _ *conversion.Scope) error {
	q, err := resource.Parse(*in)
	*out = q
	return err
}

func convertQuantityToText(in *resource.Quantity, out *string, _ *conversion.Scope) error {
	*out = in.String()
	return nil
}

func convertTextToDuration(in *string, out *metav1.Duration, _ *conversion.Scope) error {
	d, err := time.ParseDuration(*in)
	out.Duration = d
	return err
}

func convertDurationToText(in *metav1.Duration, out *string, _ *conversion.Scope) error {
	*out = in.Duration.String()
	return nil
}

func convertTextToTime(in *string, out *metav1.Time, _ *conversion.Scope) error {
	t, err := time.Parse(time.RFC3339, *in)
	out.Time = t
	return err
}

func convertTimeToText(in *metav1.Time, out *string, _ *conversion.Scope) error {
	*out = ""
	if !in.IsZero() {
		*out = in.UTC().Format(time.RFC3339)
	}
	return nil
}

func convertTextToIntOrString(in *string, out *intstr.IntOrString, _ *conversion.Scope) error {
	*out = intstr.Parse(*in)
	return nil
}

func convertIntOrStringToText(in *intstr.IntOrString, out *string, _ *conversion.Scope) error {
	*out = in.String()
	return nil
}

// convertTextToNames converts a comma-separated list. The blank string is the nil list.
func convertTextToNames(in *string, out *[]string, _ *conversion.Scope) error {
	*out = nil
	if *in != "" {
		*out = strings.Split(*in, ",")
	}
	return nil
}

func convertNamesToText(in *[]string, out *string, _ *conversion.Scope) error {
	*out = strings.Join(*in, ",")
	return nil
}

func convertPoweredOffToPowerState(in *bool, out *v1.PowerState, _ *conversion.Scope) error {
	*out = v1.PowerOn
	if *in {
		*out = v1.PowerOff
	}
	return nil
}

func convertPowerStateToPoweredOff(in *v1.PowerState, out *bool, _ *conversion.Scope) error {
	*out = *in == v1.PowerOff
	return nil
}

func convertExternalToAddressType(in *bool, out *v1.AddressType, _ *conversion.Scope) error {
	*out = v1.AddressInternal
	if *in {
		*out = v1.AddressExternal
	}
	return nil
}

func convertAddressTypeToExternal(in *v1.AddressType, out *bool, _ *conversion.Scope) error {
	*out = *in == v1.AddressExternal
	return nil
}

// phases maps the phases of v1 to states. A value in neither column is passed on unchanged.
var phases = []struct {
	state MachineState
	phase v1.MachinePhase
}{
	{MachineOrdered, v1.MachinePending},
	{MachineStarting, v1.MachineProvisioning},
	{MachineUp, v1.MachineRunning},
	{MachineDown, v1.MachineStopped},
	{MachineServiced, v1.MachineMaintenance},
	{MachineBroken, v1.MachineFailed},
}

func convertStateToPhase(in *MachineState, out *v1.MachinePhase, _ *conversion.Scope) error {
	*out = v1.MachinePhase(*in)
	for _, p := range phases {
		if p.state == *in {
			*out = p.phase
		}
	}
	return nil
}

func convertPhaseToState(in *v1.MachinePhase, out *MachineState, _ *conversion.Scope) error {
	*out = MachineState(*in)
	for _, p := range phases {
		if p.phase == *in {
			*out = p.state
		}
	}
	return nil
}
