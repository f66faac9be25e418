package wire

import "strconv"

// Code classifies the problems that readers find.
type Code uint8

// The codes. Syntax and Limit end the input. After any other problem the reader skips the value and
// continues.
const (
	// Syntax: the input is not in the format.
	Syntax Code = iota + 1
	// Limit: the input exceeds a limit of the reader; the error is a [*schema.LimitError].
	Limit
	// UnknownField: the type has no such member or field. Strict mode only.
	UnknownField
	// DuplicateField: the same object had this member before. Strict mode only.
	DuplicateField
	// WrongType: the value has another type than the field.
	WrongType
	// OutOfRange: the field's type cannot hold the number.
	OutOfRange
	// InvalidValue: the field's decoder rejected a value of the right type.
	InvalidValue
	// AmbiguousValue: a plain scalar of an annotated text that other readers interpret differently,
	// or an integer of no stated type that only a float64 can hold. Strict mode only.
	AmbiguousValue
	// OtherKind: an object states another kind than its position in the parent requires, as an item
	// of a typed list can. Strict mode only.
	OtherKind
	// InvalidEmbedded: an embedded object has a value that its kind does not accept. The object is
	// kept as bytes. Strict mode only.
	InvalidEmbedded
)

// Strict reports whether problems of this code are recorded in strict mode only. Such problems do
// not prevent an object from being decoded completely.
func (c Code) Strict() bool {
	return c == UnknownField || c == DuplicateField || c == AmbiguousValue || c == OtherKind || c == InvalidEmbedded
}

// Fatal reports whether a problem of this code ended the input.
func (c Code) Fatal() bool { return c == Syntax || c == Limit }

// String returns a description of the code.
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
