package serializer_test

import (
	"bytes"
	"strings"
	"testing"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/wire/jsonwire"
)

// managedMachine returns a machine with managed fields.
func managedMachine(name string) *v1.Machine {
	m := &v1.Machine{TypeMeta: metav1.TypeMeta{APIVersion: "fleet.example.com/v1", Kind: "Machine"}}
	m.Name = name
	m.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "tester", Operation: "Apply", APIVersion: "fleet.example.com/v1",
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{}}`)},
	}}
	return m
}

// TestDropManagedFields compares what a client gets that drops managed fields with what others get
// of an object without them.
func TestDropManagedFields(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	with := managedMachine("a")
	without := managedMachine("a")
	without.ManagedFields = nil
	list := &v1.MachineList{Items: []v1.Machine{*managedMachine("a"), *managedMachine("b")}}
	bare := &v1.MachineList{Items: []v1.Machine{*managedMachine("a"), *managedMachine("b")}}
	bare.Items[0].ManagedFields, bare.Items[1].ManagedFields = nil, nil
	const drop = ";drop=metadata.managedFields"
	for _, offer := range []serializer.Offer{oneMachine, allMachines} {
		full, want := runtime.Object(with), runtime.Object(without)
		if offer.Kind == allMachines.Kind {
			full, want = list, bare
		}
		for _, accept := range []string{
			"application/json", "application/json;pretty=1", "application/yaml", "application/cbor",
			"application/json;v=v1beta1",
			"application/json;as=PartialObjectMetadata", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata",
			"application/json;as=Table", "application/json;as=Table;includeObject=Object",
		} {
			if offer.Kind == allMachines.Kind && strings.Contains(accept, "Partial") {
				accept += "List;g=meta.k8s.io;v=v1"
			}
			full := full
			for _, obj := range []runtime.Object{full, serializer.NewCached(full)} {
				got := shown(t, f, offer, accept+drop+"+spec.image", obj)
				if want := shown(t, f, offer, accept, want); !bytes.Equal(got, want) {
					t.Errorf("%s: got\n%s\nwant\n%s", accept, got, want)
				}
				got = shown(t, f, offer, accept+";drop=spec", obj)
				if want := shown(t, f, offer, accept, full); !bytes.Equal(got, want) {
					t.Errorf("%s: a field that cannot be dropped is not ignored", accept)
				}
			}
		}
	}
	if len(with.ManagedFields) != 1 || len(list.Items[0].ManagedFields) != 1 {
		t.Error("an object was changed")
	}
	rep, err := f.Negotiate([]string{"application/json" + drop}, oneMachine)
	if err != nil || rep.Whole() || rep.ContentType() != "application/json"+drop {
		t.Errorf("got %v, %v", rep.ContentType(), err)
	}
}

// shown returns what a client with a header gets of an object, with an event of a watch behind it.
func shown(t *testing.T, f *serializer.Factory, offer serializer.Offer, accept string, obj runtime.Object) []byte {
	t.Helper()
	rep, err := f.Negotiate([]string{accept}, offer)
	if err != nil {
		t.Fatalf("%s: %v", accept, err)
	}
	out, err := rep.Append(nil, obj)
	if err != nil {
		t.Fatalf("%s: %v", accept, err)
	}
	if offer.Kind != oneMachine.Kind || rep.Pretty() || rep.Format().Events == nil {
		return out
	}
	var events bytes.Buffer
	w, err := rep.Events(&events)
	if err == nil {
		err = w.Send(metav1.WatchAdded, obj)
	}
	if err != nil {
		t.Fatalf("%s: %v", accept, err)
	}
	return append(out, events.Bytes()...)
}

func TestDropManagedFieldsOfUntypedObjects(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	o, err := unstructured.FromMap(map[string]any{
		"apiVersion": "example.com/v1", "kind": "Lamp",
		"metadata": map[string]any{"name": "a", "managedFields": []any{map[string]any{"manager": "x"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	l := unstructured.NewList(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Lamp"})
	l.SetItems(*o.Clone())
	for want, obj := range map[string]runtime.Object{
		`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"}}`: o,
		`{"apiVersion":"example.com/v1","items":[{"apiVersion":"example.com/v1","kind":"Lamp","metadata":` +
			`{"name":"a"}}],"kind":"LampList"}`: l,
	} {
		rep, err := f.Negotiate([]string{"application/json;drop=metadata.managedFields"}, serializer.Offer{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := rep.Append(nil, obj)
		if err != nil || string(bytes.TrimSpace(got)) != want {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
	if _, found, _ := o.Get("metadata", "managedFields"); !found {
		t.Error("the object was changed")
	}
}

// distant is an object that points to its metadata.
type distant struct {
	metav1.TypeMeta
	Meta *metav1.ObjectMeta
}

// TestDropManagedFieldsBehindAPointer checks that an object is not changed whose metadata a shallow
// copy would share.
func TestDropManagedFieldsBehindAPointer(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[distant]{
			GroupVersionKind: v1.GroupVersion.WithKind("Distant"),
			TypeMeta:         func(o *distant) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
			Metadata: func(o *distant) any {
				if o.Meta == nil {
					o.Meta = new(metav1.ObjectMeta)
				}
				return o.Meta
			},
			AppendJSONFields: func(dst []byte, o *distant) ([]byte, error) {
				return metav1.AppendJSONObjectMeta(append(dst, `,"metadata":`...), o.Meta)
			},
		})
	}, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	offer := serializer.Offer{Kind: v1.GroupVersion.WithKind("Distant")}
	obj := &distant{Meta: &managedMachine("a").ObjectMeta}
	for _, drops := range []bool{false, true, false} {
		accept := "application/json"
		if drops {
			accept += ";drop=metadata.managedFields"
		}
		got := shown(t, f, offer, accept, obj)
		if bytes.Contains(got, []byte("managedFields")) == drops || len(obj.Meta.ManagedFields) != 1 {
			t.Errorf("%s: the object has %d managed fields afterwards, and is shown as\n%s", accept,
				len(obj.Meta.ManagedFields), got)
		}
	}
}

// distantList holds its items by a pointer.
type distantList struct {
	metav1.TypeMeta
	Body *[]v1.Machine
}

// TestDropManagedFieldsOfItemsBehindAPointer checks that a list is not changed whose items a
// shallow copy would share.
func TestDropManagedFieldsOfItemsBehindAPointer(t *testing.T) {
	t.Parallel()
	gvk := v1.GroupVersion.WithKind("DistantList")
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo, func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[distantList]{
			GroupVersionKind: gvk, Item: "Machine",
			TypeMeta: func(o *distantList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
			Items: func(o *distantList) runtime.Items {
				if o.Body == nil {
					o.Body = new([]v1.Machine)
				}
				return (*runtime.Slice[v1.Machine])(o.Body)
			},
			AppendJSONFields: func(dst []byte, o *distantList) ([]byte, error) {
				dst = append(dst, `,"items":[`...)
				for i := range *o.Body {
					var err error
					if dst, err = v1.AppendJSONMachine(jsonwire.AppendComma(dst, i), &(*o.Body)[i]); err != nil {
						return dst, err
					}
				}
				return append(dst, ']'), nil
			},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	list := &distantList{Body: &[]v1.Machine{*managedMachine("a"), *managedMachine("b")}}
	got := shown(t, f, serializer.Offer{Kind: gvk}, "application/json;drop=metadata.managedFields", list)
	if bytes.Contains(got, []byte("managedFields")) || !bytes.Contains(got, []byte(`"name":"b"`)) {
		t.Errorf("the list is shown as\n%s", got)
	}
	for i := range *list.Body {
		if n := len((*list.Body)[i].ManagedFields); n != 1 {
			t.Errorf("item %d has %d managed fields afterwards", i, n)
		}
	}
}
