package pbwire_test

import (
	"reflect"
	"testing"

	"github.com/askind/askind/serializer/pbwire"
)

func encode(in *machine) []byte {
	w := pbwire.NewWriter(nil)
	prependProtoMachine(w, in)
	return w.Bytes()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, o := range []pbwire.Options{{}, {Strict: true}, {Apart: true}} {
		in := sampleMachine()
		data := encode(in)
		r := pbwire.NewReader(data, o)
		out := new(machine)
		decodeProtoMachine(r, out)
		if got := r.Problems(); got != nil {
			t.Fatalf("problems: %v", got)
		}
		clear(data) // what was decoded must not refer to it
		if !reflect.DeepEqual(in, out) {
			t.Errorf("got  %+v\nwant %+v", out, in)
		}
	}
}
