package carry

import (
	"errors"
	"strconv"

	"github.com/askind/askind/schema"
)

// The causes of errors, for errors.Is.
var (
	// ErrLimit matches every [*LimitError].
	ErrLimit = errors.New("too much to carry")
	// ErrMalformed matches every [*MalformedError].
	ErrMalformed = errors.New("malformed carried data")
)

// LimitError reports that the data that a version cannot express is too large for an annotation.
// Find it with errors.AsType[*carry.LimitError](err), or test for it with errors.Is(err,
// carry.ErrLimit).
type LimitError struct {
	_ struct{} // literals name their fields

	// Size is the size that the annotation would have, in bytes, or part of it if that is more than
	// 16 times the limit. Limit is the maximum.
	Size, Limit int
	// Path is the field with the largest value, in the version that the conversion started from,
	// and PathSize is the size of that value as JSON.
	Path     string
	PathSize int
}

// Error describes the excess and lists the remedies.
func (e *LimitError) Error() string {
	return "the fields that the target version cannot express take " + strconv.Itoa(e.Size) + " bytes in annotation " +
		Annotation + ", where " +
		strconv.Itoa(e.Limit) + " are allowed, " + strconv.Itoa(e.PathSize) + " of them by " +
		schema.Shorten(e.Path, 256) +
		"; shorten the value, raise conversion.ScopeOptions.CarryLimit, or drop the field with +askind:drop instead " +
		"of +askind:carry"
}

// Is makes errors.Is(err, ErrLimit) true.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// MalformedError reports that the annotation does not have the form that conversions write. Find it
// with errors.AsType[*carry.MalformedError](err), or test for it with errors.Is(err,
// carry.ErrMalformed).
type MalformedError struct {
	_ struct{} // literals name their fields

	// Offset is the position in the text of the annotation, in bytes; Reason describes the problem.
	Offset int
	Reason string
}

// Error returns the reason and the position.
func (e *MalformedError) Error() string {
	return "malformed carried data at offset " + strconv.Itoa(e.Offset) + ": " + e.Reason +
		"; remove the annotation, or leave it as it was"
}

// Is makes errors.Is(err, ErrMalformed) true.
func (e *MalformedError) Is(target error) bool { return target == ErrMalformed }

// Check reports whether the annotation, if there is one, has the form that conversions write. The
// error is a [*MalformedError] at the path of the annotation. Conversions ignore a malformed
// annotation; a server that prefers to reject it calls Check when it validates objects.
func Check(annotations map[string]string) error {
	text, ok := annotations[Annotation]
	if !ok {
		return nil
	}
	if _, err := parse(text); err != nil {
		return schema.AtPath(err, schema.NewPath("metadata", "annotations").Key(Annotation))
	}
	return nil
}
