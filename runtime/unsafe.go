package runtime

import "unsafe"

// funcID identifies a function value: two values have the same ID exactly if they are the same function or the same closure. The code
// pointer that reflect offers is not enough, since closures made by one literal share it. f must hold a function.
func funcID(f any) uintptr {
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1]) // a function in an interface is a pointer to its closure
}

// codeOf returns where the code of a function begins. f must hold a function that is not nil.
func codeOf(f any) uintptr {
	return *(*uintptr)((*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1])
}
