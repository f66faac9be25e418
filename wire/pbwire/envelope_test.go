package pbwire_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/askind/askind/wire/pbwire"
)

func TestParseEnvelope(t *testing.T) {
	t.Parallel()
	const magic = "6b387300"
	large := strings.Repeat("0a", 300)
	for _, c := range []struct {
		name, data                                   string
		apiVersion, kind, raw, encoding, contentType string
		offset                                       int
		err                                          string
	}{
		{
			name: "as it is written", data: magic + "0a08 0a03672f76 12014b 12020805 1a00 2200", apiVersion: "g/v",
			kind: "K", raw: "0805", offset: 16,
		},
		{
			name: "with a large object", data: magic + "0a08 0a03672f76 12014b 12ac02" + large + "1a00 2200",
			apiVersion: "g/v", kind: "K", raw: large, offset: 17,
		},
		{name: "with a length in more bytes than it takes", data: magic +
			"0a08 0a03672f76 12014b 128200 0805 1a00 2200", apiVersion: "g/v", kind: "K", raw: "0805", offset: 17},
		{
			name: "with a second kind", data: magic + "0a0b 0a03672f76 12014b 12014c 12020805 1a00 2200",
			apiVersion: "g/v", kind: "L", raw: "0805", offset: 19,
		},
		{
			name: "with a second object", data: magic + "0a08 0a03672f76 12014b 12020805 12020806 1a00 2200",
			apiVersion: "g/v", kind: "K", raw: "0806", offset: 20,
		},
		{
			name: "in another order", data: magic + "2200 12020805 0a08 12014b 0a03672f76",
			apiVersion: "g/v", kind: "K",
			raw: "0805", offset: 8,
		},
		{
			name: "with the kind first", data: magic + "0a08 12014b 0a03672f76 12020805 1a00 2200", apiVersion: "g/v",
			kind: "K", raw: "0805", offset: 16,
		},
		{name: "without a type", data: magic + "12020805 1a00 2200", raw: "0805", offset: 6},
		{name: "with blanks alone", data: magic + "1a00 2200"},
		{name: "with a field alone", data: magic + "0a00 1a00 2200"},
		{name: "in two pieces", data: magic + "0a03 12014b 0a05 0a03672f76", apiVersion: "g/v", kind: "K"},
		{
			name: "of other content", data: magic + "12017b 1a0161 220162", raw: "7b", encoding: "a", contentType: "b",
			offset: 6,
		},
		{name: "with unknown fields", data: magic + "0a032a0161 a00605", raw: ""},
		{name: "empty", data: magic},
		{
			name: "no envelope", data: "7b7d",
			err: "pbwire: offset 0: the object does not begin with the four bytes of an envelope",
		},
		{
			name: "cut off", data: magic + "1205",
			err: "pbwire: offset 5: a field states a length of 5 bytes, but 0 are left in its message",
		},
		{name: "of another type", data: magic + "0801", err: "pbwire: offset 4: field 1 is a message, found a varint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, err := pbwire.ParseEnvelope(unhex(t, c.data))
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("got %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(e.APIVersion) != c.apiVersion || string(e.Kind) != c.kind || hex.EncodeToString(e.Raw) != c.raw ||
				e.Offset != c.offset ||
				string(e.ContentEncoding) != c.encoding || string(e.ContentType) != c.contentType {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestParseEnvelopeDoesNotAllocate(t *testing.T) {
	data := unhex(t, "6b387300 0a08 0a03672f76 12014b 12020805 1a00 2200")
	if n := testing.AllocsPerRun(100, func() { _, _ = pbwire.ParseEnvelope(data) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
