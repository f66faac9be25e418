package v1alpha1

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/jsonwire"
)

// DecodeJSONGroup decodes the next value of r into out. The proposal for this group calls the
// status of a Group "spec" in JSON. That name is accepted too, for clients of servers that follow
// the proposal to the letter, but never written.
func DecodeJSONGroup(r *jsonwire.Reader, out *Group) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "kind":
			r.Seen(&seen, 0, key)
			out.Kind = r.String(out.Kind)
		case "apiVersion":
			r.Seen(&seen, 1, key)
			out.APIVersion = r.String(out.APIVersion)
		case "metadata":
			r.Seen(&seen, 2, key)
			metav1.DecodeJSONObjectMeta(r, &out.ObjectMeta)
		case "status", "spec":
			r.Seen(&seen, 3, key)
			DecodeJSONGroupStatus(r, &out.Status)
		default:
			r.Unknown(key, namesOfGroup)
		}
	}
}

var namesOfGroup = []string{"apiVersion", "kind", "metadata", "status"}
