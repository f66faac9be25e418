package pbwire

import (
	"math/bits"
	"unsafe"

	"github.com/askind/askind/serializer/internal/batch"
)

// Messages reads the elements of a list of messages: the value of the current field, and those that follow it without another field in
// between. The list grows once. A value that is no message is recorded and leaves the list as it is.
func Messages[T any](r *Reader, list []T, decode func(*Reader, *T)) []T {
	return messages(r, list, false, decode)
}

// Items is Messages for the items of a list kind: the strings of different items do not share memory, see [Reader.Item].
func Items[T any](r *Reader, list []T, decode func(*Reader, *T)) []T {
	return messages(r, list, true, decode)
}

// allow reports whether a list that has i elements may get n more, each of a size. If not the message ends.
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

// elements returns how many elements, each of a size, a list of i gets from the current field and those that follow it. It is 0 if there are none to be
// read: after a failure, and if the field is not what is expected.
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

func messages[T any](r *Reader, list []T, items bool, decode func(*Reader, *T)) []T {
	i := len(list)
	n := r.elements(i, int(unsafe.Sizeof(list[0])), "a message")
	switch {
	case n == 0:
		return list
	case i == 0 && n > cap(list):
		list = batch.List[T](&r.values, n, r.left())
	case i+n > cap(list):
		more := batch.List[T](&r.values, max(i+n, 2*i), r.left())
		copy(more, list)
		list = more[:i+n]
	default:
		list = list[:i+n]
		clear(list[i:]) // whoever made the list may have used its capacity
	}
	for ; ; i++ {
		if items {
			r.Item()
		}
		saved := r.Message()
		decode(r, &list[i])
		r.EndMessage(saved)
		if r.values.Room() < 0 {
			r.failMemory()
		}
		if i+1 == len(list) || !r.Next() { // nothing follows after a failure
			return list[:i+1]
		}
	}
}
