// Package prefetch asks the processor for the memory of objects before they are encoded.
//
// The objects of a long list are not in the processor's caches. An encoder that reads one waits for
// each structure before it knows where the next one is, and branches that depend on missing memory
// keep the processor from going ahead. A [Queue] visits the structures of some items in the order
// in which they become known, and asks for the memory of each one a while before it reads it. So
// most of the waiting for one overlaps with that for others.
//
// Nothing depends on what this package does but time. It does nothing on processors for which it
// has no instruction, and with the build tag askind_plain.
package prefetch

import (
	"reflect"
	"sync"
	"unsafe"
)

const (
	// distance is how many structures are requested between the request for one and reading it.
	distance = 16
	// most is how many bytes are requested at once. It ends the visit of items that are too large
	// for the caches.
	most = 256 << 10
	// begin is how much of a text is requested. The processor recognizes longer ones by itself.
	begin = 256
)

// Queue requests items of one type. The zero Queue is ready for use. It is not safe for concurrent
// use.
type Queue struct {
	item        *layout
	waiting     [64]span // a ring
	first, next int      // of the ring, modulo its length
	left        int      // bytes that may still be requested
}

// span is some values that lie one after the other and have been requested.
type span struct {
	at unsafe.Pointer
	n  int
	of *layout
}

// Items requests a slice of items, which must all be of one type for a Queue. The caller reads
// them, so nobody may modify them meanwhile.
func (q *Queue) Items(items reflect.Value) {
	if !available || items.Len() == 0 {
		return
	}
	if q.item == nil {
		q.item = layoutOf(items.Type().Elem())
	}
	q.first, q.next, q.left = 0, 0, most
	at := items.UnsafePointer()
	for i := range items.Len() {
		q.read(unsafe.Add(at, uintptr(i)*q.item.size), q.item)
		q.visit(distance)
	}
	q.visit(0)
	clear(q.waiting[:])
}

// visit reads what was requested first until so many remain.
func (q *Queue) visit(remaining int) {
	for q.next-q.first > remaining && q.left > 0 {
		s := q.waiting[q.first%len(q.waiting)]
		q.first++
		for i := range s.n {
			q.read(unsafe.Add(s.at, uintptr(i)*s.of.size), s.of)
		}
	}
}

// request requests n values, and queues them if they lead to others. If the queue is full they are
// not read.
func (q *Queue) request(at unsafe.Pointer, n int, of *layout) {
	size := min(n*int(of.size), q.left)
	if size <= 0 {
		return
	}
	lines(uintptr(at), uintptr(at)+uintptr(size))
	q.left -= size
	if len(of.words) > 0 && q.next-q.first < len(q.waiting) {
		q.waiting[q.next%len(q.waiting)] = span{at, size / int(of.size), of}
		q.next++
	}
}

// read requests what a value refers to.
func (q *Queue) read(at unsafe.Pointer, of *layout) {
	for i := range of.words {
		w := &of.words[i]
		word := unsafe.Add(at, w.offset)
		to := *(*unsafe.Pointer)(word)
		if to == nil {
			continue
		}
		n := 1
		if w.counted {
			n = *(*int)(unsafe.Add(word, unsafe.Sizeof(to)))
		}
		if w.of == text {
			n = min(n, begin)
		}
		q.request(to, n, w.of)
	}
}

// layout says where values of a type have pointers. Fields that are not exported are not read, as
// encoders do not read them either, and so it is not known who writes them.
type layout struct {
	size  uintptr
	words []word
}

// word is a pointer in a value.
type word struct {
	offset  uintptr
	counted bool    // the length follows, as in slices and strings
	of      *layout // of what it points to
}

var (
	// text is the layout of the bytes of strings.
	text = &layout{size: 1}
	// header is the layout of the part of a map that all maps have. What it refers to is known to
	// the runtime alone.
	header = &layout{size: 48}

	mu      sync.Mutex
	layouts = map[reflect.Type]*layout{}
)

// layoutOf returns the layout of a type.
func layoutOf(t reflect.Type) *layout {
	mu.Lock()
	defer mu.Unlock()
	return build(t)
}

// build is layoutOf with the lock held. Types may refer to themselves.
func build(t reflect.Type) *layout {
	if l, ok := layouts[t]; ok {
		return l
	}
	l := &layout{size: t.Size()}
	layouts[t] = l
	l.add(t, 0)
	return l
}

// add adds the words of a value of type t at an offset.
func (l *layout) add(t reflect.Type, offset uintptr) {
	switch t.Kind() {
	case reflect.String:
		l.words = append(l.words, word{offset, true, text})
	case reflect.Map:
		l.words = append(l.words, word{offset, false, header})
	case reflect.Pointer:
		l.words = append(l.words, word{offset, false, build(t.Elem())})
	case reflect.Slice:
		of := text
		if t.Elem().Kind() != reflect.Uint8 {
			of = build(t.Elem())
		}
		l.words = append(l.words, word{offset, true, of})
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() || f.Anonymous {
				l.add(f.Type, offset+f.Offset)
			}
		}
	}
}
