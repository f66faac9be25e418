package pbwire

import "github.com/askind/askind/wire/internal/batch"

// New returns a new zero value for decoders to point to. Values of one type within one document, or
// within one item of a list, share blocks of memory unless [Options.Apart] is set.
func New[T any](r *Reader) *T { return batch.New[T](&r.values, r.left()) }

// left returns how many bytes of the input are left.
func (r *Reader) left() int { return len(r.data) - r.pos }

// Extend appends a zero element to a list of messages, for the value of the current field. A nil
// list gets room for all elements that follow. Decoders call it before they enter the message.
func Extend[T any](r *Reader, list []T) []T {
	if list == nil {
		if n, _ := r.run(); r.allow(0, n, batch.SizeOf[T]()) {
			list = batch.List[T](&r.values, n, r.left())[:0]
		}
	}
	n := len(list)
	if n >= r.limits.Items && r.err == nil {
		r.failItems(n + 1)
	}
	if n == cap(list) {
		var zero T
		list = append(list, zero)
		r.Spend(cap(list) * batch.SizeOf[T]())
		return list
	}
	list = list[:n+1]
	clear(list[n:])
	return list
}

// GrowMap returns m, or a new map if m is nil, with room for the entry in the current field.
// Decoders call it before they read the entry. A new map has room for the entries that directly
// follow as well. The entry counts toward the limits of the message.
func GrowMap[M ~map[K]V, K comparable, V any](r *Reader, m M) M {
	if m == nil {
		m = make(M, r.count())
	}
	if len(m) >= r.limits.Items {
		r.failItems(len(m) + 1)
	}
	r.Spend(2 * (batch.SizeOf[K]() + batch.SizeOf[V]())) // a map has room for up to twice its entries
	return m
}
