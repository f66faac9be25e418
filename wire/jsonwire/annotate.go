package jsonwire

import (
	"encoding/binary"
	"math/rand/v2"
)

// BytesMark precedes the content of a []byte in annotated output: the length in eight bytes,
// little-endian, and then the unencoded bytes. See [Annotate].
const BytesMark = 0x02

// UintMark precedes a number above the maximum int64 in a field of an unsigned type in annotated
// output. See [Annotate].
const UintMark = 0x03

// annotation is the prefix of annotated output. It is random for each process and never leaves it,
// so that no text from outside in a buffer can be mistaken for it. Its last byte is 0, and not by
// chance a quote, after which [AppendUint] would take a number for the key of a map.
var annotation = rand.Uint64() >> 8

// Annotate appends a mark to dst, which must be empty. The mark tells the append functions of this
// package that the buffer is for a format with types that JSON lacks. After the mark they, and so
// generated code, append JSON with these differences:
//
//   - [AppendBytes] writes [BytesMark], the length and the bytes.
//   - [AppendUint] writes [UintMark] before a number that no int64 can hold.
//   - [AppendFloat64] and [AppendFloat32] write a number that has a fraction or an exponent, 1.0
//     rather than 1, to distinguish floats from integers. The number reads back as exactly the same
//     float64.
//
// The mark is not part of the text.
func Annotate(dst []byte) []byte { return binary.LittleEndian.AppendUint64(dst, annotation) }

// Annotated reports whether a buffer begins with the mark of [Annotate]. Functions that append to a
// buffer of their own use it to begin that buffer the same way.
func Annotated(dst []byte) bool {
	return len(dst) >= 8 && binary.LittleEndian.Uint64(dst) == annotation
}

// integral removes the fraction from a number that ends in .0, as annotated texts write floats
// without a fraction.
func integral(text []byte) []byte {
	if n := len(text); n > 2 && text[n-1] == '0' && text[n-2] == '.' {
		return text[:n-2]
	}
	return text
}
