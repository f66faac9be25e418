package unstructured_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

func TestItemsGetTheirKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{
			"both absent", `{"kind":"PodList","apiVersion":"v1","items":[{"a":1},{}]}`,
			`{"apiVersion":"v1","items":[{"a":1,"apiVersion":"v1","kind":"Pod"},{"apiVersion":"v1","kind":"Pod"}],"kind":"PodList"}`,
		},
		{
			"items first", `{"items":[{"metadata":{}}],"kind":"PodList","apiVersion":"a/v1"}`,
			`{"apiVersion":"a/v1","items":[{"apiVersion":"a/v1","kind":"Pod","metadata":{}}],"kind":"PodList"}`,
		},
		{
			"one stated", `{"kind":"PodList","apiVersion":"v1","items":[{"kind":"X"},{"apiVersion":"b/v2"}]}`,
			`{"apiVersion":"v1","items":[{"kind":"X"},{"apiVersion":"b/v2"}],"kind":"PodList"}`,
		},
		{
			"any kind", `{"kind":"List","apiVersion":"v1","items":[{"a":1}]}`,
			`{"apiVersion":"v1","items":[{"a":1}],"kind":"List"}`,
		},
		{
			"no list", `{"kind":"AllowList","apiVersion":"v1","metadata":{"name":"a"},"items":[{"a":1}]}`,
			`{"apiVersion":"v1","items":[{"a":1}],"kind":"AllowList","metadata":{"name":"a"}}`,
		},
		{
			"other kind", `{"kind":"Menu","apiVersion":"v1","items":[{"a":1}]}`,
			`{"apiVersion":"v1","items":[{"a":1}],"kind":"Menu"}`,
		},
		{
			"null", `{"kind":"PodList","apiVersion":"v1","items":null}`,
			`{"apiVersion":"v1","items":null,"kind":"PodList"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := fmt.Sprint(parse(t, c.in)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestIsList(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		`{"kind":"PodList","apiVersion":"v1","items":[]}`:                           true,
		`{"kind":"PodList","apiVersion":"v1","items":null}`:                         true,
		`{"kind":"List","apiVersion":"v1","items":[]}`:                              true,
		`{"kind":"PodList","apiVersion":"v1"}`:                                      false,
		`{"kind":"PodList","apiVersion":"v1","items":{}}`:                           false,
		`{"kind":"AllowList","apiVersion":"v1","items":[],"metadata":{"name":"a"}}`: false,
		`{"kind":"Pod","apiVersion":"v1","items":[]}`:                               false,
	} {
		if got := parse(t, in).IsList(); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	o := parse(
		t, `{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"c","remainingItemCount":5,"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`,
	)
	l, err := o.List()
	if err != nil {
		t.Fatal(err)
	}
	items, err := l.Items()
	if err != nil || len(items) != 2 || items[1].Name() != "b" || items[1].Kind() != "Pod" {
		t.Fatalf("got %v, %v", items, err)
	}
	items[0].SetNamespace("ns")
	if s, _, _ := o.String("items", "0", "metadata", "namespace"); s != "ns" {
		t.Errorf("the change of an item does not show in %v", o)
	}
	n, ok := l.RemainingItemCount()
	if l.Continue() != "c" || l.ResourceVersion() != "9" || n != 5 || !ok {
		t.Errorf("got %q, %q, %d", l.Continue(), l.ResourceVersion(), n)
	}
	l.SetContinue("")
	l.SetResourceVersion("10")
	l.SetRemainingItemCount(4)
	clone := l.Clone()
	l.SetItems(items[1], unstructured.Object{})
	const want = `{"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}},{"apiVersion":"v1","kind":"Pod"}],"kind":"PodList","metadata":{"remainingItemCount":4,"resourceVersion":"10"}}`
	if got := fmt.Sprint(l.Object()); got != want || o.Len("items") != 2 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if clone.Equal(l) || clone.Len("items") != 2 || !clone.Has("items", "0", "metadata", "namespace") {
		t.Error("the clone has changed with the list")
	}
}

func TestNewList(t *testing.T) {
	t.Parallel()
	l := unstructured.NewList(schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Machine"})
	if got := fmt.Sprint(l); got != `{"apiVersion":"a.b/v1","items":[],"kind":"MachineList"}` {
		t.Errorf("got %s", got)
	}
	items := make([]unstructured.Object, 3)
	for i := range items {
		items[i].SetName(fmt.Sprint(i))
	}
	l.SetItems(items...)
	if s, _, _ := l.String("items", "2", "kind"); s != "Machine" || items[2].Kind() != "" {
		t.Errorf("got %v", l)
	}
}

func TestItemErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"items":{}}`:                      "unstructured: items: expected an array, found an object",
		`{"items":[{},1]}`:                  "unstructured: items[1]: expected an object, found an integer",
		`{"items":[{"metadata":"a"}]}`:      "unstructured: items[0].metadata: expected an object, found a string",
		`{"items":[{"kind":["a"]}]}`:        "unstructured: items[0].kind: expected a string, found an array",
		`{"kind":"PodList","items":[null]}`: "unstructured: items[0]: expected an object, found null",
	} {
		_, err := parse(t, in).List()
		if err == nil || err.Error() != want || !errors.Is(err, runtime.ErrWrongType) {
			t.Errorf("%s: got %v", in, err)
		}
		r := jsonwire.NewReader([]byte(in), jsonwire.Options{})
		var l unstructured.List
		unstructured.DecodeJSONList(r, &l)
		if p := r.Problems(); len(p) != 1 || p[0].Code != wire.InvalidValue {
			t.Errorf("%s: problems %v", in, p)
		}
	}
	if l, err := parse(t, `{}`).List(); err != nil || l.Len("items") != 0 {
		t.Errorf("got %v", err)
	}
}
