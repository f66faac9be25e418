package pbwire

import (
	"math/bits"
	"unsafe"

	"github.com/askind/askind/wire/internal/batch"
)

// Pointee decodes the message that is the value of the current field into the target of a pointer.
// An existing target is kept and merged with. p is the address of the pointer, a **T, and decode is
// the function that reads the fields of the message, a func(*Reader, *T). Pointee is not generic
// for the same reason as [Reader.Messages].
//
//go:noinline
func (r *Reader) Pointee(p, decode any) {
	t := r.values.Type(p)
	t.Reads(r, decode)
	at := (*unsafe.Pointer)(batch.Address(p))
	if *at == nil {
		*at = r.values.New(t, r.left())
	}
	saved := r.Message()
	decodeFunc(decode)(r, *at)
	r.EndMessage(saved)
}

// Messages appends messages to a list: the value of the current field and those that directly
// follow it. The list grows once. A value that is not a message is recorded and does not change the
// list. list is the address of the list, a *[]T, and decode is the function that reads the fields
// of a message, a func(*Reader, *T).
//
// Messages is not generic, because the compiler would instantiate it for each T, which for a
// package with hundreds of types doubled the compile time of the generated code. Instead the types
// are compared when a Reader first uses them: Messages panics if they do not match.
func (r *Reader) Messages(list, decode any) { r.messages(list, decode, false) }

// Items is Messages for the items of a list kind: the strings of different items do not share
// memory, see [Reader.Item].
func (r *Reader) Items(list, decode any) { r.messages(list, decode, true) }

//go:noinline
func (r *Reader) messages(address, decode any, items bool) {
	t := r.values.Type(address)
	t.Reads(r, decode)
	out, read := (*batch.Slice)(batch.Address(address)), decodeFunc(decode)
	i := out.Len
	n := r.elements(i, t.Size(), "a message")
	if n == 0 {
		return
	}
	for list := r.more(t, *out, n); ; i++ {
		if items {
			r.Item()
		}
		saved := r.Message()
		read(r, t.Index(list, i))
		r.EndMessage(saved)
		if r.values.Room() < 0 {
			r.failMemory()
		}
		if i+1 == list.Len || !r.Next() { // nothing follows after a failure
			*out = batch.Slice{Data: list.Data, Len: i + 1, Cap: list.Cap}
			return
		}
	}
}

// decodeFunc converts a func(*Reader, *T) to a function that takes the address.
func decodeFunc(decode any) func(*Reader, unsafe.Pointer) {
	f := batch.Address(decode)
	return *(*func(*Reader, unsafe.Pointer))(unsafe.Pointer(&f))
}

// more returns a list with n more zero elements.
func (r *Reader) more(t *batch.Type, list batch.Slice, n int) batch.Slice {
	i := list.Len
	switch {
	case i+n <= list.Cap:
		list.Len += n
		t.Clear(list, i) // the caller may have used its capacity
	case i == 0:
		list = r.values.List(t, n, r.left())
	default:
		more := r.values.List(t, max(i+n, 2*i), r.left())
		t.Copy(more.Data, list)
		more.Len = i + n
		list = more
	}
	return list
}

// allow reports whether a list of i elements may get n more of the given size. If not, the message
// ends.
func (r *Reader) allow(i, n, size int) bool {
	switch {
	case n == 0:
		return false // there was a failure
	case i+n > r.limits.Items:
		r.failItems(i + n)
		return false
	}
	if high, low := bits.Mul64(uint64(n), uint64(max(1, size))); high > 0 || low > uint64(max(0, r.values.Room())) {
		r.failMemory()
		return false
	}
	return true
}

// elements returns how many elements of the given size a list of i gets from the current field and
// those that directly follow it. It is 0 after a failure, and if the field has another type.
func (r *Reader) elements(i, size int, expected string) int {
	if r.wire() != wireBytes {
		r.wrongType(expected)
		return 0
	}
	n, _ := r.run()
	if !r.allow(i, n, size) {
		return 0
	}
	return n
}
