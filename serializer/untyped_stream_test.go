package serializer_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

func TestUntypedListsAreWrittenItemByItem(t *testing.T) {
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

// TestLongUntypedLists checks that an untyped list of 2,000 items is written in pieces, in all
// formats and as other kinds, and is the same afterwards.
func TestLongUntypedLists(t *testing.T) {
	t.Parallel()
	things := &unstructured.Definition{
		Kind: schema.GroupVersionKind{Group: "x.example.com", Version: "v1", Kind: "Thing"}, Resource: "things",
		Columns: []unstructured.Column{{Name: "Values", Path: []string{"spec", "values"}}},
	}
	scheme, err := runtime.NewScheme(things.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), cbor.Format(), csv.Format())
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	text.WriteString(`{"apiVersion":"x.example.com/v1","kind":"ThingList","more":{"z":1},"metadata":{"resourceVersion":"7"},"items":[`)
	for i := range 2000 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"thing-%d",`+
			`"labels":{"number":"%d"}},"spec":{"values":[%[1]d,{"deep":["<&>",null,true,1.5]}]}}`, i, i%7)
	}
	text.WriteString("]}")
	object, err := f.Decode(text.Bytes(), serializer.DecodeOptions{Unknown: unstructured.Kind})
	if err != nil {
		t.Fatal(err)
	}
	list, err := object.(*unstructured.Object).Clone().List()
	if err != nil {
		t.Fatal(err)
	}
	same := list.Clone()
	write := func(t *testing.T, whole []byte, err error, encode func(*pieces) error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var got pieces
		if err := encode(&got); err != nil || !bytes.Equal(got.Bytes(), whole) {
			t.Fatalf("%d bytes, %v, want %d bytes", got.Len(), err, len(whole))
		}
		if got.longest > max(len(whole)/2, 32<<10) {
			t.Errorf("%d of %d bytes are written at once", got.longest, len(whole))
		}
	}
	for _, mediaType := range []string{"application/json", "application/yaml", "application/cbor"} {
		for _, pretty := range []bool{false, true} {
			o := serializer.EncodeOptions{MediaType: mediaType, Pretty: pretty}
			for _, obj := range []runtime.Object{object, list} {
				t.Run(fmt.Sprintf("%T as %s, pretty %t", obj, mediaType, pretty), func(t *testing.T) {
					whole, err := f.Append(nil, obj, o)
					write(t, whole, err, func(p *pieces) error { return f.Encode(p, obj, o) })
				})
			}
		}
	}
	for _, accept := range []string{
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
		"application/json;as=Table;g=meta.k8s.io;v=v1", "application/cbor;as=Table;g=meta.k8s.io;v=v1", "text/csv;as=Table",
	} {
		t.Run(accept, func(t *testing.T) {
			offer := serializer.Offer{Kind: things.Kind.GroupVersion().WithKind("ThingList")}
			rep, err := f.Negotiate([]string{accept}, offer)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := rep.Append(nil, list)
			write(t, whole, err, func(p *pieces) error { return rep.Encode(p, list) })
		})
	}
	if !list.Equal(same) {
		t.Error("writing changes the list")
	}
}
