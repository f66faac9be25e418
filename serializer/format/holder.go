package format

import (
	"reflect"

	"github.com/askind/askind/runtime"
)

// holder replaces the items of one object by those of other objects of its type.
type holder struct {
	kind  *runtime.Kind
	typ   reflect.Type  // of an item
	view  runtime.Items // of an untyped list, whose items are copied one level deep
	field int           // of the items of any other object, which are not copied
	slice reflect.Value // that field
	one   reflect.Value // a slice of one item, once an item has been taken alone
}

// fieldHolder returns the items in a slice of a struct.
func fieldHolder(obj runtime.Object, field int) holder {
	slice := reflect.ValueOf(obj).Elem().Field(field)
	return holder{typ: slice.Type().Elem(), field: field, slice: slice}
}

// viewHolder returns the items of an untyped list.
func viewHolder(k *runtime.Kind, obj runtime.Object) holder {
	h := holder{kind: k, view: k.Items(obj)}
	h.view.Resize(1)
	h.typ = h.at(0).Type()
	h.clear()
	return h
}

// len returns the number of items of another object.
func (h *holder) len(other runtime.Object) int {
	if h.view != nil {
		return h.kind.Items(other).Len()
	}
	return h.of(other).Len()
}

// take replaces the items by those of another object from index i up to but not including j.
func (h *holder) take(other runtime.Object, i, j int) {
	if h.view == nil {
		from := h.of(other)
		if i > 0 || j < from.Len() {
			from = from.Slice3(i, j, j) // allocates
		}
		h.slice.Set(from)
		return
	}
	from := h.kind.Items(other)
	h.view.Resize(j - i)
	for n := range j - i {
		h.at(n).Set(reflect.ValueOf(from.At(i + n)).Elem())
	}
}

// takeOne replaces the items by a single one.
func (h *holder) takeOne(item reflect.Value) {
	if h.view != nil {
		h.view.Resize(1)
		h.at(0).Set(item)
		return
	}
	if !h.one.IsValid() {
		h.one = reflect.MakeSlice(h.slice.Type(), 1, 1)
	}
	h.one.Index(0).Set(item)
	h.slice.Set(h.one)
}

func (h *holder) clear() {
	if h.view != nil {
		h.view.Resize(0)
		return
	}
	if h.one.IsValid() {
		h.one.Index(0).SetZero()
	}
	h.slice.SetZero()
}

func (h *holder) of(other runtime.Object) reflect.Value {
	return reflect.ValueOf(other).Elem().Field(h.field)
}

func (h *holder) at(i int) reflect.Value { return reflect.ValueOf(h.view.At(i)).Elem() }
