package format

import (
	"reflect"

	"github.com/askind/askind/runtime"
)

// holder replaces the items of one object by those of other objects of its type.
type holder interface {
	// len returns the number of items of another object.
	len(other runtime.Object) int
	// take replaces the items by those of another object from index i up to but not including j.
	take(other runtime.Object, i, j int)
	// takeOne replaces the items by a single one.
	takeOne(item reflect.Value)
	clear()
	itemType() reflect.Type
}

// fieldHolder is the items in a slice of a struct. It takes items without copying them.
type fieldHolder struct {
	field int
	items reflect.Value // the field
	one   reflect.Value // a slice of one item
}

func newFieldHolder(obj runtime.Object, field int) holder {
	items := reflect.ValueOf(obj).Elem().Field(field)
	return fieldHolder{field, items, reflect.MakeSlice(items.Type(), 1, 1)}
}

func (h fieldHolder) of(other runtime.Object) reflect.Value {
	return reflect.ValueOf(other).Elem().Field(h.field)
}

func (h fieldHolder) len(other runtime.Object) int { return h.of(other).Len() }

func (h fieldHolder) take(other runtime.Object, i, j int) { h.items.Set(h.of(other).Slice3(i, j, j)) }

func (h fieldHolder) takeOne(item reflect.Value) {
	h.one.Index(0).Set(item)
	h.items.Set(h.one)
}

func (h fieldHolder) clear() {
	h.one.Index(0).SetZero()
	h.items.SetZero()
}

func (h fieldHolder) itemType() reflect.Type { return h.items.Type().Elem() }

// viewHolder is the items of an untyped list. They are copied one level deep.
type viewHolder struct {
	kind  *runtime.Kind
	items runtime.Items
	typ   reflect.Type // of an item
}

func newViewHolder(k *runtime.Kind, obj runtime.Object) holder {
	h := viewHolder{kind: k, items: k.Items(obj)}
	h.items.Resize(1)
	h.typ = h.at(0).Type()
	h.clear()
	return h
}

func (h viewHolder) len(other runtime.Object) int { return h.kind.Items(other).Len() }

func (h viewHolder) take(other runtime.Object, i, j int) {
	from := h.kind.Items(other)
	h.items.Resize(j - i)
	for n := range j - i {
		h.at(n).Set(reflect.ValueOf(from.At(i + n)).Elem())
	}
}

func (h viewHolder) takeOne(item reflect.Value) {
	h.items.Resize(1)
	h.at(0).Set(item)
}

func (h viewHolder) clear() { h.items.Resize(0) }

func (h viewHolder) itemType() reflect.Type { return h.typ }

func (h viewHolder) at(i int) reflect.Value { return reflect.ValueOf(h.items.At(i)).Elem() }
