package resource

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
)

// Add adds y. If the quantity was zero it adopts the format of y.
func (q *Quantity) Add(y Quantity) {
	format := q.format
	if q.IsZero() {
		format = y.format
	}
	*q = sum(q, &y)
	q.format = format
}

// Sub subtracts y. If the quantity was zero it adopts the format of y.
func (q *Quantity) Sub(y Quantity) {
	y.Neg()
	q.Add(y)
}

// Mul multiplies by an integer.
func (q *Quantity) Mul(factor int64) {
	if q.wide == nil {
		if product, ok := mul(q.small, factor); ok {
			*q = Quantity{small: product, scale: q.scale, format: q.format}.normal()
			return
		}
	}
	*q = wideQuantity(new(big.Int).Mul(q.mantissa(), big.NewInt(factor)), q.scale, q.format)
}

// Neg changes the sign.
func (q *Quantity) Neg() { q.Mul(-1) }

// sum returns a+b without a format.
func sum(a, b *Quantity) Quantity {
	if a.IsZero() {
		a, b = b, a
	}
	if b.IsZero() {
		return Quantity{small: a.small, wide: a.wide, scale: a.scale}
	}
	scale := min(a.scale, b.scale)
	up, upB := int(a.scale)-int(scale), int(b.scale)-int(scale)
	if a.wide == nil && b.wide == nil {
		x, okX := mul10(a.small, up)
		y, okY := mul10(b.small, upB)
		if s := x + y; okX && okY && (s > x) == (y > 0) {
			return Quantity{small: s, scale: scale}.normal()
		}
	}
	s := grow(a.mantissa(), up)
	return wideQuantity(s.Add(s, grow(b.mantissa(), upB)), scale, DecimalSI)
}

// grow returns v·10^n as a new big.Int.
func grow(v *big.Int, n int) *big.Int {
	if n == 0 {
		return new(big.Int).Set(v)
	}
	out := pow10(n)
	return out.Mul(out, v)
}

// Cmp returns -1, 0 or 1 as the number is less than, equal to or greater than that of y. Formats
// are ignored.
func (q Quantity) Cmp(y Quantity) int {
	if q.wide == nil && y.wide == nil && q.scale == y.scale {
		return cmp.Compare(q.small, y.small)
	}
	if c := cmp.Compare(q.Sign(), y.Sign()); c != 0 || q.Sign() == 0 {
		return c
	}
	scale := min(q.scale, y.scale)
	up, upY := int(q.scale)-int(scale), int(y.scale)-int(scale)
	if q.wide == nil && y.wide == nil {
		a, okA := mul10(q.small, up)
		b, okB := mul10(y.small, upY)
		if okA && okB {
			return cmp.Compare(a, b)
		}
	}
	return grow(q.mantissa(), up).Cmp(grow(y.mantissa(), upY))
}

// CmpInt64 is Cmp for an integer.
func (q Quantity) CmpInt64(y int64) int { return q.Cmp(Quantity{small: y}) }

// Equal reports whether both are the same number.
func (q Quantity) Equal(y Quantity) bool { return q.Cmp(y) == 0 }

// Value returns the number rounded to an integer, away from zero. Numbers that do not fit yield the
// nearest int64.
func (q Quantity) Value() int64 { return q.ScaledValue(0) }

// MilliValue returns the number of thousandths, rounded like [Quantity.ScaledValue].
func (q Quantity) MilliValue() int64 { return q.ScaledValue(Milli) }

// ScaledValue returns the number divided by 10^scale and rounded away from zero. Results that do
// not fit yield the nearest int64.
func (q Quantity) ScaledValue(scale Scale) int64 {
	v, fits, _ := q.integer(scale)
	if !fits {
		if q.Sign() < 0 {
			return math.MinInt64
		}
		return math.MaxInt64
	}
	return v
}

// AsInt64 returns the number if it is an integer that fits in an int64.
func (q Quantity) AsInt64() (int64, bool) {
	v, fits, exact := q.integer(0)
	if !fits || !exact {
		return 0, false
	}
	return v, true
}

// integer returns the number divided by 10^scale, rounded away from zero.
func (q *Quantity) integer(scale Scale) (v int64, fits, exact bool) {
	down := int(scale) - int(q.scale)
	switch {
	case q.wide == nil && down <= 0:
		v, fits = mul10(q.small, -down)
		return v, fits, true
	case q.wide == nil:
		v, exact = shrinkSmall(q.small, down)
		return v, true, exact
	case down <= 0:
		return 0, false, true
	}
	w, exact := shrink(q.wide, down)
	if !w.IsInt64() {
		return 0, false, exact
	}
	return w.Int64(), true, exact
}

// AsFloat64 returns the nearest float64, which is an infinity for numbers beyond its range.
func (q Quantity) AsFloat64() float64 {
	text := append(q.mantissa().Append(make([]byte, 0, 32), 10), 'e')
	text = strconv.AppendInt(text, int64(q.scale), 10)
	f, _ := strconv.ParseFloat(string(text), 64) // the only possible error is ErrRange, and then f is infinite
	return f
}

// RoundUp rounds away from zero to a multiple of 10^scale and reports whether the number already
// was one. It panics if the scale exceeds 1024.
func (q *Quantity) RoundUp(scale Scale) bool {
	scale.check()
	down := int(scale) - int(q.scale)
	if down <= 0 || q.IsZero() {
		return true
	}
	rounded := Quantity{scale: int32(scale), format: q.format}
	var exact bool
	if q.wide == nil {
		rounded.small, exact = shrinkSmall(q.small, down)
	} else {
		var w *big.Int
		w, exact = shrink(q.wide, down)
		rounded = wideQuantity(w, int32(scale), q.format)
	}
	*q = rounded
	return exact
}
