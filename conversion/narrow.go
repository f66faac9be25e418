package conversion

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrOutOfRange matches every [*RangeError].
var ErrOutOfRange = errors.New("value out of range")

// RangeError reports that a number cannot be represented in the target type. Find it with
// errors.AsType[*conversion.RangeError](err), or test for it with errors.Is(err,
// conversion.ErrOutOfRange).
type RangeError struct {
	_ struct{} // literals name their fields

	// Value is the number as text.
	Value string
	// Type is the target type, as Go names it.
	Type string
}

// Error returns "3000000000 does not fit into int32".
func (e *RangeError) Error() string {
	return "value " + e.Value + " does not fit into " + e.Type
}

// Is makes errors.Is(err, ErrOutOfRange) true.
func (e *RangeError) Is(target error) bool { return target == ErrOutOfRange }

// Number is the constraint for types whose values are real numbers.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64
}

// Narrow converts a number to another type if that type can represent it exactly. Otherwise it
// returns zero and a [*RangeError]: for an integer that is too large or too small, a fraction
// converted to an integer type, or a number with more digits than a float type holds. NaN and the
// infinities convert between float types only. Name the target type, as in
//
//	out.Replicas, err = conversion.Narrow[int32](in.Replicas)
//
// It does not allocate unless it fails.
func Narrow[To, From Number](v From) (To, error) {
	if !isFloat[From]() && !isFloat[To]() {
		// Conversion between integers keeps the low bits. Nothing is lost if converting back gives
		// the same number with the same sign.
		if out := To(v); From(out) == v && (out < 0) == (v < 0) {
			return out, nil
		}
		return 0, rangeError[To](v)
	}
	if !isFloat[From]() {
		return integerToFloat[To](v)
	}
	if !isFloat[To]() {
		return floatToInteger[To](v)
	}
	if out := To(v); From(out) == v || math.IsNaN(float64(v)) {
		return out, nil
	}
	return 0, rangeError[To](v)
}

// The first integers that are too large for int64 and uint64.
const (
	beyondInt64  = 1 << 63
	beyondUint64 = 1 << 64
)

// integerToFloat compares in the integer type, because floats cannot tell large integers apart. A
// float outside the range of that type must not be converted back, because the result depends on
// the processor.
func integerToFloat[To, From Number](v From) (To, error) {
	out := To(v)
	f := float64(out)
	if v < 0 {
		if int64(f) == int64(v) { // the least integer is a power of two, so rounding stays in range
			return out, nil
		}
	} else if f < beyondUint64 && uint64(f) == uint64(v) {
		return out, nil
	}
	return 0, rangeError[To](v)
}

// floatToInteger converts through the largest integer types. It checks the range before each
// conversion, because the result of converting a float that is out of range depends on the
// processor.
func floatToInteger[To, From Number](v From) (To, error) {
	f := float64(v)
	if f == math.Trunc(f) { // not NaN
		if f < 0 {
			if f >= -beyondInt64 {
				if out, err := Narrow[To](int64(f)); err == nil {
					return out, nil
				}
			}
		} else if f < beyondUint64 {
			if out, err := Narrow[To](uint64(f)); err == nil {
				return out, nil
			}
		}
	}
	return 0, rangeError[To](v)
}

// isFloat reports whether a type has fractions. The compiler evaluates it to a constant.
func isFloat[T Number]() bool { return T(1)/T(2) != 0 }

// rangeError is a separate function to keep its callers small.
func rangeError[To, From Number](v From) error {
	var text string
	switch {
	case isFloat[From]():
		text = strconv.FormatFloat(float64(v), 'g', -1, 64)
	case v < 0:
		text = strconv.FormatInt(int64(v), 10)
	default:
		text = strconv.FormatUint(uint64(v), 10)
	}
	return &RangeError{Value: text, Type: fmt.Sprintf("%T", To(0))}
}
