package carry

import (
	"errors"
	"strconv"

	"github.com/askind/askind/schema"
)

// The causes of errors, for errors.Is.
var (
	// ErrLimit is what errors.Is finds in every [*LimitError].
	ErrLimit = errors.New("too much to carry")
	// ErrMalformed is what errors.Is finds in every [*MalformedError].
	ErrMalformed = errors.New("malformed carried data")
)

// LimitError says that the data which a version cannot express is too large to travel in an
// annotation. Find it with errors.AsType[*carry.LimitError](err), or test for it with
// errors.Is(err, carry.ErrLimit).
type LimitError struct {
	_ struct{} // literals name their fields

	// Size is how many bytes the annotation would have, Limit how many it may have.
	Size, Limit int
	// Path is the field with the largest value, in the version that the conversion started from,
	// and PathSize the size of that value as JSON.
	Path     string
	PathSize int
}

// Error says what can be done.
func (e *LimitError) Error() string {
	return "the fields that the target version cannot express take " + strconv.Itoa(e.Size) + " bytes in annotation " +
		Annotation + ", where " +
		strconv.Itoa(e.Limit) + " are allowed, " + strconv.Itoa(e.PathSize) + " of them for " + e.Path +
		"; shorten the value, raise conversion.ScopeOptions.CarryLimit, or give the field up with +askind:drop instead of +askind:carry"
}

// Is makes errors.Is(err, ErrLimit) true.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// MalformedError says that the annotation does not have the form that conversions write. Find it
// with errors.AsType[*carry.MalformedError](err), or test for it with errors.Is(err,
// carry.ErrMalformed).
type MalformedError struct {
	_ struct{} // literals name their fields

	// Offset is the position in the text of the annotation, in bytes; Reason says what is wrong
	// there.
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
// error is a [*MalformedError] at the path of the annotation. Conversions ignore what is malformed;
// a server that would rather refuse it calls Check where it validates objects.
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
