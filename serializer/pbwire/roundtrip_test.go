package pbwire_test

import (
	"reflect"
	"testing"

	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/serializer/pbwire"
)

func encode(in *samplev1.Server) []byte {
	w := pbwire.NewWriter(nil)
	samplev1.PrependProtoServer(w, in)
	return w.Bytes()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, o := range []pbwire.Options{{}, {Strict: true}, {Apart: true}} {
		in := sampleServer()
		data := encode(in)
		r := pbwire.NewReader(data, o)
		out := new(samplev1.Server)
		samplev1.DecodeProtoServer(r, out)
		if got := r.Problems(); got != nil {
			t.Fatalf("problems: %v", got)
		}
		clear(data) // what was decoded must not refer to it
		if !reflect.DeepEqual(in, out) {
			t.Errorf("got  %+v\nwant %+v", out, in)
		}
	}
}
