package unstructured_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

var untyped = serializer.DecodeOptions{Unknown: unstructured.Kind}

func TestFactory(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, c := range []struct{ name, in, json, yaml string }{
		{
			"json", `{"kind":"Widget","apiVersion":"a.b/v1","spec":{"zoom":1,"big":18446744073709551615,"f":1.5}}`,
			`{"apiVersion":"a.b/v1","kind":"Widget","spec":{"big":18446744073709551615,"f":1.5,"zoom":1}}`,
			"apiVersion: a.b/v1\nkind: Widget\nspec:\n  big: 18446744073709551615\n  f: 1.5\n  zoom: 1\n",
		},
		{
			"yaml", "kind: Widget\napiVersion: a.b/v1\nmetadata:\n  name: 007\n  labels: {version: 1.10, on: yes}\nspec: {mode: 0644, on: yes, text: '1', none: ~, version: 1.10}\n",
			`{"apiVersion":"a.b/v1","kind":"Widget","metadata":{"labels":{"on":"yes","version":"1.10"},"name":"007"},"spec":{"mode":420,"none":null,"on":true,"text":"1","version":1.1}}`,
			"apiVersion: a.b/v1\nkind: Widget\nmetadata:\n  labels:\n    \"on\": \"yes\"\n    version: \"1.10\"\n  name: \"007\"\nspec:\n  mode: 420\n  none: null\n  \"on\": true\n  text: \"1\"\n  version: 1.1\n",
		},
		{
			"list", "kind: WidgetList\napiVersion: a.b/v1\nitems:\n- metadata: {name: a, labels: {x: 1}}\n",
			`{"apiVersion":"a.b/v1","items":[{"apiVersion":"a.b/v1","kind":"Widget","metadata":{"labels":{"x":"1"},"name":"a"}}],"kind":"WidgetList"}`,
			"apiVersion: a.b/v1\nitems:\n- apiVersion: a.b/v1\n  kind: Widget\n  metadata:\n    labels:\n      x: \"1\"\n    name: a\nkind: WidgetList\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			obj, err := f.Decode([]byte(c.in), untyped)
			if err != nil {
				t.Fatal(err)
			}
			for mediaType, want := range map[string]string{
				"application/json": c.json + "\n",
				"application/yaml": c.yaml,
			} {
				got, err := f.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaType})
				if err != nil || string(got) != want {
					t.Errorf("got  %s, %v\nwant %s", got, err, want)
				}
				again, err := f.Decode(got, untyped)
				if err != nil || !again.(*unstructured.Object).Equal(obj.(*unstructured.Object)) {
					t.Errorf("%s is read as %v, %v", got, again, err)
				}
			}
		})
	}
}

func TestFactoryErrors(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	_, err := f.Decode([]byte("kind: Widget\napiVersion: a.b/v1\nmetadata: 5\nspec:\n  a: 1\n  b: {c: .inf}\n  a: 2\n"),
		serializer.DecodeOptions{
			File: "w.yaml", Unknown: unstructured.Kind, Strictness: serializer.FailOnProblems,
		})
	const want = "w.yaml:3:11: metadata: expected object, found number\nw.yaml:6:10: spec.b.c: number .inf is out of range for JSON\nw.yaml:7:3: spec.a: duplicate field \"a\""
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %v", err, want)
	}
	if _, err := f.Decode([]byte(`{"kind":"Widget","apiVersion":"a.b/v1"}`),
		serializer.DecodeOptions{}); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("without the option: %v", err)
	}
	if _, err := f.Decode([]byte(`{"kind":"Widget"}`), untyped); !errors.Is(err, runtime.ErrMissingVersion) {
		t.Errorf("got %v", err)
	}
	for _, o := range []runtime.Object{
		parse(t, `{}`), parse(t, `{"kind":"A"}`), (*unstructured.Object)(nil),
		(*unstructured.List)(nil),
	} {
		if _, err := f.Append(nil, o, serializer.EncodeOptions{}); err == nil {
			t.Errorf("%v is written", o)
		}
	}
	obj := parse(t, `{"kind":"Widget","apiVersion":"a.b/v1"}`)
	if _, err := f.Append(nil, obj,
		serializer.EncodeOptions{Version: schema.GroupVersion{Group: "a.b", Version: "v2"}}); err == nil {
		t.Error("an untyped object is converted")
	}
	if _, err := f.Append(nil, obj,
		serializer.EncodeOptions{Version: schema.GroupVersion{Group: "a.b", Version: "v1"}}); err != nil {
		t.Error(err)
	}
}

