package patch

import (
	"errors"
	"strconv"
	"strings"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// The causes of an [Error], for errors.Is. The cause of an exceeded limit is [schema.ErrLimit].
var (
	// ErrSyntax: the patch is not JSON, or not of the form that its type has.
	ErrSyntax = errors.New("malformed patch")
	// ErrOperation: an operation of a JSON patch is unknown or incomplete.
	ErrOperation = errors.New("malformed operation")
	// ErrMissing: the patch refers to a value that the document does not have.
	ErrMissing = errors.New("does not exist")
	// ErrWrongType: the patch expects a value of a different type.
	ErrWrongType = errors.New("wrong type")
	// ErrIndex: a step of a path is not an index of the array.
	ErrIndex = errors.New("no such index")
	// ErrTest: a test operation found a different value.
	ErrTest = errors.New("test failed")
	// ErrType: Parse does not support the type.
	ErrType = errors.New("unsupported patch type")
	// ErrNoStructure: strategic merge patches need to know the structure of the kind.
	ErrNoStructure = errors.New("strategic merge patches are not supported for this kind")
)

// Error reports why a patch cannot be read or applied. Find it with
// errors.AsType[*patch.Error](err).
type Error struct {
	_ struct{} // literals name their fields

	// Type is the format of the patch.
	Type Type
	// Operation is the index of the operation of a JSON patch, -1 if the error concerns none of
	// them, and Op its name.
	Operation int
	Op        string
	// Path and From are those of the operation, as JSON Pointers. In other formats Path leads to
	// the value in the patch.
	Path, From string
	// Position is the position of the operation or the mistake in the text of the patch. It is zero
	// if unknown.
	Position schema.Position
	// Message describes the problem, without its place.
	Message string
	// Err is the cause.
	Err error

	at       *schema.Path // the parsed form of Path, unless that is a JSON Pointer
	document bool         // the document is at fault, not the patch
}

// Error returns "JSON patch: operation 2 (replace /spec/size): ...".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("patch: ")
	if e.document {
		b.WriteString("the document to change: ")
		b.WriteString(schema.MessageOf(e.Err))
		return b.String()
	}
	b.WriteString(e.Type.String())
	if e.Operation >= 0 {
		b.WriteString(", operation ")
		b.WriteString(strconv.Itoa(e.Operation))
		if e.Op != "" {
			b.WriteString(" (" + schema.Shorten(e.Op, shown))
			if e.From != "" {
				b.WriteString(" from " + schema.Shorten(e.From, shown) + " to")
			}
			b.WriteString(" " + schema.Quote(e.Path) + ")")
		}
	} else if e.Path != "" {
		b.WriteString(", " + schema.Shorten(e.Path, shown))
	}
	if e.Position.IsValid() {
		b.WriteString(" at " + e.Position.String())
	}
	b.WriteString(": ")
	if e.Message != "" {
		b.WriteString(e.Message)
	} else if e.Err != nil {
		b.WriteString(schema.MessageOf(e.Err))
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the HTTP status code that Kubernetes answers with: 400 for a malformed patch, 413
// for one with too many operations, 415 for an unsupported type, 422 for a patch that does not fit
// the document or a failed test, and 500 for a malformed document.
func (e *Error) Code() int {
	switch {
	case e.document:
		return 500
	case errors.Is(e.Err, schema.ErrLimit):
		return 413
	case errors.Is(e.Err, ErrSyntax):
		return 400
	case errors.Is(e.Err, ErrType), errors.Is(e.Err, ErrNoStructure):
		return 415
	}
	return 422
}

// shown is the maximum number of bytes of a text from a client in a message.
const shown = 200

// unreadable returns the error for a text that is not one JSON value.
func unreadable(t Type, data []byte, err error) *Error {
	e := &Error{Type: t, Operation: -1, Err: ErrSyntax, Message: schema.MessageOf(err)}
	if j, ok := errors.AsType[*jsonwire.Error](err); ok {
		if e.Message = j.Message; j.Err != nil {
			e.Err = j.Err
		}
		if j.Code != wire.Limit { // the whole text may be too large
			e.Position = schema.PositionOf(data, j.Offset)
		}
	}
	return e
}
