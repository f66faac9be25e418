package serializer

import (
	"reflect"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
)

// fieldDropper is an object or list of meta/unstructured, which this package cannot import.
type fieldDropper interface{ DropManagedFields() }

// withoutManagedFields returns an object without managedFields, or a list with such items. Objects
// of Go types share the rest with the result and are not changed.
func withoutManagedFields(k *runtime.Kind, obj runtime.Object) (runtime.Object, error) {
	if _, ok := obj.(fieldDropper); ok {
		out, err := k.DeepCopy(obj)
		if err != nil {
			return nil, err
		}
		out.(fieldDropper).DropManagedFields()
		return out, nil
	}
	if item := k.ItemKind(); k.IsList() && item != nil {
		return itemsWithoutManagedFields(k, item, obj)
	}
	m, ok := k.Metadata(obj).(*metav1.ObjectMeta)
	if !ok || m == nil || len(m.ManagedFields) == 0 {
		return obj, nil
	}
	shallow := reflect.New(reflect.TypeOf(obj).Elem())
	shallow.Elem().Set(reflect.ValueOf(obj).Elem())
	out := shallow.Interface()
	own := k.Metadata(out).(*metav1.ObjectMeta)
	if own == m { // held by a pointer
		var err error
		if out, err = k.DeepCopy(obj); err != nil {
			return nil, err
		}
		own = k.Metadata(out).(*metav1.ObjectMeta)
	}
	own.ManagedFields = nil
	return out, nil
}

// itemsWithoutManagedFields is withoutManagedFields for a list.
func itemsWithoutManagedFields(k, item *runtime.Kind, list runtime.Object) (runtime.Object, error) {
	from := k.Items(list)
	if from.Len() == 0 {
		return list, nil
	}
	items := make([]runtime.Object, from.Len())
	for i := range items {
		var err error
		if items[i], err = withoutManagedFields(item, from.At(i)); err != nil {
			return nil, err
		}
	}
	return format.WithItems(k, list, items)
}
