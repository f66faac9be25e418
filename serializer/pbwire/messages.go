package pbwire

import (
	"math/bits"
	"unsafe"

	"github.com/askind/askind/serializer/internal/batch"
)

// Point is for package wire.
func (r *Reader) Point(p *unsafe.Pointer, pointer any, size uintptr) *batch.Set {
	if *p != nil {
		return nil
	}
	return r.values.Point(p, pointer, size, r.left())
}

// Items is for package wire.
func (r *Reader) Items() { r.values.Items() }

// Open is for package wire.
func (r *Reader) Open(list unsafe.Pointer, pointer any, size uintptr) *batch.Elems {
	return r.values.Open(list, pointer, size)
}

// NextOf is for package wire. The elements of a list of messages are the value of the current field, and those that follow it without another field in
// between. The list grows once. A value that is no message is recorded and leaves the list as it is.
func (r *Reader) NextOf(l *batch.Elems) unsafe.Pointer {
	if !l.Begun {
		if !r.begin(l) {
			return l.Close()
		}
	} else {
		r.EndMessage(l.Saved)
		if r.values.Room() < 0 {
			r.failMemory()
		}
		if l.Len() == l.Place || !r.Next() { // nothing follows after a failure
			return l.Close()
		}
	}
	if l.Items {
		r.Item()
	}
	l.Saved = r.Message()
	return l.Next()
}

// begin makes room for the elements that follow each other.
func (r *Reader) begin(l *batch.Elems) bool {
	l.Begun = true
	n := r.elements(l.Len(), l.Size(), "a message")
	if n == 0 {
		return false
	}
	l.Place = l.Len() + n
	if l.Place > l.Cap() {
		l.Room(max(l.Place, 2*l.Len()), r.left())
	} else {
		l.Zero(n) // whoever made the list may have used its capacity
	}
	return true
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
