package cbor

import (
	"encoding/binary"
	"math"
)

// appendFloat appends a finite number as the shortest float with exactly its value.
func appendFloat(dst []byte, v float64) []byte {
	single := float32(v)
	if float64(single) != v {
		return binary.BigEndian.AppendUint64(append(dst, headFloat64), math.Float64bits(v))
	}
	bits := math.Float32bits(single)
	if half, ok := toHalf(bits); ok {
		return append(dst, headFloat16, byte(half>>8), byte(half))
	}
	return binary.BigEndian.AppendUint32(append(dst, headFloat32), bits)
}

// toHalf returns the float16 with exactly the value of a finite float32, both as bits. It returns
// false if no such float16 exists.
func toHalf(bits uint32) (uint16, bool) {
	sign := uint16(bits >> 16 & 0x8000)
	exponent := int(bits>>23&0xFF) - 127
	fraction := bits & (1<<23 - 1)
	switch {
	case exponent == -127:
		return sign, fraction == 0
	case exponent > 15:
		return 0, false
	case exponent >= -14:
		return sign | uint16(exponent+15)<<10 | uint16(fraction>>13), fraction&(1<<13-1) == 0
	}
	// Below 2^-14 a float16 counts units of 2^-24.
	shift := -1 - exponent
	if shift > 23 {
		return 0, false
	}
	units := fraction | 1<<23
	return sign | uint16(units>>shift), units&(1<<shift-1) == 0
}

// fromHalf returns the value of a float16.
func fromHalf(half uint16) float64 {
	exponent, fraction := int(half>>10&0x1F), float64(half&0x3FF)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		v = math.Inf(1)
		if fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if half&0x8000 != 0 {
		v = math.Copysign(v, -1)
	}
	return v
}
