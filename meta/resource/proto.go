package resource

import "github.com/askind/askind/wire/pbwire"

// PrependProtoQuantity writes the quantity as a string.
func PrependProtoQuantity(w *pbwire.Writer, in *Quantity) {
	if in.text != "" {
		w.String(1, in.text)
		return
	}
	var buf [32]byte
	w.BytesField(1, in.appendCanonical(buf[:0]))
}

// DecodeProtoQuantity reads a string.
func DecodeProtoQuantity(r *pbwire.Reader, out *Quantity) {
	for r.Next() {
		switch r.Field() {
		case 1:
			text := r.Text()
			if text == nil {
				continue // another type, which has been recorded
			}
			q, err := parse(text)
			if err != nil {
				r.Invalid(err)
				continue
			}
			*out = q
		default:
			r.Unknown()
		}
	}
}
