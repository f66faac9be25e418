package reflectjson_test

import (
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json/reflectjson"
)

// blob has what CBOR can tell apart and JSON cannot.
type blob struct {
	APIVersion string             `json:"apiVersion"`
	Kind       string             `json:"kind"`
	Data       []byte             `json:"data"`
	More       map[string][]byte  `json:"more"`
	Ratio      float64            `json:"ratio"`
	Free       any                `json:"free"`
	Floats     map[string]float64 `json:"floats"`
}

// TestCBOR passes a type without generated code through a format that needs annotated texts.
func TestCBOR(t *testing.T) {
	t.Parallel()
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "Blob"}
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[blob]{GroupVersionKind: gvk, Resource: "blobs"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kind(gvk)
	if err != nil {
		t.Fatal(err)
	}
	in := blob{
		Data: []byte{1, 0xFF}, More: map[string][]byte{"a": {2}, "b": nil}, Ratio: 1, Free: []any{2.0, int64(2)},
		Floats: map[string]float64{"a": 3},
	}
	got, err := cbor.Format().Append(nil, k, &in, format.Options{})
	want := "\xd9\xd9\xf7\xa7\x44data\xd6\x42\x01\xff\x44free\x82\xf9\x40\x00\x02\x44kind\x44Blob\x44more\xa2\x41a\xd6\x41\x02\x41b\xf6\x45ratio\xf9\x3c\x00\x46floats\xa1\x41a\xf9\x42\x00\x4aapiVersion\x42v1"
	if err != nil || string(got) != want {
		t.Fatalf("%v\ngot:  %q\nwant: %q", err, got, want)
	}
	for doc, err := range cbor.Format().Documents(got, schema.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		var out blob
		if problems := doc.Decode(k, &out, runtime.ReadOptions{Strict: true}); problems != nil {
			t.Fatal(problems)
		}
		if again, err := cbor.Format().Append(nil, k, &out, format.Options{}); err != nil ||
			string(again) != want {
			t.Errorf("%v\ngot:  %q\nwant: %q", err, again, want)
		}
	}
}
