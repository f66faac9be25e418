package intstr_test

import (
	"encoding/hex"
	"testing"

	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/pbwire"
)

func TestProto(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   intstr.IntOrString
		want string
	}{
		{"zero", intstr.IntOrString{}, "080010001a00"},
		{"number", intstr.FromInt32(80), "080010501a00"},
		{"negative", intstr.FromInt32(-1), "080010ffffffffffffffffff011a00"},
		{"string", intstr.FromString("x"), "080110001a0178"},
		{"both", intstr.IntOrString{Type: intstr.String, IntVal: 7, StrVal: "7"}, "080110071a0137"},
	} {
		w := pbwire.NewWriter(nil)
		intstr.PrependProtoIntOrString(w, &c.in)
		if got := hex.EncodeToString(w.Bytes()); got != c.want {
			t.Errorf("%s: written %s, want %s", c.name, got, c.want)
		}
		var out intstr.IntOrString
		r := pbwire.NewReader(w.Bytes(), pbwire.Options{Strict: true})
		if intstr.DecodeProtoIntOrString(r, &out); out != c.in || r.Problems() != nil {
			t.Errorf("%s: read as %#v, %v", c.name, out, r.Problems())
		}
	}
	out := intstr.FromInt32(5)
	r := pbwire.NewReader([]byte{0x08, 1, 0x20, 0}, pbwire.Options{Strict: true})
	if intstr.DecodeProtoIntOrString(r, &out); out != (intstr.IntOrString{Type: intstr.String, IntVal: 5}) ||
		len(r.Problems()) != 1 {
		t.Errorf("a part of the fields gives %#v, %v", out, r.Problems())
	}
}

// TestProtoTypes checks that a number or string is refused that cannot be written as JSON.
func TestProtoTypes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0802", "08ffffffffffffffffff01"} {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		out := intstr.FromString("x")
		r := pbwire.NewReader(b, pbwire.Options{})
		intstr.DecodeProtoIntOrString(r, &out)
		if out != intstr.FromString("x") || len(r.Problems()) != 1 || r.Problems()[0].Code != wire.InvalidValue {
			t.Errorf("%s: read as %#v, %v", text, out, r.Problems())
		}
	}
}
