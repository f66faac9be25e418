package jsonwire

import (
	"bytes"
	"math"
	"strconv"

	"github.com/askind/askind/schema"
)

// Int64 reads an integer. Null returns old. A fraction, an exponent, a number out of range or
// another type is recorded and returns old.
func (r *Reader) Int64(old int64) int64 { return signedOr(r, old, 64, "int64") }

// Int32 is [Reader.Int64] for int32.
func (r *Reader) Int32(old int32) int32 { return signedOr(r, old, 32, "int32") }

// Int16 is [Reader.Int64] for int16.
func (r *Reader) Int16(old int16) int16 { return signedOr(r, old, 16, "int16") }

// Int8 is [Reader.Int64] for int8.
func (r *Reader) Int8(old int8) int8 { return signedOr(r, old, 8, "int8") }

// Int is [Reader.Int64] for int.
func (r *Reader) Int(old int) int { return signedOr(r, old, strconv.IntSize, "int") }

// Uint64 is [Reader.Int64] for uint64.
func (r *Reader) Uint64(old uint64) uint64 { return unsignedOr(r, old, 64, "uint64") }

// Uint32 is [Reader.Int64] for uint32.
func (r *Reader) Uint32(old uint32) uint32 { return unsignedOr(r, old, 32, "uint32") }

// Uint16 is [Reader.Int64] for uint16.
func (r *Reader) Uint16(old uint16) uint16 { return unsignedOr(r, old, 16, "uint16") }

// Uint8 is [Reader.Int64] for uint8.
func (r *Reader) Uint8(old uint8) uint8 { return unsignedOr(r, old, 8, "uint8") }

// Uint is [Reader.Int64] for uint.
func (r *Reader) Uint(old uint) uint { return unsignedOr(r, old, strconv.IntSize, "uint") }

func signedOr[T int | int8 | int16 | int32 | int64](r *Reader, old T, bits uint, expected string) T {
	if v, ok := r.signed(bits, expected); ok {
		return T(v)
	}
	return old
}

func unsignedOr[T uint | uint8 | uint16 | uint32 | uint64](r *Reader, old T, bits uint, expected string) T {
	if v, ok := r.unsigned(bits, expected); ok {
		return T(v)
	}
	return old
}

// Float64 reads a number. Null returns old; a number out of range or another type is recorded and
// returns old.
func (r *Reader) Float64(old float64) float64 {
	if v, ok := r.float(64, "float64"); ok {
		return v
	}
	return old
}

// Float32 is [Reader.Float64] for float32.
func (r *Reader) Float32(old float32) float32 {
	if v, ok := r.float(32, "float32"); ok {
		return float32(v)
	}
	return old
}

// Number reads a number without converting it and returns its text. It is nil for null and for
// another type, which is recorded and skipped. The result must not be written to and is valid until
// the next call.
func (r *Reader) Number() []byte {
	if b, ok := r.numberText("number"); ok {
		return b
	}
	return nil
}

// numberText reads the number at the position. It reports false for null, for another type and
// after a failure.
func (r *Reader) numberText(expected string) ([]byte, bool) {
	switch c := r.peek(); {
	case c == 0 && r.source != nil:
		b, found := r.source.AppendNumber(r.resolved[:0])
		r.resolved = b
		return b, r.use(found)
	case c == '-' || c-'0' <= 9:
		text, _, ok := r.numeral()
		return text, ok
	case c == 'n':
		r.literal("null")
		return nil, false
	case c == plainMark && r.annotated:
		return r.plainNumber(expected)
	}
	r.wrongType(expected)
	return nil, false
}

// numeral reads the number that begins with the byte at the position, and reports whether it is an
// integer, without fraction and exponent.
func (r *Reader) numeral() (text []byte, integer, ok bool) {
	i := r.pos
	end, integer, bad := scanNumber(r.data, i)
	if bad != "" {
		r.failChar(end, bad)
		return nil, false, false
	}
	if r.tooLong(i, end, end-i) {
		return nil, false, false
	}
	r.start, r.pos = i, end
	return r.data[i:end:end], integer, true
}

// tooLong reports whether a number of n characters, at data[i:end], exceeds the limit, which ends
// the text.
func (r *Reader) tooLong(i, end, n int) bool {
	if n <= r.limits.Number {
		return false
	}
	r.failLimit(i, end, &schema.LimitError{
		Limit: "Number", What: "a number", Unit: "characters",
		Max: r.limits.Number, Got: n,
	})
	return true
}

