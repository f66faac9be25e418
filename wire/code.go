package wire

import "strconv"

// Code is the sort of a problem that a reader found.
type Code uint8

// The codes. Syntax and Limit end the input; after all others the reader leaves the value out and
// goes on.
const (
	// Syntax: the input is not in the format.
	Syntax Code = iota + 1
	// Limit: the input exceeds a limit of the reader; the error is a [*schema.LimitError].
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
	// AmbiguousValue: strict mode only, a plain scalar of an annotated text that other readers take
	// for something else, or an integer of no stated type that can be kept as a float64 only.
	AmbiguousValue
	// OtherKind: strict mode only, an object that states another kind than its place in the parent
	// has, as an item of a typed list can.
	OtherKind
	// InvalidEmbedded: strict mode only, a value in an embedded object that the kind of that object
	// does not accept. The object is kept as its bytes.
	InvalidEmbedded
)

// Strict reports whether problems of this code are recorded in strict mode only. The object decoded
// is complete in spite of them.
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
	return "wire.Code(" + strconv.Itoa(int(c)) + ")"
}
