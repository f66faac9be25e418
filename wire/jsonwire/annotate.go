package jsonwire

import (
	"encoding/binary"
	"math/rand/v2"
)

// BytesMark precedes, in annotated output, the content of a []byte: eight bytes with its length,
// the lowest first, and then the bytes as they are. See [Annotate].
const BytesMark = 0x02

// UintMark precedes, in annotated output, a number above the highest int64 in a field of an
// unsigned type. See [Annotate].
const UintMark = 0x03

// annotation is what annotated output begins with. It is another one in each process and never
// leaves it, so that no text that a caller or somebody else has put into a buffer is taken for it.
var annotation = rand.Uint64()

// Annotate appends to dst, which must be empty, the mark by which the append functions of this
// package know that a buffer is not for JSON but for a format that has types which JSON lacks. What
// they append behind the mark, and so what generated code appends, is JSON with these differences:
//
//   - [AppendBytes] writes [BytesMark], the length and the bytes.
//   - [AppendUint] writes [UintMark] before a number that no int64 can hold.
//   - [AppendFloat64] and [AppendFloat32] write a number that has a fraction or an exponent, 1.0
//     rather than 1, so that every float can be told from an integer, and one that reads back as a
//     float64 of exactly the value.
//
// The mark itself is not a part of the text.
func Annotate(dst []byte) []byte { return binary.LittleEndian.AppendUint64(dst, annotation) }

// Annotated reports whether a buffer began with [Annotate]. Functions that append to a buffer of
// their own first ask it, to begin that in the same way.
func Annotated(dst []byte) bool {
	return len(dst) >= 8 && binary.LittleEndian.Uint64(dst) == annotation
}

// integral cuts the fraction off a number that has nothing but .0, as floats without one are
// written in annotated texts.
func integral(text []byte) []byte {
	if n := len(text); n > 2 && text[n-1] == '0' && text[n-2] == '.' {
		return text[:n-2]
	}
	return text
}
