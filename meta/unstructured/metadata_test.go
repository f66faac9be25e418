package unstructured_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func TestMetadata(t *testing.T) {
	t.Parallel()
	o := unstructured.New(schema.GroupVersionKind{Group: "fleet.example.com", Version: "v1", Kind: "Machine"})
	o.SetName("web-1")
	o.SetGenerateName("web-")
	o.SetNamespace("default")
	o.SetUID("4711")
	o.SetResourceVersion("12")
	o.SetGeneration(3)
	o.SetLabels(map[string]string{"tier": "front", "app": "web"})
	o.SetAnnotations(map[string]string{"note": "<none>"})
	o.SetFinalizers([]string{"a.example.com/b"})
	const want = `{"apiVersion":"fleet.example.com/v1","kind":"Machine","metadata":{"annotations":{"note":"\u003cnone\u003e"},"finalizers":["a.example.com/b"],` +
		`"generateName":"web-","generation":3,"labels":{"app":"web","tier":"front"},"name":"web-1","namespace":"default","resourceVersion":"12","uid":"4711"}}`
	if got := fmt.Sprint(o); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	app, hasApp := o.Label("app")
	_, hasOther := o.Annotation("other")
	got := []any{
		o.Name(), o.GenerateName(), o.Namespace(), o.UID(), o.ResourceVersion(), o.Generation(), o.Labels(),
		o.Annotations(), o.Finalizers(),
		app, hasApp, hasOther,
	}
	if want := []any{
		"web-1", "web-", "default", "4711", "12", int64(3),
		map[string]string{"tier": "front", "app": "web"},
		map[string]string{"note": "<none>"},
		[]string{"a.example.com/b"},
		"web", true, false,
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	o.SetName("")
	o.SetGenerateName("")
	o.SetNamespace("")
	o.SetUID("")
	o.SetResourceVersion("")
	o.SetGeneration(0)
	o.SetLabels(nil)
	o.SetAnnotations(map[string]string{})
	o.SetFinalizers(nil)
	if got := fmt.Sprint(o); got != `{"apiVersion":"fleet.example.com/v1","kind":"Machine","metadata":{}}` {
		t.Errorf("got %s", got)
	}
}

// TestNullEntries checks that a label or annotation without a value is blank, as in ObjectMeta, and
// does not hide the others.
func TestNullEntries(t *testing.T) {
	t.Parallel()
	o := parse(t, `{"metadata":{"labels":{"a":null,"b":"c"},"annotations":{"x":"1","y":null}}}`)
	meta, err := o.ObjectMeta()
	if err != nil || len(meta.Labels) != 2 || !reflect.DeepEqual(o.Labels(), meta.Labels) ||
		!reflect.DeepEqual(o.Annotations(), meta.Annotations) {
		t.Errorf("got %v, %v; want %v, %v; %v", o.Labels(), o.Annotations(), meta.Labels, meta.Annotations, err)
	}
	label, labeled := o.Label("a")
	note, annotated := o.Annotation("y")
	if label != "" || note != "" || !labeled || !annotated {
		t.Errorf("got %q, %t, %q, %t", label, labeled, note, annotated)
	}
}

func TestMetadataOfOddObjects(t *testing.T) {
	t.Parallel()
	o := parse(t, `{"metadata":{"name":1,"labels":"a","generation":"x","creationTimestamp":"yesterday"}}`)
	if o.Name() != "" || o.Labels() != nil || o.Generation() != 0 || !o.CreationTimestamp().Time.IsZero() ||
		o.DeletionTimestamp() != nil {
		t.Error("values of other types are shown")
	}
	if _, err := o.ObjectMeta(); !errors.Is(err, runtime.ErrWrongType) {
		t.Errorf("got %v", err)
	}
	o.SetName("a")
	o.SetLabels(map[string]string{"b": "c"})
	if got := fmt.Sprint(o); got != `{"metadata":{"creationTimestamp":"yesterday","generation":"x","labels":{"b":"c"},"name":"a"}}` {
		t.Errorf("got %s", got)
	}
	o = parse(t, `{"metadata":null}`)
	o.SetName("a")
	if o.Name() != "a" {
		t.Errorf("got %v", o)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	o := parse(
		t, `{"metadata":{"creationTimestamp":"2026-01-02T03:04:05Z","deletionTimestamp":"2026-01-02T03:04:06Z"}}`,
	)
	created, deleted := o.CreationTimestamp(), o.DeletionTimestamp()
	if want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC); !created.Time.Equal(want) || deleted == nil ||
		!deleted.Time.Equal(want.Add(time.Second)) {
		t.Errorf("got %v, %v", created, deleted)
	}
}

func TestObjectMeta(t *testing.T) {
	t.Parallel()
	o := parse(
		t, `{"metadata":{"name":"a","labels":{"x":"y"},"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u"}],"other":{"kept":1}}}`,
	)
	m, err := o.ObjectMeta()
	if err != nil || m.Name != "a" || len(m.OwnerReferences) != 1 || m.OwnerReferences[0].UID != "u" {
		t.Fatalf("got %+v, %v", m, err)
	}
	m.Labels = nil
	m.Generation = 7
	m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{Name: "o"})
	if err := o.SetObjectMeta(m); err != nil {
		t.Fatal(err)
	}
	const want = `{"metadata":{"generation":7,"name":"a","other":{"kept":1},"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u"},{"apiVersion":"","kind":"","name":"o","uid":""}]}}`
	if got := fmt.Sprint(o); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var empty unstructured.Object
	if m, err := empty.ObjectMeta(); err != nil || m.Name != "" {
		t.Errorf("got %v, %v", m, err)
	}
	_, err = parse(t, `{"metadata":{"ownerReferences":[{"name":1}]}}`).ObjectMeta()
	if err == nil || err.Error() != "metadata.ownerReferences[0].name: expected string, found number" {
		t.Errorf("got %v", err)
	}
}

// TestObjectMetaNames checks that the names that SetObjectMeta replaces are those of the type.
func TestObjectMetaNames(t *testing.T) {
	t.Parallel()
	full := parse(t, `{"metadata":{"annotations":{"a":"b"},"creationTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":1,"deletionTimestamp":"2026-01-02T03:04:05Z",`+
		`"finalizers":["a"],"generateName":"a","generation":1,"labels":{"a":"b"},"managedFields":[{}],"name":"a","namespace":"a","ownerReferences":[{"apiVersion":"","kind":"","name":"","uid":""}],`+
		`"resourceVersion":"a","selfLink":"a","uid":"a"}}`)
	m, err := full.ObjectMeta()
	if err != nil {
		t.Fatal(err)
	}
	if n := reflect.TypeFor[metav1.ObjectMeta]().NumField(); full.Len("metadata") != n {
		t.Errorf("the type has %d fields, the object %d", n, full.Len("metadata"))
	}
	again := unstructured.New(schema.GroupVersionKind{})
	if err := again.SetObjectMeta(m); err != nil || !again.Equal(full) {
		t.Errorf("got  %v, %v\nwant %v", again, err, full)
	}
	if err := full.SetObjectMeta(&metav1.ObjectMeta{}); err != nil || fmt.Sprint(full) != `{"metadata":{}}` {
		t.Errorf("got %v, %v", full, err)
	}
}
