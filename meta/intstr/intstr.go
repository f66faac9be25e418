// Package intstr holds [IntOrString], a field that takes a number or a string: a port by number or
// by name, a count or a percentage of a whole.
//
//	maxUnavailable: 3
//	maxUnavailable: 25%
//
// In JSON it is a number or a string, whichever it holds. Package meta/resource holds quantities,
// the other number with a text form.
//
// +askind:protobuf
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.util.intstr
package intstr

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/askind/askind/meta/internal/leaf"
	"github.com/askind/askind/wire/jsonwire"
)

// Type says which of its two values an [IntOrString] holds.
type Type int64

const (
	// Int is the number, IntVal.
	Int Type = iota
	// String is the string, StrVal.
	String
)

// IntOrString holds a number or a string. The zero value is the number 0.
type IntOrString struct {
	Type   Type   `protobuf:"varint,1,opt,name=type"`
	IntVal int32  `protobuf:"varint,2,opt,name=intVal"`
	StrVal string `protobuf:"bytes,3,opt,name=strVal"`
}

// FromInt32 returns a number.
func FromInt32(v int32) IntOrString { return IntOrString{Type: Int, IntVal: v} }

// FromString returns a string.
func FromString(s string) IntOrString { return IntOrString{Type: String, StrVal: s} }

// Parse returns a number if s is a 32-bit integer, else a string.
func Parse(s string) IntOrString {
	if v, err := strconv.ParseInt(s, 10, 32); err == nil {
		return FromInt32(int32(v))
	}
	return FromString(s)
}

// String returns the value as text.
func (v IntOrString) String() string {
	if v.Type == String {
		return v.StrVal
	}
	return strconv.Itoa(int(v.IntVal))
}

// ErrNoPercentage reports that a string was not a whole number followed by a percent sign.
var ErrNoPercentage = errors.New("a string must be a percentage, such as 25%")

// Of returns the number itself, or the percentage of total that the string states. A fraction is
// rounded up or down, towards the infinities, according to roundUp. The error is ErrNoPercentage,
// or reports that the numbers are too large: |total| must be below 2^32 for percentages.
func (v IntOrString) Of(total int, roundUp bool) (int, error) {
	if v.Type != String {
		return int(v.IntVal), nil
	}
	digits, ok := strings.CutSuffix(v.StrVal, "%")
	percent, err := strconv.ParseInt(digits, 10, 32)
	if !ok || err != nil {
		return 0, fmt.Errorf("intstr: value %q: %w", v.StrVal, ErrNoPercentage)
	}
	// With percentages and bound of 32 bits, the product fits in 64 bits.
	const limit = math.MaxInt64 >> 31
	if int64(total) > limit || int64(total) < -limit {
		return 0, fmt.Errorf("intstr: a whole of %d is too large for percentages", total)
	}
	product := percent * int64(total)
	share, rest := product/100, product%100
	switch {
	case roundUp && rest > 0:
		share++
	case !roundUp && rest < 0:
		share--
	}
	if int64(int(share)) != share {
		return 0, fmt.Errorf("intstr: %s of %d is out of range", v.StrVal, total)
	}
	return int(share), nil
}

// MarshalJSON implements json.Marshaler.
func (v IntOrString) MarshalJSON() ([]byte, error) { return AppendJSONIntOrString(nil, &v) }

// UnmarshalJSON implements json.Unmarshaler. Null leaves the value unchanged.
func (v *IntOrString) UnmarshalJSON(data []byte) error {
	return leaf.Unmarshal(data, v, DecodeJSONIntOrString)
}

// DeepCopyIntoIntOrString makes out a copy of in.
func DeepCopyIntoIntOrString(in, out *IntOrString) { *out = *in }

// AppendJSONIntOrString appends a number or a string. A Type that is neither is an error.
func AppendJSONIntOrString(dst []byte, in *IntOrString) ([]byte, error) {
	switch in.Type {
	case Int:
		return jsonwire.AppendInt(dst, int64(in.IntVal)), nil
	case String:
		return jsonwire.AppendString(dst, in.StrVal), nil
	}
	return dst, typeError(in.Type)
}

// typeError is the error for a Type that is neither of the two.
func typeError(v Type) error { return fmt.Errorf("intstr: type %d is neither Int nor String", v) }

// DecodeJSONIntOrString reads a 32-bit number or a string; null leaves out unchanged.
func DecodeJSONIntOrString(r *jsonwire.Reader, out *IntOrString) {
	kind := r.Kind()
	switch kind {
	case 'n':
		r.Null()
	case '"':
		*out = FromString(r.String(""))
	case '0':
		text := r.Number()
		n, err := strconv.ParseInt(string(text), 10, 32)
		switch found := string(text[:min(len(text), maxNumber)]); {
		case text == nil: // recorded already
		case err == nil:
			*out = FromInt32(int32(n))
		case errors.Is(err, strconv.ErrRange):
			r.Invalid(errors.New("number " + found + " is out of range for int32"))
		default:
			r.WrongType("expected integer or string, found " + found)
		}
	default:
		r.Skip() // records a malformed value
		if name := typeNames[kind]; name != "" {
			r.WrongType("expected integer or string, found " + name)
		}
	}
}

// maxNumber bounds the length of a number in a message.
const maxNumber = 64

var typeNames = map[byte]string{'{': "object", '[': "array", 't': "boolean"}
