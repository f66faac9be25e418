package meta

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/askind/askind/runtime"
)

// Items yields the items of a list with their indexes, in order. An item is a pointer into the
// list, so changing it changes the list.
func Items(kind *runtime.Kind, list runtime.Object) (iter.Seq2[int, runtime.Object], error) {
	items, err := itemsOf(kind, list)
	if err != nil {
		return nil, err
	}
	return func(yield func(int, runtime.Object) bool) {
		for i := range items.Len() {
			if !yield(i, items.At(i)) {
				return
			}
		}
	}, nil
}

// Len returns the number of items of a list.
func Len(kind *runtime.Kind, list runtime.Object) (int, error) {
	items, err := itemsOf(kind, list)
	if err != nil {
		return 0, err
	}
	return items.Len(), nil
}

// Extract returns pointers to the items of a list, in order. They point into the list; keeping one
// keeps the whole list in memory.
func Extract(kind *runtime.Kind, list runtime.Object) ([]runtime.Object, error) {
	items, err := itemsOf(kind, list)
	if err != nil {
		return nil, err
	}
	out := make([]runtime.Object, items.Len())
	for i := range out {
		out[i] = items.At(i)
	}
	return out, nil
}

// SetItems replaces the items of a list. The objects are copied shallowly, so they share memory
// with the list afterwards. If one of them does not have the item type of the list, nothing is
// changed. The items of a list of any kinds have the type *runtime.RawExtension, which Scheme.Embed
// returns, and those of an untyped list are untyped objects.
func SetItems(kind *runtime.Kind, list runtime.Object, objects ...runtime.Object) error {
	items, err := itemsOf(kind, list)
	if err != nil {
		return err
	}
	// The objects may be items of this list, so their values are read before the list changes.
	values := make([]reflect.Value, len(objects))
	for i, obj := range objects {
		if v := reflect.ValueOf(obj); v.Kind() == reflect.Pointer && !v.IsNil() {
			values[i] = reflect.New(v.Type().Elem()).Elem()
			values[i].Set(v.Elem())
			continue
		}
		return itemError(kind, i, obj)
	}
	if len(objects) > 0 {
		want, err := itemType(kind)
		if err != nil {
			return err
		}
		for i, v := range values {
			if v.Type() != want {
				return itemError(kind, i, objects[i])
			}
		}
	}
	items.Resize(len(objects))
	for i, v := range values {
		reflect.ValueOf(items.At(i)).Elem().Set(v)
	}
	return nil
}

// itemType returns the struct type of the items of a list kind, which is determined from an item.
func itemType(kind *runtime.Kind) (reflect.Type, error) {
	items, err := itemsOf(kind, kind.New())
	if err != nil {
		return nil, err
	}
	items.Resize(1)
	t := reflect.TypeOf(items.At(0))
	if t == nil || t.Kind() != reflect.Pointer {
		return nil, &KindError{Kind: kind.GroupVersionKind(), Err: ErrNotList, Detail: "its items are not pointers"}
	}
	return t.Elem(), nil
}

func itemError(kind *runtime.Kind, i int, obj runtime.Object) error {
	return &KindError{Kind: kind.GroupVersionKind(), Err: ErrItemType, Detail: fmt.Sprintf("object %d is a %T", i, obj)}
}

func itemsOf(kind *runtime.Kind, list runtime.Object) (runtime.Items, error) {
	if items := kind.Items(list); items != nil {
		return items, nil
	}
	return nil, lacking(kind, list, ErrNotList)
}
