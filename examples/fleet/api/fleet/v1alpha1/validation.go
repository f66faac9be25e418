package v1alpha1

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/askind/askind/examples/fleet/api/internal/check"
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Most values are strings in this version. Their syntax is checked here, so that errors have the
// paths of this version. All other rules are those of v1, which are applied after the conversion.

// ValidateMachine returns the errors of a machine. The generator registers it with the kind because
// of its name and signature.
func ValidateMachine(_ context.Context, in *Machine) runtime.FieldErrors {
	errs := validateMachineSpec(schema.NewPath("spec"), &in.Spec)
	if s := in.Status.LastBoot; s != "" {
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			errs = append(errs, runtime.Invalid(schema.NewPath("status", "lastBoot"), s,
				"must be a time, such as 2017-03-01T09:30:00Z"))
		}
	}
	return errs
}

// ValidateMachinePool returns the errors of a pool.
func ValidateMachinePool(_ context.Context, in *MachinePool) runtime.FieldErrors {
	p, s := schema.NewPath("spec"), &in.Spec
	var errs runtime.FieldErrors
	if s.Size != nil {
		errs = append(errs, check.NotNegative(p.Child("size"), *s.Size)...)
	}
	errs = append(errs, validateMachineSpec(p.Child("template", "spec"), &s.Template.Spec)...)
	if s.MaxUnavailable != "" {
		v := intstr.Parse(s.MaxUnavailable)
		errs = append(errs, check.Share(p.Child("maxUnavailable"), &v)...)
	}
	return errs
}

func validateMachineSpec(p *schema.Path, s *MachineSpec) runtime.FieldErrors {
	errs := check.Required(p.Child("zone"), s.Zone)
	if n, err := strconv.ParseInt(s.CPU, 10, 32); s.CPU == "" || err != nil {
		errs = append(errs, text(p.Child("cpu"), s.CPU, "must be a whole number")...)
	} else {
		errs = append(errs, check.Positive(p.Child("cpu"), n)...)
	}
	errs = append(errs, size(p.Child("memory"), s.Memory)...)
	errs = append(errs, validateBoot(p, s)...)
	for i := range s.Disks {
		d, at := &s.Disks[i], p.Child("disks").Index(i)
		errs = append(errs, check.Name(at.Child("name"), d.Name)...)
		errs = append(errs, size(at.Child("size"), d.Size)...)
		for j := range d.Partitions {
			errs = append(errs, size(at.Child("partitions").Index(j).Child("size"), d.Partitions[j].Size)...)
		}
	}
	errs = append(errs, check.Unique(p.Child("disks"), s.Disks, "name", func(d *Disk) string { return d.Name })...)
	for name, q := range check.Sorted(s.Reserved) {
		errs = append(errs, size(p.Child("reserved").Key(name), q)...)
	}
	switch {
	case s.HealthPort != "":
		errs = append(errs, check.Port(p.Child("healthPort"), intstr.Parse(s.HealthPort))...)
	case s.HealthPath != "":
		errs = append(errs, runtime.Required(p.Child("healthPort"), "there is a healthPath"))
	}
	if d, err := time.ParseDuration(s.DrainTimeout); s.DrainTimeout != "" &&
		(err != nil || d < 0 || d%time.Second != 0) {
		errs = append(errs, runtime.Invalid(p.Child("drainTimeout"), s.DrainTimeout,
			"must be a duration of whole seconds, such as 5m0s"))
	}
	return errs
}

// validateBoot checks that a machine has exactly one boot source.
func validateBoot(p *schema.Path, s *MachineSpec) runtime.FieldErrors {
	var found []string
	for _, f := range []struct{ name, value string }{
		{"image", s.Image},
		{"netbootURL", s.NetbootURL},
		{"bootDisk", s.BootDisk},
	} {
		if f.value != "" {
			found = append(found, f.name)
		}
	}
	switch len(found) {
	case 0:
		return runtime.FieldErrors{runtime.Required(p.Child("image"), "or netbootURL or bootDisk")}
	case 1:
		return nil
	}
	return runtime.FieldErrors{runtime.Forbidden(p.Child(found[1]), "a machine boots from one place, and there is "+
		strings.Join(found, " and "))}
}

// size checks the text of a quantity that is greater than zero.
func size(p *schema.Path, s string) runtime.FieldErrors {
	q, err := resource.Parse(s)
	if err != nil {
		return text(p, s, "must be a quantity, such as 16Gi")
	}
	return check.Size(p, q)
}

// text reports a blank or malformed string.
func text(p *schema.Path, s, must string) runtime.FieldErrors {
	if s == "" {
		return check.Required(p, s)
	}
	return runtime.FieldErrors{runtime.Invalid(p, s, must)}
}
