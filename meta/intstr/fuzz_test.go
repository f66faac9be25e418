package intstr_test

import (
	"testing"

	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// FuzzDecode reads values in JSON and in protobuf: what is accepted is written and read as the
// same, in both.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`80`, `"http"`, `"50%"`, `null`, `-1`, `2147483648`, `1.0`, `"\u0041"`, `[]`,
		"\x08\x00\x10\x50\x1a\x00", "\x08\x01\x10\x00\x1a\x01x",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v intstr.IntOrString
		r := jsonwire.NewReader(data, jsonwire.Options{})
		intstr.DecodeJSONIntOrString(r, &v)
		if r.End(); len(r.Problems()) == 0 {
			survives(t, v)
		}
		var p intstr.IntOrString
		m := pbwire.NewReader(data, pbwire.Options{})
		if intstr.DecodeProtoIntOrString(m, &p); len(m.Problems()) == 0 {
			w := pbwire.NewWriter(nil)
			intstr.PrependProtoIntOrString(w, &p)
			var back intstr.IntOrString
			intstr.DecodeProtoIntOrString(pbwire.NewReader(w.Bytes(), pbwire.Options{}), &back)
			if back != p {
				t.Errorf("%x is %+v, and %+v when read again", data, p, back)
			}
		}
	})
}

func survives(t *testing.T, v intstr.IntOrString) {
	t.Helper()
	text, err := intstr.AppendJSONIntOrString(nil, &v)
	if err != nil {
		t.Fatal(err)
	}
	var back intstr.IntOrString
	r := jsonwire.NewReader(text, jsonwire.Options{})
	if intstr.DecodeJSONIntOrString(r, &back); len(r.Problems()) > 0 || back != v {
		t.Errorf("%+v is written as %s and read as %+v, %v", v, text, back, r.Problems())
	}
	if _, err := v.Of(100, true); err != nil && v.Type == intstr.Int {
		t.Errorf("%+v of 100: %v", v, err)
	}
}
