package meta_test

import (
	"errors"
	"testing"

	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

func TestAccessor(t *testing.T) {
	t.Parallel()
	obj := &metav1.PartialObjectMetadata{}
	m, err := meta.Accessor(kindOf(t, obj), obj)
	if err != nil || m != &obj.ObjectMeta {
		t.Errorf("got %p, %v, want the metadata of the object", m, err)
	}
	list := &metav1.PartialObjectMetadataList{}
	l, err := meta.ListAccessor(kindOf(t, list), list)
	if err != nil || l != &list.ListMeta {
		t.Errorf("got %p, %v, want the metadata of the list", l, err)
	}
}

func TestAccessorErrors(t *testing.T) {
	t.Parallel()
	obj, list, options := &metav1.PartialObjectMetadata{}, &metav1.PartialObjectMetadataList{}, &metav1.GetOptions{}
	objKind, listKind, optionsKind := kindOf(t, obj), kindOf(t, list), kindOf(t, options)
	first := func(_ any, err error) error { return err }
	for _, c := range []struct {
		name      string
		err, want error
	}{
		{"list as object", first(meta.Accessor(listKind, list)), meta.ErrNoObjectMeta},
		{"object as list", first(meta.ListAccessor(objKind, obj)), meta.ErrNoListMeta},
		{"no metadata", first(meta.Accessor(optionsKind, options)), meta.ErrNoObjectMeta},
		{"other kind", first(meta.Accessor(objKind, list)), runtime.ErrNotObject},
		{"nil", first(meta.Accessor(objKind, nil)), runtime.ErrNotObject},
		{"nil pointer", first(meta.Accessor(objKind, (*metav1.PartialObjectMetadata)(nil))), runtime.ErrNotObject},
		{"items of an object", first(meta.Items(objKind, obj)), meta.ErrNotList},
		{"length of an object", first(meta.Len(objKind, obj)), meta.ErrNotList},
		{"extract from an object", first(meta.Extract(objKind, obj)), meta.ErrNotList},
		{"set items of an object", meta.SetItems(objKind, obj), meta.ErrNotList},
		{"items of nil", first(meta.Items(listKind, nil)), runtime.ErrNotObject},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
	if got, want := meta.SetItems(objKind, obj).Error(),
		"meta: meta.k8s.io/v1, Kind=PartialObjectMetadata: the kind is not a list kind"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
