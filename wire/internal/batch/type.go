package batch

import (
	"reflect"
	"unsafe"
)

// Type describes a type T and its current block. Its methods are not generic, because the compiler
// would instantiate them for each type: for a package with hundreds of types that doubled the
// compile time of the generated code.
//
//	block: | value | value | list | list | list | zero | zero |
//	                                            ^free    left = 2
type Type struct {
	decode unsafe.Pointer // the key of the function last verified to read a T
	size   uintptr        // of a T

	// to the first of the remaining values; nil if none remain, and while a list grows into them
	free unsafe.Pointer
	left int
	used int  // values used by this item
	hint int  // values used by the last item that used any
	item uint // the item that these fields refer to

	elem, list     reflect.Type // T, and []T once it is needed
	target, source Slice        // scratch lists for package reflect, empty between calls
}

// keyOf returns an address that is unique to the type of the value in an interface. The interface
// does not escape.
func keyOf(v any) unsafe.Pointer {
	t := reflect.TypeOf(v)
	return word(&t)
}

// word returns the second word of an interface, which is the pointer.
func word(t *reflect.Type) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(t))[1] }

// Address returns the pointer in an interface. An interface that holds a function has one too.
func Address(p any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&p))[1] }

// pointerOf returns the pointer type that a key represents, a *[]T or a **T.
func pointerOf(key unsafe.Pointer) reflect.Type {
	// the first word of an interface is its type
	p := reflect.TypeOf(*(*any)(unsafe.Pointer(&[2]unsafe.Pointer{key, nil})))
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

// Slice is a slice header of any element type:
type Slice struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// Index returns the address of element i, which must be below the capacity.
func (t *Type) Index(list Slice, i int) unsafe.Pointer {
	return unsafe.Add(list.Data, uintptr(i)*t.size)
}

// Copy copies the elements of a list to an address.
func (t *Type) Copy(to unsafe.Pointer, list Slice) {
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
	return reflect.NewAt(t.list, unsafe.Pointer(list)).Elem()
}

// none is the address of lists that are empty but not nil.
var none struct{}

// New is [Set.New] for a type known at compile time.
func New[T any](s *Set, remaining int) *T { return (*T)(s.New(s.Type((*[]T)(nil)), remaining)) }

// List is [Set.List] for a type known at compile time.
func List[T any](s *Set, n, remaining int) []T {
	list := s.List(s.Type((*[]T)(nil)), n, remaining)
	return *(*[]T)(unsafe.Pointer(&list))
}

// Extend is [Set.Extend] for a type known at compile time.
func Extend[T any](s *Set, list []T, least, remaining int) []T {
	more := s.Extend(s.Type((*[]T)(nil)), *(*Slice)(unsafe.Pointer(&list)), least, remaining)
	return *(*[]T)(unsafe.Pointer(&more))
}

// Settle is [Set.Settle] for a type known at compile time.
func Settle[T any](s *Set, list []T) []T {
	settled := s.Settle(s.Type((*[]T)(nil)), *(*Slice)(unsafe.Pointer(&list)))
	return *(*[]T)(unsafe.Pointer(&settled))
}
