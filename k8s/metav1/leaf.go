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

// The times, durations and field sets of both libraries are the same structs, so a pointer to one
// converts to a pointer to the other, checked by the compiler.

// AppendJSONTime appends the time as a JSON string, or null for the zero time.
func AppendJSONTime(dst []byte, in *kmetav1.Time) ([]byte, error) {
	return v1.AppendJSONTime(dst, (*v1.Time)(in))
}

// DecodeJSONTime reads a time of RFC 3339; null is the zero time.
func DecodeJSONTime(r *jsonwire.Reader, out *kmetav1.Time) { v1.DecodeJSONTime(r, (*v1.Time)(out)) }

// AppendJSONMicroTime appends the time with six digits after the second, or null for the zero time.
func AppendJSONMicroTime(dst []byte, in *kmetav1.MicroTime) ([]byte, error) {
	return v1.AppendJSONMicroTime(dst, (*v1.MicroTime)(in))
}

// DecodeJSONMicroTime reads a time of RFC 3339 with microseconds; null is the zero time.
func DecodeJSONMicroTime(r *jsonwire.Reader, out *kmetav1.MicroTime) {
	v1.DecodeJSONMicroTime(r, (*v1.MicroTime)(out))
}

// AppendJSONDuration appends the duration as the string that time.Duration prints.
func AppendJSONDuration(dst []byte, in *kmetav1.Duration) ([]byte, error) {
	return v1.AppendJSONDuration(dst, (*v1.Duration)(in))
}

// DecodeJSONDuration reads what time.ParseDuration takes.
func DecodeJSONDuration(r *jsonwire.Reader, out *kmetav1.Duration) {
	v1.DecodeJSONDuration(r, (*v1.Duration)(out))
}

// AppendJSONFieldsV1 appends the set as it was read.
func AppendJSONFieldsV1(dst []byte, in *kmetav1.FieldsV1) ([]byte, error) {
	return v1.AppendJSONFieldsV1(dst, (*v1.FieldsV1)(in))
}

// DecodeJSONFieldsV1 keeps the next value as it is written; null leaves out as it was.
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

// appendQuantity appends what String returns. That method keeps its result in the receiver, which
// others may be reading, and allocates. So it is called on a copy, and only if the quantity may
// have a text already, which then costs nothing; the numbers of all others are written as ours,
// which have the same text.
func appendQuantity(dst []byte, in *resource.Quantity) []byte {
	if ours, ok := textless(in); ok {
		dst, _ = ours.AppendText(dst) // never fails
		return dst
	}
	q := *in
	return append(dst, q.String()...)
}

// textless returns the quantity as one of ours if it is known to have no text of its own: if it is
// what its number alone would make it. Quantities of other scales than the two most common ones are
// not recognized.
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

// DecodeJSONIntOrString reads a number of 32 bits or a string; null is the number 0, and what the
// other form held stays.
func DecodeJSONIntOrString(r *jsonwire.Reader, out *intstr.IntOrString) {
	if r.Kind() == '"' {
		out.Type = intstr.String
		out.StrVal = r.String("")
		return
	}
	out.Type = intstr.Int
	out.IntVal = r.Int32(out.IntVal)
}

// AppendJSONRawExtension appends the embedded object: as it was read, or by encoding/json where
// only the decoded form is there.
func AppendJSONRawExtension(dst []byte, in *runtime.RawExtension) ([]byte, error) {
	if in.Raw == nil && in.Object != nil {
		data, err := json.Marshal(in.Object)
		return append(dst, data...), err
	}
	if len(in.Raw) > 0 && in.Raw[0] >= 0x80 {
		// Other wire formats, such as CBOR, are turned into JSON by the type itself.
		return jsonwire.AppendMarshaler(dst, in)
	}
	return jsonwire.AppendRaw(dst, in.Raw)
}

// DecodeJSONRawExtension keeps the next value as it is written; null leaves out as it was.
func DecodeJSONRawExtension(r *jsonwire.Reader, out *runtime.RawExtension) {
	if raw := r.RawObject(); raw != nil {
		out.Raw = raw
	}
}
