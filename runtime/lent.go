package runtime

import (
	"reflect"
	"sync"
)

// Lent is the memory of a list that is made only to be written, for [Scheme.AsLent]. The zero Lent has none. It is for one goroutine, and for one list.
type Lent struct {
	items Items
	spare *sync.Pool // of Items, where the memory comes from and goes to
}

// maxSpare bounds the memory of a list that is kept for the next one, in bytes.
const maxSpare = 4 << 20

// Return gives the memory back. What was made in it must not be used any more.
func (l *Lent) Return() {
	if l.items == nil {
		return
	}
	items := reflect.ValueOf(l.items).Elem()
	if uintptr(items.Cap())*items.Type().Elem().Size() <= maxSpare {
		items.Clear() // so that it does not keep what the list was made of
		l.spare.Put(l.items)
	}
	l.items = nil
}

// resize is [Items.Resize] with memory that was given back, if there is enough of it. The nil Lent has none to lend.
func (l *Lent) resize(list Items, n int) {
	if l == nil || !isSlice(list) {
		list.Resize(n)
		return
	}
	l.items = list
	if spare, ok := l.spare.Get().(Items); ok {
		if items := reflect.ValueOf(spare).Elem(); n <= items.Cap() {
			items.SetLen(n)
			reflect.ValueOf(list).Elem().Set(items)
			return
		}
	}
	list.Resize(n)
}

// isSlice reports whether items are a [Slice], whose memory holds them and nothing else.
func isSlice(items Items) bool {
	_, ok := items.(interface{ itemType() reflect.Type })
	return ok
}
