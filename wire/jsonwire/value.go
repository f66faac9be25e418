package jsonwire

import (
	"unsafe"

	"github.com/askind/askind/wire/internal/batch"
)

// The functions of this file replace code that would otherwise be generated for each field. They
// are not inlined: the size and compile time of a package with hundreds of types depend on the code
// for each field. A call costs less than two nanoseconds.

// Pointee prepares a pointer for the next value and reports whether there is one: if the value is
// null, it sets the pointer to nil. An existing target is kept, to be decoded into. p is the
// address of the pointer, a **T. Pointee is not generic for the same reason as [Reader.List].
func (r *Reader) Pointee(p any) bool {
	at := (*unsafe.Pointer)(batch.Address(p))
	if r.Null() {
		*at = nil
		return false
	}
	if *at == nil {
		*at = r.values.New(r.values.Type(p), r.rest())
	}
	return true
}

// List reads an array. Null is a nil list, and an empty array is an empty list. list is the address
// of the list, a *[]E, and decode is the function that reads an element, a func(*Reader, *E).
//
// List is not generic, because the compiler would instantiate it for each E, which for a package
// with hundreds of types doubled the compile time of the generated code. Instead the types are
// compared when a Reader first uses them: List panics if they do not match.
func (r *Reader) List(list, decode any) { r.list(list, decode, false) }

// Items is [Reader.List] for the items of a list of objects, see [Reader.Item].
func (r *Reader) Items(list, decode any) { r.list(list, decode, true) }

//go:noinline
func (r *Reader) list(list, decode any, items bool) {
	t := r.values.Type(list)
	t.Reads(r, decode)
	out, f := (*batch.Slice)(batch.Address(list)), batch.Address(decode)
	read := *(*func(*Reader, unsafe.Pointer))(unsafe.Pointer(&f)) // a func(*Reader, *E)
	if r.Null() {
		*out = batch.Slice{}
		return
	}
	var elems batch.Slice
	start := r.Offset()
	for more := r.Array(); more; more = r.NextElem() {
		if items {
			r.Item()
		}
		if elems.Len == elems.Cap {
			elems = r.extend(elems, t, start)
		}
		elem := t.Index(elems, elems.Len)
		elems.Len++
		read(r, elem)
	}
	*out = r.values.Settle(t, elems)
}

// AppendComma appends the comma before the i-th element of an array, and nothing before the first.
//
//go:noinline
func AppendComma(dst []byte, i int) []byte {
	if i == 0 {
		return dst
	}
	return append(dst, ',')
}

// AppendText appends text that is already JSON, such as the name of a member with the comma before
// it and the colon after it. It is not inlined, to keep generated code small.
//
//go:noinline
func AppendText(dst []byte, text string) []byte { return append(dst, text...) }

// AppendStringsMember appends text and a list of strings, as [AppendStrings] does.
//
//go:noinline
func AppendStringsMember(dst []byte, text string, value []string) []byte {
	return AppendStrings(append(dst, text...), value)
}

// AppendStringMapMember appends text and a map, as [AppendStringMap] does.
//
//go:noinline
func AppendStringMapMember(dst []byte, text string, value map[string]string) []byte {
	return AppendStringMap(append(dst, text...), value)
}

// AppendBoolMember appends text and true or false.
//
//go:noinline
func AppendBoolMember(dst []byte, text string, value bool) []byte {
	return AppendBool(append(dst, text...), value)
}

// AppendIntMember appends text and a signed integer.
//
//go:noinline
func AppendIntMember(dst []byte, text string, value int64) []byte {
	return AppendInt(append(dst, text...), value)
}
