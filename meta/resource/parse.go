package resource

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Causes of a [ParseError]; test for them with errors.Is.
var (
	// ErrSyntax reports that the text does not begin with a number.
	ErrSyntax = errors.New("a quantity is a number with an optional suffix, such as 1.5, 500m, 2Gi or 1e3")
	// ErrSuffix reports that the text after the number is not a suffix.
	ErrSuffix = errors.New("the suffix must be one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or e with an exponent")
	// ErrRange reports that the text exceeds the limits in the package comment.
	ErrRange = errors.New("the quantity is out of range")
)

// ParseError reports that a text is not a quantity. Find it with errors.AsType[*ParseError].
type ParseError struct {
	_ struct{} // literals name their fields

	// Text is the input, shortened if it is long.
	Text string
	// Err is ErrSyntax, ErrSuffix or ErrRange.
	Err error
}

// Error implements error.
func (e *ParseError) Error() string {
	text := "resource: invalid quantity " + strconv.Quote(e.Text)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

const (
	maxText     = 1024
	maxExponent = 1024
	nano        = -9

	// smallDigits is the number of decimal digits that always fit in an int64.
	smallDigits = 18
)

// Parse returns the quantity in s. The error is a [*ParseError].
func Parse(s string) (Quantity, error) { return parse(s) }

// MustParse is [Parse] for constants in source code, such as in tests and tables. It panics if the
// text is not a quantity, so do not use it for untrusted input.
func MustParse(s string) Quantity {
	q, err := parse(s)
	if err != nil {
		panic("resource: MustParse: " + err.Error())
	}
	return q
}

func parse[T string | []byte](s T) (Quantity, error) {
	q, err := parseText(s)
	if err == nil {
		return q, nil
	}
	shown := s
	if len(shown) > 64 {
		shown = shown[:64]
	}
	return Quantity{}, &ParseError{Text: string(shown), Err: err}
}

// number is a parsed text: whole and fraction digits, neither with a sign, and the suffix.
type number struct {
	negative bool
	// odd is set for a spelling that the canonical form never has: a plus sign, a leading zero or a
	// point.
	odd bool

	// The digits are text[whole:point] and text[fraction:suffix]; the suffix is the rest.
	whole, point, fraction, suffix int

	// zeros is set if the whole part has no digits other than zero.
	zeros bool
}

// split finds the parts of s. It reports false if s does not begin with a number.
func split[T string | []byte](s T) (n number, ok bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		n.negative, n.odd = s[i] == '-', s[i] == '+'
		i++
	}
	first := i
	for i < len(s) && s[i] == '0' {
		i++
	}
	n.whole = i
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	n.point, n.fraction, n.suffix = i, i, i
	n.zeros = n.point == n.whole
	n.odd = n.odd || n.whole > first
	found := i > first
	if i < len(s) && s[i] == '.' {
		n.odd = true
		i++
		n.fraction = i
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		n.suffix = i
		found = found || i > n.fraction
	}
	return n, found
}

func parseText[T string | []byte](s T) (Quantity, error) {
	if len(s) > maxText {
		return Quantity{}, ErrRange
	}
	n, ok := split(s)
	if !ok {
		return Quantity{}, ErrSyntax
	}
	places := n.suffix - n.fraction
	// For the rules of preserved texts, a number without whole part has the digit 0.
	digits := max(n.point-n.whole, 1) + places

	exponent, shift, format, err := parseSuffix(s[n.suffix:])
	if err != nil {
		return Quantity{}, err
	}
	scale := exponent - places

	if digits <= smallDigits && scale >= nano {
		var v int64
		for i := n.whole; i < n.point; i++ {
			v = v*10 + int64(s[i]-'0')
		}
		for i := n.fraction; i < n.suffix; i++ {
			v = v*10 + int64(s[i]-'0')
		}
		if bits.Len64(uint64(v))+shift < 64 {
			q := Quantity{small: v << shift, scale: int32(scale), format: format}
			if format == BinarySI && v != 0 && q.small < powers[max(0, -scale)] {
				q.format = DecimalSI // less than one
			}
			if n.negative {
				q.small = -q.small
			}
			if keepsText(s, n, v, digits, scale, shift, format) {
				keep(&q, s, n.odd)
			}
			return q.normal(), nil
		}
	}
	q := parseWide(s, n, scale, shift, format)
	const longest = len("00") + len("e1023") // what the canonical form can have more than s
	if len(s)+longest > maxText && len(q.appendCanonical(nil)) > maxText {
		return Quantity{}, ErrRange // it could not be read again
	}
	return q, nil
}

