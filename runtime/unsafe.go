//go:build !askind_plain

package runtime

import (
	"reflect"
	"unsafe"

	"github.com/askind/askind/conversion"
)

// All unsafe code of the package is in this file. With the build tag askind_plain plain.go replaces
// it.

// typeID identifies a Go type in a table, at half the cost of hashing a [reflect.Type]. It is the
// address of the runtime's type descriptor, which reflect compares as well. The descriptor of a
// registered type does not move, because the scheme refers to it.
type typeID uintptr

// typeOf returns the type of the value in an interface, or 0 for nil.
func typeOf(v any) typeID { return typeID((*[2]uintptr)(unsafe.Pointer(&v))[0]) }

// isNil reports whether a pointer in an interface is nil.
func isNil(pointer any) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(&pointer))[1] == nil }

// pointerTo returns the ID of the type of pointers to values of a type.
func pointerTo(t reflect.Type) typeID {
	t = reflect.PointerTo(t)
	return typeID((*[2]uintptr)(unsafe.Pointer(&t))[1]) // the interface holds a *rtype, the address of the descriptor
}

// structOf returns the struct type for the ID of the type of pointers to it.
func structOf(pointer typeID) reflect.Type {
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&words{typ: pointer}))).Elem()
}

// newOf returns a pointer to a new value, with the ID of the type of the pointer.
func newOf(pointer typeID) Object {
	return *(*Object)(unsafe.Pointer(&words{pointer, reflect.New(structOf(pointer)).UnsafePointer()}))
}

// words is the layout of an interface that holds a pointer.
type words struct {
	typ     typeID
	pointer unsafe.Pointer
}

// opaque is an object whose type is not stated.
type opaque struct{}

// hide returns a pointer to an object, which is a pointer in an interface.
func hide(obj Object) *opaque { return (*opaque)((*words)(unsafe.Pointer(&obj)).pointer) }

// object returns an object as what it is.
func object[T any](obj Object) *T { return (*T)((*words)(unsafe.Pointer(&obj)).pointer) }

// erase returns a spec with functions that take opaque objects: pointers are passed alike whatever
// they point to, so it is the same memory.
func erase[T any](spec *KindSpec[T]) *anySpec { return (*anySpec)(unsafe.Pointer(spec)) }

// identityOf returns the start of a spec.
func identityOf(spec *anySpec) *identity { return (*identity)(unsafe.Pointer(spec)) }

// erasePartial is erase for a declaration of a part.
func erasePartial[From, To any](p *Partial[From, To]) partial {
	return (*Partial[opaque, opaque])(unsafe.Pointer(p))
}

// erasedFunction is a function between objects of types that are not stated.
type erasedFunction func(in, out *opaque, s *conversion.Scope) error

// eraseFunction is erase for a function.
func eraseFunction[In, Out any](f func(*In, *Out, *conversion.Scope) error) erasedFunction {
	return *(*erasedFunction)(unsafe.Pointer(&f))
}

func (f erasedFunction) call(in, out Object, s *conversion.Scope) error {
	return f(hide(in), hide(out), s)
}

// id identifies the function, see funcID; 0 for a nil one.
func (f erasedFunction) id() uintptr { return funcID(f) }

// entry returns where the code of the function begins, 0 for a nil one.
func (f erasedFunction) entry() site {
	if f == nil {
		return 0
	}
	return site(codeOf(f))
}

// funcID identifies a function value: two values have the same ID if and only if they are the same
// function or the same closure. The code pointer from package reflect is not enough, since closures
// created by one literal share it. f must hold a function.
func funcID(f any) uintptr {
	// a function in an interface is a pointer to its closure
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1])
}

// codeOf returns the address of a function's code. f must hold a function that is not nil.
func codeOf(f any) uintptr {
	return *(*uintptr)((*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1])
}
