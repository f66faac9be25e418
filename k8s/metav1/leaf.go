package metav1

import (
	"encoding/json"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	askindresource "github.com/askind/askind/meta/resource"
	"github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/jsonwire"
)

// The times, durations and field sets of both libraries are the same structs, so pointers to them
// can be converted, as checked by the compiler.

// AppendJSONTime appends the time as a JSON string, or null for the zero time.
func AppendJSONTime(dst []byte, in *kmetav1.Time) ([]byte, error) {
	return v1.AppendJSONTime(dst, (*v1.Time)(in))
}

// DecodeJSONTime reads an RFC 3339 time; null is the zero time.
func DecodeJSONTime(r *jsonwire.Reader, out *kmetav1.Time) { v1.DecodeJSONTime(r, (*v1.Time)(out)) }

// AppendJSONMicroTime appends the time with six fractional digits, or null for the zero time.
func AppendJSONMicroTime(dst []byte, in *kmetav1.MicroTime) ([]byte, error) {
	return v1.AppendJSONMicroTime(dst, (*v1.MicroTime)(in))
}

// DecodeJSONMicroTime reads an RFC 3339 time with microseconds; null is the zero time.
func DecodeJSONMicroTime(r *jsonwire.Reader, out *kmetav1.MicroTime) {
	v1.DecodeJSONMicroTime(r, (*v1.MicroTime)(out))
}

// AppendJSONDuration appends the duration as a string in the form of time.Duration.
func AppendJSONDuration(dst []byte, in *kmetav1.Duration) ([]byte, error) {
	return v1.AppendJSONDuration(dst, (*v1.Duration)(in))
}

// DecodeJSONDuration reads a string that time.ParseDuration accepts.
func DecodeJSONDuration(r *jsonwire.Reader, out *kmetav1.Duration) {
	v1.DecodeJSONDuration(r, (*v1.Duration)(out))
}

// AppendJSONFieldsV1 appends the set unchanged.
func AppendJSONFieldsV1(dst []byte, in *kmetav1.FieldsV1) ([]byte, error) {
	return v1.AppendJSONFieldsV1(dst, (*v1.FieldsV1)(in))
}

// DecodeJSONFieldsV1 keeps the next value as written; null leaves out unchanged.
func DecodeJSONFieldsV1(r *jsonwire.Reader, out *kmetav1.FieldsV1) {
	v1.DecodeJSONFieldsV1(r, (*v1.FieldsV1)(out))
}

// AppendJSONQuantity appends the quantity as a JSON string. A text that was read and not changed
// since is written as it was.
func AppendJSONQuantity(dst []byte, in *resource.Quantity) ([]byte, error) {
	dst = append(dst, '"')
	dst = appendQuantity(dst, in)
	return append(dst, '"'), nil
}

// appendQuantity appends the result of String. That method stores its result in the receiver,
// which may be in use concurrently, and allocates. So it is called on a copy, and only if the
// quantity may already have a text, which makes the call cheap. Other numbers are written with our
// package, which produces the same text.
func appendQuantity(dst []byte, in *resource.Quantity) []byte {
	if ours, ok := textless(in); ok {
		dst, _ = ours.AppendText(dst) // never fails
		return dst
	}
	q := *in
	return append(dst, q.String()...)
}

// textless converts the quantity to one of our package if it certainly has no text of its own. It
// recognizes only the two most common scales.
func textless(in *resource.Quantity) (ours askindresource.Quantity, ok bool) {
	var format askindresource.Format
	switch in.Format {
	case resource.DecimalSI:
		format = askindresource.DecimalSI
	case resource.BinarySI:
		format = askindresource.BinarySI
	default: // no format at all counts as this one
		format = askindresource.DecimalExponent
	}
	if n, ok := in.AsInt64(); ok {
		return askindresource.NewQuantity(n, format), *in == *resource.NewQuantity(n, in.Format)
	}
	milli := in.MilliValue()
	return askindresource.NewMilliQuantity(milli, format), *in == *resource.NewMilliQuantity(milli, in.Format)
}

// DecodeJSONQuantity reads a string or a number; null is zero.
func DecodeJSONQuantity(r *jsonwire.Reader, out *resource.Quantity) {
	if r.Null() {
		*out = resource.Quantity{Format: out.Format}
		return
	}
	text := r.TextOrNumber()
	if text == nil {
		return
	}
	q, err := resource.ParseQuantity(strings.TrimSpace(r.KeyString(text)))
	if err != nil {
		r.Invalid(err)
		return
	}
	*out = q
}

// AppendJSONIntOrString appends a number or a string.
func AppendJSONIntOrString(dst []byte, in *intstr.IntOrString) ([]byte, error) {
	switch in.Type {
	case intstr.Int:
		return jsonwire.AppendInt(dst, int64(in.IntVal)), nil
	case intstr.String:
		return jsonwire.AppendString(dst, in.StrVal), nil
	}
	return dst, errors.New("the type is neither Int nor String")
}

// DecodeJSONIntOrString reads a 32-bit number or a string; null is the number 0. The unused field
// of out is not changed.
func DecodeJSONIntOrString(r *jsonwire.Reader, out *intstr.IntOrString) {
	if r.Kind() == '"' {
		out.Type = intstr.String
		out.StrVal = r.String("")
		return
	}
	out.Type = intstr.Int
	out.IntVal = r.Int32(out.IntVal)
}

// AppendJSONRawExtension appends the embedded object: unchanged, or encoded by encoding/json if
// only the decoded form is set.
func AppendJSONRawExtension(dst []byte, in *runtime.RawExtension) ([]byte, error) {
	if in.Raw == nil && in.Object != nil {
		data, err := json.Marshal(in.Object)
		return append(dst, data...), err
	}
	if len(in.Raw) > 0 && in.Raw[0] >= 0x80 {
		// The type itself converts other wire formats, such as CBOR, to JSON.
		return jsonwire.AppendMarshaler(dst, in)
	}
	return jsonwire.AppendRaw(dst, in.Raw)
}

// DecodeJSONRawExtension keeps the next value as written; null leaves out unchanged.
func DecodeJSONRawExtension(r *jsonwire.Reader, out *runtime.RawExtension) {
	if raw := r.RawObject(); raw != nil {
		out.Raw = raw
	}
}
