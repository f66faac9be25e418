package aggregator

import (
	"reflect"
	"testing"

	"github.com/askind/askind/schema"
)

// TestAddV2 adds a definition that is equal in both documents and refers to one that is not. With
// its name in the document it would refer to the wrong one, so both are renamed.
func TestAddV2(t *testing.T) {
	t.Parallel()
	read := func(text string) map[string]any {
		t.Helper()
		doc, err := readObject([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	into := read(`{"paths":{},"definitions":{"List":{"items":{"$ref":"#/definitions/Item"}},` +
		`"Item":{"type":"string"},"Item_v2":{"type":"boolean"}}}`)
	from := read(`{"paths":{"/apis/g/v1/things":{"get":{"responses":{"200":{"schema":{"$ref":"#/definitions/List"}}}}}},` +
		`"definitions":{"List":{"items":{"$ref":"#/definitions/Item"}},"Item":{"type":"integer"}}}`)
	if err := addV2(into, from, []schema.GroupVersion{{Group: "g", Version: "v1"}}); err != nil {
		t.Fatal(err)
	}
	want := read(`{"paths":{"/apis/g/v1/things":{"get":{"responses":{"200":{"schema":{"$ref":"#/definitions/List_v2"}}}}}},` +
		`"definitions":{"List":{"items":{"$ref":"#/definitions/Item"}},"Item":{"type":"string"},` +
		`"Item_v2":{"type":"boolean"},"List_v2":{"items":{"$ref":"#/definitions/Item_v3"}},"Item_v3":{"type":"integer"}}}`)
	if !reflect.DeepEqual(into, want) {
		t.Errorf("got %v\nwant %v", into, want)
	}
}
