package jsonwire

import "math"

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
		if b := r.quoted(r.pos); r.err == nil {
			return Scalar{Kind: '"', Text: b}
		}
		return Scalar{}
	case '{', '[':
		return Scalar{Kind: c}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		i := r.pos
		end, integer, bad := scanNumber(r.data, i)
		if bad != "" {
			r.failChar(end, bad)
			return Scalar{}
		}
		if r.tooLong(i, end, end-i) {
			return Scalar{}
		}
		r.start, r.pos = i, end
		kind, bits := untypedBits(r.data[i:end], integer)
		if kind == 0 {
			r.outOfRange("float64")
		}
		if integer && kind == 'f' {
			r.inexact(r.data[i:end], math.Float64frombits(bits))
		}
		return Scalar{Kind: kind, Bits: bits}
	case 't':
		if r.literal("true") {
			return Scalar{Kind: 't', Bits: 1}
		}
		return Scalar{}
	case 'f':
		if r.literal("false") {
			return Scalar{Kind: 't'}
		}
		return Scalar{}
	case 'n':
		if r.literal("null") {
			return Scalar{Kind: 'n'}
		}
		return Scalar{}
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
	if s.kind == '"' || text && s.kind != 'n' {
		return Scalar{Kind: '"', Text: b}
	}
	if r.tooLong(r.start, r.pos, len(b)) {
		return Scalar{}
	}
	switch v := s.value.(type) {
	case bool:
		if v {
			return Scalar{Kind: 't', Bits: 1}
		}
		return Scalar{Kind: 't'}
	case int64:
		return Scalar{Kind: 'i', Bits: uint64(v)}
	case uint64:
		return Scalar{Kind: 'u', Bits: v}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.outOfRange("JSON")
			return Scalar{}
		}
		r.inexact(b, v)
		return Scalar{Kind: 'f', Bits: math.Float64bits(v)}
	}
	return Scalar{Kind: 'n'}
}
