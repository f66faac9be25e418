package batch

import (
	"reflect"
	"unsafe"
)

// Type is what a Set knows of a type T, and where its values come from. Its methods are not generic
// functions, which the compiler makes anew for each type: for a package of hundreds of types that
// took as long as all the rest of what is generated for it.
//
//	block: | value | value | list | list | list | zero | zero |
//	                                            ^free    left = 2
type Type struct {
	decode unsafe.Pointer // the key of the function that was last found to read a T
	size   uintptr        // of a T

	// to the first of the values that are left; nil if there are none, and while a list grows into
	// them
	free unsafe.Pointer
	left int
	used int  // values given out for this item
	hint int  // how many the item before needed that had any
	item uint // the item that all this is for

	elem, list     reflect.Type // T, and []T when it was needed
	target, source Slice        // lists for package reflect, empty in between
}

// keyOf returns an address that is another one for each type of value in an interface. The
// interface does not escape by it.
func keyOf(v any) unsafe.Pointer {
	t := reflect.TypeOf(v)
	return word(&t)
}

// word is the value of an interface that has a pointer, its second word.
func word(t *reflect.Type) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(t))[1] }

// Address is the pointer in an interface, as which functions are held too.
func Address(p any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&p))[1] }

// pointerOf returns the type of pointer that a key is of, a *[]T or a **T.
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

// Slice is a list in memory, whatever its type:
//
//	Data: | element | element | zero | zero | zero |
//	                            ^Len                 ^Cap
type Slice struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// Index returns the address of an element that there is room for.
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

// Clear makes the elements of a list zero, from the i-th on.
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

// none is where lists are that have no elements and are not nil.
var none struct{}

// New is [Set.New] where the type is known.
func New[T any](s *Set, remaining int) *T { return (*T)(s.New(s.Type((*[]T)(nil)), remaining)) }

// List is [Set.List] where the type is known.
func List[T any](s *Set, n, remaining int) []T {
	list := s.List(s.Type((*[]T)(nil)), n, remaining)
	return *(*[]T)(unsafe.Pointer(&list))
}

// Extend is [Set.Extend] where the type is known.
func Extend[T any](s *Set, list []T, least, remaining int) []T {
	more := s.Extend(s.Type((*[]T)(nil)), *(*Slice)(unsafe.Pointer(&list)), least, remaining)
	return *(*[]T)(unsafe.Pointer(&more))
}

// Settle is [Set.Settle] where the type is known.
func Settle[T any](s *Set, list []T) []T {
	settled := s.Settle(s.Type((*[]T)(nil)), *(*Slice)(unsafe.Pointer(&list)))
	return *(*[]T)(unsafe.Pointer(&settled))
}
