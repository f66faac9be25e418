package v1

import "github.com/askind/askind/wire/pbwire"

// PrependProtoVerbs writes the verbs. They are a message of their own, so that a field can
// distinguish nil, which is not written, from empty.
func PrependProtoVerbs(w *pbwire.Writer, in *Verbs) { w.Strings(1, *in) }

// DecodeProtoVerbs adds the verbs of a message, which are not nil afterwards.
func DecodeProtoVerbs(r *pbwire.Reader, out *Verbs) {
	for r.Next() {
		switch r.Field() {
		case 1:
			*out = r.Strings(*out)
		default:
			r.Unknown()
		}
	}
	if *out == nil {
		*out = Verbs{}
	}
}
