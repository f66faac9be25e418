package runtime_test

import (
	"encoding/hex"
	"reflect"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/pbwire"
)

func TestUnknownProto(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		in   runtime.Unknown
		want string
	}{
		{"zero", runtime.Unknown{}, "0a040a0012001a002200"},
		{"empty raw", runtime.Unknown{Raw: []byte{}}, "0a040a00120012001a002200"},
		{
			"all fields",
			runtime.Unknown{
				APIVersion: "v1", Kind: "K", Raw: []byte("{}"), ContentType: "application/json",
				ContentEncoding: "gzip",
			},
			"0a070a02763112014b" + "12027b7d" + "1a04677a6970" + "2210" +
				hex.EncodeToString([]byte("application/json")),
		},
	} {
		w := pbwire.NewWriter(nil)
		runtime.PrependProtoUnknown(w, &row.in)
		if got := hex.EncodeToString(w.Bytes()); got != row.want {
			t.Errorf("%s:\ngot  %s\nwant %s", row.name, got, row.want)
		}
		var out runtime.Unknown
		r := pbwire.NewReader(w.Bytes(), pbwire.Options{Strict: true})
		runtime.DecodeProtoUnknown(r, &out)
		if r.Problems() != nil || !reflect.DeepEqual(out, row.in) {
			t.Errorf("%s: read as %+v, %v", row.name, out, r.Problems())
		}
	}
	var out runtime.Unknown
	r := pbwire.NewReader([]byte{0x28, 1, 0x0a, 2, 0x18, 1}, pbwire.Options{Strict: true})
	if runtime.DecodeProtoUnknown(r, &out); len(r.Problems()) != 2 {
		t.Errorf("unknown fields: %v", r.Problems())
	}
}
