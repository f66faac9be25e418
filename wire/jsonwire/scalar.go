package jsonwire

import (
	"math"
	"strconv"
)

// Scalar is the result of [Reader.Scalar].
type Scalar struct {
	// Kind is '"' for a string, 'i' for an int64, 'u' for a uint64 that no int64 can hold, 'f' for
	// a float64, 't' for a boolean, 'n' for null; '{' or '[' if an object or an array begins
	// instead; 0 if the value is unusable.
	Kind byte
	// Text is the string, valid until the next call of the reader.
	Text []byte
	// Bits is the number: in the form of math.Float64bits for a float64, and 1 for true.
	Bits uint64
}

// Scalar reads a value of any type except object and array, with the semantics of [Reader.Any] but
// without allocating. It does not consume objects and arrays. A number beyond float64 is recorded
// and has Kind 0, as has a failure. If text is set, a plain scalar of an annotated text is a string
// unless it is null.
func (r *Reader) Scalar(text bool) Scalar {
	switch c := r.peek(); c {
	case '"':
		r.start = r.pos
		if b := r.quoted(r.pos, &r.unescaped); r.err == nil {
			return Scalar{Kind: '"', Text: b}
		}
		return Scalar{}
	case '{', '[':
		return Scalar{Kind: c}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		text, integer, ok := r.numeral()
		if !ok {
			return Scalar{}
		}
		kind, bits := untypedBits(text, integer)
		if kind == 0 {
			r.outOfRange("float64")
		}
		if integer && kind == 'f' {
			r.inexact(text, math.Float64frombits(bits))
		}
		return Scalar{Kind: kind, Bits: bits}
	case 't', 'f', 'n':
		switch {
		case !r.literal(wordOf(c)):
			return Scalar{}
		case c == 'n':
			return Scalar{Kind: 'n'}
		case c == 'f':
			return Scalar{Kind: 't'}
		}
		return Scalar{Kind: 't', Bits: 1}
	case plainMark:
		if r.annotated {
			return r.plainScalar(text)
		}
	case 0:
		if r.source != nil {
			s := r.source.Scalar()
			if s.Kind == 0 {
				r.abandon()
			}
			return s
		}
	}
	r.failChar(r.pos, "a value")
	return Scalar{}
}

func (r *Reader) plainScalar(text bool) Scalar {
	b := r.plain()
	if r.err != nil {
		return Scalar{}
	}
	s := resolve(b)
	switch {
	case s.Kind == '"' || text && s.Kind != 'n':
		return Scalar{Kind: '"', Text: b}
	case r.tooLong(r.start, r.pos, len(b)):
		return Scalar{}
	case s.Kind == 'f':
		v := math.Float64frombits(s.Bits)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.outOfRange("JSON")
			return Scalar{}
		}
		r.inexact(b, v)
	}
	return s
}

func (s Scalar) isNumber() bool { return s.Kind == 'i' || s.Kind == 'u' || s.Kind == 'f' }

// append appends a number, a boolean or null as JSON. It returns an error for NaN and infinity.
func (s Scalar) append(dst []byte) ([]byte, error) {
	switch s.Kind {
	case 'i':
		return AppendInt(dst, int64(s.Bits)), nil
	case 'u':
		return strconv.AppendUint(dst, s.Bits, 10), nil
	case 'f':
		return AppendFloat64(dst, math.Float64frombits(s.Bits))
	case 't':
		return AppendBool(dst, s.Bits != 0), nil
	}
	return append(dst, "null"...), nil
}
