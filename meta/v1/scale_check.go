package v1

import (
	"errors"
	"strconv"

	"github.com/askind/askind/schema"
)

// ErrConflict is the cause of the error for a write that was meant for another object of the same
// name or another version of it.
var ErrConflict = errors.New("conflict")

// PreconditionError reports which precondition of a write does not hold. It matches [ErrConflict].
type PreconditionError struct {
	_ struct{} // literals name their fields

	// Field is uid or resourceVersion.
	Field string
	// Want is the value in the request, and Got the value of the object.
	Want, Got string
}

// Error states the expected and the actual value. For a resource version it begins like the message
// of Kubernetes.
func (e *PreconditionError) Error() string {
	differs := e.Field + " is " + strconv.Quote(e.Got) + ", not " + strconv.Quote(e.Want)
	if e.Field == "resourceVersion" {
		return "the object has been modified; please apply your changes to the latest version and try again (" + differs + ")"
	}
	return differs + "; read the object again"
}

// Is makes errors.Is(err, ErrConflict) true.
func (e *PreconditionError) Is(target error) bool { return target == ErrConflict }

// CheckScale checks that the scale was made from the current version of the object with the given
// metadata: if the scale states a UID or a resource version, it must be that of the object. The
// resource version "0" means any version. The error is a [Conflict] for the object of the resource,
// with a [PreconditionError] as its cause. Generated functions that write a Scale back call it
// first.
func CheckScale(scale *Scale, meta *ObjectMeta, resource schema.GroupResource) error {
	switch {
	case scale.UID != "" && scale.UID != meta.UID:
		return Conflict(resource, meta.Name, &PreconditionError{Field: "uid", Want: scale.UID, Got: meta.UID})
	case scale.ResourceVersion != "" && scale.ResourceVersion != "0" && scale.ResourceVersion != meta.ResourceVersion:
		return Conflict(resource, meta.Name, &PreconditionError{
			Field: "resourceVersion", Want: scale.ResourceVersion,
			Got: meta.ResourceVersion,
		})
	}
	return nil
}
