package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// RawExtension holds an object of any kind inside another: as the bytes in which it arrived, or as
// an object. It is written inline, and as null if it is empty. Use [Embed] or [Scheme.Embed] to
// store an object, so that it can be written without a scheme.
//
// +askind:generate=false
type RawExtension struct {
	// Raw is one JSON value, or an object in a protobuf envelope from a protobuf document. It takes
	// precedence over Object. An envelope is written unchanged in protobuf, and converted in other
	// formats. An object that arrived in protobuf in a format that the factory knows, such as CBOR
	// or YAML, is converted to JSON.
	Raw []byte `json:"-" protobuf:"bytes,1,opt,name=raw"`
	// Object is the object if it is held decoded.
	Object Object `json:"-"`

	table  Spec    // encodes Object; set with it
	scheme *Scheme // decodes the object in Raw if that is an envelope
	level  int     // number of envelopes around that one
}

// IsZero reports whether e is empty. The tag option omitzero uses it for fields of this type and of
// type [Embedded].
func (e RawExtension) IsZero() bool { return len(e.Raw) == 0 && e.Object == nil }

// Embed returns a RawExtension that holds obj, without copying it, and writes it as the kind of the
// spec.
func Embed[T any](spec *KindSpec[T], obj *T) RawExtension {
	return embed(erase(spec), obj, obj == nil)
}

// embed keeps [Embed] short enough to be inlined.
func embed(spec *anySpec, obj Object, none bool) RawExtension {
	if none {
		return RawExtension{}
	}
	return RawExtension{Object: obj, table: Spec{spec, typeOf(obj)}}
}

// Embed returns a [RawExtension] that holds obj, without copying it, and writes it as its kind in
// the scheme.
func (s *Scheme) Embed(obj Object) (RawExtension, error) {
	k, err := s.KindOf(obj)
	if err != nil {
		return RawExtension{}, err
	}
	return RawExtension{Object: obj, table: k.table}, nil
}

// errNotEmbedded is the error for an Object that was assigned directly.
var errNotEmbedded = errors.New("runtime: the Object of a RawExtension can be written only if it was stored with Embed")

// DeepCopyIntoRawExtension makes out a copy of in that shares no memory with it. An object that
// cannot be copied, because its kind has no DeepCopyInto function and reflection fails, is omitted:
// only [Embed] objects of kinds that can be copied.
func DeepCopyIntoRawExtension(in, out *RawExtension) {
	*out = *in
	out.Raw = bytes.Clone(in.Raw)
	switch {
	case in.Object == nil:
	case in.table.holds(in.Object):
		c, err := in.table.deepCopy(in.Object)
		if err != nil { // by reflection, see Kind.DeepCopy; the copy must not share memory
			c = nil
		}
		out.Object = c
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
	case in.Raw != nil && pbwire.HasMagic(in.Raw):
		return in.appendEnvelope(dst)
	case in.Raw != nil:
		return appendRaw(dst, in.Raw)
	case in.Object == nil:
		return append(dst, "null"...), nil
	case !in.table.holds(in.Object):
		return dst, errNotEmbedded
	}
	start, r := len(dst), in.table.spec
	if r.AppendJSONFields == nil {
		return dst, &NoFunctionError{Kind: r.GroupVersionKind, Function: "AppendJSONFields"}
	}
	if r.TypeMeta != nil {
		dst = appendType(dst, r.GroupVersionKind)
	}
	return appendFields(dst, start, in.table, in.Object)
}

// appendRaw appends bytes that should be JSON.
func appendRaw(dst, raw []byte) ([]byte, error) {
	dst, err := jsonwire.AppendRaw(dst, raw)
	if err != nil {
		err = fmt.Errorf(
			"runtime: the bytes of a RawExtension are neither JSON nor a protobuf object decoded by a factory: %w", err,
		)
	}
	return dst, err
}

// DecodeJSONRawExtension keeps the bytes of the next value of r; null results in an empty value. A
// strict reader with a [ReadOptions.Checker] checks them.
func DecodeJSONRawExtension(r *jsonwire.Reader, out *RawExtension) {
	*out = RawExtension{Raw: r.RawObject()}
}

