package v1

import (
	"context"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// ValidateScheduleSpec implements the type's rule in CEL.
func ValidateScheduleSpec(_ context.Context, in *ScheduleSpec) runtime.FieldErrors {
	if in.Deadline != nil && in.Keep <= 1 {
		return runtime.FieldErrors{runtime.Invalid(schema.NewPath("keep"), in.Keep, "a deadline needs a second backup")}
	}
	return nil
}
