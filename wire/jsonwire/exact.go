package jsonwire

import (
	"strconv"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// ExactInteger returns the digits, with their sign, of a decimal integer beyond 64 bits if a
// float64 would lose some of them, and nil for every other text. Digits that the float64 is written
// with are not lost. Underscores between the digits, as YAML allows, are removed.
func ExactInteger(text []byte) []byte {
	digits := text
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if len(digits) < 19 || digits[0] < '1' || digits[0] > '9' {
		return nil
	}
	plain := make([]byte, 0, len(text))
	if text[0] == '-' {
		plain = append(plain, '-')
	}
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			plain = append(plain, c)
		case c != '_':
			return nil
		}
	}
	if kind, _ := untypedBits(plain, true); kind == 'i' || kind == 'u' {
		return nil
	}
	v, err := strconv.ParseFloat(string(plain), 64)
	if err != nil || strconv.FormatFloat(v, 'f', 0, 64) == string(plain) ||
		strconv.FormatFloat(v, 'f', -1, 64) == string(plain) {
		return nil
	}
	return plain
}

// records, in strict mode, that the integer just read changes its value.
func (r *Reader) inexact(text []byte, v float64) {
	if !r.strict || len(text) < 19 || ExactInteger(text) == nil || r.full(wire.AmbiguousValue) {
		return
	}
	r.record(Problem{
		Code: wire.AmbiguousValue, Offset: r.start, End: r.pos,
		Message: "the integer " + schema.Shorten(string(text), shown) + " has more than 64 bits and is read as " +
			strconv.FormatFloat(v, 'g', -1, 64) + "; quote it to keep its digits",
	})
}
