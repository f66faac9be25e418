package cbor_test

import (
	"testing"

	"github.com/askind/askind/serializer/cbor"
)

// TestSplice changes the member m of objects.
func TestSplice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, before, after, want string }{
		{
			"a member between others", "\xa1\x41m\xa2\x41a\x01\x41c\x03", `{"a":1,"c":3}`, `{"a":1,"b":2,"c":3}`,
			"\xa1\x41m\xa3\x41a\x01\x41b\x02\x41c\x03",
		},
		{
			"beside one that is unknown", "\xa1\x41m\xa2\x41x\xf7\x41a\x01", `{"a":1}`, `{"a":2}`,
			"\xa1\x41m\xa2\x41x\xf7\x41a\x02",
		},
		{"one is removed", "\xa1\x41m\xa2\x41a\x01\x41b\x02", `{"a":1,"b":2}`, `{"b":2}`, "\xa1\x41m\xa1\x41b\x02"},
		{
			"one that is there twice", "\xa1\x41m\xa3\x41a\x01\x41b\x02\x41a\x03", `{"a":3,"b":2}`, `{"a":4,"b":2}`,
			"\xa1\x41m\xa2\x41a\x04\x41b\x02",
		},
		{"instead of null", "\xa1\x41m\xf6", `{}`, `{"a":1}`, "\xa1\x41m\xa1\x41a\x01"},
		{"instead of nothing", "\xa1\x41n\x05", `{}`, `{"a":1}`, "\xa2\x41m\xa1\x41a\x01\x41n\x05"},
		{
			"tags and indefinite lengths", tag + "\xbf\x41m\xbf\x41a\x01\xff\xff", `{"a":1}`, `{"a":2}`,
			tag + "\xa1\x41m\xa1\x41a\x02",
		},
	} {
		got, err := cbor.Format().Splice.Member([]byte(tt.data), "m", []byte(tt.before), []byte(tt.after))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %x, %v; want %x", tt.name, got, err, tt.want)
		}
	}
	for name, data := range map[string]string{
		"nothing": "", "not a map": "\x81\x01", "not a map in m": "\xa1\x41m\x01", "m twice": "\xa2\x41m\xa0\x41m\xa0",
		"a key in pieces": "\xa1\x5f\x41m\xff\xa0", "a key without a value": "\xa2\x41m\xa0\x41n",
	} {
		if got, err := cbor.Format().Splice.Member([]byte(data), "m", []byte(`{}`), []byte(`{"a":1}`)); err == nil {
			t.Errorf("%s: %x", name, got)
		}
	}
}
