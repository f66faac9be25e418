package runtime

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/jsonwire"
)

// RawExtension holds an object of any kind inside of another: as the bytes it arrived in, or as an object. It is written inline, and
// as null when it holds neither. An object is put in with [Embed] or [Scheme.Embed], so that it can be written without a scheme at hand.
type RawExtension struct {
	// Raw is one JSON value. It wins over Object.
	Raw []byte `json:"-" protobuf:"bytes,1,opt,name=raw"`
	// Object is the object where it is held decoded.
	Object Object `json:"-"`

	embedded *embedded
}

// embedded is how the Object of a RawExtension is written.
type embedded struct {
	table  table
	prefix []byte // the opening of the object, with kind and apiVersion
}

// Embed returns a RawExtension that holds obj, which is not copied, and writes it as the kind of the spec.
func Embed[T any](spec *KindSpec[T], obj *T) RawExtension {
	if obj == nil {
		return RawExtension{}
	}
	return RawExtension{Object: obj, embedded: &embedded{table: spec, prefix: typePrefix(spec.GroupVersionKind, spec.TypeMeta != nil)}}
}

// Embed returns a RawExtension that holds obj, which is not copied, and writes it as its kind in the scheme.
func (s *Scheme) Embed(obj Object) (RawExtension, error) {
	k, err := s.KindOf(obj)
	if err != nil {
		return RawExtension{}, err
	}
	return RawExtension{Object: obj, embedded: &k.embedded}, nil
}

// errNotEmbedded is the error for an Object that was assigned by hand.
var errNotEmbedded = errors.New("runtime: the Object of a RawExtension can be written only if it was put in with Embed")

// DeepCopyIntoRawExtension makes out a copy of in that shares no memory with it.
func DeepCopyIntoRawExtension(in, out *RawExtension) {
	*out = *in
	out.Raw = bytes.Clone(in.Raw)
	switch {
	case in.Object == nil:
	case in.embedded != nil && in.embedded.table.holds(in.Object):
		if c, err := in.embedded.table.deepCopy(in.Object); err == nil {
			out.Object = c
		}
	default:
		out.Object = DeepCopyAny(in.Object)
	}
}

// DeepCopyAny implements [DeepCopier].
func (e RawExtension) DeepCopyAny() any {
	var out RawExtension
	DeepCopyIntoRawExtension(&e, &out)
	return out
}

// AppendJSONRawExtension appends the value to dst.
func AppendJSONRawExtension(dst []byte, in *RawExtension) ([]byte, error) {
	switch {
	case in.Raw != nil:
		return jsonwire.AppendRaw(dst, in.Raw)
	case in.Object == nil:
		return append(dst, "null"...), nil
	case in.embedded == nil || !in.embedded.table.holds(in.Object):
		return dst, errNotEmbedded
	case !in.embedded.table.has().appendJSON:
		return dst, fmt.Errorf("runtime: type %T has no JSON functions", in.Object)
	}
	return in.embedded.appendJSON(dst, in.Object)
}

// DecodeJSONRawExtension keeps the next value of r as it is written; null leaves nothing.
func DecodeJSONRawExtension(r *jsonwire.Reader, out *RawExtension) {
	*out = RawExtension{Raw: r.Raw()}
}

// MarshalJSON implements json.Marshaler.
func (e RawExtension) MarshalJSON() ([]byte, error) { return AppendJSONRawExtension(nil, &e) }

// UnmarshalJSON implements json.Unmarshaler.
func (e *RawExtension) UnmarshalJSON(data []byte) error {
	r := jsonwire.NewReader(data, jsonwire.Options{})
	DecodeJSONRawExtension(r, e)
	r.End()
	return r.Err()
}

// typePrefix is the opening of an object up to its apiVersion, without the comma of the next field; just the brace for kinds that have
// no such fields.
func typePrefix(gvk schema.GroupVersionKind, typed bool) []byte {
	if !typed {
		return []byte{'{'}
	}
	b := []byte(`{"kind":`)
	b = jsonwire.AppendString(b, gvk.Kind)
	b = append(b, `,"apiVersion":`...)
	return jsonwire.AppendString(b, gvk.GroupVersion().String())
}

func (e *embedded) appendJSON(dst []byte, obj Object) ([]byte, error) {
	start := len(dst)
	if len(e.prefix) > 1 {
		dst = append(dst, e.prefix...)
		dst, err := e.table.appendJSONFields(dst, obj)
		if err != nil {
			return dst[:start], err
		}
		return append(dst, '}'), nil
	}
	dst, err := e.table.appendJSONFields(dst, obj)
	if err != nil {
		return dst[:start], err
	}
	return jsonwire.CloseObject(dst, start), nil
}
