package v1

import (
	"errors"
	"strconv"

	"github.com/askind/askind/schema"
)

// ErrConflict is what errors.Is finds in the error for a write that was meant for another object of
// the name or another version of it.
var ErrConflict = errors.New("conflict")

// PreconditionError says which condition of a write does not hold. errors.Is finds [ErrConflict] in
// it.
type PreconditionError struct {
	_ struct{} // literals name their fields

	// Field is uid or resourceVersion.
	Field string
	// Want is the value that the write states, Got the one that the object has.
	Want, Got string
}

// Error says what is stated and what is there.
func (e *PreconditionError) Error() string {
	return e.Field + " is " + strconv.Quote(e.Got) + ", not " + strconv.Quote(e.Want) + "; read the object again"
}

// Is makes errors.Is(err, ErrConflict) true.
func (e *PreconditionError) Is(target error) bool { return target == ErrConflict }

// CheckScale reports whether the scale was made from the object that has the metadata given, in its
// present version: a UID and a resource version that the scale states must be the object's. The
// error is a [Conflict] for the object of the resource, with a [PreconditionError] as its cause.
// Generated functions that write a Scale back call it first.
func CheckScale(scale *Scale, meta *ObjectMeta, resource schema.GroupResource) error {
	switch {
	case scale.UID != "" && scale.UID != meta.UID:
		return Conflict(resource, meta.Name, &PreconditionError{Field: "uid", Want: scale.UID, Got: meta.UID})
	case scale.ResourceVersion != "" && scale.ResourceVersion != meta.ResourceVersion:
		return Conflict(resource, meta.Name, &PreconditionError{
			Field: "resourceVersion", Want: scale.ResourceVersion,
			Got: meta.ResourceVersion,
		})
	}
	return nil
}
