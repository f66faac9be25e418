package v1

import (
	"context"

	"github.com/askind/askind/examples/fleet/api/internal/check"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// The markers of the types define the allowed values. The functions here check the rules that
// markers cannot express: between fields, and about quantities and durations.

// ValidateMachine checks the rules of a machine that have no markers. The generated
// [CheckFieldsMachine] calls it because of its name and signature.
func ValidateMachine(_ context.Context, in *Machine) runtime.FieldErrors {
	return validateMachineSpec(schema.NewPath("spec"), &in.Spec)
}

// ValidateMachinePool checks the rules of a pool that have no markers.
func ValidateMachinePool(_ context.Context, in *MachinePool) runtime.FieldErrors {
	p, s := schema.NewPath("spec"), &in.Spec
	errs := validateSelector(p.Child("selector"), s)
	errs = append(errs, validateMachineSpec(p.Child("template", "spec"), &s.Template.Spec)...)
	errs = append(errs, validateStrategy(p.Child("strategy"), &s.Strategy)...)
	errs = append(errs, check.Zones(p.Child("zones"), s.Zones)...)
	return append(errs, check.Seconds(p.Child("cooldown"), s.Cooldown)...)
}

// validateSelector checks that the selector of a pool selects its machines. For expressions it
// checks only the syntax.
func validateSelector(p *schema.Path, s *MachinePoolSpec) runtime.FieldErrors {
	if _, err := metav1.FormatLabelSelector(&s.Selector); err != nil {
		return runtime.FieldErrors{runtime.Invalid(p.Child("matchExpressions"), nil, err.Error())}
	}
	if len(s.Selector.MatchLabels) == 0 && len(s.Selector.MatchExpressions) == 0 {
		return runtime.FieldErrors{runtime.Required(p, "it would select every machine")}
	}
	var errs runtime.FieldErrors
	for key, want := range check.Sorted(s.Selector.MatchLabels) {
		if got, ok := s.Template.Metadata.Labels[key]; !ok || got != want {
			errs = append(errs, runtime.Invalid(p.Child("matchLabels").Key(key), want,
				"the template does not have this label"))
		}
	}
	return errs
}

func validateStrategy(p *schema.Path, s *Strategy) runtime.FieldErrors {
	u, at := s.RollingUpdate, p.Child("rollingUpdate")
	switch {
	case u == nil && s.Type == StrategyRollingUpdate:
		return runtime.FieldErrors{runtime.Required(at, "type is RollingUpdate")}
	case u == nil:
		return nil
	case s.Type == StrategyOnDelete:
		return runtime.FieldErrors{runtime.Forbidden(at, "type is OnDelete")}
	}
	errs := check.Share(at.Child("maxUnavailable"), u.MaxUnavailable)
	return append(errs, check.Share(at.Child("maxSurge"), u.MaxSurge)...)
}

func validateMachineSpec(p *schema.Path, s *MachineSpec) runtime.FieldErrors {
	var errs runtime.FieldErrors
	if s.PoolName != "" {
		errs = append(errs, check.Name(p.Child("poolName"), s.PoolName)...)
	}
	hardware := p.Child("hardware")
	errs = append(errs, check.Size(hardware.Child("memory"), s.Hardware.Memory)...)
	errs = append(errs, validateBootSource(p.Child("boot"), s)...)
	for i := range s.Disks {
		errs = append(errs, validateDisk(p.Child("disks").Index(i), &s.Disks[i])...)
	}
	errs = append(errs, check.Unique(p.Child("disks"), s.Disks, "name", func(d *Disk) string { return d.Name })...)
	for name, q := range check.Sorted(s.Reserved) {
		errs = append(errs, check.Size(p.Child("reserved").Key(name), q)...)
	}
	if h := s.HealthCheck; h != nil {
		at := p.Child("healthCheck")
		errs = append(errs, check.Port(at.Child("port"), h.Port)...)
		errs = append(errs, check.Seconds(at.Child("interval"), h.Interval)...)
	}
	return append(errs, check.Seconds(p.Child("drainTimeout"), s.DrainTimeout)...)
}

func validateBootSource(p *schema.Path, s *MachineSpec) runtime.FieldErrors {
	b := &s.Boot
	errs := check.Union(p, string(b.Type),
		check.Member{Name: string(BootFromImage), Field: "image", Set: b.Image != nil},
		check.Member{Name: string(BootFromNetwork), Field: "network", Set: b.Network != nil},
		check.Member{Name: string(BootFromDisk), Field: "disk", Set: b.Disk != nil},
	)
	if b.Disk != nil {
		errs = append(errs, validateBootDisk(p.Child("disk"), b.Disk, s.Disks)...)
	}
	return errs
}

// validateBootDisk checks that the machine has its boot disk.
func validateBootDisk(p *schema.Path, b *BootDisk, disks []Disk) runtime.FieldErrors {
	names := make([]string, len(disks))
	for i := range disks {
		names[i] = disks[i].Name
		if disks[i].Name != b.Name {
			continue
		}
		for _, part := range disks[i].Partitions {
			if b.Partition == part.Label {
				return nil
			}
		}
		if b.Partition == "" {
			return nil
		}
		return runtime.FieldErrors{runtime.Invalid(p.Child("partition"), b.Partition, "the disk has no such partition")}
	}
	return check.OneOf(p.Child("name"), b.Name, names...)
}

func validateDisk(p *schema.Path, d *Disk) runtime.FieldErrors {
	errs := check.Name(p.Child("name"), d.Name)
	errs = append(errs, check.Size(p.Child("size"), d.Size)...)
	var used resource.Quantity
	for i := range d.Partitions {
		part, at := &d.Partitions[i], p.Child("partitions").Index(i)
		errs = append(errs, check.Size(at.Child("size"), part.Size)...)
		if used.Add(part.Size); used.Cmp(d.Size) > 0 {
			errs = append(errs, runtime.Invalid(at.Child("size"), part.Size.String(), "the partitions need "+
				used.String()+" of a disk of "+d.Size.String()))
		}
	}
	return append(errs, check.Unique(p.Child("partitions"), d.Partitions,
		"label", func(x *Partition) string { return x.Label })...)
}
