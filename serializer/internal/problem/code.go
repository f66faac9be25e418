// Package problem names the sorts of problems that the readers of the wire packages find. It is shared, so that one function of the runtime package
// tells the cause of a problem whatever reader found it.
package problem

import "strconv"

// Code says what sort of problem one is.
type Code uint8

// The codes. Syntax and Limit end the input; all others leave the value out and go on.
const (
	// Syntax: the input is not in the format.
	Syntax Code = iota + 1
	// Limit: the input exceeds a limit of the reader.
	Limit
	// UnknownField: strict mode only, a member or field that the type does not have.
	UnknownField
	// DuplicateField: strict mode only, a member that occurred before in the same object.
	DuplicateField
	// WrongType: a value of another type than the field has.
	WrongType
	// OutOfRange: a number that the field's type cannot hold.
	OutOfRange
	// InvalidValue: a value of the right type that the field's decoder refused.
	InvalidValue
	// AmbiguousValue: strict mode only, a value that other readers take for something else.
	AmbiguousValue
	// OtherKind: strict mode only, an object that states another kind than the place has where it stands.
	OtherKind
	// InvalidEmbedded: strict mode only, a value in an embedded object, which is kept as its bytes, that the kind of that object does not take.
	InvalidEmbedded
)

// Strict reports whether problems of this code are recorded in strict mode only. The object decoded is complete in spite of them.
func (c Code) Strict() bool {
	return c == UnknownField || c == DuplicateField || c == AmbiguousValue || c == OtherKind || c == InvalidEmbedded
}

// Fatal reports whether a problem of this code ended the input.
func (c Code) Fatal() bool { return c == Syntax || c == Limit }

// String returns the code in words.
func (c Code) String() string {
	switch c {
	case Syntax:
		return "syntax"
	case Limit:
		return "limit"
	case UnknownField:
		return "unknown field"
	case DuplicateField:
		return "duplicate field"
	case WrongType:
		return "wrong type"
	case OutOfRange:
		return "out of range"
	case InvalidValue:
		return "invalid value"
	case AmbiguousValue:
		return "ambiguous value"
	case OtherKind:
		return "other kind"
	case InvalidEmbedded:
		return "invalid embedded object"
	}
	return "ProblemCode(" + strconv.Itoa(int(c)) + ")"
}
