package intstr

import "github.com/askind/askind/wire/pbwire"

// PrependProtoIntOrString writes all three fields, including the unused one.
func PrependProtoIntOrString(w *pbwire.Writer, in *IntOrString) {
	w.String(3, in.StrVal)
	w.Int32(2, in.IntVal)
	w.Int64(1, int64(in.Type))
}

// DecodeProtoIntOrString reads the three fields; missing fields are unchanged. A Type that is
// neither Int nor String is recorded as invalid, because no other format can write it.
func DecodeProtoIntOrString(r *pbwire.Reader, out *IntOrString) {
	for r.Next() {
		switch r.Field() {
		case 1:
			v := Type(r.Int64())
			if v != Int && v != String {
				r.Invalid(typeError(v))
				continue
			}
			out.Type = v
		case 2:
			out.IntVal = r.Int32()
		case 3:
			out.StrVal = r.String()
		default:
			r.Unknown()
		}
	}
}