// maxShort is the maximum number of digits that cannot overflow.
const maxShort = 18

// signed reads an integer of the given width.
func (r *Reader) signed(bits uint, typ string) (int64, bool) {
	// Anything unusual is left to the general path.
	data, i := r.data, r.pos
	var neg bool
	if i < len(data) && data[i] == '-' {
		neg = true
		i++
	}
	first := i
	var v int64
	for i < len(data) && data[i]-'0' <= 9 {
		v = v*10 + int64(data[i]-'0')
		i++
	}
	n := i - first
	if n == 0 || n > r.digits || i >= len(data) || data[i] == '.' || data[i]|0x20 == 'e' ||
		data[first] == '0' && n > 1 {
		return r.signedSlow(bits, typ)
	}
	if neg {
		v = -v
	}
	r.start, r.pos = r.pos, i
	if v>>(bits-1) != 0 && v>>(bits-1) != -1 {
		r.outOfRange(typ)
		return 0, false
	}
	return v, true
}

func (r *Reader) signedSlow(bits uint, typ string) (int64, bool) {
	if r.source != nil {
		v, found := r.source.Int()
		if !r.use(found) {
			return 0, false
		}
		if v>>(bits-1) != 0 && v>>(bits-1) != -1 {
			r.abandon()
			return 0, false
		}
		return v, true
	}
	text, ok := r.integerText()
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseInt(string(text), 10, int(bits))
	if err != nil {
		r.outOfRange(typ)
		return 0, false
	}
	return v, true
}

// unsigned reads an integer of the given width.
func (r *Reader) unsigned(bits uint, typ string) (uint64, bool) {
	data, i := r.data, r.pos
	first := i
	var v uint64
	for i < len(data) && data[i]-'0' <= 9 {
		v = v*10 + uint64(data[i]-'0')
		i++
	}
	n := i - first
	if n == 0 || n > r.digits || i >= len(data) || data[i] == '.' || data[i]|0x20 == 'e' ||
		data[first] == '0' && n > 1 {
		return r.unsignedSlow(bits, typ)
	}
	r.start, r.pos = first, i
	if bits < 64 && v>>bits != 0 {
		r.outOfRange(typ)
		return 0, false
	}
	return v, true
}

func (r *Reader) unsignedSlow(bits uint, typ string) (uint64, bool) {
	if r.source != nil {
		v, found := r.source.Uint()
		if !r.use(found) {
			return 0, false
		}
		if bits < 64 && v>>bits != 0 {
			r.abandon()
			return 0, false
		}
		return v, true
	}
	text, ok := r.integerText()
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseUint(string(text), 10, int(bits))
	if err != nil {
		r.outOfRange(typ)
		return 0, false
	}
	return v, true
}

// integerText reads a number and returns its text if that has neither a fraction nor an exponent.
func (r *Reader) integerText() ([]byte, bool) {
	text, ok := r.numberText("integer")
	if !ok {
		return nil, false
	}
	if r.annotated {
		text = integral(text)
	}
	if bytes.ContainsAny(text, ".eE") {
		r.notInteger()
		return nil, false
	}
	return text, true
}

// float reads a number of the given width.
func (r *Reader) float(bits int, typ string) (float64, bool) {
	if r.source != nil {
		v, found := r.source.Float()
		if !r.use(found) {
			return 0, false
		}
		if bits == 32 && float64(float32(v)) != v {
			r.abandon() // rounding requires the digits
			return 0, false
		}
		return v, true
	}
	text, ok := r.numberText("number")
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(text), bits)
	if err != nil {
		r.outOfRange(typ)
		return 0, false
	}
	return v, true
}

// untypedBits returns the number in text with the kind and the bits of a [Scalar]: an int64 or a
// uint64 if it is an integer that fits, otherwise a float64. The kind is 0 if the number is beyond
// float64.
func untypedBits(text []byte, integer bool) (kind byte, bits uint64) {
	if integer {
		if n := len(text); n <= maxShort {
			var v int64
			digits := text
			if text[0] == '-' {
				digits = text[1:]
			}
			for _, c := range digits {
				v = v*10 + int64(c-'0')
			}
			if text[0] == '-' {
				v = -v
			}
			return 'i', uint64(v)
		}
		if v, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return 'i', uint64(v)
		}
		if v, err := strconv.ParseUint(string(text), 10, 64); err == nil {
			return 'u', v
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, 0
	}
	return 'f', math.Float64bits(v)
}
