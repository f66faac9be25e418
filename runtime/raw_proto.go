package runtime

import "github.com/askind/askind/serializer/pbwire"

// PrependProtoRawExtension writes the fields of the value: Raw as it is, whatever its format, or the object as protobuf in an envelope.
// A value that holds neither has no fields.
func PrependProtoRawExtension(w *pbwire.Writer, in *RawExtension) {
	switch {
	case in.Raw != nil:
		w.BytesField(1, in.Raw)
	case in.Object == nil:
	case in.table == nil || !in.table.holds(in.Object):
		w.Fail(errNotEmbedded)
	case !in.table.has().prependProto:
		w.Fail(&NoFunctionError{Kind: in.table.kind(), Function: "PrependProto"})
	default:
		mark := w.Mark()
		body := w.OpenEnvelope()
		in.table.prependProto(w, in.Object)
		w.CloseEnvelope(body, in.table.kind())
		w.Message(1, mark)
	}
}

// DecodeProtoRawExtension keeps the bytes as they are, in memory of their own. A strict reader that has a [Checker] looks into them.
func DecodeProtoRawExtension(r *pbwire.Reader, out *RawExtension) {
	for r.Next() {
		switch r.Field() {
		case 1:
			*out = RawExtension{Raw: r.EmbeddedBytes()}
			if c, ok := r.Checker().(Checker); ok && pbwire.HasMagic(out.Raw) {
				out.scheme, out.level = c.scheme(), r.Embedded()
			}
		default:
			r.Unknown()
		}
	}
}
