package runtime

import "github.com/askind/askind/wire/pbwire"

// PrependProtoRawExtension writes the fields of the value: Raw unchanged, in any format, or the
// object as protobuf in an envelope. A value that holds neither has no fields.
func PrependProtoRawExtension(w *pbwire.Writer, in *RawExtension) {
	switch {
	case in.Raw != nil:
		w.BytesField(1, in.Raw)
	case in.Object == nil:
	case !in.table.holds(in.Object):
		w.Fail(errNotEmbedded)
	case in.table.spec.PrependProto == nil:
		w.Fail(&NoFunctionError{Kind: in.table.spec.GroupVersionKind, Function: "PrependProto"})
	default:
		mark := w.Mark()
		body := w.OpenEnvelope()
		in.table.prependProto(w, in.Object)
		w.CloseEnvelope(body, in.table.spec.GroupVersionKind)
		w.Message(1, mark)
	}
}

// DecodeProtoRawExtension copies the bytes unchanged, except in formats that the reader's checker
// transcodes to JSON, see [Scheme.Transcoding]. A strict reader with a [ReadOptions.Checker] checks
// them.
func DecodeProtoRawExtension(r *pbwire.Reader, out *RawExtension) {
	for r.Next() {
		switch r.Field() {
		case 1:
			*out = RawExtension{Raw: r.EmbeddedBytes()}
			c, ok := r.Checker().(checker)
			if !ok {
				continue
			}
			// a strict reader has reported the problems, and the bytes are kept
			if text, _ := c.transcode(out.Raw, r.Below()); text != nil {
				r.Spend(len(text))
				out.Raw = text
			}
			if pbwire.HasMagic(out.Raw) {
				out.scheme, out.level = c.scheme(), r.Embedded()
			}
		default:
			r.Unknown()
		}
	}
}

// foreign returns the bytes of an object embedded in protobuf, with their media type if an envelope
// states one other than JSON and protobuf. It returns nothing for an object that needs no
// transcoding.
func foreign(raw []byte) (mediaType string, body []byte) {
	if !pbwire.HasMagic(raw) {
		return "", raw
	}
	in, err := pbwire.ParseEnvelope(raw)
	// of the first two others tell
	if err != nil || len(in.ContentEncoding) > 0 || holdsJSON(&in) || holdsMessage(&in) {
		return "", nil
	}
	return string(in.ContentType), in.Raw
}
