package pbwire

import "math"

// The functions of this file append the value of the current field to a list of numbers. Readers
// must accept such a list in both of its forms: one field for each number, and packed, which is one
// field with all of them. A nil list is allocated in the right size.

// Int64s appends the value of the current field to a list.
func Int64s[T ~int64](r *Reader, list []T) []T {
	return varints(r, list, "an integer", func(v uint64) T { return T(v) })
}

// Int32s appends the value of the current field to a list.
func Int32s[T ~int32](r *Reader, list []T) []T {
	return varints(r, list, "an integer", func(v uint64) T { return T(v) })
}

// Uint64s appends the value of the current field to a list.
func Uint64s[T ~uint64](r *Reader, list []T) []T {
	return varints(r, list, "an integer", func(v uint64) T { return T(v) })
}

// Uint32s appends the value of the current field to a list.
func Uint32s[T ~uint32](r *Reader, list []T) []T {
	return varints(r, list, "an integer", func(v uint64) T { return T(v) })
}

// Bools appends the value of the current field to a list.
func Bools[T ~bool](r *Reader, list []T) []T {
	return varints(r, list, "a boolean", func(v uint64) T { return v != 0 })
}

// Float64s appends the value of the current field to a list.
func Float64s[T ~float64](r *Reader, list []T) []T {
	return repeated(r, list, wireFixed64, "a double", func(b []byte) int { return len(b) / 8 },
		func() T { return T(math.Float64frombits(r.fixed64())) })
}

// Float32s appends the value of the current field to a list.
func Float32s[T ~float32](r *Reader, list []T) []T {
	return repeated(r, list, wireFixed32, "a float", func(b []byte) int { return len(b) / 4 },
		func() T { return T(math.Float32frombits(r.fixed32())) })
}

func varints[T any](r *Reader, list []T, expected string, from func(uint64) T) []T {
	// Every varint has one byte below 0x80, its last one.
	count := func(b []byte) int {
		n := 0
		for _, c := range b {
			if c < 0x80 {
				n++
			}
		}
		return n
	}
	return repeated(r, list, wireVarint, expected, count, func() T { return from(r.varint()) })
}

// repeated appends one value, or all values of a packed field. count returns the number of values
// in packed bytes.
func repeated[T any](r *Reader, list []T, typ uint32, expected string, count func([]byte) int, next func() T) []T {
	switch r.wire() {
	case typ:
		if list == nil {
			n, _ := r.run()
			list = make([]T, 0, n)
		}
		if v := next(); r.err == nil && r.allow(len(list), 1, 0) {
			list = append(list, v)
		}
	case wireBytes:
		n, ok := r.size()
		if !ok {
			return list
		}
		outer := r.end
		r.end = r.pos + n
		if many := count(r.data[r.pos:r.end]); many > 0 && !r.allow(len(list), many, 0) {
			r.end = outer
			return list
		} else if list == nil {
			list = make([]T, 0, many)
		}
		for r.pos < r.end {
			if v := next(); r.err == nil {
				list = append(list, v)
			}
		}
		r.end = outer
	default:
		r.wrongType(expected)
	}
	return list
}
