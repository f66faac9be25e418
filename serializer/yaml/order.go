package yaml

import (
	"bytes"
	"cmp"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/askind/askind/serializer/internal/arrange"
)

// compareKeys orders the keys of an object in the natural order that the Kubernetes YAML output
// uses: letters by code point, everything else before letters, and runs of digits by their value,
// so that item2 comes before item10.
func compareKeys(a, b []byte) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	if isLetter(a[i]) && isLetter(b[i]) {
		return int(a[i]) - int(b[i])
	}
	for i > 0 && !utf8.RuneStart(a[i]) {
		i--
	}
	switch {
	case keyLess(a, b, i):
		return -1
	case keyLess(b, a, i):
		return 1
	}
	return bytes.Compare(a, b)
}

// Compare implements [arrange.Keys] for offsets of names in the text. It orders them as compareKeys
// does. Nearly all differ in a letter among their first eight bytes.
func (e *emitter) Compare(a, b arrange.Member) int {
	i := uint(bits.LeadingZeros64(a.Rank^b.Rank)) &^ 7
	if p, q := byte(a.Rank<<i>>56), byte(b.Rank<<i>>56); isLetter(p) && isLetter(q) {
		return int(p) - int(q)
	}
	return compareKeys(e.nameAt(a.Key, &e.names[0]), e.nameAt(b.Key, &e.names[1]))
}

// byText compares names by their bytes. The order that the output uses can have circles, such as
// v10, v1b, v2, so equal names need not be neighbors in it.
type byText struct{ *emitter }

// Compare implements [arrange.Keys] for offsets of names in the text.
func (e byText) Compare(a, b arrange.Member) int {
	if a.Rank != b.Rank {
		return cmp.Compare(a.Rank, b.Rank)
	}
	return bytes.Compare(e.nameAt(a.Key, &e.names[0]), e.nameAt(b.Key, &e.names[1]))
}

func isLetter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// keyLess compares two keys that are equal up to i, where the first different character starts.
func keyLess(a, b []byte, i int) bool {
	ra, _ := utf8.DecodeRune(a[i:])
	rb, _ := utf8.DecodeRune(b[i:])
	la, lb := unicode.IsLetter(ra), unicode.IsLetter(rb)
	if la && lb {
		return ra < rb
	}
	if la || lb {
		return lb
	}
	// A zero inside a number is a digit like others; a leading zero is ignored. A leading 1 on both
	// sides makes it count.
	var lead int64
	if (ra == '0' || rb == '0') && insideNumber(a[:i]) {
		lead = 1
	}
	na, ca := number(a[i:], lead)
	nb, cb := number(b[i:], lead)
	switch {
	case na != nb:
		return na < nb
	case ca != cb:
		return ca < cb
	}
	return ra < rb
}

// insideNumber reports whether text ends in digits that are not all zero.
func insideNumber(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeLastRune(text)
		if !unicode.IsDigit(r) {
			return false
		}
		if r != '0' {
			return true
		}
		text = text[:len(text)-size]
	}
	return false
}

// number returns the value of the digits at the start of text, continuing from n, and how many
// there are.
func number(text []byte, n int64) (value int64, count int) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if !unicode.IsDigit(r) {
			break
		}
		n = n*10 + int64(r-'0')
		count++
		text = text[size:]
	}
	return n, count
}
