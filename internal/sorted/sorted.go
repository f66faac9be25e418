// Package sorted sorts slices of large structs that are short or sorted already. The functions of
// package slices are compiled once for each element type, which adds 10 to 40 KB to a program for a
// struct of several words. The functions of this package add a few hundred bytes. They are slower
// for long slices that are not sorted, and allocate for those alone.
package sorted

import (
	"slices"
	"sort"
)

// short is the length up to which inserting each element is fast enough.
const short = 16

// Func sorts like [slices.SortStableFunc].
func Func[T any](s []T, compare func(a, b T) int) {
	for i := 1; i < len(s); i++ {
		if compare(s[i-1], s[i]) <= 0 {
			continue
		}
		if len(s) > short {
			c := slices.Clone(s) // so that the slice of a caller can stay on its stack
			sort.SliceStable(c, func(i, j int) bool { return compare(c[i], c[j]) < 0 })
			copy(s, c)
			return
		}
		element, place := s[i], i
		for ; place > 0 && compare(s[place-1], element) > 0; place-- {
			s[place] = s[place-1]
		}
		s[place] = element
	}
}
