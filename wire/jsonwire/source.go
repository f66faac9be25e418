package jsonwire

// Source provides a [Reader] with one value of a binary format, token by token, so that the format
// can use the same decoders without an intermediate text. It supports only valid, common input. For
// anything else, and for anything that must be reported, the Reader gives up: [Reader.Err] is then
// not nil, and the caller decodes the input again through an annotated text, in which problems have
// positions. A Source is not safe for concurrent use.
//
// Each method is called at the start of a value, except NextKey and NextElem, which continue the
// innermost open object or array. Returned slices are valid until the next call and must not be
// modified.
type Source interface {
	// Kind returns the type of the next value without consuming it, as [Reader.Kind] does.
	Kind() byte
	// Null consumes the next value if it is null, and reports whether it was.
	Null() bool
	// Object enters an object and returns its first key; NextKey returns the next one. A nil key
	// with ValueFound means that the object has no more members and was consumed.
	Object() (key []byte, found Found)
	NextKey() (key []byte, found Found)
	// Array enters an array and reports whether it has an element; NextElem reports whether another
	// one follows. If not, the array was consumed.
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
	// Bytes reads the content of a []byte field, from a value whose Kind is that of a string.
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

// Found is the result of reading a value of a type from a [Source].
type Found uint8

const (
	// Unusable is a value of another type, or one that cannot be used.
	Unusable Found = iota
	// NullFound is null.
	NullFound
	// ValueFound is a value of the requested type.
	ValueFound
)

// abandon ends reading from a source.
func (r *Reader) abandon() { r.fail(0, 0, "the value cannot be read without its text") }

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