// TestDefaultKind checks that objects state what the caller has filled in.
func TestDefaultKind(t *testing.T) {
	t.Parallel()
	obj, err := newFactory(t).Decode([]byte(`{"spec":{}}`), serializer.DecodeOptions{
		Unknown: unstructured.Kind, DefaultKind: schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Widget"},
	})
	if err != nil || fmt.Sprint(obj) != `{"apiVersion":"a.b/v1","kind":"Widget","spec":{}}` {
		t.Errorf("got %v, %v", obj, err)
	}
}

// TestBesideTypes reads a stream of known and unknown kinds.
func TestBesideTypes(t *testing.T) {
	t.Parallel()
	f := newFactory(t, v1.AddTo, metav1.AddTo)
	var types []string
	for obj, err := range f.DecodeAll(
		[]byte(
			"kind: Machine\napiVersion: fleet.example.com/v1\n---\nkind: Machin\napiVersion: fleet.example.com/v1\n",
		), untyped,
	) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, fmt.Sprintf("%T", obj))
	}
	if got := strings.Join(types, " "); got != "*v1.Machine *unstructured.Object" {
		t.Errorf("got %s", got)
	}
	// An untyped object of a kind that the scheme knows by its type cannot be converted, and does
	// not confuse it.
	if _, err := f.Append(nil, parse(t, `{"kind":"Machine","apiVersion":"fleet.example.com/v1"}`),
		serializer.EncodeOptions{Version: metav1.GroupVersion}); err == nil {
		t.Error("an untyped object is converted")
	}
	raw, err := f.Scheme().Embed(parse(t, `{"kind":"Widget","apiVersion":"a.b/v1"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := runtime.AppendJSONRawExtension(nil, &raw); err != nil ||
		string(got) != `{"apiVersion":"a.b/v1","kind":"Widget"}` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestKind(t *testing.T) {
	t.Parallel()
	gvk := schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Widget"}
	k := unstructured.Kind(gvk)
	obj := k.New()
	if fmt.Sprint(obj) != `{"apiVersion":"a.b/v1","kind":"Widget"}` || k.IsList() || k.GroupVersionKind() != gvk ||
		!k.Info().JSON {
		t.Errorf("got %v", obj)
	}
	if apiVersion, kind := k.TypeOf(obj); apiVersion != "a.b/v1" || kind != "Widget" {
		t.Errorf("got %s, %s", apiVersion, kind)
	}
	if err := unstructured.Kind(gvk.GroupVersion().WithKind("Gadget")).SetType(obj); err != nil ||
		obj.(*unstructured.Object).Kind() != "Gadget" {
		t.Errorf("got %v, %v", obj, err)
	}
	copied, err := k.DeepCopy(obj)
	if err != nil || !copied.(*unstructured.Object).Equal(obj.(*unstructured.Object)) {
		t.Errorf("got %v, %v", copied, err)
	}
}

func TestListKinds(t *testing.T) {
	t.Parallel()
	gvk := schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "WidgetList"}
	for _, k := range []*runtime.Kind{unstructured.Kind(gvk), unstructured.ListKind(gvk)} {
		list := k.New()
		if n, err := meta.Len(k, list); n != 0 || err != nil || k.Items(list).IsNil() {
			t.Errorf("%T: got %d, %v", list, n, err)
		}
		k.Items(list).Resize(2)
		items, err := meta.Extract(k, list)
		if err != nil || len(items) != 2 {
			t.Fatalf("%T: got %v, %v", list, items, err)
		}
		items[1].(*unstructured.Object).SetName("b")
		got, err := k.AppendJSON(nil, list)
		if want := `{"apiVersion":"a.b/v1","items":[{},{"metadata":{"name":"b"}}],"kind":"WidgetList"}`; err != nil ||
			string(got) != want {
			t.Errorf("%T: got %s, %v", list, got, err)
		}
		copied, err := k.DeepCopy(list)
		if err != nil || fmt.Sprint(copied) != string(got) {
			t.Errorf("%T: the copy is %v, %v", list, copied, err)
		}
	}
}
