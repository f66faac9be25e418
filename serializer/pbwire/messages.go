package pbwire

import (
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
	case n > max(0, r.values.Room())/max(1, size):
		r.failMemory()
		return false
	}
	return true
}

func messages[T any](r *Reader, list []T, items bool, decode func(*Reader, *T)) []T {
	if r.wire() != wireBytes {
		r.wrongType("a message")
		return list
	}
	i, n := len(list), r.Count()
	if !r.allow(i, n, int(unsafe.Sizeof(list[0]))) {
		return list
	}
	if i+n > cap(list) {
		more := batch.List[T](&r.values, max(i+n, 2*i), r.left())
		copy(more, list)
		list = more
	}
	list = list[:i+n]
	clear(list[i:]) // whoever made the list may have used its capacity
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
