package v1

import (
	"context"

	"github.com/askind/askind/examples/fleet/api/internal/check"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// ValidateMachine returns the errors of a machine. The generator registers it with the kind because
// of its name and signature.
func ValidateMachine(_ context.Context, in *Machine) runtime.FieldErrors {
	p := schema.NewPath("spec")
	errs := check.Required(p.Child("site"), in.Spec.Site)
	errs = append(errs, check.Positive(p.Child("cores"), in.Spec.Cores)...)
	return append(errs, check.Size(p.Child("memory"), in.Spec.Memory)...)
}

// ValidateSite returns the errors of a site.
func ValidateSite(_ context.Context, in *Site) runtime.FieldErrors {
	p := schema.NewPath("spec")
	errs := check.Required(p.Child("address"), in.Spec.Address)
	for floor, power := range check.Sorted(in.Spec.Floors) {
		errs = append(errs, check.Size(p.Child("floors").Key(floor), power)...)
	}
	return errs
}
