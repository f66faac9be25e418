package unstructured

import "unsafe"

// A view is one value of a tree in two words: a pointer, and a number whose meaning depends on the
// pointer.
//
//	type               p                        n
//	null               nil                      0
//	boolean, number    marks[type]              the value, or its bits
//	string             the first byte           type in 4 bits, length in 60
//	array, object      the first element        type in 4 bits, capacity in 30, length in 30
//	reference          nil                      type in 4 bits, offset in 30 or 40, length in 30 or 20
//
// References exist only inside a builder: they refer to its scratch memory. All unsafe code of the
// package is in this file.
type view struct {
	p unsafe.Pointer
	n uint64
}

// The sizes of the entries of objects and arrays in bytes.
const (
	memberSize = int(unsafe.Sizeof(member{}))
	viewSize   = int(unsafe.Sizeof(view{}))
)

// marks are never read or written; their addresses identify the types of scalars.
var marks [TypeFloat64 + 1]byte

const (
	// maxLen is the maximum number of elements of an array or object.
	maxLen = 1<<30 - 1

	typeShift = 60
	capShift  = 30
	textMask  = 1<<typeShift - 1

	refText   Type = 8
	refArray  Type = 9
	refObject Type = 10
	// refTextBits is the number of bits for the length of a text in a reference.
	refTextBits = 20
)

// typ returns the type, also of references.
func (v view) typ() Type {
	if at := uintptr(v.p) - uintptr(unsafe.Pointer(&marks)); at < uintptr(len(marks)) {
		return Type(at)
	}
	return Type(v.n >> typeShift)
}

// scalarView returns a boolean or a number.
func scalarView(t Type, bits uint64) view { return view{unsafe.Pointer(&marks[t]), bits} }

func textView(s string) view {
	return view{unsafe.Pointer(unsafe.StringData(s)), uint64(TypeString)<<typeShift | uint64(len(s))}
}

// text returns a string; the view must be one.
func (v view) text() string { return unsafe.String((*byte)(v.p), v.n&textMask) }

func arrayView(s []view) view {
	return view{unsafe.Pointer(unsafe.SliceData(s)), containerBits(TypeArray, len(s), cap(s))}
}

// elements returns the elements of an array; the view must be one.
func (v view) elements() []view {
	return unsafe.Slice((*view)(v.p), v.n>>capShift&maxLen)[:v.n&maxLen]
}

func objectView(s []member) view {
	return view{unsafe.Pointer(unsafe.SliceData(s)), containerBits(TypeObject, len(s), cap(s))}
}

// members returns the members of an object; the view must be one.
func (v view) members() []member {
	return unsafe.Slice((*member)(v.p), v.n>>capShift&maxLen)[:v.n&maxLen]
}

// containerBits are the bits of a slice. A capacity that the bits cannot hold is not used.
func containerBits(t Type, length, capacity int) uint64 {
	return uint64(t)<<typeShift | uint64(min(capacity, maxLen))<<capShift | uint64(length)
}

func refView(t Type, offset, length int) view {
	shift := capShift
	if t == refText {
		shift = refTextBits
	}
	return view{nil, uint64(t)<<typeShift | uint64(offset)<<shift | uint64(length)}
}

// ref returns the parts of a reference to a container.
func (v view) ref() (offset, length int) { return int(v.n >> capShift & maxLen), int(v.n & maxLen) }

// textRef returns the parts of a reference to a text.
func (v view) textRef() (offset, length int) {
	return int(v.n & textMask >> refTextBits), int(v.n & (1<<refTextBits - 1))
}

// objectsOf returns the elements of an array as objects, in place: an Object is a view with
// methods.
func objectsOf(s []view) []Object {
	return unsafe.Slice((*Object)(unsafe.Pointer(unsafe.SliceData(s))), cap(s))[:len(s)]
}