// errForeignEnvelope is the error for an envelope without a scheme.
var errForeignEnvelope = errors.New(
	"runtime: the Raw of a RawExtension is protobuf, which can be written in other formats only if a factory has " +
		"decoded it",
)

// errTooDeep is the error for excessively nested envelopes.
var errTooDeep = fmt.Errorf(
	"runtime: protobuf objects are embedded more than %d levels deep, the maximum for writing them in "+
		"other formats", pbwire.MaxEmbedded,
)

// appendEnvelope appends the object in the envelope Raw as JSON. On error dst is returned
// unchanged.
func (e *RawExtension) appendEnvelope(dst []byte) ([]byte, error) {
	in, err := pbwire.ParseEnvelope(e.Raw)
	switch {
	case err != nil:
		return dst, err
	case holdsJSON(&in):
		return jsonwire.AppendRaw(dst, in.Raw)
	case e.scheme == nil:
		return dst, errForeignEnvelope
	case e.level >= pbwire.MaxEmbedded:
		return dst, errTooDeep
	}
	k, obj, err := e.scheme.openEnvelope(in, e.level, e.scheme.checker(false))
	if err != nil {
		return dst, err
	}
	return k.AppendJSON(dst, obj)
}

// holdsJSON reports whether the content of an envelope is JSON, and holdsMessage whether it is a
// message.
func holdsJSON(in *pbwire.Envelope) bool {
	return len(in.ContentEncoding) == 0 && string(in.ContentType) == "application/json"
}

func holdsMessage(in *pbwire.Envelope) bool {
	return len(in.ContentEncoding) == 0 &&
		(len(in.ContentType) == 0 || string(in.ContentType) == "application/vnd.kubernetes.protobuf")
}

// openEnvelope decodes the object in an envelope at the given level of nesting.
func (s *Scheme) openEnvelope(in pbwire.Envelope, level int, c checker) (*Kind, Object, error) {
	if !holdsMessage(&in) {
		return nil, nil, fmt.Errorf("runtime: an embedded object of the content type %q and encoding %q cannot be read",
			in.ContentType, in.ContentEncoding)
	}
	gv, err := schema.ParseGroupVersion(string(in.APIVersion))
	if err != nil {
		return nil, nil, err
	}
	k, err := s.Kind(gv.WithKind(string(in.Kind)))
	if err != nil {
		return nil, nil, err
	}
	obj := k.New()
	var r pbwire.Reader
	r.Reset(in.Raw, pbwire.Options{Checker: c, Embedded: level + 1})
	if err := k.DecodeProto(&r, obj); err != nil {
		return nil, nil, err
	}
	if found := r.Problems(); len(found) > 0 {
		return nil, nil, fmt.Errorf("runtime: the embedded %s, at byte %d: %s", k.Name(), in.Offset+found[0].Offset,
			found[0].Message)
	}
	return k, obj, nil
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

// appendType opens an object with its kind and apiVersion.
func appendType(dst []byte, gvk schema.GroupVersionKind) []byte {
	dst = jsonwire.AppendString(append(dst, `{"kind":`...), gvk.Kind)
	if gvk.GroupVersion().Empty() { // only a kind outside of a scheme has none
		return dst
	}
	dst = append(dst, `,"apiVersion":`...)
	if gvk.Group == "" {
		return jsonwire.AppendString(dst, gvk.Version)
	}
	dst = jsonwire.AppendString(dst, gvk.Group)
	end := len(dst)
	dst = jsonwire.AppendString(dst, gvk.Version)
	dst[end-1] = '/' // replaces the quote that ends the group
	return slices.Delete(dst, end, end+1)
}

// appendFields writes the fields of an object whose opening, if any, begins at start, and closes
// it. On error dst is returned up to start.
func appendFields(dst []byte, start int, t Spec, obj Object) ([]byte, error) {
	out, err := t.appendJSONFields(dst, obj)
	switch {
	case err != nil: // a function written by hand may return nil then
		return dst[:start], err
	case len(dst) > start:
		return append(out, '}'), nil
	}
	return jsonwire.CloseObject(out, start), nil
}
