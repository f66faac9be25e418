package resource

import (
	"math/big"
	"math/bits"
	"strconv"
)

// Format is the family of suffixes in which a quantity is written. The zero value is DecimalSI.
type Format uint8

const (
	// DecimalSI writes powers of a thousand with the suffixes n, u, m, k, M, G, T, P and E.
	DecimalSI Format = iota
	// BinarySI writes powers of 1024 with the suffixes Ki, Mi, Gi, Ti, Pi and Ei.
	BinarySI
	// DecimalExponent writes powers of a thousand as exponents: 12e6.
	DecimalExponent
)

// String returns the name of the format.
func (f Format) String() string {
	switch f {
	case DecimalSI:
		return "DecimalSI"
	case BinarySI:
		return "BinarySI"
	case DecimalExponent:
		return "DecimalExponent"
	}
	return "Format(" + strconv.Itoa(int(f)) + ")"
}

// Scale is a power of ten.
type Scale int32

// The scales that have a suffix.
const (
	Nano  Scale = -9
	Micro Scale = -6
	Milli Scale = -3
	Kilo  Scale = 3
	Mega  Scale = 6
	Giga  Scale = 9
	Tera  Scale = 12
	Peta  Scale = 15
	Exa   Scale = 18
)

// Quantity is an exact decimal number and the format in which it is written. The zero value is 0.
//
// Quantities are values: assigning one copies it, and methods modify only their receiver. Methods
// that do not modify the quantity are safe for concurrent use. Compare with [Quantity.Equal] or
// [Quantity.Cmp], because 1 and 1000m are equal but differ in their fields.
//
// +askind:protobuf:fields="optional string string = 1"
type Quantity struct {
	// The number is small·10^scale, or wide·10^scale if wide is set. Then small is 0, and wide does
	// not fit in it. The big.Int is immutable, so copies may share it.
	wide  *big.Int
	small int64
	scale int32

	format Format

	// text, if not blank, is written instead of the canonical form.
	text string
}

// NewQuantity returns value in the given format.
func NewQuantity(value int64, format Format) Quantity {
	return Quantity{small: value, format: format}
}

// NewMilliQuantity returns value thousandths in the given format.
func NewMilliQuantity(value int64, format Format) Quantity {
	return Quantity{small: value, scale: int32(Milli), format: format}.normal()
}

// NewScaledQuantity returns value·10^scale in the format DecimalSI. Fractions of a nano are rounded
// away from zero. It panics if the scale exceeds 1024, the largest exponent that [Parse] reads.
func NewScaledQuantity(value int64, scale Scale) Quantity {
	scale.check()
	q := Quantity{small: value, scale: int32(scale)}.normal()
	q.RoundUp(Nano)
	return q
}

// check panics if quantities of the scale cannot be read again. A scale that comes from a program
// is within the limit, unless it is mistaken.
func (s Scale) check() {
	if s > maxExponent {
		panic("resource: the scale " + strconv.Itoa(int(s)) + " is greater than " + strconv.Itoa(maxExponent))
	}
}

// wideQuantity returns a quantity that takes ownership of v.
func wideQuantity(v *big.Int, scale int32, format Format) Quantity {
	if v.IsInt64() {
		return Quantity{small: v.Int64(), scale: scale, format: format}.normal()
	}
	return Quantity{wide: v, scale: scale, format: format}
}

// normal returns the quantity with a unique representation of zero.
func (q Quantity) normal() Quantity {
	if q.wide == nil && q.small == 0 {
		q.scale, q.text = 0, ""
	}
	return q
}

// mantissa returns the number without its scale; the result must not be modified.
func (q *Quantity) mantissa() *big.Int {
	if q.wide != nil {
		return q.wide
	}
	return big.NewInt(q.small)
}

// Format returns the format in which the quantity is written.
func (q Quantity) Format() Format { return q.format }

// SetFormat changes the format in which the quantity is written.
func (q *Quantity) SetFormat(f Format) { q.format, q.text = f, "" }

// Set changes the number to value and keeps the format.
func (q *Quantity) Set(value int64) { q.SetScaled(value, 0) }

// SetMilli changes the number to value thousandths and keeps the format.
func (q *Quantity) SetMilli(value int64) { q.SetScaled(value, Milli) }

// SetScaled changes the number to value·10^scale, as [NewScaledQuantity] does, and keeps the
// format.
func (q *Quantity) SetScaled(value int64, scale Scale) {
	format := q.format
	*q = NewScaledQuantity(value, scale)
	q.format = format
}

// IsZero reports whether the number is 0.
func (q Quantity) IsZero() bool { return q.wide == nil && q.small == 0 }

// Sign returns -1, 0 or 1 as the number is negative, zero or positive.
func (q Quantity) Sign() int {
	switch {
	case q.wide != nil:
		return q.wide.Sign()
	case q.small < 0:
		return -1
	case q.small > 0:
		return 1
	}
	return 0
}

// DeepCopyAny returns the quantity itself: the memory that copies share is immutable.
func (q Quantity) DeepCopyAny() any { return q }

// pow10 returns 10^n as a new big.Int.
func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// mul10 returns v·10^n and reports whether it fits.
func mul10(v int64, n int) (int64, bool) {
	if v == 0 || n == 0 {
		return v, true
	}
	if n >= len(powers) {
		return 0, false
	}
	return mul(v, powers[n])
}

// mul returns a·b and reports whether it fits.
func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	switch {
	case hi != 0 || lo > 1<<63 || lo == 1<<63 && !negative:
		return 0, false
	case negative:
		return int64(-lo), true
	}
	return int64(lo), true
}

// magnitude returns the absolute value, including that of the minimum int64.
func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// powers holds the powers of ten that fit in an int64.
var powers = [...]int64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// shrink returns v/10^n, rounded away from zero, and reports whether it is exact. It does not write
// to v.
func shrink(v *big.Int, n int) (*big.Int, bool) {
	// A number has fewer than bits/3 decimal digits, so larger divisors yield ±1 without
	// computation.
	if n > v.BitLen()/3+1 {
		return big.NewInt(int64(v.Sign())), v.Sign() == 0
	}
	out, rest := new(big.Int).QuoRem(v, pow10(n), new(big.Int))
	if rest.Sign() != 0 {
		out.Add(out, big.NewInt(int64(rest.Sign())))
	}
	return out, rest.Sign() == 0
}

// shrinkSmall is shrink for a number that fits.
func shrinkSmall(v int64, n int) (int64, bool) {
	if n >= len(powers) {
		// The maximum int64 has 19 digits: 9.2·10^18.
		switch {
		case v > 0:
			return 1, false
		case v < 0:
			return -1, false
		}
		return 0, true
	}
	out, rest := v/powers[n], v%powers[n]
	switch {
	case rest > 0:
		out++
	case rest < 0:
		out--
	}
	return out, rest == 0
}
