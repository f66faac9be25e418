package protobuf_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/protobuf"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecodeProblems(t *testing.T) {
	t.Parallel()
	const (
		magic = "6b387300"
		// the object begins at byte 47
		partial = magic + "0a270a0e6d6574612e6b38732e696f2f763112155061727469616c4f626a6563744d65746164617461"
	)
	f := newFactory(t)
	for _, c := range []struct {
		name, data string
		cause      error
		want       string
		object     string // the name in the object that comes with the error
	}{
		{"nothing", "", serializer.ErrNoDocument, "pod.pb: there is no document in the input", ""},
		{
			"text", "7b7d", runtime.ErrSyntax,
			"pod.pb: at byte 0: the object does not begin with the four bytes of an envelope", "",
		},
		{"no envelope", magic, runtime.ErrSyntax, "pod.pb: at byte 4: the envelope is empty", ""},
		{
			"envelope cut off", magic + "0a27", runtime.ErrSyntax,
			"pod.pb: at byte 5: a field states a length of 39 bytes, but 0 are left in its message", "",
		},
		{
			"no type", magic + "1200", runtime.ErrMissingKind, "pod.pb: apiVersion is missing\npod.pb: kind is missing",
			"",
		},
		{"kind that is not known", magic + "0a060a0276311200", runtime.ErrMissingKind, "pod.pb: kind is missing", ""},
		{
			"JSON inside", partial + "12027b7d1a00221061" + "70706c69636174696f6e2f6a736f6e", runtime.ErrInvalidValue,
			`pod.pb: at byte 0: the object in the envelope is not protobuf but "application/json"`, "",
		},
		{
			"packed", partial + "12001a04677a6970", runtime.ErrInvalidValue,
			`pod.pb: at byte 0: the object has the content encoding "gzip", which is not supported`, "",
		},
		{
			"broken object", partial + "1204 0a050801", runtime.ErrSyntax,
			"pod.pb: at byte 48: a field states a length of 5 bytes, but 2 are left in its message", "",
		},
		{
			"wrong type", partial + "1204 0a020801", runtime.ErrWrongType,
			"pod.pb: at byte 49: field 1 is a string, found a varint", "",
		},
		{
			"unknown field", partial + "1208 0a060a0161a00605", runtime.ErrUnknownField,
			"pod.pb: at byte 52: unknown field 100", "a",
		},
		{
			"no functions", magic + "0a170a0e6d6574612e6b38732e696f2f763112055461626c65" +
				"1200", runtime.ErrNoFunction,
			"pod.pb: at byte 31: runtime: the kind meta.k8s.io/v1, Kind=Table has no DecodeProto function; " +
				"generate it, or register the kind through the reflectjson package", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			obj, err := f.Decode(unhex(t, c.data), serializer.DecodeOptions{
				File:      "pod.pb",
				MediaType: protobuf.MediaType, Strictness: serializer.FailOnProblems,
			})
			if err == nil || err.Error() != c.want || !errors.Is(err, c.cause) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if p, ok := obj.(*metav1.PartialObjectMetadata); ok != (c.object != "") || ok && p.Name != c.object {
				t.Errorf("object %+v, want one of the name %q", obj, c.object)
			}
		})
	}
}

func TestDecodeOptions(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	// Without strictness, unknown fields do not matter.
	data := unhex(t, goldenPartial)
	with := append(data[:len(data):len(data)], 0xa0, 6, 5)
	if obj, err := f.Decode(with); err != nil ||
		obj.(*metav1.PartialObjectMetadata).Name != "a" {
		t.Errorf("got %+v, %v", obj, err)
	}
	// The object does not refer to the input.
	obj, err := f.Decode(data)
	if clear(data); err != nil || obj.(*metav1.PartialObjectMetadata).Name != "a" {
		t.Errorf("got %+v, %v", obj, err)
	}
	// The default kind fills in what the envelope does not state.
	obj, err = f.Decode(unhex(t, "6b387300 1205 0a030a0162"),
		serializer.DecodeOptions{DefaultKind: partialSpec.GroupVersionKind})
	if err != nil || obj.(*metav1.PartialObjectMetadata).Name != "b" {
		t.Errorf("got %+v, %v", obj, err)
	}
	_, err = f.Decode(unhex(t, "6b387300 1205 0a030a0162"),
		serializer.DecodeOptions{DefaultKind: partialSpec.GroupVersionKind, Limits: schema.Limits{Depth: 1}})
	if err != nil {
		t.Errorf("depth 1: %v", err)
	}
	_, err = f.Decode(unhex(t, "6b387300 1204 0a02 4200"),
		serializer.DecodeOptions{DefaultKind: partialSpec.GroupVersionKind, Limits: schema.Limits{Depth: 1}})
	if !errors.Is(err, runtime.ErrLimit) {
		t.Errorf("deeper than 1: %v", err)
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	n := 0
	for doc, err := range protobuf.Format().Documents(unhex(t, goldenPartial), schema.Limits{}) {
		n++
		if err != nil {
			t.Fatal(err)
		}
		if apiVersion, kind, err := doc.Type(); apiVersion != "meta.k8s.io/v1" || kind != "PartialObjectMetadata" ||
			err != nil {
			t.Errorf("type %s %s, %v", apiVersion, kind, err)
		}
		if doc.Raw() != nil || doc.Locate(nil).IsValid() {
			t.Errorf("raw %s, position %v", doc.Raw(), doc.Locate(nil))
		}
	}
	if n != 1 {
		t.Errorf("%d documents", n)
	}
}

func FuzzDecode(f *testing.F) {
	factory := newFactory(f)
	for _, s := range []string{goldenPartial, "6b387300", "6b387300 0a00 1205 0a030a0162", "6b387300 1a0161"} {
		f.Add(unhex(f, s))
	}
	list, err := factory.Append(nil, manyPartials(2), serializer.EncodeOptions{MediaType: protobuf.MediaType})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(list)
	o := serializer.EncodeOptions{MediaType: protobuf.MediaType}
	f.Fuzz(func(t *testing.T, data []byte) {
		obj, err := factory.Decode(data, serializer.DecodeOptions{
			MediaType:  protobuf.MediaType,
			Strictness: serializer.FailOnProblems, File: "x",
		})
		if obj == nil {
			if err == nil || err.Error() == "" {
				t.Error("neither object nor error")
			}
			return
		}
		once, err := factory.Append(nil, obj, o)
		if err != nil {
			t.Fatal(err)
		}
		again, err := factory.Decode(once, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
		if err != nil {
			t.Fatalf("%x: %v", once, err)
		}
		if twice, err := factory.Append(nil, again, o); err != nil || string(once) != string(twice) {
			t.Errorf("once  %x\ntwice %x, %v", once, twice, err)
		}
	})
}
