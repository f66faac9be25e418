package cbor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/askind/askind/serializer/internal/arrange"
)

// The major types of CBOR, at their position in the first byte of an item.
const (
	majorUint  = 0 << 5
	majorNint  = 1 << 5
	majorBytes = 2 << 5
	majorText  = 3 << 5
	majorArray = 4 << 5
	majorMap   = 5 << 5
	majorTag   = 6 << 5
	majorOther = 7 << 5
)

// The heads of items that have no argument, or one of a fixed length.
const (
	headFalse     = 0xF4
	headTrue      = 0xF5
	headNull      = 0xF6
	headUndefined = 0xF7
	headFloat16   = 0xF9
	headFloat32   = 0xFA
	headFloat64   = 0xFB
	breakCode     = 0xFF

	headBase64 = majorTag | 22
)

// appendInteger appends a number without fraction and exponent: as an integer if its value is at
// most limit and at least the minimum int64, else as a float.
func appendInteger(dst, digits []byte, limit uint64) ([]byte, error) {
	magnitude, negative := digits, digits[0] == '-'
	if negative {
		magnitude = digits[1:]
	}
	var v uint64
	for _, c := range magnitude {
		if c -= '0'; c > 9 {
			return appendNumber(dst, digits) // which returns the error
		}
		v = v*10 + uint64(c)
	}
	if len(magnitude) > 19 || len(magnitude) == 0 {
		var err error
		if v, err = strconv.ParseUint(string(magnitude), 10, 64); err != nil {
			return appendNumber(dst, digits)
		}
	}
	switch {
	case !negative && v > limit:
	case !negative || v == 0:
		return appendHead(dst, majorUint, v), nil
	case v <= -math.MinInt64:
		return appendHead(dst, majorNint, v-1), nil
	}
	return appendNumber(dst, digits)
}

// appendNumber appends a number as a float.
func appendNumber(dst, number []byte) ([]byte, error) {
	v, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return dst, err
	}
	return appendFloat(dst, v), nil
}

// appendHead appends the head of an item: its major type and its argument in the shortest form.
func appendHead(dst []byte, major byte, argument uint64) []byte {
	switch {
	case argument < 24:
		return append(dst, major|byte(argument))
	case argument <= math.MaxUint8:
		return append(dst, major|24, byte(argument))
	case argument <= math.MaxUint16:
		return append(dst, major|25, byte(argument>>8), byte(argument))
	case argument <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(argument))
	}
	return binary.BigEndian.AppendUint64(append(dst, major|27), argument)
}

// appendString appends a byte string.
func appendString(dst, s []byte) []byte {
	if len(s) < 24 {
		dst = append(dst, majorBytes|byte(len(s)))
	} else {
		dst = appendHead(dst, majorBytes, uint64(len(s)))
	}
	return append(dst, s...)
}

// rankEncoded returns the rank of the string item at an offset in the order of [compareEncoded]:
// the length, and then as many of the bytes as there is room for.
func rankEncoded(data []byte, at int) uint64 {
	n, from := argumentAt(data, at)
	if n >= 0xFF {
		return 0xFF << 56
	}
	return uint64(n)<<56 | arrange.Rank(data[from:from+n])>>8
}

// compareEncoded orders keys by their encoded forms: by length, which the head encodes, and then by
// their bytes.
func compareEncoded(a, b []byte) int {
	if len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return bytes.Compare(a, b)
}

// keyAt returns the content of the string item at an offset.
func keyAt(data []byte, at int) []byte {
	n, from := argumentAt(data, at)
	return data[from : from+n]
}

// argumentAt returns the argument of the valid item at an offset, and where its content begins.
func argumentAt(data []byte, at int) (argument, from int) {
	n, content, _ := headAt(data, at)
	return int(n), content
}
