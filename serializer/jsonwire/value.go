package jsonwire

import "github.com/askind/askind/schema"

// The functions of this file are what generated code would otherwise repeat for each field. They are not inlined: how much a package of hundreds of
// types compiles to, and how long that takes, follows from what each of its fields adds. A call costs less than two nanoseconds.

// AppendList appends an array whose elements the function appends, or null for a nil list. An error tells the index.
func AppendList[E any](dst []byte, list []E, appendElem func([]byte, *E) ([]byte, error)) ([]byte, error) {
	for i := range list {
		var err error
		if dst, err = appendElem(appendStart(dst, i), &list[i]); err != nil {
			return dst, schema.AtIndex(err, i)
		}
	}
	return appendEnd(dst, len(list), list == nil), nil
}

// AppendItems is [AppendList] for elements of which the function appends the members only, each as ',"name":value'.
func AppendItems[E any](dst []byte, list []E, appendMembers func([]byte, *E) ([]byte, error)) ([]byte, error) {
	for i := range list {
		var err error
		dst = appendStart(dst, i)
		start := len(dst)
		if dst, err = appendMembers(dst, &list[i]); err != nil {
			return dst, schema.AtIndex(err, i)
		}
		dst = CloseObject(dst, start)
	}
	return appendEnd(dst, len(list), list == nil), nil
}

// appendStart appends what stands before an element: the bracket of the array, or a comma.
//
//go:noinline
func appendStart(dst []byte, i int) []byte {
	if i == 0 {
		return append(dst, '[')
	}
	return append(dst, ',')
}

// appendEnd appends what stands behind the last of n elements. A nil list is null.
//
//go:noinline
func appendEnd(dst []byte, n int, null bool) []byte {
	switch {
	case n > 0:
		return append(dst, ']')
	case null:
		return append(dst, "null"...)
	}
	return append(dst, "[]"...)
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