// keepsText reports whether the Kubernetes wire format preserves the parsed text instead of writing
// the canonical form. Mostly the two are equal. The conditions are historical; clients rely on
// them.
func keepsText[T string | []byte](s T, n number, v int64, digits, scale, shift int, format Format) bool {
	if format == BinarySI {
		return n.fraction == n.suffix && digits <= 14-shift*3/10 && v&7 != 0
	}
	if scale%3 != 0 || n.zeros {
		return false
	}
	// Three trailing zeros could go into the suffix. They may be spread over both sides of the
	// point.
	zeros := 0
	for i := n.suffix - 1; i >= n.whole && (s[i] == '0' || s[i] == '.'); i-- {
		if s[i] == '0' {
			zeros++
		}
	}
	return zeros < 3
}

// parseWide parses numbers that do not fit in 64 bits or have to be rounded.
func parseWide[T string | []byte](s T, n number, scale, shift int, format Format) Quantity {
	text := append(make([]byte, 0, len(s)+1), '0')
	text = append(text, s[n.whole:n.point]...)
	text = append(text, s[n.fraction:n.suffix]...)
	v, _ := new(big.Int).SetString(string(text), 10)
	v.Lsh(v, uint(shift))
	if scale < nano {
		v, _ = shrink(v, nano-scale)
		scale = nano
	}
	if v.Sign() == 0 {
		return Quantity{format: format}
	}
	if format == BinarySI {
		one := pow10(-scale)
		if v.Cmp(one) < 0 {
			format = DecimalSI
		} else if largest := one.Mul(one, big.NewInt(math.MaxInt64)); v.Cmp(largest) > 0 {
			v, scale = big.NewInt(math.MaxInt64), 0
		}
	}
	if n.negative {
		v.Neg(v)
	}
	return wideQuantity(v, int32(scale), format)
}

// parseSuffix returns the power of ten or the number of binary places that the suffix represents.
func parseSuffix[T string | []byte](s T) (exponent, shift int, format Format, err error) {
	switch len(s) {
	case 0:
		return 0, 0, DecimalSI, nil
	case 1:
		for i := range decimalSuffixes {
			if decimalSuffixes[i] == s[0] && s[0] != ' ' {
				return nano + 3*i, 0, DecimalSI, nil
			}
		}
		return 0, 0, 0, ErrSuffix
	case 2:
		if s[1] == 'i' {
			for i := range binarySuffixes {
				if binarySuffixes[i] == s[0] {
					return 0, 10 * (i + 1), BinarySI, nil
				}
			}
			return 0, 0, 0, ErrSuffix
		}
	}
	if s[0] != 'e' && s[0] != 'E' {
		return 0, 0, 0, ErrSuffix
	}
	negative := s[1] == '-'
	i := 1
	if negative || s[1] == '+' {
		i = 2
	}
	if i == len(s) {
		return 0, 0, 0, ErrSuffix
	}
	for ; i < len(s); i++ {
		if s[i]-'0' > 9 {
			return 0, 0, 0, ErrSuffix
		}
		exponent = min(exponent*10+int(s[i]-'0'), maxExponent+1)
	}
	if exponent > maxExponent {
		return 0, 0, 0, ErrRange
	}
	if negative {
		exponent = -exponent
	}
	return exponent, 0, DecimalExponent, nil
}

// keep stores s as the text of the quantity, unless it equals the canonical form.
func keep[T string | []byte](q *Quantity, s T, odd bool) {
	if !odd && q.format != DecimalExponent {
		return
	}
	var buf [32]byte
	if canonical := q.appendCanonical(buf[:0]); string(canonical) != string(s) {
		q.text = string(s)
	}
}
