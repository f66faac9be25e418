package v1

import "github.com/askind/askind/wire/pbwire"

// PrependProtoFieldsV1 writes the JSON text as bytes. The empty set has no fields.
func PrependProtoFieldsV1(w *pbwire.Writer, in *FieldsV1) {
	if len(in.Raw) > 0 {
		w.BytesField(1, in.Raw)
	}
}

// DecodeProtoFieldsV1 copies the bytes unchanged.
func DecodeProtoFieldsV1(r *pbwire.Reader, out *FieldsV1) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Raw = r.Bytes()
		default:
			r.Unknown()
		}
	}
}
