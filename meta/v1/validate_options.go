package v1

import (
	"context"
	"slices"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// ValidateListOptions returns contradictions between options, by the rules of the Kubernetes API:
// resourceVersionMatch requires a version, and a watch that begins with the existing objects must
// state that it accepts any later state of them. Any number is a limit and a timeout.
func ValidateListOptions(_ context.Context, o *ListOptions) runtime.FieldErrors {
	var errs runtime.FieldErrors
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
			errs = append(errs, runtime.Forbidden(match, "not allowed with continue, which already states the version"))
		}
	}
	if o.Watch {
		return append(errs, validateWatch(o)...)
	}
	return append(errs, validateList(o)...)
}

// validateWatch checks the options that apply only to watches.
func validateWatch(o *ListOptions) runtime.FieldErrors {
	match := schema.NewPath("resourceVersionMatch")
	switch {
	case o.SendInitialEvents != nil && o.ResourceVersionMatch == "":
		return runtime.FieldErrors{runtime.Required(match, "sendInitialEvents requires NotOlderThan")}
	case o.SendInitialEvents == nil && o.ResourceVersionMatch != "":
		return runtime.FieldErrors{runtime.Forbidden(match, "not allowed on a watch without sendInitialEvents")}
	}
	return nil
}

// validateList checks the options that apply only to lists.
func validateList(o *ListOptions) (errs runtime.FieldErrors) {
	match := schema.NewPath("resourceVersionMatch")
	switch {
	case o.ResourceVersionMatch == "":
	case o.ResourceVersion == "":
		errs = append(errs, runtime.Forbidden(match, "not allowed without resourceVersion"))
	case o.ResourceVersion == "0" && o.ResourceVersionMatch == ResourceVersionMatchExact:
		errs = append(errs, runtime.Forbidden(match, "Exact is not allowed with resourceVersion 0, which means any version"))
	}
	if o.SendInitialEvents != nil {
		errs = append(errs, runtime.Forbidden(schema.NewPath("sendInitialEvents"), "allowed only on watches"))
	}
	return errs
}

// ValidateCreateOptions returns errors for unknown values.
func ValidateCreateOptions(_ context.Context, o *CreateOptions) runtime.FieldErrors {
	return append(validateDryRun(o.DryRun), validateWrite(o.FieldManager, o.FieldValidation)...)
}

// ValidateUpdateOptions returns errors for unknown values.
func ValidateUpdateOptions(_ context.Context, o *UpdateOptions) runtime.FieldErrors {
	return append(validateDryRun(o.DryRun), validateWrite(o.FieldManager, o.FieldValidation)...)
}

// ValidatePatchOptions returns errors for unknown values. Whether force may be set depends on the
// type of the patch, which is not part of the options.
func ValidatePatchOptions(_ context.Context, o *PatchOptions) runtime.FieldErrors {
	return append(validateDryRun(o.DryRun), validateWrite(o.FieldManager, o.FieldValidation)...)
}

// ValidateDeleteOptions returns errors for unknown values and contradictions.
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
		errs = append(errs, runtime.Forbidden(policy, "not allowed with orphanDependents"))
	}
	return errs
}

// validateDryRun checks the only allowed value of dryRun.
func validateDryRun(values []string) (errs runtime.FieldErrors) {
	for i, v := range values {
		if v != DryRunAll {
			errs = append(errs, runtime.NotSupported(schema.NewPath("dryRun").Index(i), v, DryRunAll))
		}
	}
	return errs
}

// maxFieldManager is the maximum length of the name of a field manager.
const maxFieldManager = 128

// validateWrite checks the common options of writes.
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

// maxTableNames is how many columns [TableOptions] may name. Each is in every row of an answer, or
// compared with every row.
const maxTableNames = 64

// maxLabelKey is the length of the longest key of a label: a domain name, a slash, and a name.
const maxLabelKey = 253 + 1 + 63

// ValidateTableOptions returns errors for unknown values, for too many names, and for labels that
// are too long. Columns to sort by are checked with the table.
func ValidateTableOptions(_ context.Context, o *TableOptions) (errs runtime.FieldErrors) {
	known := []IncludeObjectPolicy{IncludeNone, IncludeMetadata, IncludeObject}
	if o.IncludeObject != "" && !slices.Contains(known, o.IncludeObject) {
		errs = append(errs, runtime.NotSupported(schema.NewPath("includeObject"), o.IncludeObject, known...))
	}
	errs = append(errs, validateNames("labelColumns", o.LabelColumns)...)
	for i, text := range o.LabelColumns {
		for key := range strings.SplitSeq(text, ",") {
			if key = strings.TrimSpace(key); len(key) > maxLabelKey {
				return append(errs, runtime.TooLong(schema.NewPath("labelColumns").Index(i), key, maxLabelKey))
			}
		}
	}
	return append(errs, validateNames("sortBy", o.SortBy)...)
}

// validateNames returns whether texts, each of which may hold several names with commas between
// them, hold too many.
func validateNames(field string, texts []string) runtime.FieldErrors {
	n := 0
	for _, text := range texts {
		n += 1 + strings.Count(text, ",")
	}
	if n <= maxTableNames {
		return nil
	}
	return runtime.FieldErrors{runtime.TooMany(schema.NewPath(field), n, maxTableNames)}
}
