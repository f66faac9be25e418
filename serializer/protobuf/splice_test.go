package protobuf_test

import (
	"encoding/hex"
	"testing"

	"github.com/askind/askind/serializer/protobuf"
)

// TestSplice changes the message in field 1 of objects.
func TestSplice(t *testing.T) {
	t.Parallel()
	const magic = "6b387300"
	for _, tt := range []struct{ name, data, before, after, want string }{
		{
			"a field, beside one that is unknown", "1208 0a06 0a0161 f80605", "0a0161", "0a0162", "1208 0a06 0a0162 f80605",
		},
		{"a field before another", "1205 0a03 120162", "120162", "0a0161 120162", "1208 0a06 0a0161 120162"},
		{"a field that is removed", "1208 0a06 0a0161 120162", "0a0161 120162", "120162", "1205 0a03 120162"},
		{"a field with several values", "1208 0a06 0a0161 0a0162", "0a0161 0a0162", "0a0163", "1205 0a03 0a0163"},
		{
			"a message in pieces", "120a 0a03 0a0161 0a03 120162", "0a0161 120162", "0a0163 120162",
			"1208 0a06 0a0163 120162",
		},
		{
			"the last of two objects", "1205 0a03 0a0161 1208 0a06 0a0162 f80605", "0a0162", "0a0163",
			"1208 0a06 0a0163 f80605",
		},
		{"an object without the message", "1200 2200", "", "0a0161", "1205 0a03 0a0161 2200"},
	} {
		data := unhex(t, magic+tt.data)
		got, err := protobuf.Format().Splice.Message(data, 1, unhex(t, tt.before), unhex(t, tt.after))
		if want := hex.EncodeToString(unhex(t, magic+tt.want)); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, %v; want %s", tt.name, got, err, want)
		}
		if before := unhex(t, magic+tt.data); string(data) != string(before) {
			t.Errorf("%s: the data are %x now, not %x", tt.name, data, before)
		}
	}
	for name, data := range map[string]string{
		"no envelope": "1200", "an object that is cut off": magic + "1201", "an object that is a number": magic + "1001",
		"a message that is cut off": magic + "1202 0a01",
	} {
		if got, err := protobuf.Format().Splice.Message(unhex(t, data), 1, nil, nil); err == nil {
			t.Errorf("%s: %x", name, got)
		}
	}
}
