package tree

import (
	"math"
	"strconv"
	"strings"
)

// Equal reports whether two nodes have the same value: it compares numbers by their value, strings
// by their characters, and objects regardless of the order of their members. It may open both.
func Equal(a, b *Node) bool { return equal(a, b, math.MaxInt) }

// short is the size of texts that are always compared, since opening them takes longer.
const short = 16 << 10

// equal is Equal for values whose texts are compared if they have at most so many bytes. The texts
// of what they are in differ, so that a child that is most of it is opened instead: otherwise the
// time for values that are nested deeply would grow with the square of their size.
func equal(a, b *Node, most int) bool {
	texts := !a.touched && !b.touched && a.text != ""
	switch {
	case a.Kind != b.Kind:
		return false
	case texts && (a.Kind < Array || len(a.text) <= most) && a.text == b.text:
		return true
	}
	most = math.MaxInt
	if texts {
		most = max(len(a.text)/2, short)
	}
	switch a.Kind {
	case Number:
		return EqualNumbers(a.text, b.text)
	case String:
		return a.Str() == b.Str()
	case Array:
		a.Open()
		b.Open()
		if len(a.Kids) != len(b.Kids) {
			return false
		}
		for i := range a.Kids {
			if !equal(&a.Kids[i], &b.Kids[i], most) {
				return false
			}
		}
		return true
	case Object:
		a.Open()
		b.Open()
		return equalMembers(a, b, most)
	}
	return true
}

func equalMembers(a, b *Node, most int) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Kids {
		k := &a.Kids[i]
		if k.Kind == Absent {
			continue
		}
		// Objects with the same members mostly have them in the same order.
		if i < len(b.Kids) && b.Kids[i].Name == k.Name && b.Kids[i].Kind != Absent {
			if !equal(k, &b.Kids[i], most) {
				return false
			}
			continue
		}
		j := b.Find(k.Name)
		if j < 0 || !equal(k, &b.Kids[j], most) {
			return false
		}
	}
	return true
}

// EqualNumbers reports whether two JSON numbers, such as 1, 1.0 and 10e-1, have the same value. It
// is exact for any size.
func EqualNumbers(a, b string) bool {
	if a == b {
		return true
	}
	aNeg, aDigits, aExp := decimal(a)
	bNeg, bDigits, bExp := decimal(b)
	return aDigits == bDigits && (aDigits == "" || aNeg == bNeg && aExp == bExp)
}

// decimal returns a number as digits without zeros at either end, times a power of ten. Zero has no
// digits.
func decimal(text string) (negative bool, digits string, exponent int64) {
	text, negative = strings.CutPrefix(text, "-")
	mantissa, power := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, power = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	exponent = -int64(len(fraction))
	all := len(digits)
	digits = strings.TrimRight(digits, "0")
	exponent += int64(all - len(digits))
	if power != "" {
		// An exponent out of range becomes the largest one, so that such a number is equal only to
		// others out of range.
		p, _ := strconv.ParseInt(power, 10, 48)
		exponent += p
	}
	return negative, digits, exponent
}

// Key returns a text that two scalars share if and only if they are equal. It is blank for objects
// and arrays.
func (n *Node) Key() string {
	switch {
	case n.Kind >= Array:
		return ""
	case n.Kind == String:
		if n.text != "" && strings.IndexByte(n.text, '\\') < 0 {
			return n.text
		}
		return `"` + n.Str() + `"`
	case n.Kind == Number && (len(n.text) > 64 || strings.ContainsAny(n.text, ".eE")):
		negative, digits, exponent := decimal(n.text)
		switch {
		case digits == "":
			return "0"
		case exponent >= 0 && exponent < 64:
			digits += strings.Repeat("0", int(exponent))
		default:
			digits += "e" + strconv.FormatInt(exponent, 10)
		}
		if negative {
			return "-" + digits
		}
		return digits
	case n.Kind == Number && n.text == "-0":
		return "0"
	}
	return n.text
}
