package pbwire_test

import (
	"reflect"
	"testing"

	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/wire/pbwire"
)

func encode(in *samplev1.Server) []byte {
	w := pbwire.NewWriter(nil)
	samplev1.PrependProtoServer(w, in)
	return w.Bytes()
}

// TestRoundTrip decodes with one Reader over and over, because what it decoded before decides about
// the blocks that later objects share. Each object is compared after the last one was decoded.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, o := range []pbwire.Options{{}, {Strict: true}, {Apart: true}} {
		in := sampleServer()
		var r pbwire.Reader
		var decoded [4]*samplev1.Server
		for i := range decoded {
			data := encode(in)
			r.Reset(data, o)
			decoded[i] = new(samplev1.Server)
			samplev1.DecodeProtoServer(&r, decoded[i])
			if got := r.Problems(); got != nil {
				t.Fatalf("problems: %v", got)
			}
			clear(data) // what was decoded must not refer to it
			decoded[i].Spec.Disks = append(decoded[i].Spec.Disks, samplev1.Disk{Name: "one more"})
		}
		in.Spec.Disks = append(in.Spec.Disks, samplev1.Disk{Name: "one more"})
		for i, out := range decoded {
			if !reflect.DeepEqual(in, out) {
				t.Errorf("object %d: got  %+v\nwant %+v", i, out, in)
			}
		}
	}
}
