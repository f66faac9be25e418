package serializer_test

import (
	"bytes"
	"testing"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/serializer"
)

func TestUntypedListsAreWrittenWhole(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	text := []byte(
		`{"apiVersion":"x.example.com/v1","kind":"ThingList","metadata":{},"items":[{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}` + "\n",
	)
	o := serializer.DecodeOptions{Unknown: unstructured.Kind}
	list, err := f.Decode(text, o)
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Append(nil, list, serializer.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := f.Encode(&got, list, serializer.EncodeOptions{}); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got %s, %v, want %s", &got, err, want)
	}
	n := 0
	for item, err := range f.ReadList(bytes.NewReader(text), o).Items() {
		if err != nil {
			t.Fatal(err)
		}
		if o, ok := item.(*unstructured.Object); !ok || o.Kind() != "Thing" {
			t.Errorf("item %T %+v", item, item)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d items", n)
	}
}
