package v1beta1

import (
	"context"

	"github.com/askind/askind/examples/fleet/api/internal/check"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// An older version checks the rules that conversion requires, and the most common errors, which
// then have the paths of this version. All other rules are those of v1, which are applied after the
// conversion.

// ValidateMachine returns the errors of a machine. The generator registers it with the kind because
// of its name and signature.
func ValidateMachine(_ context.Context, in *Machine) runtime.FieldErrors {
	return validateMachineSpec(schema.NewPath("spec"), &in.Spec)
}

// ValidateMachinePool returns the errors of a pool.
func ValidateMachinePool(_ context.Context, in *MachinePool) runtime.FieldErrors {
	p, s := schema.NewPath("spec"), &in.Spec
	var errs runtime.FieldErrors
	if s.Replicas != nil {
		errs = append(errs, check.NotNegative(p.Child("replicas"), *s.Replicas)...)
		errs = append(errs, check.Fits[int32](p.Child("replicas"), *s.Replicas)...)
	}
	errs = append(errs, validateMachineSpec(p.Child("template", "spec"), &s.Template.Spec)...)
	errs = append(errs, check.Share(p.Child("maxUnavailable"), s.MaxUnavailable)...)
	if s.CooldownSeconds != nil {
		errs = append(errs, check.NotNegative(p.Child("cooldownSeconds"), *s.CooldownSeconds)...)
	}
	return append(errs, check.Zones(p.Child("zones"), s.Zones)...)
}

func validateMachineSpec(p *schema.Path, s *MachineSpec) runtime.FieldErrors {
	errs := check.Required(p.Child("zone"), s.Zone)
	hardware := p.Child("hardware")
	errs = append(errs, check.Positive(hardware.Child("cores"), s.Hardware.Cores)...)
	errs = append(errs, check.Fits[int32](hardware.Child("cores"), s.Hardware.Cores)...)
	errs = append(errs, check.Size(hardware.Child("memory"), s.Hardware.Memory)...)
	errs = append(errs, check.OneOf(hardware.Child("architecture"), s.Hardware.Architecture, ArchitectureAMD64,
		ArchitectureARM64)...)
	b := &s.BootSource
	errs = append(errs, check.Union(p.Child("bootSource"), string(b.Type),
		check.Member{Name: string(BootFromImage), Field: "image", Set: b.Image != nil},
		check.Member{Name: string(BootFromNetwork), Field: "network", Set: b.Network != nil},
		check.Member{Name: string(BootFromDisk), Field: "disk", Set: b.Disk != ""},
	)...)
	for i := range s.Disks {
		d, at := &s.Disks[i], p.Child("disks").Index(i)
		errs = append(errs, check.Name(at.Child("name"), d.Name)...)
		errs = append(errs, check.Size(at.Child("size"), d.Size)...)
	}
	errs = append(errs, check.Unique(p.Child("disks"), s.Disks, "name", func(d *Disk) string { return d.Name })...)
	if h := s.HealthCheck; h != nil {
		errs = append(errs, check.Port(p.Child("healthCheck", "port"), h.Port)...)
	}
	if s.DrainTimeoutSeconds != nil {
		errs = append(errs, check.NotNegative(p.Child("drainTimeoutSeconds"), *s.DrainTimeoutSeconds)...)
	}
	return append(errs, check.OneOf(p.Child("powerState"), s.PowerState, PowerOn, PowerOff)...)
}
