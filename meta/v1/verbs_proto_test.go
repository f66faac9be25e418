package v1_test

import (
	"encoding/hex"
	"slices"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/pbwire"
)

func TestVerbsProto(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   metav1.Verbs
		want string
	}{{nil, ""}, {metav1.Verbs{}, ""}, {metav1.Verbs{"get", ""}, "0a036765740a00"}} {
		w := pbwire.NewWriter(nil)
		metav1.PrependProtoVerbs(w, &c.in)
		if got := hex.EncodeToString(w.Bytes()); got != c.want {
			t.Errorf("%q is written %s, want %s", c.in, got, c.want)
		}
		var out metav1.Verbs
		metav1.DecodeProtoVerbs(pbwire.NewReader(w.Bytes(), pbwire.Options{}), &out)
		if out == nil || !slices.Equal(out, c.in) {
			t.Errorf("%q is read as %#v", c.in, out)
		}
	}
	out := metav1.Verbs{"list"}
	r := pbwire.NewReader(unhex(t, "0a0367657410010a057761746368"), pbwire.Options{Strict: true})
	metav1.DecodeProtoVerbs(r, &out)
	if !slices.Equal(out, metav1.Verbs{"list", "get", "watch"}) || len(r.Problems()) != 1 {
		t.Errorf("got %q, %v", out, r.Problems())
	}
}
