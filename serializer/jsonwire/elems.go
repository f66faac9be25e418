package jsonwire

import (
	"unsafe"

	"github.com/askind/askind/serializer/internal/batch"
)

// Point is for package wire.
func (r *Reader) Point(p *unsafe.Pointer, pointer any, size uintptr) *batch.Set {
	switch {
	case r.Null():
		*p = nil
	case *p == nil:
		return r.values.Point(p, pointer, size, r.rest())
	}
	return nil
}

// Items is for package wire.
func (r *Reader) Items() { r.values.Items() }

// Open is for package wire.
func (r *Reader) Open(list unsafe.Pointer, pointer any, size uintptr) *batch.Elems {
	return r.values.Open(list, pointer, size)
}

// NextOf is for package wire.
func (r *Reader) NextOf(l *batch.Elems) unsafe.Pointer {
	if !l.Begun {
		l.Begun = true
		l.Nil()
		if r.Null() {
			return l.Close()
		}
		l.Place = r.Offset()
		if !r.Array() {
			l.Settle()
			return l.Close()
		}
	} else if !r.NextElem() {
		l.Settle()
		return l.Close()
	}
	if l.Items {
		r.Item()
	}
	if n := l.Len(); n == l.Cap() {
		room := r.capacity(n, l.Place, l.Size())
		if room <= n {
			r.failMemory()
			l.Nil() // the elements so far are let go of; the text has ended
			room = 1
		}
		l.Extend(room, r.rest())
	}
	return l.Next()
}
