package serializer

import (
	"reflect"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
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
	out := reflect.New(reflect.TypeOf(obj).Elem()).Interface()
	assign(out, obj)
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
	out := reflect.New(reflect.TypeOf(list).Elem()).Interface()
	assign(out, list)
	to := k.Items(out)
	to.Resize(from.Len())
	for i := range from.Len() {
		obj, err := withoutManagedFields(item, from.At(i))
		if err != nil {
			return nil, err
		}
		assign(to.At(i), obj)
	}
	return out, nil
}

// assign copies the struct that from points to into that of to. They share memory afterwards.
func assign(to, from runtime.Object) { reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem()) }
