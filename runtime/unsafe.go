//go:build !askind_plain

package runtime

import (
	"reflect"
	"unsafe"
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

// funcPointer is a function of a spec, which is only compared with nil.
type funcPointer = unsafe.Pointer

// record is the layout of a [KindSpec] with any type parameter: functions are pointers, which are
// only compared with nil, and the fields that otherwise depend on the parameter come after them. A
// method of each KindSpec that copies these fields would make building a scheme take 2.5 times as
// long (scheme-build/fleet of bench/peers), and a program with all types of k8s.io/api 280 KB
// larger.
type record struct {
	identity
	typeMeta, metadata, items, deepCopyInto, appendJSON, decodeJSON, prependProto, decodeProto, setDefaults, validate,
	export, omitDefaults, validateChange funcPointer
	schemaName string
	schemas    *Schemas
}

// recordOf returns a spec as a record, without copying it, or nil for nil.
func recordOf(s Spec) *record { return (*record)((*[2]unsafe.Pointer)(unsafe.Pointer(&s))[1]) }

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
