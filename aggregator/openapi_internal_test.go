package aggregator

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
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

// TestLongChainOfReferences renames a chain of definitions that refer to the next one and end in
// different ones. The time is in proportion to their number.
func TestLongChainOfReferences(t *testing.T) {
	t.Parallel()
	const n = 10_000
	name := func(i int) string { return fmt.Sprint("d", i) }
	document := func(last string) map[string]any {
		definitions := map[string]any{name(n): map[string]any{"type": last}}
		for i := range n {
			definitions[name(i)] = map[string]any{"$ref": "#/definitions/" + name(i+1)}
		}
		return map[string]any{"definitions": definitions, "paths": map[string]any{
			"/apis/g/v1/": map[string]any{"parameters": []any{map[string]any{"$ref": "#/definitions/" + name(0)}}},
		}}
	}
	into, from := document("string"), document("integer")
	into["paths"] = map[string]any{}
	var err error
	took := cputime.Of(func() { err = addV2(into, from, []schema.GroupVersion{{Group: "g", Version: "v1"}}) })
	if err != nil {
		t.Fatal(err)
	}
	if took > 5*time.Second { // looking at all of them again for each takes eighty
		t.Errorf("it takes %v", took)
	}
	if got := len(section(into, "definitions")); got != 2*(n+1) {
		t.Errorf("%d definitions", got)
	}
}
