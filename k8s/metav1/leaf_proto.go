package metav1

import (
	"errors"

	"k8s.io/apimachinery/pkg/api/resource"
	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/pbwire"
)

// The protobuf functions of the leaf values. Their types have protobuf methods too, which generated
// code would otherwise call. But these methods allocate, and some of them modify the value that
// they write.

// PrependProtoTime writes seconds, and no nanoseconds. The zero time has no fields.
func PrependProtoTime(w *pbwire.Writer, in *kmetav1.Time) { v1.PrependProtoTime(w, (*v1.Time)(in)) }

// DecodeProtoTime reads a time as local time, without fractions of a second.
func DecodeProtoTime(r *pbwire.Reader, out *kmetav1.Time) { v1.DecodeProtoTime(r, (*v1.Time)(out)) }

// PrependProtoMicroTime writes seconds, and microseconds as nanoseconds. The zero time has no
// fields.
func PrependProtoMicroTime(w *pbwire.Writer, in *kmetav1.MicroTime) {
	v1.PrependProtoMicroTime(w, (*v1.MicroTime)(in))
}

// DecodeProtoMicroTime reads a time as local time, truncated to microseconds.
func DecodeProtoMicroTime(r *pbwire.Reader, out *kmetav1.MicroTime) {
	v1.DecodeProtoMicroTime(r, (*v1.MicroTime)(out))
}

// PrependProtoFieldsV1 writes the set unchanged.
func PrependProtoFieldsV1(w *pbwire.Writer, in *kmetav1.FieldsV1) {
	v1.PrependProtoFieldsV1(w, (*v1.FieldsV1)(in))
}

// DecodeProtoFieldsV1 keeps the bytes.
func DecodeProtoFieldsV1(r *pbwire.Reader, out *kmetav1.FieldsV1) {
	v1.DecodeProtoFieldsV1(r, (*v1.FieldsV1)(out))
}

// PrependProtoQuantity writes the quantity as a string.
func PrependProtoQuantity(w *pbwire.Writer, in *resource.Quantity) {
	var buf [64]byte
	w.BytesField(1, appendQuantity(buf[:0], in))
}

// DecodeProtoQuantity reads a string.
func DecodeProtoQuantity(r *pbwire.Reader, out *resource.Quantity) {
	for r.Next() {
		if r.Field() != 1 {
			r.Unknown()
			continue
		}
		q, err := resource.ParseQuantity(r.String())
		if err != nil {
			r.Invalid(err)
			continue
		}
		*out = q
	}
}

// PrependProtoIntOrString writes the type and both values.
func PrependProtoIntOrString(w *pbwire.Writer, in *intstr.IntOrString) {
	w.String(3, in.StrVal)
	w.Int32(2, in.IntVal)
	w.Int64(1, int64(in.Type))
}

// DecodeProtoIntOrString reads the fields that are present.
func DecodeProtoIntOrString(r *pbwire.Reader, out *intstr.IntOrString) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Type = intstr.Type(r.Int64())
		case 2:
			out.IntVal = r.Int32()
		case 3:
			out.StrVal = r.String()
		default:
			r.Unknown()
		}
	}
}

// errNotEncoded is the error for an embedded object with only its decoded form.
var errNotEncoded = errors.New("the embedded object has not been encoded: Raw is nil, and Object is not")

// PrependProtoRawExtension writes the bytes of the embedded object. An object without bytes cannot
// be written, because its encoding depends on its kind.
func PrependProtoRawExtension(w *pbwire.Writer, in *runtime.RawExtension) {
	if in.Raw == nil {
		if in.Object != nil {
			w.Fail(errNotEncoded)
		}
		return
	}
	w.BytesField(1, in.Raw)
}

// DecodeProtoRawExtension keeps the bytes of the embedded object.
func DecodeProtoRawExtension(r *pbwire.Reader, out *runtime.RawExtension) {
	for r.Next() {
		if r.Field() == 1 {
			out.Raw = r.EmbeddedBytes()
		} else {
			r.Unknown()
		}
	}
}
