package jsonwire

import "github.com/askind/askind/schema"

// The functions of this file are what generated code would otherwise repeat for each field. They are not inlined: how much a package of hundreds of
// types compiles to, and how long that takes, follows from what each of its fields adds. A call costs less than two nanoseconds.

// Pointee prepares a pointer for the value that comes next: it returns where to read it to, which is nil if the value is null. What the pointer
// leads to already is kept, to be read over.
func Pointee[T any](r *Reader, p **T) *T {
	if r.Null() {
		*p = nil
	} else if *p == nil {
		*p = New[T](r)
	}
	return *p
}

// List reads an array whose elements the function reads. Null is a nil list, and an empty array is not.
func List[E any](r *Reader, list *[]E, decode func(*Reader, *E)) {
	elements(r, list, decode, false)
}

// Items is [List] for the items of a list of objects, see [Reader.Item].
func Items[E any](r *Reader, list *[]E, decode func(*Reader, *E)) {
	elements(r, list, decode, true)
}

func elements[E any](r *Reader, list *[]E, decode func(*Reader, *E), items bool) {
	if r.Null() {
		*list = nil
		return
	}
	var elems []E
	start := r.Offset()
	for more := r.Array(); more; more = r.NextElem() {
		if items {
			r.Item()
		}
		elems = Extend(r, elems, start)
		decode(r, &elems[len(elems)-1])
	}
	*list = Settle(r, elems)
}

// AppendList appends an array whose elements the function appends, or null for a nil list. An error tells the index.
func AppendList[E any](dst []byte, list []E, appendElem func([]byte, *E) ([]byte, error)) ([]byte, error) {
	if list == nil {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendElem(dst, &list[i]); err != nil {
			return dst, schema.AtIndex(err, i)
		}
	}
	return append(dst, ']'), nil
}

// AppendItems is [AppendList] for elements of which the function appends the members only, each as ',"name":value'.
func AppendItems[E any](dst []byte, list []E, appendMembers func([]byte, *E) ([]byte, error)) ([]byte, error) {
	if list == nil {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		start := len(dst)
		if dst, err = appendMembers(dst, &list[i]); err != nil {
			return dst, schema.AtIndex(err, i)
		}
		dst = CloseObject(dst, start)
	}
	return append(dst, ']'), nil
}

// AppendText appends text that is JSON already, such as the name of a member, with the comma before it and the colon after it.
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
