package v1beta1

import (
	"strconv"
	"time"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
)

// The functions of this file convert values whose types differ in v1. Their names do not matter:
// the generator uses a function wherever its source and target types correspond.

// convertSecondsToDuration converts a number of seconds. One that no duration can hold is an error.
func convertSecondsToDuration(in *int64, out *metav1.Duration, _ *conversion.Scope) error {
	d := time.Duration(*in) * time.Second
	if d/time.Second != time.Duration(*in) {
		return &conversion.RangeError{Value: strconv.FormatInt(*in, 10) + " seconds", Type: "a duration"}
	}
	out.Duration = d
	return nil
}

// convertDurationToSeconds converts a duration of whole seconds, as v1 requires. A fraction is an
// error.
func convertDurationToSeconds(in *metav1.Duration, out *int64, _ *conversion.Scope) error {
	if in.Duration%time.Second != 0 {
		return &conversion.RangeError{Value: in.Duration.String(), Type: "a number of seconds"}
	}
	*out = int64(in.Duration / time.Second)
	return nil
}
