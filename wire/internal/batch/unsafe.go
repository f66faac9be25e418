package batch

import (
	"reflect"
	"unsafe"

	"github.com/askind/askind/internal/plain"
)

// Pointer is the address of a value whose type the compiler does not know. All unsafe code of the
// package is in this file.
type Pointer = unsafe.Pointer

// Type describes a type T and its current block. Its methods are not generic, because the compiler
// would instantiate them for each type: for a package with hundreds of types that doubled the
// compile time of the generated code.
//
//	block: | value | value | list | list | list | zero | zero |
//	                                            ^free    left = 2
type Type struct {
	decode Pointer // the key of the function last verified to read a T
	size   uintptr // of a T

	// to the first of the remaining values; nil if none remain, and while a list grows into them
	free Pointer
	left int
	used int  // values used by this item
	hint int  // values used by the last item that used any
	item uint // the item that these fields refer to

	elem, list     reflect.Type // T, and []T once it is needed
	target, source Slice        // scratch lists for package reflect, empty between calls
}

// keyOf returns an address that is unique to the type of the value in an interface. The interface
// does not escape.
func keyOf(v any) Pointer {
	t := reflect.TypeOf(v)
	return word(&t)
}

// word returns the second word of an interface, which is the pointer.
func word(t *reflect.Type) Pointer { return (*[2]Pointer)(Pointer(t))[1] }

// Address returns the pointer in an interface. An interface that holds a function has one too.
func Address(p any) Pointer { return (*[2]Pointer)(Pointer(&p))[1] }

// pointerOf returns the pointer type that a key represents, a *[]T or a **T.
func pointerOf(key Pointer) reflect.Type {
	// the first word of an interface is its type
	p := reflect.TypeOf(*(*any)(Pointer(&[2]Pointer{key, nil})))
	if p.Kind() != reflect.Pointer || p.Elem().Kind() != reflect.Slice && p.Elem().Kind() != reflect.Pointer {
		panic("BUG: " + p.String() + " is not a pointer to a list or to a pointer")
	}
	return p
}

// Reads panics unless decode is a function of a reader of this type and a *T.
func (t *Type) Reads(reader, decode any) {
	if t.decode != keyOf(decode) {
		t.check(reflect.TypeOf(reader), reflect.TypeOf(decode))
		t.decode = keyOf(decode)
	}
}

func (t *Type) check(reader, decode reflect.Type) {
	p := reflect.PointerTo(t.elem)
	if decode.Kind() != reflect.Func || decode.NumIn() != 2 || decode.In(0) != reader || decode.In(1) != p ||
		decode.NumOut() > 0 {
		panic("BUG: " + decode.String() + " is not a function of " + reader.String() + " and " + p.String())
	}
}

// Size returns the size of a value.
func (t *Type) Size() int { return int(t.size) }

// Slice is a slice header of any element type.
type Slice struct {
	Data     Pointer
	Len, Cap int
}

// Index returns the address of element i, which must be below the capacity.
func (t *Type) Index(list Slice, i int) Pointer {
	return t.after(list.Data, i)
}

// after returns the address after n values that begin at p.
func (t *Type) after(p Pointer, n int) Pointer { return unsafe.Add(p, uintptr(n)*t.size) }

// memory returns the address of n newly allocated zero values.
func (t *Type) memory(n int) Pointer {
	switch {
	case n == 0:
		return noneAt()
	case plain.Enabled:
		return reflect.MakeSlice(reflect.SliceOf(t.elem), n, n).UnsafePointer()
	}
	return newArray(word(&t.elem), n)
}

// newArray is the allocation function of reflect.MakeSlice. That function also allocates the slice
// header, and [reflect.Value.Grow] takes as long as decoding the fields of a small value. The
// runtime guarantees this name because many packages use it, see go.dev/issue/67401.
//
//go:linkname newArray reflect.unsafe_NewArray
//go:noescape
func newArray(t Pointer, n int) Pointer

// Copy copies the elements of a list to an address.
func (t *Type) Copy(to Pointer, list Slice) {
	if list.Len > 0 {
		t.target, t.source = Slice{to, list.Len, list.Len}, list
		reflect.Copy(t.value(&t.target), t.value(&t.source))
		t.target, t.source = Slice{}, Slice{}
	}
}

// Clear zeroes the elements of a list from the i-th on.
func (t *Type) Clear(list Slice, i int) {
	if i < list.Len {
		t.target = Slice{t.Index(list, i), list.Len - i, list.Len - i}
		t.value(&t.target).Clear()
		t.target = Slice{}
	}
}

// value returns the list at an address.
func (t *Type) value(list *Slice) reflect.Value {
	if t.list == nil {
		t.list = reflect.SliceOf(t.elem)
	}
	return reflect.NewAt(t.list, Pointer(list)).Elem()
}

// none is the address of lists that are empty but not nil.
var none struct{}

func noneAt() Pointer { return Pointer(&none) }

// SizeOf returns the size of a T in bytes.
func SizeOf[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// HeaderOf returns the header of a list.
func HeaderOf[T any](list []T) Slice { return *(*Slice)(Pointer(&list)) }

// ListOf returns the list with a header. Its elements must be of type T.
func ListOf[T any](header Slice) []T { return *(*[]T)(Pointer(&header)) }

// New is [Set.New] for a type known at compile time.
func New[T any](s *Set, remaining int) *T { return (*T)(s.New(s.Type((*[]T)(nil)), remaining)) }

// List is [Set.List] for a type known at compile time.
func List[T any](s *Set, n, remaining int) []T {
	return ListOf[T](s.List(s.Type((*[]T)(nil)), n, remaining))
}

// Extend is [Set.Extend] for a type known at compile time.
func Extend[T any](s *Set, list []T, least, remaining int) []T {
	return ListOf[T](s.Extend(s.Type((*[]T)(nil)), HeaderOf(list), least, remaining))
}

// Settle is [Set.Settle] for a type known at compile time.
func Settle[T any](s *Set, list []T) []T {
	return ListOf[T](s.Settle(s.Type((*[]T)(nil)), HeaderOf(list)))
}
