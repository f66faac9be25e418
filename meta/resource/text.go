package resource

import (
	"bytes"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/askind/askind/meta/internal/leaf"
	"github.com/askind/askind/wire/jsonwire"
)

const (
	// decimalSuffixes are the suffixes of 10^-9, 10^-6 and so on; the space stands for none.
	decimalSuffixes = "num kMGTPE"
	// binarySuffixes are the first letters of the suffixes of 2^10, 2^20 and so on.
	binarySuffixes = "KMGTPE"
)

// String returns the text of the quantity; see the package comment for its form.
func (q Quantity) String() string {
	if q.text != "" {
		return q.text
	}
	var buf [32]byte
	return string(q.appendCanonical(buf[:0]))
}

// AppendText appends the result of String; it implements encoding.TextAppender. The error is always
// nil.
func (q Quantity) AppendText(dst []byte) ([]byte, error) { return q.append(dst), nil }

// append appends the text of the quantity, which has no characters that JSON escapes.
func (q *Quantity) append(dst []byte) []byte {
	if q.text != "" {
		return append(dst, q.text...)
	}
	return q.appendCanonical(dst)
}

// MarshalText implements encoding.TextMarshaler, for command-line flags and keys of maps.
func (q Quantity) MarshalText() ([]byte, error) { return q.AppendText(nil) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (q *Quantity) UnmarshalText(text []byte) error {
	parsed, err := parse(text)
	if err == nil {
		*q = parsed
	}
	return err
}

// MarshalJSON implements json.Marshaler.
func (q Quantity) MarshalJSON() ([]byte, error) { return AppendJSONQuantity(nil, &q) }

// UnmarshalJSON implements json.Unmarshaler. It accepts strings and numbers, and null as zero.
func (q *Quantity) UnmarshalJSON(data []byte) error {
	return leaf.Unmarshal(data, q, DecodeJSONQuantity)
}

// DeepCopyIntoQuantity makes out a copy of in.
func DeepCopyIntoQuantity(in, out *Quantity) { *out = *in }

// AppendJSONQuantity appends the quantity as a JSON string.
func AppendJSONQuantity(dst []byte, in *Quantity) ([]byte, error) {
	return append(in.append(append(dst, '"')), '"'), nil
}

// DecodeJSONQuantity reads a string or a number; null is zero. Spaces around the text are ignored.
func DecodeJSONQuantity(r *jsonwire.Reader, out *Quantity) {
	if r.Null() {
		*out = Quantity{}
		return
	}
	text := r.TextOrNumber()
	if text == nil {
		return
	}
	q, err := parse(bytes.TrimSpace(text))
	if err != nil {
		r.Invalid(err)
		return
	}
	*out = q
}

// appendCanonical appends the canonical form.
func (q *Quantity) appendCanonical(dst []byte) []byte {
	if q.IsZero() {
		return append(dst, '0')
	}
	if q.format == BinarySI {
		if out, ok := q.appendBinary(dst); ok {
			return out
		}
	}
	return q.appendDecimal(dst)
}

// appendBinary returns false for numbers that are written with decimal suffixes: small ones and
// fractions.
func (q *Quantity) appendBinary(dst []byte) ([]byte, bool) {
	v, fits, exact := q.integer(0)
	if !exact {
		return dst, false
	}
	if !fits {
		return q.appendBinaryWide(dst)
	}
	if -1024 < v && v < 1024 {
		return dst, false
	}
	times := min(bits.TrailingZeros64(uint64(v))/10, len(binarySuffixes))
	return appendBinarySuffix(strconv.AppendInt(dst, v>>(10*times), 10), times), true
}

func (q *Quantity) appendBinaryWide(dst []byte) ([]byte, bool) {
	var v *big.Int
	if q.scale >= 0 {
		v = grow(q.mantissa(), int(q.scale))
	} else {
		v, _ = shrink(q.mantissa(), -int(q.scale))
	}
	times := min(int(v.TrailingZeroBits())/10, len(binarySuffixes))
	return appendBinarySuffix(v.Rsh(v, uint(10*times)).Append(dst, 10), times), true
}

func appendBinarySuffix(dst []byte, times int) []byte {
	if times == 0 {
		return dst
	}
	return append(dst, binarySuffixes[times-1], 'i')
}

func (q *Quantity) appendDecimal(dst []byte) []byte {
	start := len(dst)
	if q.wide != nil {
		dst = q.wide.Append(dst, 10)
	} else {
		dst = strconv.AppendInt(dst, q.small, 10)
	}
	// The number is not zero, so a nonzero digit ends this loop.
	exponent := int(q.scale)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
		exponent++
	}
	for exponent%3 != 0 || exponent > maxExponent {
		dst = append(dst, '0')
		exponent--
	}
	if q.format != DecimalExponent && exponent >= nano {
		const largest = int(Exa)
		if beyond := exponent - largest; beyond > 0 && len(dst)-start+beyond < maxText {
			dst = append(dst, bytes.Repeat([]byte{'0'}, beyond)...)
			exponent = largest
		}
		if exponent <= largest {
			if exponent != 0 {
				dst = append(dst, decimalSuffixes[(exponent-nano)/3])
			}
			return dst
		}
	}
	// An exponent also represents powers that have no suffix.
	if exponent != 0 {
		dst = append(dst, 'e')
		dst = strconv.AppendInt(dst, int64(exponent), 10)
	}
	return dst
}
