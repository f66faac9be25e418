package unstructured

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/askind/askind/wire/jsonwire"
)

// Type is the type of a [Value].
type Type uint8

// The types. A number is an int64 if it is written without a point and an exponent and fits, a
// uint64 if it is a positive integer that only that type holds, and a float64 otherwise.
const (
	TypeNull Type = iota
	TypeBool
	TypeInt64
	TypeUint64
	TypeFloat64
	TypeString
	TypeArray
	TypeObject
)

// String returns the type with its article, for messages: "an object".
func (t Type) String() string {
	switch t {
	case TypeNull:
		return "null"
	case TypeBool:
		return "a boolean"
	case TypeInt64, TypeUint64:
		return "an integer"
	case TypeFloat64:
		return "a number"
	case TypeString:
		return "a string"
	case TypeArray:
		return "an array"
	case TypeObject:
		return "an object"
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// Value is one value inside an object: null, a boolean, a number, a string, an array or an
// object. The zero Value is null.
//
// A Value is two words that refer to its object. It can always be used, but its content is
// undefined after the object has been modified. To keep it, store it in another object with Set,
// which copies.
type Value struct{ view }

// Type returns the type.
func (v Value) Type() Type { return v.typ() }

// Any returns the value as nil, bool, int64, uint64, float64, string, []any or map[string]any. The
// result shares only strings with v.
func (v Value) Any() any { return v.any() }

// Equal reports whether two values are equal. Numbers are equal if their JSON is the same, as for 1
// and 1.0; the order of members is ignored. So a value is equal to the value decoded from its JSON.
func (v Value) Equal(other Value) bool { return equal(v.view, other.view) }

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) { return appendView(nil, v.view), nil }

// Format implements fmt.Formatter: all verbs write the value as JSON.
func (v Value) Format(s fmt.State, _ rune) { write(s, v.view) }

// write writes a value as JSON. A fmt.State does not return errors.
func write(s fmt.State, v view) { _, _ = s.Write(appendView(nil, v)) }

// appendView appends a value as compact JSON.
func appendView(dst []byte, v view) []byte {
	switch v.typ() {
	case TypeString:
		return jsonwire.AppendString(dst, v.text())
	case TypeObject:
		start := len(dst)
		return jsonwire.CloseObject(appendMembers(dst, v), start)
	case TypeArray:
		dst = append(dst, '[')
		for i, e := range v.elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendView(dst, e)
		}
		return append(dst, ']')
	case TypeInt64:
		return jsonwire.AppendInt(dst, int64(v.n))
	case TypeBool:
		return jsonwire.AppendBool(dst, v.n != 0)
	case TypeUint64:
		return strconv.AppendUint(dst, v.n, 10)
	case TypeFloat64:
		dst, _ = jsonwire.AppendFloat64(dst, math.Float64frombits(v.n)) // trees contain neither NaN nor infinities
		return dst
	}
	return append(dst, "null"...)
}

// appendMembers appends the members of an object, each as ,"name":value.
func appendMembers(dst []byte, v view) []byte {
	for _, m := range v.members() {
		dst = appendView(append(dst, m.key.lit...), m.v)
	}
	return dst
}

// any returns a value as untyped Go values.
func (v view) any() any {
	switch v.typ() {
	case TypeBool:
		return v.n != 0
	case TypeInt64:
		return int64(v.n)
	case TypeUint64:
		return v.n
	case TypeFloat64:
		return math.Float64frombits(v.n)
	case TypeString:
		return v.text()
	case TypeArray:
		out := make([]any, 0, len(v.elements()))
		for _, e := range v.elements() {
			out = append(out, e.any())
		}
		return out
	case TypeObject:
		out := make(map[string]any, len(v.members()))
		for _, m := range v.members() {
			out[m.key.text] = m.v.any()
		}
		return out
	}
	return nil
}

// equal compares two values. Members are sorted, so objects are compared member by member.
func equal(a, b view) bool {
	t, u := a.typ(), b.typ()
	if t != u {
		return isNumber(t) && isNumber(u) && sameNumber(a, b)
	}
	switch t {
	case TypeString:
		return a.text() == b.text()
	case TypeArray:
		return slices.EqualFunc(a.elements(), b.elements(), equal)
	case TypeObject:
		return slices.EqualFunc(a.members(), b.members(), func(x, y member) bool {
			return (x.key == y.key || x.key.text == y.key.text) && equal(x.v, y.v)
		})
	case TypeFloat64:
		return math.Float64frombits(a.n) == math.Float64frombits(b.n)
	}
	return a.n == b.n
}

func isNumber(t Type) bool { return t == TypeInt64 || t == TypeUint64 || t == TypeFloat64 }

// sameNumber compares numbers of different types by their JSON: 1 equals 1.0, but above 2⁵³ a
// float64 is written with fewer digits than its value has. An int64 and a uint64 are never equal,
// because a number that fits is an int64.
func sameNumber(a, b view) bool {
	if a.typ() == TypeFloat64 {
		a, b = b, a
	}
	if b.typ() != TypeFloat64 {
		return false
	}
	f := math.Float64frombits(b.n)
	if math.Abs(f) < 1<<53 {
		return a.typ() == TypeInt64 && float64(int64(a.n)) == f
	}
	var x, y [32]byte
	return bytes.Equal(appendView(x[:0], a), appendView(y[:0], b))
}

// integral returns f as an int64 if it is a whole number in its range.
func integral(f float64) (int64, bool) {
	if f == math.Trunc(f) && f >= -1<<63 && f < 1<<63 {
		return int64(f), true
	}
	return 0, false
}

// membersSeq yields the members of an object in order.
func membersSeq(v view) iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.typ() != TypeObject {
			return
		}
		for _, m := range v.members() {
			if !yield(m.key.text, Value{m.v}) {
				return
			}
		}
	}
}

// elementsSeq yields the elements of an array with their indexes.
func elementsSeq(v view) iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.typ() != TypeArray {
			return
		}
		for i, e := range v.elements() {
			if !yield(i, Value{e}) {
				return
			}
		}
	}
}
