package runtime

import (
	"reflect"
	"unsafe"
)

// typeID identifies a Go type in a table, which is half the work of hashing a [reflect.Type]. It is
// the address of the runtime's description of the type, which reflect compares as well; that of a
// type which a scheme knows stays where it is, because the scheme refers to it.
type typeID uintptr

// typeOf returns the type of the value in an interface, 0 for nil.
func typeOf(v any) typeID { return typeID((*[2]uintptr)(unsafe.Pointer(&v))[0]) }

// isNil reports whether a pointer in an interface is nil.
func isNil(pointer any) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(&pointer))[1] == nil }

// pointerTo returns the ID of the type of pointers to values of a type.
func pointerTo(t reflect.Type) typeID {
	t = reflect.PointerTo(t)
	return typeID((*[2]uintptr)(unsafe.Pointer(&t))[1]) // an interface with a *rtype, the address of the description
}

// record is how a [KindSpec] lies in memory, whatever its type parameter is: functions are
// pointers, of which no more is asked here than whether they are nil, and what depends on the
// parameter otherwise comes after them.
type record struct {
	identity
	typeMeta, metadata, items, deepCopyInto, appendJSON, decodeJSON, prependProto, decodeProto, setDefaults, validate,
	export, omitDefaults, validateChange unsafe.Pointer
	schemaName string
	schemas    *Schemas
}

// recordOf returns what a spec is, without copying it; nil for a nil one.
func recordOf(s Spec) *record { return (*record)((*[2]unsafe.Pointer)(unsafe.Pointer(&s))[1]) }

// funcID identifies a function value: two values have the same ID exactly if they are the same
// function or the same closure. The code pointer that reflect offers is not enough, since closures
// made by one literal share it. f must hold a function.
func funcID(f any) uintptr {
	// a function in an interface is a pointer to its closure
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1])
}

// codeOf returns where the code of a function begins. f must hold a function that is not nil.
func codeOf(f any) uintptr {
	return *(*uintptr)((*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1])
}
