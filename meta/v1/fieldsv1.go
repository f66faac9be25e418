package v1

import (
	"bytes"

	"github.com/askind/askind/internal/fieldset"
	"github.com/askind/askind/meta/internal/leaf"
	"github.com/askind/askind/wire/jsonwire"
)

// FieldsV1 is a set of fields as a tree in JSON: {"f:spec":{"f:replicas":{}}}. It is kept as the
// bytes that arrived.
type FieldsV1 struct {
	// Raw is one JSON object; without it the set is written null.
	Raw []byte `json:"-" protobuf:"bytes,1,opt,name=Raw"`
}

// String returns the JSON text.
func (f FieldsV1) String() string { return string(f.Raw) }

// Equal reports whether both have the same bytes.
func (f FieldsV1) Equal(g FieldsV1) bool { return bytes.Equal(f.Raw, g.Raw) }

// MarshalJSON implements json.Marshaler.
func (f FieldsV1) MarshalJSON() ([]byte, error) { return AppendJSONFieldsV1(nil, &f) }

// UnmarshalJSON implements json.Unmarshaler. Null leaves the set unchanged.
func (f *FieldsV1) UnmarshalJSON(data []byte) error {
	return leaf.Unmarshal(data, f, DecodeJSONFieldsV1)
}

// DeepCopyIntoFieldsV1 makes out a copy of in that shares no memory with it.
func DeepCopyIntoFieldsV1(in, out *FieldsV1) { out.Raw = bytes.Clone(in.Raw) }

// AppendJSONFieldsV1 appends the set. The error reports Raw that is not JSON.
func AppendJSONFieldsV1(dst []byte, in *FieldsV1) ([]byte, error) {
	if n := len(in.Raw); n > 0 && fieldset.End(in.Raw) == n {
		return append(dst, in.Raw...), nil
	}
	return jsonwire.AppendRaw(dst, in.Raw)
}

// DecodeJSONFieldsV1 keeps the next value as written; null leaves out unchanged.
func DecodeJSONFieldsV1(r *jsonwire.Reader, out *FieldsV1) {
	if raw := r.Raw(); raw != nil {
		out.Raw = raw
	}
}
