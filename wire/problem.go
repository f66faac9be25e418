package wire

import "strconv"

// Problem is one problem in an input.
type Problem struct {
	// Code is the code of the problem.
	Code Code
	// Offset and End enclose the offending token, value or field in the input: input[Offset:End].
	Offset, End int
	// Field is the number of the field in protobuf, else 0.
	Field int
	// Name is the name of the member for UnknownField and DuplicateField in JSON, else blank.
	Name string
	// Nearest is the known name that was probably meant; blank if no known name is similar.
	Nearest string
	// Message is a short description without position and path.
	Message string
	// Err is the leaf decoder's error for InvalidValue, a [*schema.LimitError] for Limit, else nil.
	//
	// [*schema.LimitError]: https://pkg.go.dev/github.com/askind/askind/schema#LimitError
	Err error
}

// String returns the message with its offset and suggestion, for logs and tests.
func (p Problem) String() string {
	s := "offset " + strconv.Itoa(p.Offset) + ": " + p.Message
	if p.Nearest != "" {
		s += " (did you mean " + strconv.Quote(p.Nearest) + "?)"
	}
	return s
}
