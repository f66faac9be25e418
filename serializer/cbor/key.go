package cbor

import (
	"bytes"
	"cmp"

	"github.com/askind/askind/serializer/internal/arrange"
)

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
