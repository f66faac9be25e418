package cbor_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/askind/askind/internal/sample"
	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
)

// FuzzDocuments reads anything: nothing panics, every problem has a place in the input, what is
// read strictly is read leniently as well, and what is read and written is read the same again.
func FuzzDocuments(f *testing.F) {
	for _, in := range []string{
		"", tag + "\xa1\x44name\x41a", "\xbf\x48replicas\xf9\x3c\x00\x43key\xd6\x41k\xff",
		"\xa1\x45extra\x9f\x5f\x41a\xff\xc1\x01\xf7\xff", "\xa1\x46labels\xa2\x41k\x41a\x41k\x41b" + tag + "\xa0",
		"\xa1\x43raw\xa2\x42bb\xf9\x3c\x00\x41a\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
		"\xa1\x45parts\x81\xa1\x44size\x3b\x7f\xff\xff\xff\xff\xff\xff\xff", "\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		f.Add([]byte(in))
	}
	k := sample.Kind(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		check := func(p *runtime.Problem) {
			if p.Position.Offset < 0 || p.Position.Offset > len(data) || p.Cause == nil || p.Message == "" {
				t.Fatalf("the problem %+v has no place", p)
			}
		}
		for doc, err := range cbor.Format().Documents(data, schema.Limits{}) {
			if err != nil {
				d, ok := errors.AsType[*runtime.DecodeError](err)
				if !ok || len(d.Problems) == 0 {
					t.Fatalf("%v is not a DecodeError", err)
				}
				check(&d.Problems[0])
				continue
			}
			_, _, _ = doc.Type()
			var strict, lenient samplev1.Machine
			problems := doc.Decode(k, &strict, runtime.ReadOptions{Strict: true})
			for i := range problems {
				check(&problems[i])
			}
			raw := doc.Raw()
			if raw != nil && !json.Valid(raw) {
				t.Fatalf("Raw() = %q", raw)
			}
			again := doc.Decode(k, &lenient, runtime.ReadOptions{})
			for i := range again {
				check(&again[i])
				if again[i].Strict() {
					t.Fatalf("lenient decoding reports %v", again[i])
				}
			}
			if problems == nil && again != nil {
				t.Fatalf("lenient decoding reports %v, strict decoding nothing", again)
			}
			if again != nil {
				continue
			}
			out, err := cbor.Format().Append(nil, k, &lenient, format.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for doc, err := range cbor.Format().Documents(out, schema.Limits{}) {
				var back samplev1.Machine
				if err != nil {
					t.Fatal(err)
				}
				if problems := doc.Decode(k, &back, runtime.ReadOptions{Strict: true}); problems != nil {
					t.Fatalf("reading what was written: %v", problems)
				}
				if second, err := cbor.Format().Append(nil, k, &back, format.Options{}); err != nil ||
					!bytes.Equal(out, second) {
					t.Fatalf("%v\nfirst:  %x\nsecond: %x", err, out, second)
				}
			}
		}
		if text, err := cbor.ToJSON(data); err == nil {
			// JSON does not tell a float without a fraction from an integer, so the second item is
			// another one.
			stable(t, text)
		}
		if !bytes.Equal(before, data) {
			t.Fatal("the input was changed")
		}
	})
}

// FuzzFromJSON writes any JSON and reads it back.
func FuzzFromJSON(f *testing.F) {
	for _, in := range []string{
		`{"b":[1,-1,1.5,1e3,"x\n\u00e9"],"a":{"c":null,"bb":true}}`,
		`[18446744073709551615,-9223372036854775808]`, `"\ud83d\ude00"`, `[[],{}]`,
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := cbor.FromJSON(nil, data)
		if err != nil {
			return
		}
		back, err := cbor.ToJSON(out)
		if err != nil {
			t.Fatalf("%q became %x: %v", data, out, err)
		}
		stable(t, back)
	})
}

// stable fails unless a text that has passed through this package once changes no more, but for a
// negative zero, which becomes an integer.
func stable(t *testing.T, text []byte) {
	t.Helper()
	for range 2 {
		out, err := cbor.FromJSON(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		next, err := cbor.ToJSON(out)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(text, next) {
			return
		}
		text = next
	}
	t.Fatalf("the text keeps changing: %s", text)
}
