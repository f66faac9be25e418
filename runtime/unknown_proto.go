package runtime

import "github.com/askind/askind/wire/pbwire"

// PrependProtoUnknown writes the document as the message that an envelope consists of behind its
// first four bytes.
func PrependProtoUnknown(w *pbwire.Writer, in *Unknown) {
	w.String(4, in.ContentType)
	w.String(3, in.ContentEncoding)
	if in.Raw != nil {
		w.BytesField(2, in.Raw)
	}
	mark := w.Mark()
	w.String(2, in.Kind)
	w.String(1, in.APIVersion)
	w.Message(1, mark)
}

// DecodeProtoUnknown reads the message that an envelope consists of behind its first four bytes.
// Raw gets memory of its own.
func DecodeProtoUnknown(r *pbwire.Reader, out *Unknown) {
	for r.Next() {
		switch r.Field() {
		case 1:
			saved := r.Message()
			decodeProtoType(r, out)
			r.EndMessage(saved)
		case 2:
			out.Raw = r.Bytes()
		case 3:
			out.ContentEncoding = r.String()
		case 4:
			out.ContentType = r.String()
		default:
			r.Unknown()
		}
	}
}

func decodeProtoType(r *pbwire.Reader, out *Unknown) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.APIVersion = r.String()
		case 2:
			out.Kind = r.String()
		default:
			r.Unknown()
		}
	}
}
