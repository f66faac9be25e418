// Package wire has what generated decoders call for pointers and lists, whatever the format. It is part of the contract between generated code and the
// formats, beside packages jsonwire and pbwire, whose readers are the two that there are:
//
//	case "ports":
//		wire.List(r, &out.Ports, DecodeJSONPort)	// r is a *jsonwire.Reader
//	case 3:
//		wire.List(r, &out.Ports, DecodeProtoPort)	// r is a *pbwire.Reader
//
// The compiler makes a generic function anew for each type of element, which is most of what it does for a package of hundreds of types. It does not do so for
// each type of pointer. So a function that has the reader as a parameter is made once for both formats, and what it does itself is only what needs the type of
// the elements: the memory for them, which they share in blocks, and the call of their decoder.
//
// Functions are not safe for concurrent use of one reader, and keep nothing of what they are given.
//
// # Related packages
//
// jsonwire and pbwire have the readers, and what depends on the format.
package wire

import (
	"unsafe"

	"github.com/askind/askind/serializer/internal/batch"
)

// Reader is a *jsonwire.Reader or a *pbwire.Reader. Its methods are for this package alone.
type Reader interface {
	// Point prepares a pointer for the next value, see [Pointee]. It returns nil, or where to bring a block of new values of its type.
	Point(p *unsafe.Pointer, pointer any, size uintptr) *batch.Set
	// Open begins with the list at an address.
	Open(list unsafe.Pointer, pointer any, size uintptr) *batch.Elems
	// NextOf moves to the next element of a list and returns where to read it to: nil if memory is wanted for it, or if there is none.
	NextOf(*batch.Elems) unsafe.Pointer
	// Items tells that the elements of the next list are items of a list of objects.
	Items()
}

// Pointee prepares a pointer for the value that comes next: it returns where to read it to, which is nil if the value is null. What the pointer
// leads to already is kept, to be read over. Values of one type that belong to one document, or to one item of a list, share blocks of at most 8 KiB.
//
//go:noinline
func Pointee[R Reader, T any](r R, p **T) *T {
	if s := r.Point((*unsafe.Pointer)(unsafe.Pointer(p)), (*T)(nil), unsafe.Sizeof(**p)); s != nil {
		s.Block(unsafe.Pointer(unsafe.SliceData(make([]T, s.Want()))))
	}
	return *p
}

// List reads the elements of a list with a function. Null is a nil list. What becomes of the elements that the list has already follows from the format:
// those of JSON take their place, those of protobuf follow them.
//
//go:noinline
func List[R Reader, E any](r R, list *[]E, decode func(R, *E)) {
	l := r.Open(unsafe.Pointer(list), (*E)(nil), unsafe.Sizeof((*list)[0]))
	for {
		elem := r.NextOf(l)
		if elem == nil {
			if l.Want == 0 {
				return
			}
			room := make([]E, l.Want)
			copy(room, *list)
			elem = l.Move(unsafe.Pointer(unsafe.SliceData(room)))
		}
		decode(r, (*E)(elem))
	}
}

// Items is [List] for the items of a list of objects, of which no two share memory.
//
//go:noinline
func Items[R Reader, E any](r R, list *[]E, decode func(R, *E)) {
	r.Items()
	List(r, list, decode)
}
