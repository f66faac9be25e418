package pbwire

import (
	"errors"
	"slices"
	"strconv"

	"github.com/askind/askind/wire/internal/batch"
)

// Narrow returns the value of the current field as an integer type that the wire format does not
// have. A value out of its range is recorded, and zero returned.
func Narrow[T ~int | ~int8 | ~int16 | ~uint | ~uint8 | ~uint16](r *Reader) T {
	if r.wire() != wireVarint {
		r.wrongType("an integer")
		return 0
	}
	return narrow[T](r, r.varint())
}

// Narrows appends the value of the current field to a list, as [Int64s] does.
func Narrows[T ~int | ~int8 | ~int16 | ~uint | ~uint8 | ~uint16](r *Reader, list []T) []T {
	return varints(r, list, "an integer", func(v uint64) T { return narrow[T](r, v) })
}

// narrow checks a varint. Converting a signed T back extends its sign, which is how negative
// numbers are written.
func narrow[T ~int | ~int8 | ~int16 | ~uint | ~uint8 | ~uint16](r *Reader, v uint64) T {
	t := T(v)
	if uint64(t) == v {
		return t
	}
	r.Invalid(errors.New(strconv.FormatInt(int64(v), 10) + " is out of range"))
	return 0
}

// Texts is [Reader.Strings] for strings of any type.
func Texts[T ~string](r *Reader, list []T) []T {
	i := len(list)
	n := r.elements(i, batch.SizeOf[T](), "a string")
	if n == 0 {
		return list
	}
	if list == nil {
		list = batch.List[T](&r.values, n, r.left())
	} else {
		list = slices.Grow(list, n)[:i+n]
	}
	for {
		s := r.String()
		if r.err != nil {
			return list[:i]
		}
		list[i] = T(s)
		if i++; i == len(list) || !r.Next() {
			return list[:i]
		}
	}
}

// ByteSlices appends the value of the current field to a list of byte slices, which is allocated in
// the right size if it is nil.
func ByteSlices[T ~[]byte](r *Reader, list []T) []T {
	if r.wire() != wireBytes {
		r.wrongType("bytes")
		return list
	}
	if list == nil {
		n, _ := r.run()
		list = make([]T, 0, n)
	}
	b := r.Bytes()
	if r.err != nil || !r.allow(len(list), 1, 0) {
		return list
	}
	return append(list, T(b))
}
