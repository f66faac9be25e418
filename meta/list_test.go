package meta_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/askind/askind/meta"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func named(names ...string) []metav1.PartialObjectMetadata {
	items := make([]metav1.PartialObjectMetadata, len(names))
	for i, n := range names {
		items[i].Name = n
	}
	return items
}

func names(list *metav1.PartialObjectMetadataList) []string {
	var out []string
	for i := range list.Items {
		out = append(out, list.Items[i].Name)
	}
	return out
}

func TestItems(t *testing.T) {
	t.Parallel()
	list := &metav1.PartialObjectMetadataList{Items: named("a", "b", "c")}
	kind := kindOf(t, list)
	items, err := meta.Items(kind, list)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i, obj := range items {
		if obj != &list.Items[i] {
			t.Errorf("item %d is %p, want a pointer into the list", i, obj)
		}
		if seen++; seen == 2 {
			break
		}
	}
	if seen != 2 {
		t.Errorf("%d items seen, want 2", seen)
	}
	if n, err := meta.Len(kind, list); n != 3 || err != nil {
		t.Errorf("Len = %d, %v, want 3", n, err)
	}
	all, err := meta.Extract(kind, list)
	if err != nil || len(all) != 3 || all[2] != &list.Items[2] {
		t.Errorf("Extract = %v, %v", all, err)
	}
}

func TestSetItems(t *testing.T) {
	t.Parallel()
	list := &metav1.PartialObjectMetadataList{Items: named("a", "b", "c")}
	kind := kindOf(t, list)

	// Items of the list itself may come back in another order.
	all, err := meta.Extract(kind, list)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	if err := meta.SetItems(kind, list, all[:2]...); err != nil || !slices.Equal(names(list), []string{"c", "b"}) {
		t.Errorf("after reversing: %v, %v, want c and b", names(list), err)
	}

	for name, bad := range map[string]runtime.Object{
		"nil": nil, "nil pointer": (*metav1.PartialObjectMetadata)(nil), "no pointer": metav1.PartialObjectMetadata{},
		"other type": &metav1.Status{},
	} {
		if err := meta.SetItems(kind, list, &metav1.PartialObjectMetadata{}, bad); !errors.Is(err, meta.ErrItemType) ||
			!slices.Equal(names(list), []string{"c", "b"}) {
			t.Errorf("%s: %v, items %v, want ErrItemType and no change", name, err, names(list))
		}
	}

	if err := meta.SetItems(kind, list); err != nil || list.Items == nil || len(list.Items) != 0 {
		t.Errorf("no items: %v, %v, want a list that is empty but not nil", list.Items, err)
	}
}

func TestSetItemsOfAnyKind(t *testing.T) {
	t.Parallel()
	list := &metav1.List{}
	if err := meta.SetItems(kindOf(t, list), list, &runtime.RawExtension{Raw: []byte(`{}`)}); err != nil ||
		len(list.Items) != 1 || string(list.Items[0].Raw) != "{}" {
		t.Errorf("items %v, %v", list.Items, err)
	}
}

func TestSetItemsOfUntypedLists(t *testing.T) {
	t.Parallel()
	gvk := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Car"}
	car := func(name string) runtime.Object {
		o := unstructured.New(gvk)
		o.SetName(name)
		return o
	}
	asList := unstructured.NewList(gvk)
	for name, list := range map[string]runtime.Untyped{"List": asList, "Object": unstructured.NewList(gvk).Object()} {
		kind, err := list.RuntimeKind()
		if err != nil {
			t.Fatal(err)
		}
		if err := meta.SetItems(kind, list, car("a"), car("b")); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all, err := meta.Extract(kind, list)
		if err != nil || len(all) != 2 || all[0].(*unstructured.Object).Name() != "a" {
			t.Errorf("%s: items %v, %v, want a and b", name, all, err)
		}
		// in another order, of the list itself
		if err := meta.SetItems(kind, list, all[1], all[0]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if all, _ = meta.Extract(kind, list); all[0].(*unstructured.Object).Name() != "b" ||
			all[1].(*unstructured.Object).Name() != "a" {
			t.Errorf("%s: after reversing: %v", name, all)
		}
		if err := meta.SetItems(kind, list, &metav1.Status{}); !errors.Is(err, meta.ErrItemType) {
			t.Errorf("%s: a typed object: %v, want ErrItemType", name, err)
		}
		if n, err := meta.Len(kind, list); n != 2 || err != nil {
			t.Errorf("%s: %d items after an error, %v, want 2", name, n, err)
		}
		if err := meta.SetItems(kind, list); err != nil {
			t.Errorf("%s: no items: %v", name, err)
		}
		if n, _ := meta.Len(kind, list); n != 0 {
			t.Errorf("%s: %d items, want none", name, n)
		}
	}
}
