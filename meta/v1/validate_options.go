package v1

import (
	"context"
	"slices"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// ValidateListOptions returns which options contradict each other, by the rules of the Kubernetes
// API: what resourceVersionMatch says must be about a version, and a watch that begins with the
// present objects must say that it takes any later state of them.
func ValidateListOptions(_ context.Context, o *ListOptions) runtime.FieldErrors {
	var errs runtime.FieldErrors
	if o.Limit < 0 {
		errs = append(errs, runtime.Invalid(schema.NewPath("limit"), o.Limit, "must not be negative"))
	}
	if o.TimeoutSeconds != nil && *o.TimeoutSeconds < 0 {
		errs = append(errs, runtime.Invalid(schema.NewPath("timeoutSeconds"), *o.TimeoutSeconds,
			"must not be negative"))
	}
	if o.ResourceVersionMatch != "" {
		match := schema.NewPath("resourceVersionMatch")
		known := []ResourceVersionMatch{ResourceVersionMatchNotOlderThan, ResourceVersionMatchExact}
		if o.Watch {
			known = known[:1]
		}
		if !slices.Contains(known, o.ResourceVersionMatch) {
			errs = append(errs, runtime.NotSupported(match, o.ResourceVersionMatch, known...))
		}
		if o.Continue != "" {
			errs = append(errs, runtime.Forbidden(match, "the continue token states the version already"))
		}
	}
	if o.Watch {
		return append(errs, validateWatch(o)...)
	}
	return append(errs, validateList(o)...)
}

// validateWatch holds what is only said of watches.
func validateWatch(o *ListOptions) runtime.FieldErrors {
	match := schema.NewPath("resourceVersionMatch")
	switch {
	case o.SendInitialEvents != nil && o.ResourceVersionMatch == "":
		return runtime.FieldErrors{runtime.Required(match, "sendInitialEvents needs it to be NotOlderThan")}
	case o.SendInitialEvents == nil && o.ResourceVersionMatch != "":
		return runtime.FieldErrors{runtime.Forbidden(match, "a watch has no use for it without sendInitialEvents")}
	}
	return nil
}

// validateList holds what is only said of lists.
func validateList(o *ListOptions) (errs runtime.FieldErrors) {
	match := schema.NewPath("resourceVersionMatch")
	switch {
	case o.ResourceVersionMatch == "":
	case o.ResourceVersion == "":
		errs = append(errs, runtime.Forbidden(match, "there is no resourceVersion that it could be about"))
	case o.ResourceVersion == "0" && o.ResourceVersionMatch == ResourceVersionMatchExact:
		errs = append(errs, runtime.Forbidden(match, "resourceVersion 0 means any version, so none can be exact"))
	}
	if o.SendInitialEvents != nil {
		errs = append(errs, runtime.Forbidden(schema.NewPath("sendInitialEvents"), "it is for watches"))
	}
	return errs
}

// ValidateCreateOptions returns which values are not known.
func ValidateCreateOptions(_ context.Context, o *CreateOptions) runtime.FieldErrors {
	return append(validateDryRun(o.DryRun), validateWrite(o.FieldManager, o.FieldValidation)...)
}

// ValidateUpdateOptions returns which values are not known.
func ValidateUpdateOptions(_ context.Context, o *UpdateOptions) runtime.FieldErrors {
	return append(validateDryRun(o.DryRun), validateWrite(o.FieldManager, o.FieldValidation)...)
}

// ValidatePatchOptions returns which values are not known. Whether force may be set depends on the
// patch, which the options do not know.
func ValidatePatchOptions(_ context.Context, o *PatchOptions) runtime.FieldErrors {
	return append(validateDryRun(o.DryRun), validateWrite(o.FieldManager, o.FieldValidation)...)
}

// ValidateDeleteOptions returns which values are not known or contradict each other.
func ValidateDeleteOptions(_ context.Context, o *DeleteOptions) runtime.FieldErrors {
	errs := validateDryRun(o.DryRun)
	if o.GracePeriodSeconds != nil && *o.GracePeriodSeconds < 0 {
		errs = append(errs, runtime.Invalid(schema.NewPath("gracePeriodSeconds"), *o.GracePeriodSeconds,
			"must not be negative"))
	}
	if o.PropagationPolicy == nil {
		return errs
	}
	policy := schema.NewPath("propagationPolicy")
	known := []DeletionPropagation{DeletePropagationForeground, DeletePropagationBackground, DeletePropagationOrphan}
	if !slices.Contains(known, *o.PropagationPolicy) {
		errs = append(errs, runtime.NotSupported(policy, *o.PropagationPolicy, known...))
	}
	if o.OrphanDependents != nil {
		errs = append(errs, runtime.Forbidden(policy, "orphanDependents says the same already"))
	}
	return errs
}

// validateDryRun holds the one value that dryRun takes.
func validateDryRun(values []string) (errs runtime.FieldErrors) {
	for i, v := range values {
		if v != DryRunAll {
			errs = append(errs, runtime.NotSupported(schema.NewPath("dryRun").Index(i), v, DryRunAll))
		}
	}
	return errs
}

// maxFieldManager is how long the name of a field manager may be.
const maxFieldManager = 128

// validateWrite holds what options of writes have in common.
func validateWrite(manager, validation string) (errs runtime.FieldErrors) {
	if len(manager) > maxFieldManager {
		errs = append(errs, runtime.TooLong(schema.NewPath("fieldManager"), manager, maxFieldManager))
	}
	known := []string{FieldValidationIgnore, FieldValidationWarn, FieldValidationStrict}
	if validation != "" && !slices.Contains(known, validation) {
		errs = append(errs, runtime.NotSupported(schema.NewPath("fieldValidation"), validation, known...))
	}
	return errs
}

// ValidateTableOptions returns which values are not known. Which columns there are to sort by is
// known to the table only.
func ValidateTableOptions(_ context.Context, o *TableOptions) runtime.FieldErrors {
	known := []IncludeObjectPolicy{IncludeNone, IncludeMetadata, IncludeObject}
	if o.IncludeObject == "" || slices.Contains(known, o.IncludeObject) {
		return nil
	}
	return runtime.FieldErrors{runtime.NotSupported(schema.NewPath("includeObject"), o.IncludeObject, known...)}
}
