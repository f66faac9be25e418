package jsonwire

import (
	"math"

	"github.com/askind/askind/wire"
)

// Source gives a [Reader] one value that is not written as JSON, token by token, so that the
// decoders of this package's readers serve a binary format without a text in between. It knows
// values that are sound and usual. Whatever is not, and whatever would have to be reported, makes
// the Reader give up: [Reader.Err] is not nil then, and the caller decodes the same input again by
// way of an annotated text, in which problems have places. A Source is for one goroutine.
//
// Each method is called at the beginning of a value, except those that go on in the innermost
// object or array that is open. Slices are valid until the next call and are not written to.
type Source interface {
	// Kind returns the type of the next value without consuming it, as [Reader.Kind] does.
	Kind() byte
	// Null consumes the next value if it is null, and reports whether it was.
	Null() bool
	// Object enters an object and returns its first key; NextKey returns the next one. A nil key of
	// a value that was found means that there is none left and the object was consumed.
	Object() (key []byte, found Found)
	NextKey() (key []byte, found Found)
	// Array enters an array and reports whether there is an element; NextElem reports whether there
	// is a further one. If not, the array was consumed.
	Array() (more bool, found Found)
	NextElem() (more bool, found Found)
	// Text reads a string, Bool a boolean, Int and Uint an integer, Float a number.
	Text() ([]byte, Found)
	Bool() (bool, Found)
	Int() (int64, Found)
	Uint() (uint64, Found)
	Float() (float64, Found)
	// AppendNumber appends the text of a number.
	AppendNumber(dst []byte) ([]byte, Found)
	// Bytes reads what a field of bytes takes, of a value whose Kind is that of a string.
	Bytes() ([]byte, Found)
	// Scalar reads a value as [Reader.Scalar] does. The Kind is 0 if it cannot be used.
	Scalar() Scalar
	// AppendRaw appends the next value, of any type, as JSON in the form in which raw values are
	// kept. It reports false if it cannot.
	AppendRaw(dst []byte) ([]byte, bool)
	// Skip consumes a value of any type. It reports false if it cannot.
	Skip() bool
	// Offset is the position in the input, and Rest how many bytes are left.
	Offset() int
	Rest() int
}

// Found says what a [Source] has found where a type of value was asked for.
type Found uint8

const (
	// Unusable is another type of value, or one that cannot be used.
	Unusable Found = iota
	// NullFound is null.
	NullFound
	// ValueFound is a value of the type.
	ValueFound
)

// abandon ends the reading of a source.
func (r *Reader) abandon() { r.fail(wire.Syntax, 0, 0, "the value cannot be read without its text") }

// use reports whether a value was found.
func (r *Reader) use(found Found) bool {
	if found == Unusable {
		r.abandon()
	}
	return found == ValueFound
}

func (r *Reader) sourceKey(key []byte, found Found) []byte {
	if !r.use(found) {
		return nil
	}
	return key
}

func (r *Reader) sourceElem(more bool, found Found) bool { return r.use(found) && more }

// sourceAny is [Reader.Any] for a source.
func (r *Reader) sourceAny() any {
	switch r.source.Kind() {
	case '{':
		return r.anyObject()
	case '[':
		return r.anyArray()
	}
	switch s := r.Scalar(false); s.Kind {
	case '"':
		return r.keep(s.Text)
	case 'i':
		return int64(s.Bits)
	case 'u':
		return s.Bits
	case 'f':
		return math.Float64frombits(s.Bits)
	case 't':
		return s.Bits != 0
	}
	return nil
}
