package v1_test

import (
	"encoding/hex"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/pbwire"
)

func TestFieldsV1Proto(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw, want string
	}{{"nothing", "", ""}, {"a field", `{"f:a":{}}`, "0a0a" + hex.EncodeToString([]byte(`{"f:a":{}}`))}, {
		"no JSON",
		"\xff", "0a01ff",
	}} {
		in := metav1.FieldsV1{Raw: []byte(c.raw)}
		w := pbwire.NewWriter(nil)
		metav1.PrependProtoFieldsV1(w, &in)
		if got := hex.EncodeToString(w.Bytes()); got != c.want {
			t.Errorf("%s: written %s, want %s", c.name, got, c.want)
		}
		var out metav1.FieldsV1
		metav1.DecodeProtoFieldsV1(pbwire.NewReader(w.Bytes(), pbwire.Options{}), &out)
		if clear(w.Bytes()); !out.Equal(in) {
			t.Errorf("%s: read as %q", c.name, out.Raw)
		}
	}
	r := pbwire.NewReader(unhex(t, "1001"), pbwire.Options{Strict: true})
	if metav1.DecodeProtoFieldsV1(r, new(metav1.FieldsV1)); len(r.Problems()) != 1 {
		t.Errorf("an unknown field: %v", r.Problems())
	}
}
